"""The signatures of a flow's nodes, with the types that its wires have decided in place of variables."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from studio.flow.ports import Port, PortType, Signature
from studio.flow.records import Flow, Library, Socket, Wire
from studio.flow.structure.types import types_of
from studio.ids import NodeId

Signatures = dict[NodeId, Signature | None]


class TypedSignatures:
    """What each node's ports are and carry; None for kinds that are not installed."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._plain: Signatures = {}
        self._loose: set[NodeId] = set()
        self.now: Signatures = {}

    def read(self, flow: Flow) -> None:
        """Ask for the signatures of all nodes."""
        self._plain = {node: self._library.signature(record) for node, record in flow.nodes.items()}
        self.now = dict(self._plain)
        self._loose = {node for node, one in self._plain.items() if _is_loose(one)}
        if self._loose:
            self._decide(flow, self._plain, self._loose)

    def forget(self, nodes: Iterable[NodeId]) -> None:
        """Let go of nodes that are no more."""
        for node in nodes:
            self._plain.pop(node, None)
            self.now.pop(node, None)
            self._loose.discard(node)

    def ask(self, flow: Flow, nodes: Iterable[NodeId]) -> bool:
        """Ask again for the signatures of these nodes; tells whether loops and maps may lie otherwise now."""
        is_reshaped = False
        for node in nodes:
            found = self._library.signature(flow.nodes[node])
            if node in self._plain and self._plain[node] == found:
                continue
            is_reshaped |= node in self._plain or (found is not None and found.structure is not None)
            self._plain[node] = self.now[node] = found
            self._loose.discard(node)
            if _is_loose(found):
                self._loose.add(node)
        return is_reshaped

    def follow(self, flow: Flow, wires: Sequence[Wire], touched: Iterable[NodeId]) -> set[NodeId]:
        """Decide again what depends on these nodes, whose records or wires changed; gives what changed."""
        loose = self._dependent(wires, touched)
        if not loose:
            return set()
        before = {node: self.now[node] for node in loose}
        around = {wire for wire in wires if wire.target.node in loose}
        known: Signatures = {}
        for wire in around:
            one = self.now.get(wire.source.node)
            known[wire.source.node] = None if one is None else replace(one, inputs=())
        known.update({node: self._plain[node] for node in loose})
        part = Flow(
            nodes={node: flow.nodes[node] for node in known},
            wires=tuple(wire for wire in wires if wire in around),
        )
        self._decide(part, known, loose)
        return {node for node in loose if self.now[node] != before[node]}

    def _dependent(self, wires: Sequence[Wire], touched: Iterable[NodeId]) -> set[NodeId]:
        """The nodes with variables among these, and all whose variables may follow from them."""
        if not self._loose:
            return set()
        followers: dict[NodeId, list[NodeId]] = defaultdict(list)
        for wire in wires:
            if wire.target.node in self._loose:
                followers[wire.source.node].append(wire.target.node)
        waiting = list(touched)
        found = self._loose.intersection(waiting)
        while waiting:
            fresh = [node for node in followers[waiting.pop()] if node not in found]
            found.update(fresh)
            waiting.extend(fresh)
        return found

    def _decide(
        self, flow: Flow, signatures: Mapping[NodeId, Signature | None], loose: Collection[NodeId]
    ) -> None:
        types = types_of(flow, signatures)
        for node in loose:
            plain = self._plain[node]
            if plain is not None:
                self.now[node] = replace(
                    plain,
                    inputs=tuple(
                        _typed(one, types.inputs.get(Socket(node, one.name))) for one in plain.inputs
                    ),
                    outputs=tuple(
                        _typed(one, types.outputs.get(Socket(node, one.name))) for one in plain.outputs
                    ),
                )


def _is_loose(signature: Signature | None) -> bool:
    """Whether any port carries what a wire decides."""
    return signature is not None and any(
        port.type.is_variable for port in (*signature.inputs, *signature.outputs)
    )


def _typed(port: Port, kind: PortType | None) -> Port:
    return port if kind is None or kind == port.type else replace(port, type=kind)
