"""From a run that ended too early to the same run, going on.

It is refused for a run that has finished or still goes on, whose flow has errors with the node types of now,
whose chat profile is not there, or whose limits are used up by what it had bought. What may have happened
outside ends it where that is reached (`doubts.py`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from studio.errors import UsageError, WaitingError
from studio.flow.records import Json
from studio.flow.subflows.calls import node_at
from studio.host.recorded_run import Earlier, RunMaterials
from studio.ids import StepId, own_step, step_parts
from studio.past.doubts import answered_calls, doubtful, is_meant, origin_of, with_origin
from studio.past.replays import OldRun, Terms
from studio.runtime.gates.debug_gate import Phase
from studio.runtime.gates.drops import is_drop
from studio.runtime.gates.edited_gate import edits_of
from studio.runtime.limits.accounts import Spent, accounts_at, ledger_of
from studio.runtime.limits.budget import read_limits, refuse_spent
from studio.runtime.replay.past import Past
from studio.runtime.replay.takeover import resumed
from studio.runtime.run import About, RunSpec
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.trace.events import (
    BudgetRaised,
    Entry,
    RunContinued,
    RunStarted,
    StepFailed,
    ToolAnswered,
    ToolCalled,
)
from studio.trace.events.values import Values
from studio.trace.fold.state import RunStatus
from studio.trace.recording import effect_keys
from studio.workspace.chats import Chats
from studio.workspace.problems import refuse_errors
from studio.workspace.profiles import choose_profile
from studio.workspace.runs import bound, equipped
from studio.workspace.trust import require_trust


def prepare_resume(old: OldRun, store: RunStore, registry: Registry, terms: Terms) -> RunMaterials:
    """Make ready to go on with a run in its own file.

    Raises `UsageError` for a run that has finished, or that is still going on, and `UntrustedError`.
    """
    status = store.summary(old.run).status
    if status is RunStatus.FINISHED:
        raise UsageError(f"The run `{old.run}` has finished; there is nothing to resume.")
    if not status.is_final:
        raise UsageError(f"The run `{old.run}` is still running.", hint="Stop it first, or wait for it.")
    registry = bound(registry, old.flows)
    refuse_errors(old.flow, registry)
    if not terms.is_trusted:
        require_trust(old.project, (old.flow, *old.flows.values()), registry, terms.environ)
    profile = terms.profile or old.started.profile
    chosen = choose_profile(old.project, profile, terms.environ, offline=False) if profile else None
    chats = Chats(old.project, chosen, terms.environ, queues=terms.queues, keys=terms.keys)
    entries = [*old.entries, *_as_done(old.entries, terms.happened)]
    refuse_spent(read_limits(terms.limits, "The call"), _spent(old, registry))
    past, over = resumed(entries, old.flow, registry, repeats=terms.repeats)
    edits: dict[tuple[StepId, Phase], Mapping[str, Json]] = {}
    origin = old.started.forked_from
    earlier = origin_of(old, store)
    if earlier is not None and origin is not None:
        past = with_origin(past, old, earlier, registry, terms.happened)
    if origin is not None:
        edits = {(StepId(step), phase): values for step, phase, values in origin.edits}
    before = earlier.entries if earlier is not None else ()
    past = _decided(past, old.entries, before, terms)
    past = replace(past, doubts=() if terms.repeats else doubtful(past, entries, before))
    edits |= edits_of(old.entries, old.flow, registry)
    # Steps without a function of their own, as `control.merge`, are computed again, and edited again.
    edits = {place: values for place, values in edits.items() if place[0] not in past.kept or is_drop(values)}
    spec = RunSpec(
        old.run,
        old.flow,
        old.inputs,
        About(profile, str(old.project.root), old.started.forked_from, goes_on=True),
        limits={**_limits_known(old), **read_limits(terms.limits, "The call")},
        flows=old.flows,
        pins=old.pins,
        faults=old.faults,
    )
    place = store.new_run_path(old.run)
    materials = equipped(spec, registry, old.project, chats, terms.environ, place)
    return replace(materials, earlier=Earlier(past, edits, old.entries, over))


def refuse_unknown_steps(old: OldRun, registry: Registry, answers: Collection[StepId]) -> None:
    """Raise `UsageError` for an answer to a step that the flow cannot have."""
    registry = bound(registry, old.flows)
    for step in answers:
        scope, node, _, _ = step_parts(step)
        if node_at(old.flow, registry, scope, node) is None:
            waiting = (
                f"`{one.step}`"
                for one in old.entries
                if isinstance(one.event, StepFailed) and one.event.error == WaitingError.__name__
            )
            named = ", ".join(dict.fromkeys(waiting))
            hint = f"{named} was waiting for a person." if named else "No step is waiting for a person."
            raise UsageError(f"No step of the run `{old.run}` is called `{step}`.", hint=hint)


DONE_ALREADY = "This was already done."
"""What an agent hears of a call in doubt of which a person says that it happened."""


def _spent(old: OldRun, registry: Registry) -> Spent:
    return ledger_of(old.entries, lambda step: accounts_at(old.flow, registry, step)).run


def _limits_known(old: OldRun) -> dict[str, float]:
    """The limits of the run when it ended."""
    known: dict[str, float] = {}
    for entry in old.entries:
        match entry.event:
            case RunStarted() | RunContinued() as begun:
                known = dict(begun.limits)
            case BudgetRaised(node="") as raised:
                known[raised.limit] = raised.allowed
            case _:
                pass
    return known


def _as_done(entries: Sequence[Entry], happened: Collection[StepId]) -> list[Entry]:
    """The calls that a person says have happened, and that have no answer, once more: with one."""
    sure = answered_calls(entries)
    found: dict[StepId, list[Entry]] = {}
    for one in entries:
        if isinstance(one.event, ToolCalled) and is_meant(one.step, happened) and one.step not in sure:
            found[one.step] = [one, replace(one, event=ToolAnswered(one.event.tool, DONE_ALREADY))]
    return [one for pair in found.values() for one in pair]


def _decided(past: Past, entries: Sequence[Entry], earlier: Sequence[Entry], terms: Terms) -> Past:
    """Take what a person said of side effects in doubt: they are done again, or give nothing.

    `earlier` are the entries of the run that it goes back to.
    """
    called = [*earlier, *entries]
    again = [one for one in called if is_meant(one.step, terms.repeated)]
    # Two calls in one scope that ask the same cannot be told apart: both are repeated, or both are in doubt.
    sure, decided = answered_calls(entries), terms.repeated | terms.happened
    others = [
        one
        for one in called
        if one.step not in sure and own_step(one.step) not in past.kept and not is_meant(one.step, decided)
    ]
    done: dict[StepId, Values] = {step: {} for step in terms.happened if step in past.doubtful_steps}
    return replace(
        past,
        kept={**past.kept, **done},
        doubtful_steps=past.doubtful_steps - terms.repeated - terms.happened,
        doubtful_calls=past.doubtful_calls - (effect_keys(again) - effect_keys(others)),
    )
