"""From a run that ended too early to the same run, going on."""

from studio.app.chats import Chats
from studio.app.problems import refuse_errors
from studio.app.profiles import choose_profile
from studio.app.replays import OldRun, Terms
from studio.errors import UsageError
from studio.host.recorded import RunMaterials
from studio.runtime.budget import read_limits
from studio.runtime.edited_gate import edits_of
from studio.runtime.run import RunSpec
from studio.runtime.takeover import resumed
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.trace.events import RunContinued, RunStarted
from studio.trace.redact import redactor
from studio.trace.state import RunStatus


def prepare_resume(old: OldRun, store: RunStore, registry: Registry, terms: Terms) -> RunMaterials:
    """Make ready to go on with a run in its own file; with `repeats`, side effects in doubt are done again.

    Raises `UsageError` for a run that has finished, or that is still going on.
    """
    status = store.summary(old.run).status
    if status is RunStatus.FINISHED:
        raise UsageError(f"The run `{old.run}` has finished; there is nothing to resume.")
    if not status.is_final:
        raise UsageError(f"The run `{old.run}` is still going on.", hint="Stop it first, or wait for it.")
    refuse_errors(old.flow, registry)
    profile = terms.profile or old.started.profile
    chosen = choose_profile(old.project, profile, terms.environ, offline=False) if profile else None
    chats = Chats(old.project, chosen, terms.environ)
    past, over = resumed(old.entries, old.flow, registry, repeats=terms.repeats)
    edits = {
        place: values for place, values in edits_of(old.entries, old.flow).items() if place[0] not in over
    }
    known = [one.event.limits for one in old.entries if isinstance(one.event, RunStarted | RunContinued)]
    spec = RunSpec(
        old.run,
        old.flow,
        old.inputs,
        profile,
        str(old.project.root),
        old.started.forked_from,
        goes_on=True,
        limits={**known[-1], **read_limits(terms.limits, "The call")},
    )
    return RunMaterials(
        spec,
        registry,
        chats,
        old.project.root,
        store.new_run_path(old.run),
        redactor(chats.secrets),
        chats.close,
        past,
        old.entries,
        over,
        edits,
    )
