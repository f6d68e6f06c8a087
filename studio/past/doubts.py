"""What may have happened outside, and nobody knows: named, and put to a person.

What is in doubt ends a run with exit code 4 (in a window it waits in Questions), and all of it is named with
the first of it that is reached. A person then says of each that it happened (the step gives nothing, an agent
hears that it was done), or has it done again, and the run goes on in its file.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from studio.errors import StepwireError
from studio.flow.edits.divergence import renamed_nodes
from studio.ids import StepId, own_step
from studio.past.open_runs import AGAIN, HAPPENED, Waiting, ended_in_doubt
from studio.past.replays import OldRun
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.past import Past
from studio.runtime.replay.takeover import begun_effects, forked, replayed, resumed
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.store.summary import RunSummary
from studio.trace.events import ApprovalAsked, Entry, ToolAnswered, ToolCalled
from studio.trace.fold.state import RunStatus, fold
from studio.trace.recording import effect_keys
from studio.workspace.runs import bound

HAS_IT_HAPPENED: Final = ApprovalAsked(
    "It has side effects and was started. Has it happened, or should it be done again?",
    {"type": "string", "enum": [HAPPENED, AGAIN]},
)


def is_meant(step: StepId, named: Collection[StepId]) -> bool:
    """Whether one of these names is that of a step or call, or of the step that makes the call."""
    return step in named or own_step(step) in named


def doubts_of(old: OldRun, store: RunStore, registry: Registry) -> tuple[StepId, ...]:
    """Name the steps and calls that changed something outside, or did not: nobody knows how they ended.

    Of a fork also those that it would repeat of the run that it goes back to.
    """
    registry = bound(registry, old.flows)
    past, _ = resumed(old.entries, old.flow, registry)
    earlier = origin_of(old, store)
    if earlier is None:
        return doubtful(past, old.entries)
    return doubtful(with_origin(past, old, earlier, registry), old.entries, earlier.entries)


def doubts_waiting(store: RunStore, runs: Iterable[RunSummary], registry: Registry) -> list[Waiting]:
    """Name what is in doubt in these runs, as questions to a person; what can't be read is left out."""
    found: list[Waiting] = []
    for one in runs:
        if one.damaged or not (ended_in_doubt(one) or one.status is RunStatus.INTERRUPTED):
            continue
        with suppress(StepwireError):
            steps = doubts_of(OldRun.read_whole(store, one.run), store, registry)
            since = one.ended or one.started or 0.0
            found += [Waiting(one.run, one.flow_name, step, HAS_IT_HAPPENED, since, True) for step in steps]
    return found


def doubtful(past: Past, entries: Sequence[Entry], earlier: Sequence[Entry] = ()) -> tuple[StepId, ...]:
    """Name what a run that takes over this `past` would stop at, in the order in which it was begun.

    `entries` are what it did itself, `earlier` those of the run that it goes back to.
    """
    answered = answered_calls(entries)
    calls = [
        one.step
        for one in [*earlier, *entries]
        if isinstance(one.event, ToolCalled)
        and one.step not in answered
        and own_step(one.step) not in past.kept
        and effect_keys([one]) & past.doubtful_calls
    ]
    callers = {own_step(one) for one in calls}
    return tuple(dict.fromkeys([*calls, *sorted(past.doubtful_steps - callers)]))


def answered_calls(entries: Iterable[Entry]) -> frozenset[StepId]:
    """Name the calls of tools that were answered."""
    return frozenset(one.step for one in entries if isinstance(one.event, ToolAnswered))


def origin_of(old: OldRun, store: RunStore) -> OldRun | None:
    """Read the run that this one goes back to, its nodes named as they are here; None if it is gone."""
    origin = old.started.forked_from
    if origin is None:
        return None
    try:
        earlier = OldRun.read_whole(store, store.find(origin.run))
        if earlier.started.source is not None and origin.step:
            return earlier.until(origin.step)
    except StepwireError:
        return None
    return earlier.with_names(renamed_nodes(earlier.flow, old.flow))


def with_origin(
    past: Past, old: OldRun, earlier: OldRun, registry: Registry, happened: Collection[StepId] = ()
) -> Past:
    """Take over of the run that `old` goes back to what it would have taken over, had it not ended too early.

    Answers and side effects, that is; all else is computed again. Calls that `happened` keep their answers.
    """
    origin = old.started.forked_from
    if origin is not None and (origin.step or origin.again):
        roots = [Root(StepId(step), runs_again) for step, runs_again in origin.again.items()]
        done = {one.step for one in earlier.entries if is_meant(one.step, happened)}
        base = forked(earlier.entries, old.flow, registry, roots, done=done)
    else:
        base = replayed(earlier.entries, old.flow, registry)
    effects = begun_effects(fold(earlier.entries), old.flow, registry)
    done_then = {step: outputs for step, outputs in base.kept.items() if step in effects}
    return replace(
        past,
        recording=past.recording.over(base.recording),
        kept={**done_then, **past.kept},
        doubtful_steps=(past.doubtful_steps | base.doubtful_steps) - past.kept.keys() - done_then.keys(),
        doubtful_calls=past.doubtful_calls | base.doubtful_calls,
    )
