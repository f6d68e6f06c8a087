"""The checks of a case: for each output that one is asked about, a node of its kind behind the step."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from studio.app.reuse.cases import Case, Expected
from studio.errors import UsageError
from studio.flow.ports import Port, Signature
from studio.flow.records import CallingLibrary, Flow, Json, Layout, Node, Point, Socket, Wire
from studio.flow.subflows.alone import BELOW, BESIDE, step_alone
from studio.ids import NodeId, PortName, slug
from studio.sdk.node import NodeType

FOLDER = "check"
VERDICT = ("ok", "score", "reason")
"""What checks say; a guard gives no score."""
COMPARED_WITH = ("wanted", "reference", "facts")
"""The inputs of checks that may have what is expected, the one or the other."""
AT_FAULT = "at_fault"
VALUE = PortName("value")


@dataclass(frozen=True, slots=True)
class Tried:
    """The flow of a case: the step alone, and its checks behind it.

    `inputs` and `outputs` have the flow inputs and outputs of the step's own ports, `checks` those of what is
    said about each.
    """

    flow: Flow
    inputs: Mapping[str, NodeId]
    outputs: Mapping[str, NodeId]
    checks: Mapping[str, Mapping[str, NodeId]]


def check_kinds(types: Sequence[NodeType]) -> list[NodeType]:
    """The node types that check a value, those whose verdict a case can ask for."""
    return [
        one
        for one in types
        if one.category == FOLDER and one.function is not None and VALUE in {port.name for port in one.inputs}
    ]


def compared_with(inputs: Iterable[Port]) -> PortName | None:
    """The one of a check's inputs at which it is given what is expected; None where it needs nothing."""
    names = {port.name for port in inputs}
    return next((PortName(one) for one in COMPARED_WITH if one in names), None)


def flow_of_case(case: Case, flow: Flow, library: CallingLibrary) -> Tried:
    """Make the flow that a case is run as.

    Raises `EditRefusedError` where its step means nothing alone, `UsageError` where a check means nothing.
    """
    alone = step_alone(flow, NodeId(case.node), case.inputs, library)
    nodes, places = dict(alone.flow.nodes), dict(alone.flow.layout.nodes)
    wires, checks = list(alone.flow.wires), dict[str, dict[str, NodeId]]()
    at = places[NodeId(case.node)]
    for row, (port, expected) in enumerate(case.expected.items()):
        if expected.match != "check":
            continue
        name = slug(f"check {port}", {*nodes, *flow.nodes})
        nodes[name], signature = _check(expected, library)
        places[name] = Point(at.x + BESIDE, at.y - (row + 1) * BELOW)
        wires.append(Wire(Socket(NodeId(case.node), PortName(port)), Socket(name, VALUE)))
        given = {str(one.name) for one in signature.outputs}
        checks[port] = {}
        for said in (one for one in VERDICT if one in given):
            output = checks[port][said] = slug(f"{name} {said}", {*nodes, *flow.nodes})
            nodes[output] = Node(kind="io.flow_output", title=f"{port}: {said}")
            places[output] = Point(at.x + 2 * BESIDE, at.y - (row + 1) * BELOW)
            wires.append(Wire(Socket(name, PortName(said)), Socket(output, VALUE)))
    ordered = tuple(sorted(wires, key=lambda one: one.sort_key))
    made = replace(alone.flow, nodes=nodes, wires=ordered, layout=Layout(nodes=places))
    return Tried(made, alone.inputs, alone.outputs, checks)


def _check(expected: Expected, library: CallingLibrary) -> tuple[Node, Signature]:
    """The node of a check, and its ports; it never fails the run, for its verdict is what is asked for."""
    settings: dict[str, Json] = {name: one for name, one in expected.settings.items() if name != AT_FAULT}
    node = Node(kind=expected.check, settings=settings)
    signature = library.signature(node)
    if signature is None:
        message = f"The check `{expected.check}` is not installed, or its settings do not fit."
        raise UsageError(message, hint="Create the case again.")
    port = compared_with(signature.inputs)
    if port is not None and expected.value is not None:
        node = node.model_copy(update={"inputs": {port: expected.value}})
    return node, signature
