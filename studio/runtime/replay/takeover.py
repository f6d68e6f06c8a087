"""What of an earlier run may be taken over, when it is executed again.

- A replay keeps all answers, failures included, and the results of steps that change something or open a
  folder (`folder_opened`); what happened inside these is told again. The clock, chance and run variables are
  read back. It has no chat client: the first request without an answer ends it with exit code 4.
- A fork keeps the results of all steps that do not depend on where it starts (`dependence.py`,
  `variable_use.py`). On an edited flow, `flow/edits/divergence.py` tells whose work may give something else;
  their steps, and what depends on them, run again. A node that is gone while an equal one came, wired the
  same way, counts as renamed, its side effects with it. Another setting of a region leaves what enters its
  body as it was. Another chat profile is asked anew, though the words are the same.
- A resumed run goes on in its own file after `run_continued`, and says nothing more of steps that are over.
  What was begun with a side effect and has no answer is in doubt.
- A race keeps its winner in every run that goes back to it, and who had lost does not begin again; a fork at
  one of the contenders decides it anew.
"""

from collections.abc import Callable, Collection, Iterator, Sequence

from studio.flow.records import Flow
from studio.flow.subflows.calls import node_at
from studio.ids import StepId, own_step, place_of
from studio.runtime.replay.carried_events import (
    failed_outside,
    order_of_writes,
    retold,
    winners_of,
    writes_of,
)
from studio.runtime.replay.course import Course
from studio.runtime.replay.dependence import Dependence, Root
from studio.runtime.replay.past import Past
from studio.runtime.replay.variable_use import visibility, with_readers
from studio.sdk.node import NodeType
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.trace.events import (
    ChatRequested,
    EmbedRequested,
    Entry,
    FolderOpened,
    StepFailed,
    ToolAnswered,
    ToolCalled,
)
from studio.trace.fold.state import RunState, StepState, StepStatus, fold
from studio.trace.recording import Recording, effect_keys

_UNCLEAR = frozenset({"InDoubtError", "TimeLimitError", "StoreError"})
"""Errors after which something may have happened nevertheless."""


def replayed(entries: Sequence[Entry], flow: Flow, registry: Registry, *, is_live: bool = False) -> Past:
    """Take over every answer, and the results of steps that changed something or looked outside."""
    state = fold(entries)
    looked = {entry.step for entry in entries if isinstance(entry.event, FolderOpened)}
    # All else is computed again from answers: that costs nothing, and gives the same steps the same names.
    outside = {
        step.id
        for step, kind in node_steps(state, flow, registry)
        if kind.effect is Effect.SIDE_EFFECT or step.id in looked
    }
    kept = {step: state.steps[step].outputs for step in outside if _is_done(state, step)}
    failed = failed_outside(state, outside)
    return Past(
        state.run,
        Recording.of(entries, with_failures=True),
        kept,
        failed,
        doubtful_steps=begun_effects(state, flow, registry) - kept.keys() - failed.keys(),
        doubtful_calls=effect_keys(entries),
        told=retold(entries, kept.keys() | failed.keys(), state.run),
        writes=writes_of(state, kept),
        memories=state.memories.opened,
        took_effect=order_of_writes(entries, state),
        winners=winners_of(entries),
        course=Course(entries),
        is_live=is_live,
    )


def forked(
    entries: Sequence[Entry],
    flow: Flow,
    registry: Registry,
    roots: Sequence[Root],
    *,
    is_live: bool = False,
    repeats: bool = False,
    is_asked_anew: Callable[[StepId, ChatRequested | EmbedRequested], bool] = lambda _step, _asked: False,
    done: Collection[StepId] = (),
) -> Past:
    """Take over the results of what does not depend on `roots`, and the answers that cost something.

    Of what runs again, answers to chats that are `is_asked_anew` are not taken over, nor those of tools that
    change something, except for calls that were `done` before the fork's own.
    """
    state = fold(entries)
    dependence = Dependence(flow, registry)

    def depending(*on: Root) -> set[StepId]:
        return {step for step in state.steps if dependence.is_touched(own_step(step), on)}

    # Variables join steps that no wire does: whoever read what is written anew runs again too.
    touched = with_readers(
        entries, state, depending(*roots), lambda step: depending(Root(step)), visibility(flow, registry)
    )
    functions = {step.id: step for step, _ in node_steps(state, flow, registry)}
    kept = {
        step.id: step.outputs
        for step in functions.values()
        if step.status is StepStatus.DONE and step.id not in touched
    }
    for root in roots:
        # A fork behind a step has other outputs put in the place of its own; it does not run again.
        if not root.runs_again and root.step in functions:
            kept[root.step] = state.steps[root.step].outputs
    changes = {
        entry.step
        for entry in entries
        if entry.step in touched
        and entry.step not in done
        and (
            _is_change(entry)
            or (
                isinstance(entry.event, ChatRequested | EmbedRequested)
                and is_asked_anew(entry.step, entry.event)
            )
        )
    }
    failed = {step: error for step, error in tolerated(state).items() if step not in touched}
    return Past(
        state.run,
        Recording.of(entries, without=changes, rereads={*touched, *map(own_step, touched)}),
        kept,
        failed,
        begun_effects(state, flow, registry) - kept.keys(),
        effect_keys(entries),
        told=retold(entries, kept.keys() | failed.keys(), state.run),
        writes=writes_of(state, kept),
        memories=state.memories.opened,
        took_effect=order_of_writes(entries, state),
        winners={step: place for step, place in winners_of(entries).items() if step not in touched},
        is_live=is_live,
        repeats=repeats,
    )


def resumed(
    entries: Sequence[Entry], flow: Flow, registry: Registry, *, repeats: bool = False
) -> tuple[Past, frozenset[StepId]]:
    """Take over all that a run did before it ended too early; also names the steps that are over."""
    state = fold(entries)
    failed = tolerated(state)
    kept = {
        step.id: step.outputs
        for step, _ in node_steps(state, flow, registry)
        if step.status is StepStatus.DONE
    }
    is_over = {StepStatus.DONE, StepStatus.SKIPPED}
    over = {step.id for step in state.steps.values() if not step.call and step.status in is_over}
    answered = {entry.step for entry in entries if isinstance(entry.event, ToolAnswered)}
    refused = {
        step.id
        for step in state.steps.values()
        if step.status is StepStatus.FAILED and step.error is not None and step.error.error not in _UNCLEAR
    }
    past = Past(
        state.run,
        Recording.of(entries),
        kept,
        failed,
        begun_effects(state, flow, registry) - kept.keys() - refused,
        effect_keys(entries, without=answered),
        writes=writes_of(state, kept),
        memories=state.memories.opened,
        took_effect=order_of_writes(entries, state),
        winners=winners_of(entries),
        is_live=True,
        repeats=repeats,
    )
    return past, frozenset(over | failed.keys())


def tolerated(state: RunState) -> dict[StepId, StepFailed]:
    """The errors that a map or a loop around their steps has gone on with."""
    return {
        step.id: step.error
        for step in state.steps.values()
        if step.error is not None
        and step.status is StepStatus.FAILED
        and not step.call
        and (around := state.steps.get(step.parent)) is not None
        and around.status is StepStatus.DONE
    }


def _is_change(entry: Entry) -> bool:
    return isinstance(entry.event, ToolCalled) and entry.event.effect == Effect.SIDE_EFFECT


def node_steps(state: RunState, flow: Flow, registry: Registry) -> Iterator[tuple[StepState, NodeType]]:
    """Give the own steps of nodes whose work is a function, with their node types."""
    for step in state.steps.values():
        record = None if step.call else node_at(flow, registry, step.scope, step.node)
        met = None if step.call or record is not None else state.met.get(place_of(step.id))
        name = record.kind if record is not None else met.type if met is not None else ""
        kind = registry.get(name) if name else None
        if kind is not None and kind.function is not None:
            yield step, kind


def begun_effects(state: RunState, flow: Flow, registry: Registry) -> frozenset[StepId]:
    """Name the steps with side effects that were begun, whether or not they came to their end."""
    return frozenset(
        step.id
        for step, kind in node_steps(state, flow, registry)
        if kind.effect is Effect.SIDE_EFFECT and (step.started is not None or _was_in_doubt(step))
    )


def _was_in_doubt(step: StepState) -> bool:
    return step.error is not None and step.error.error == "InDoubtError"


def _is_done(state: RunState, step: StepId) -> bool:
    return state.steps[step].status is StepStatus.DONE
