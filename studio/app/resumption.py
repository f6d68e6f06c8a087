"""From a run that ended too early to the same run, going on."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from studio.app.chats import Chats
from studio.app.problems import refuse_errors
from studio.app.profiles import choose_profile
from studio.app.replays import OldRun, Terms
from studio.app.runs import bound, equipped
from studio.app.waiting import Waiting
from studio.errors import StepwireError, UsageError, WaitingError
from studio.flow.calls import node_at
from studio.flow.divergence import renamed_nodes
from studio.flow.records import Json
from studio.host.recorded import RunMaterials
from studio.ids import StepId, own_step, step_parts
from studio.runtime.budget import read_limits, refuse_spent
from studio.runtime.dropping import is_drop
from studio.runtime.edited_gate import edits_of
from studio.runtime.fork import Root
from studio.runtime.gate import Phase
from studio.runtime.ledger import Spent, accounts_at, ledger_of
from studio.runtime.past import IN_DOUBT, Past
from studio.runtime.run import RunSpec
from studio.runtime.takeover import begun_effects, forked, replayed, resumed
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.store.summary import RunSummary
from studio.trace.events import (
    ApprovalAsked,
    BudgetRaised,
    Entry,
    Origin,
    RunContinued,
    RunStarted,
    StepFailed,
    ToolAnswered,
    ToolCalled,
    Values,
)
from studio.trace.recording import effect_keys
from studio.trace.state import RunStatus, fold


def prepare_resume(old: OldRun, store: RunStore, registry: Registry, terms: Terms) -> RunMaterials:
    """Make ready to go on with a run in its own file.

    Raises `UsageError` for a run that has finished, or that is still going on.
    """
    status = store.summary(old.run).status
    if status is RunStatus.FINISHED:
        raise UsageError(f"The run `{old.run}` has finished; there is nothing to resume.")
    if not status.is_final:
        raise UsageError(f"The run `{old.run}` is still going on.", hint="Stop it first, or wait for it.")
    registry = bound(registry, old.flows)
    refuse_errors(old.flow, registry)
    profile = terms.profile or old.started.profile
    chosen = choose_profile(old.project, profile, terms.environ, offline=False) if profile else None
    chats = Chats(old.project, chosen, terms.environ, queues=terms.queues, keys=terms.keys)
    entries = [*old.entries, *_as_done(old, terms.happened)]
    refuse_spent(read_limits(terms.limits, "The call"), _spent(old, registry))
    past, over = resumed(entries, old.flow, registry, repeats=terms.repeats)
    edits: dict[tuple[StepId, Phase], Mapping[str, Json]] = {}
    origin = old.started.forked_from
    if origin is not None:
        past = _with_origin(past, old, origin, store, registry)
        edits = {(StepId(step), phase): values for step, phase, values in origin.edits}
    past = _decided(past, old, terms)
    past = replace(past, doubts=() if terms.repeats else _doubts(past, entries))
    edits |= edits_of(old.entries, old.flow, registry)
    # Steps without a function of their own, as `control.merge`, are computed again, and edited again.
    edits = {place: values for place, values in edits.items() if place[0] not in past.kept or is_drop(values)}
    spec = RunSpec(
        old.run,
        old.flow,
        old.inputs,
        profile,
        str(old.project.root),
        old.started.forked_from,
        goes_on=True,
        limits={**_limits_known(old), **read_limits(terms.limits, "The call")},
        flows=old.flows,
        pins=old.pins,
    )
    place = store.new_run_path(old.run)
    materials = equipped(spec, registry, old.project, chats, terms.environ, place)
    return replace(materials, past=past, earlier=old.entries, quiet=over, edits=edits)


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
            hint = f"{named} waited for a person." if named else "No step has waited for a person yet."
            raise UsageError(f"No step of the run `{old.run}` is called `{step}`.", hint=hint)


AGAIN: Final = "again"
HAPPENED: Final = "happened"
"""What a person may answer for a step in doubt."""

HAS_IT_HAPPENED: Final = ApprovalAsked(
    "It changes something outside and was begun. Has it happened, or shall it be done again?",
    {"type": "string", "enum": [HAPPENED, AGAIN]},
)

DONE_ALREADY = "This was done already."
"""What an agent hears of a call in doubt of which a person says that it happened."""


def _with_origin(past: Past, old: OldRun, origin: Origin, store: RunStore, registry: Registry) -> Past:
    """Take over of the run that `old` goes back to what it would have taken over, had it not ended too early.

    Answers and side effects, that is; all else is computed again. An origin that is gone has nothing to give.
    """
    try:
        earlier = OldRun.read(store, store.find(origin.run))
    except StepwireError:
        return past
    earlier = earlier.with_names(renamed_nodes(earlier.flow, old.flow))
    if origin.step or origin.again:
        roots = [Root(StepId(step), runs_again) for step, runs_again in origin.again.items()]
        base = forked(earlier.entries, old.flow, registry, roots)
    else:
        base = replayed(earlier.entries, old.flow, registry)
    effects = begun_effects(fold(earlier.entries), old.flow, registry)
    done = {step: outputs for step, outputs in base.kept.items() if step in effects}
    return replace(
        past,
        recording=past.recording.over(base.recording),
        kept={**done, **past.kept},
        doubtful_steps=(past.doubtful_steps | base.doubtful_steps) - past.kept.keys() - done.keys(),
        doubtful_calls=past.doubtful_calls | base.doubtful_calls,
    )


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


def _as_done(old: OldRun, happened: Collection[StepId]) -> list[Entry]:
    """Answers to the calls of these steps that have none."""
    answered = _answered(old.entries)
    return [
        replace(one, event=ToolAnswered(one.event.tool, DONE_ALREADY))
        for one in old.entries
        if isinstance(one.event, ToolCalled) and own_step(one.step) in happened and one.step not in answered
    ]


def _answered(entries: Sequence[Entry]) -> frozenset[StepId]:
    return frozenset(one.step for one in entries if isinstance(one.event, ToolAnswered))


def doubts_of(old: OldRun, registry: Registry) -> tuple[StepId, ...]:
    """Name the steps and calls that changed something outside, or did not: nobody knows how they ended."""
    past, _ = resumed(old.entries, old.flow, bound(registry, old.flows))
    return _doubts(past, old.entries)


def doubts_waiting(store: RunStore, runs: Iterable[RunSummary], registry: Registry) -> list[Waiting]:
    """Name what is in doubt in these runs, as questions to a person; what can't be read is left out."""
    found: list[Waiting] = []
    for one in runs:
        is_in_doubt = one.status is RunStatus.FAILED and IN_DOUBT in one.error
        if one.damaged or not (is_in_doubt or one.status is RunStatus.INTERRUPTED):
            continue
        with suppress(StepwireError):
            steps = doubts_of(OldRun.read(store, one.run), registry)
            since = one.ended or one.started or 0.0
            found += [Waiting(one.run, one.flow_name, step, HAS_IT_HAPPENED, since, True) for step in steps]
    return found


def _doubts(past: Past, entries: Sequence[Entry]) -> tuple[StepId, ...]:
    answered = _answered(entries)
    calls = [
        one.step
        for one in entries
        if isinstance(one.event, ToolCalled)
        and one.step not in answered
        and effect_keys([one]) & past.doubtful_calls
    ]
    callers = {own_step(one) for one in calls}
    return tuple(dict.fromkeys([*calls, *sorted(past.doubtful_steps - callers)]))


def _decided(past: Past, old: OldRun, terms: Terms) -> Past:
    """Take what a person said of side effects in doubt: they are done again, or give nothing."""
    decided = terms.repeated | terms.happened
    called = [one for one in old.entries if own_step(one.step) in terms.repeated]
    # Two calls in one scope that ask the same cannot be told apart: both are repeated, or both are in doubt.
    answered = _answered(old.entries)
    others = [one for one in old.entries if own_step(one.step) not in decided and one.step not in answered]
    done: dict[StepId, Values] = {step: {} for step in terms.happened if step in past.doubtful_steps}
    return replace(
        past,
        kept={**past.kept, **done},
        doubtful_steps=past.doubtful_steps - terms.repeated - terms.happened,
        doubtful_calls=past.doubtful_calls - (effect_keys(called) - effect_keys(others)),
    )
