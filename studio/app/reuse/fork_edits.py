"""What was made different in a fork, taken into the flow: settings, prompts, typed values and defaults.

What a wire brings has no place in a flow, nor what an agent said or called: that is refused, with the reason.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from studio.flow import edits
from studio.flow.change import Change, difference
from studio.flow.edits.diff import describe_difference
from studio.flow.ports import Structure
from studio.flow.records import Flow, Json, Library, Node, Socket, title_of
from studio.ids import NodeId, PortName, StepId, is_in_called_flow, step_parts
from studio.runtime.gates.drops import AT_ERROR, NOTHING, is_drop
from studio.sdk.registry import Registry
from studio.trace.differences.alignment import read_flow
from studio.trace.fold.state import RunState

DEFAULT = "default"
"""The setting of a flow input that says what it gives when nobody says otherwise."""
INSTRUCTIONS = "instructions"
"""The setting whose text an agent is given before all else."""
LABEL = "Apply a run's edits"

K = TypeVar("K", bound=str)

_MESSAGES: TypeAdapter[list[dict[str, Any]]] = TypeAdapter(list[dict[str, Any]])


@dataclass(frozen=True, slots=True)
class Taken:
    """One difference. `change` puts it into the flow, None where it has no place there, for a `reason`.

    `title` says what was edited, and `says` what it changes, line by line.
    """

    title: str
    change: Change | None = None
    reason: str = ""
    says: tuple[str, ...] = ()


def edits_to_take(fork: RunState, origin: RunState | None, flow: Flow, registry: Registry) -> list[Taken]:
    """Give what a fork did otherwise than its origin, as far as `flow` does not have it already.

    Without the origin, which may be gone, all that tells the fork's flow from `flow` counts.
    """
    before = read_flow(origin.flow) if origin is not None else flow
    found = [
        *_of_nodes(before, read_flow(fork.flow), flow),
        *_of_inputs(fork, origin, flow),
        *_of_steps(fork, origin, flow, registry),
    ]
    return [one for one in found if one.change is None or not one.change.is_empty]


def all_of(flow: Flow, taken: Iterable[Taken]) -> Change:
    """Give all these differences as one change of the flow."""
    after = flow
    for one in taken:
        if one.change is not None:
            after = _again(one.change, after)
    return difference(flow, after, LABEL)


def _again(change: Change, flow: Flow) -> Flow:
    """Put a change of single nodes into a flow to which others of the same nodes were put before."""
    for name, swap in change.nodes.items():
        node = flow.nodes.get(name)
        if node is None or swap[0] is None or swap[1] is None:
            continue
        was, becomes = swap[0], swap[1]
        merged = node.model_copy(
            update={
                "settings": _merged(node.settings, was.settings, becomes.settings),
                "inputs": _merged(node.inputs, was.inputs, becomes.inputs),
                "run": becomes.run if was.run != becomes.run else node.run,
            }
        )
        flow = difference(flow, _with(flow, name, merged), "").applied_to(flow)
    return flow


def _merged(now: Mapping[K, Json], was: Mapping[K, Json], becomes: Mapping[K, Json]) -> dict[K, Json]:
    merged = {key: one for key, one in now.items() if key in becomes or key not in was}
    return merged | {key: one for key, one in becomes.items() if key not in was or was[key] != one}


def _with(flow: Flow, name: NodeId, node: Node) -> Flow:
    return Flow(
        flow.name, flow.description, {**flow.nodes, name: node}, flow.wires, flow.policies, flow.layout
    )


def _of_nodes(before: Flow, ran: Flow, flow: Flow) -> Iterator[Taken]:
    """Settings, typed values and run settings that the fork had otherwise."""
    for name, node in ran.nodes.items():
        was, now = before.nodes.get(name), flow.nodes.get(name)
        if was is None or was == node:
            continue
        title = f"“{title_of(ran, name)}” was edited"
        if now is None or now.kind != node.kind:
            yield Taken(title, reason="The flow no longer has this node.")
            continue
        merged = now.model_copy(
            update={
                "settings": _merged(now.settings, was.settings, node.settings),
                "inputs": _merged(now.inputs, was.inputs, node.inputs),
                "run": node.run if was.run != node.run else now.run,
            }
        )
        yield _taken(title, flow, difference(flow, _with(flow, name, merged), LABEL))
    is_rebuilt = set(ran.wires) != set(before.wires) or ran.nodes.keys() != before.nodes.keys()
    if is_rebuilt and (set(ran.wires) != set(flow.wires) or ran.nodes.keys() != flow.nodes.keys()):
        reason = "Nodes and wires are not applied; copy them from the run's own flow."
        yield Taken("Nodes or wires were added or removed", reason=reason)


def _of_inputs(fork: RunState, origin: RunState | None, flow: Flow) -> Iterator[Taken]:
    """What the flow was given otherwise becomes the default of its input."""
    for name, shown in fork.inputs.items():
        if origin is not None and name in origin.inputs and origin.inputs[name].data == shown.data:
            continue
        if "user" in shown.labels and NodeId(name) in flow.nodes:
            title = f"“{title_of(flow, NodeId(name))}” was set to another value"
            yield _default(title, flow, NodeId(name), shown.data)


def _of_steps(fork: RunState, origin: RunState | None, flow: Flow, registry: Registry) -> Iterator[Taken]:
    made = fork.forked_from.edits if fork.forked_from is not None else ()
    for name, phase, values in made:
        step = StepId(name)
        scope, node, call, _ = step_parts(step)
        if NOTHING in values:
            title = f"“{title_of(flow, node)}” was dropped{_where(step)}"
            if not is_drop(values):
                title = f"Outputs of “{title_of(flow, node)}” were removed{_where(step)}"
            yield Taken(title, reason="What was left out of one run is not part of the flow.")
        for port, value in values.items():
            if port in {NOTHING, AT_ERROR}:
                continue
            title = f"`{port}` of “{title_of(flow, node)}” was edited{_where(step)}"
            if is_in_called_flow(scope):
                yield Taken(title, reason="The step is in a called flow: edit it there.")
            elif node not in flow.nodes:
                yield Taken(title, reason="The flow no longer has this node.")
            elif call:
                yield _of_call(title, step, port, value, origin, flow)
            elif phase == "before":
                yield _input(title, flow, registry, Socket(node, PortName(port)), value)
            else:
                yield _output(title, flow, registry, Socket(node, PortName(port)), value)


def _input(title: str, flow: Flow, library: Library, socket: Socket, value: Json) -> Taken:
    """An edited input is a typed value where no wire ends, or the default of the flow input it is from."""
    wires = edits.wires_into(flow, socket)
    if not wires:
        return _taken(title, flow, edits.set_input(flow, socket.node, socket.port, value))
    source = wires[0].source
    if len(wires) == 1 and _is_flow_input(flow, library, source.node):
        return _default(title, flow, source.node, value)
    reason = (
        f"The value comes from “{title_of(flow, source.node)}” over a wire and is not a "
        "setting. Edit that node, or pin its output."
    )
    return Taken(title, reason=reason)


def _output(title: str, flow: Flow, registry: Registry, socket: Socket, value: Json) -> Taken:
    """An edited output is the default of a flow input, or what a node is told to give."""
    if _is_flow_input(flow, registry, socket.node):
        return _default(title, flow, socket.node, value)
    kind = registry.get(flow.nodes[socket.node].kind)
    signature = registry.signature(flow.nodes[socket.node])
    is_constant = signature is not None and not [port for port in signature.inputs if port.name != "after"]
    if kind is not None and is_constant and any(one.name == socket.port for one in kind.settings):
        change = edits.set_setting(flow, socket.node, socket.port, value)
        return _taken(title, flow, change)
    return Taken(title, reason="The node computes its output. Pin the value, or edit its inputs.")


def _of_call(title: str, step: StepId, port: str, value: Json, origin: RunState | None, flow: Flow) -> Taken:
    """Edited instructions of a chat are those of its node; all else was said or called in one run only."""
    node = step_parts(step)[1]
    earlier = origin.steps.get(step) if origin is not None else None
    said = _instructions(earlier.request["messages"]) if earlier is not None and earlier.request else None
    wanted = _instructions(value) if port == "messages" else None
    if wanted is not None and said is not None and wanted != said:
        if flow.nodes[node].settings.get(INSTRUCTIONS) == said:
            return _taken(title, flow, edits.set_setting(flow, node, INSTRUCTIONS, wanted))
        reason = "The node's instructions consist of more than their text, or were edited since."
        return Taken(title, reason=reason)
    reason = "What was said or called in one run is not part of the flow."
    return Taken(title, reason=reason)


def _instructions(messages: object) -> str | None:
    """The text that a conversation begins with, where it is the system's."""
    try:
        first = _MESSAGES.validate_python(messages)[0]
    except (ValidationError, LookupError):
        return None
    said = first.get("content")
    return said if first.get("role") == "system" and isinstance(said, str) else None


def _default(title: str, flow: Flow, node: NodeId, value: Json) -> Taken:
    return _taken(title, flow, edits.set_setting(flow, node, DEFAULT, value))


def _taken(title: str, flow: Flow, change: Change) -> Taken:
    return Taken(title, change, says=tuple(describe_difference(flow, change.applied_to(flow))))


def _is_flow_input(flow: Flow, library: Library, node: NodeId) -> bool:
    signature = library.signature(flow.nodes[node]) if node in flow.nodes else None
    return signature is not None and signature.structure is Structure.FLOW_INPUT


def _where(step: StepId) -> str:
    scope = step_parts(step)[0]
    return f" in `{scope}`" if scope else ""
