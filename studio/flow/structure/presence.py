"""Where a flow may give nothing: which sockets may be absent, and what is left out for sure where one is.

Both are found from the document alone, on the safe side: a socket that is said to give a value gives one
whenever the run comes to it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from studio.errors import UsageError
from studio.flow.ports import AFTER, ERROR, THEN, Port, Signature, Structure
from studio.flow.records import CallingLibrary, Flow, Node, Socket, Wire
from studio.flow.structure.regions import RegionTree, region_tree
from studio.ids import NodeId, PortName

_ALWAYS_UNSURE = frozenset({Structure.BRANCH, Structure.CATCH})
"""Structures of which some output is absent whenever they run."""


class Presence:
    """What of one flow may be absent."""

    def __init__(
        self, flow: Flow, library: CallingLibrary, tree: RegionTree, calls: frozenset[str] = frozenset()
    ) -> None:
        """Read the flow; `calls` names the flows around it, for those may call one another."""
        self._flow, self._library, self._tree, self._calls = flow, library, tree, calls
        self._into: dict[NodeId, dict[PortName, list[Wire]]] = defaultdict(lambda: defaultdict(list))
        self._after: dict[NodeId, set[NodeId]] = defaultdict(set)
        for wire in flow.wires:
            self._into[wire.target.node][wire.target.port].append(wire)
            self._after[wire.source.node].add(wire.target.node)
        self._owners: dict[NodeId, NodeId] = {}
        """The for-each of each collect: it gathers whatever comes, unless there is no list."""
        self._bodies: dict[NodeId, frozenset[NodeId]] = {}
        for region in tree.root.walk():
            if region.owner is not None:
                self._bodies[region.owner] = region.body
                for collect in region.collects:
                    self._owners[collect] = region.owner
                    self._after[region.owner].add(collect)
        self.skipped: frozenset[NodeId]
        """The steps that may be left out."""
        self.absent: frozenset[Socket]
        """The outputs that may give nothing."""
        self.skipped, self.absent = self._spread()

    def surely_skipped(self, absent: Iterable[Socket]) -> frozenset[NodeId]:
        """The steps that are left out for sure whenever all of these outputs are absent."""
        seeds = set(absent)
        skipped: set[NodeId] = set()
        waiting = {follower for socket in seeds for follower in self._after[socket.node]}
        while waiting:
            node = waiting.pop()
            if node in skipped or not self._is_left_out(node, seeds, skipped):
                continue
            fresh = {node, *self._bodies.get(node, ())} - skipped
            skipped |= fresh
            for one in fresh:
                seeds.update(wire.source for after in self._after[one] for wire in self._wires(one, after))
                waiting |= self._after[one]
        return frozenset(skipped)

    def _wires(self, source: NodeId, target: NodeId) -> list[Wire]:
        return [one for wires in self._into[target].values() for one in wires if one.source.node == source]

    def _is_left_out(self, node: NodeId, absent: Collection[Socket], skipped: Collection[NodeId]) -> bool:
        """Whether it cannot run: something that it needs, or comes after, is absent."""
        signature = self._tree.graph.signatures.get(node)
        if signature is None or self._flow.nodes[node].run.state == "bypassed":
            return False
        if node in self._owners:
            return self._owners[node] in skipped
        into = self._into[node]
        if any(wire.source in absent for wire in into.get(AFTER, ())):
            return True
        return any(_is_missing(port, into.get(port.name, ()), absent) for port in signature.inputs)

    def _spread(self) -> tuple[frozenset[NodeId], frozenset[Socket]]:
        skipped: set[NodeId] = set()
        absent: set[Socket] = set()
        waiting = set(self._flow.nodes)
        while waiting:
            node = waiting.pop()
            if node not in skipped and self._may_be_left_out(node, absent, skipped):
                fresh = {node, *self._bodies.get(node, ())}
                skipped |= fresh
                waiting |= fresh - {node}
            found = {Socket(node, port) for port in self._unsure(node, is_skipped=node in skipped)}
            if found - absent:
                absent |= found
                waiting |= self._after[node]
        return frozenset(skipped), frozenset(absent)

    def _may_be_left_out(self, node: NodeId, absent: Collection[Socket], skipped: Collection[NodeId]) -> bool:
        record = self._flow.nodes[node]
        if record.run.state == "bypassed":
            return any(wire.source in absent for wires in self._into[node].values() for wire in wires)
        return record.run.state == "muted" or self._is_left_out(node, absent, skipped)

    def _unsure(self, node: NodeId, *, is_skipped: bool) -> Iterable[PortName]:
        """The outputs of a node that may give nothing."""
        record, signature = self._flow.nodes[node], self._tree.graph.signatures.get(node)
        if signature is None:
            used = (wire.source.port for after in self._after[node] for wire in self._wires(node, after))
            yield from used
            return
        names = [port.name for port in signature.outputs]
        if is_skipped:
            yield from (*names, THEN, ERROR)
            return
        yield ERROR
        if signature.structure in _ALWAYS_UNSURE or record.run.on_error == "output":
            yield from names
        elif record.run.on_error == "default":
            yield from (name for name in names if not _stands_in(record, name, signature))
        elif signature.structure is Structure.SUBFLOW:
            yield from self._unsure_of_call(record, names)
        yield from (port.name for port in signature.outputs if not port.required)

    def _unsure_of_call(self, record: Node, names: list[PortName]) -> Iterable[PortName]:
        name = self._library.called_name(record)
        if name in self._calls:
            return names
        try:
            called = self._library.flows.flow(name)
        except UsageError:
            return names
        inner = Presence(called, self._library, region_tree(called, self._library), self._calls | {name})
        return [port for port in names if port not in called.nodes or inner.may_stay_empty(NodeId(port))]

    def may_stay_empty(self, output: NodeId) -> bool:
        """Whether nothing may arrive at a flow output."""
        return output in self.skipped or not any(self._into[output].values())


def _is_missing(port: Port, wires: Collection[Wire], absent: Collection[Socket]) -> bool:
    return port.required and bool(wires) and all(wire.source in absent for wire in wires)


def _stands_in(record: Node, name: PortName, signature: Signature) -> bool:
    """Whether the default of a step that failed has a value for an output."""
    default = record.run.default
    if isinstance(default, Mapping):
        return name in default
    return default is not None and len(signature.outputs) == 1
