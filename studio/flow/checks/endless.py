"""Flows that call themselves however their branches choose: they end only where calls are too deep.

Such a flow is a warning where no choice of a branch avoids the call that comes back to it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod

from studio.errors import UsageError
from studio.flow.checks.problem import Checked, Problem, warning
from studio.flow.ports import AFTER, ERROR, THEN, Port, Signature, Structure
from studio.flow.records import CallingLibrary, Flow, Node, Socket, Wire
from studio.flow.structure.graph import LOOP_RETURNS
from studio.ids import NodeId, PortName

MOST_LOOKS = 20_000
"""How many steps are looked at in all the ways in which the branches may choose; beyond, nothing is said."""

MAY_GIVE_NOTHING = {
    *(Structure.FOR_EACH, Structure.COLLECT, Structure.RETRY),
    *(Structure.CATCH, Structure.SUBFLOW),
}
"""Nothing is known of what leaves them: a list may be empty, a failure may have come, an output be absent."""


def endless_problems(seen: Checked) -> Iterable[Problem]:
    """Find steps that call the flow in which they stand, or others that do, whatever its branches choose."""
    library = seen.library
    if not isinstance(library, CallingLibrary) or seen.tree.problems:
        return
    for node in sorted(sure_calls(seen.flow, seen.signatures, library)):
        name = library.called_name(seen.flow.nodes[node])
        if _comes_back(seen.flow, name, library):
            words = (
                f"“{seen.title(node)}” calls this flow again in every case, so it ends only "
                "at the limit of nested calls."
            )
            if seen.flow.nodes[node].run.on_error == "default":
                words += " Its default then hides that."
            yield warning("endless-call", f"{words} Call it in only one case of a branch.", node)


def sure_calls(
    flow: Flow, signatures: Mapping[NodeId, Signature | None], library: CallingLibrary
) -> set[NodeId]:
    """The steps that call a flow, and do so however the branches choose; none where there are many ways."""
    calls = {
        node
        for node, signature in signatures.items()
        if signature is not None
        and signature.structure is Structure.SUBFLOW
        and not flow.nodes[node].run.state
        and library.called_name(flow.nodes[node])
    }
    if not calls:
        return calls
    choices = {
        node: _choices(flow.nodes[node], signature)
        for node, signature in signatures.items()
        if signature is not None and signature.structure is Structure.BRANCH
    }
    if prod(map(len, choices.values())) * len(flow.nodes) > MOST_LOOKS:
        return set()
    for chosen in product(*choices.values()):
        calls &= _running(flow, signatures, dict(zip(choices, chosen, strict=True)))
    return calls


def _comes_back(flow: Flow, name: str, library: CallingLibrary) -> bool:
    """Whether a flow surely comes to call `flow` again."""
    known: set[str] = set()
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known.add(name)
        try:
            called = library.flows.flow(name)
        except UsageError:
            continue
        if called.nodes == flow.nodes and called.wires == flow.wires:
            return True
        signatures = {node: library.signature(record) for node, record in called.nodes.items()}
        waiting += [
            library.called_name(called.nodes[node]) for node in sure_calls(called, signatures, library)
        ]
    return False


def _choices(node: Node, signature: Signature) -> Sequence[PortName | None]:
    """The cases of a branch; None where it may be that none of them is chosen."""
    ports = [port.name for port in signature.outputs]
    cases = node.settings.get("cases")
    listed = cases if isinstance(cases, list) else []
    has_rules = bool(listed) and all(isinstance(case, Mapping) and case.get("when") for case in listed)
    return [*ports, None] if has_rules else ports or [None]


def _running(
    flow: Flow,
    signatures: Mapping[NodeId, Signature | None],
    chosen: Mapping[NodeId, PortName | None],
) -> set[NodeId]:
    """The steps that surely run where the branches choose so."""
    into: dict[Socket, list[Wire]] = defaultdict(list)
    fed_by: dict[NodeId, list[NodeId]] = defaultdict(list)
    for wire in flow.wires:
        into[wire.target].append(wire)
        fed_by[wire.source.node].append(wire.target.node)
    running: set[NodeId] = set()

    def is_given(socket: Socket) -> bool:
        return socket.node in running and _gives(flow.nodes[socket.node], signatures, chosen, socket)

    def is_fed(node: NodeId, port: Port) -> bool:
        wires = into.get(Socket(node, port.name))
        if not wires or not port.required or port.type.is_binding or port.name in LOOP_RETURNS:
            return True
        return any(is_given(wire.source) for wire in wires)

    waiting = list(signatures)
    while waiting:
        node = waiting.pop()
        signature = signatures.get(node)
        if node in running or signature is None or flow.nodes[node].run.state == "muted":
            continue
        is_after = all(is_given(wire.source) for wire in into.get(Socket(node, AFTER), ()))
        if is_after and all(is_fed(node, port) for port in signature.inputs):
            running.add(node)
            waiting += fed_by[node]
    return running


def _gives(
    node: Node,
    signatures: Mapping[NodeId, Signature | None],
    chosen: Mapping[NodeId, PortName | None],
    socket: Socket,
) -> bool:
    """Whether something surely leaves a socket of a step that runs."""
    signature = signatures[socket.node]
    if socket.port == THEN:
        return True
    if signature is None or socket.port == ERROR or node.run.on_error == "output":
        return False
    if socket.node in chosen:
        return chosen[socket.node] == socket.port
    port = next((one for one in signature.outputs if one.name == socket.port), None)
    return port is not None and port.required and signature.structure not in MAY_GIVE_NOTHING
