"""What of an earlier run may be taken over, when it is executed again."""

from collections.abc import Iterator, Sequence

from studio.flow.records import Flow
from studio.ids import StepId
from studio.runtime.past import Past
from studio.sdk.node import NodeType
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.trace.events import Entry
from studio.trace.recording import Recording, effect_keys
from studio.trace.state import RunState, StepState, StepStatus, fold


def replayed(entries: Sequence[Entry], flow: Flow, registry: Registry, *, is_live: bool = False) -> Past:
    """Take over every answer, and the results of steps that changed something or looked outside."""
    state = fold(entries)
    talkative = {step for _, step, _ in state.log}
    kept = {
        step.id: step.outputs
        for step, kind in node_steps(state, flow, registry)
        if step.status is StepStatus.DONE
        and (kind.effect is Effect.SIDE_EFFECT or _looks_outside(step, kind))
        and step.id not in talkative
        and step.progress is None
    }
    return Past(
        state.run,
        Recording.of(entries, with_failures=True),
        kept,
        doubtful_steps=begun_effects(state, flow, registry) - kept.keys(),
        doubtful_calls=effect_keys(entries),
        is_live=is_live,
    )


def node_steps(state: RunState, flow: Flow, registry: Registry) -> Iterator[tuple[StepState, NodeType]]:
    """Give the own steps of nodes whose work is a function, with their node types."""
    for step in state.steps.values():
        record = flow.nodes.get(step.node)
        kind = registry.get(record.kind) if record is not None and not step.call else None
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


def _looks_outside(step: StepState, kind: NodeType) -> bool:
    """Whether a step may have read files or a clock: it has a context, and asked nothing by it."""
    return kind.context_name != "" and not step.children
