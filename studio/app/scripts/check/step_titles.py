"""What people call a step: its node's title, and in which round, item or call it stands."""

from studio.flow.ports import Structure
from studio.flow.records import Flow, title_of
from studio.flow.subflows.calls import flow_at
from studio.ids import NodeId, Scope, StepId, is_called, segment_node, step_parts
from studio.sdk.registry import Registry


def step_title(flow: Flow, registry: Registry, step: StepId) -> str:
    """Name a step of a run in words: `“Critic”, round 2 of “Rounds”`."""
    scope, node, _, attempt = step_parts(step)
    segments = scope.split("/") if scope else []
    around = [
        _segment(flow, registry, Scope("/".join(segments[:place])), segments[place])
        for place in reversed(range(len(segments)))
    ]
    again = [f"attempt {attempt}"] if attempt > 1 else []
    return ", ".join([_title(flow, registry, scope, node), *around, *again])


def _segment(flow: Flow, registry: Registry, scope: Scope, segment: str) -> str:
    node = segment_node(segment)
    title = _title(flow, registry, scope, node)
    if is_called(segment):
        return f"in a tool of {title}" if "#" in segment else f"in {title}"
    number = segment.rpartition(".")[2]
    found = flow_at(flow, registry, scope)
    record = found.nodes.get(node) if found is not None else None
    signature = registry.signature(record) if record is not None else None
    is_map = signature is not None and signature.structure is Structure.FOR_EACH
    return f"item {int(number) + 1} of {title}" if is_map else f"round {number} of {title}"


def _title(flow: Flow, registry: Registry, scope: Scope, node: NodeId) -> str:
    found = flow_at(flow, registry, scope)
    known = found is not None and node in found.nodes
    return f"“{title_of(found, node)}”" if found is not None and known else f"`{node}`"
