"""The wires of a flow by the nodes where they begin and end."""

from collections import defaultdict
from collections.abc import Sequence

from studio.flow.records import Flow, Wire
from studio.ids import NodeId


class WiresAt:
    """Looks wires up by node; those of one node in the order of the file."""

    def __init__(self, wires: Sequence[Wire]) -> None:
        into: dict[NodeId, list[Wire]] = defaultdict(list)
        out_of: dict[NodeId, list[Wire]] = defaultdict(list)
        for wire in wires:
            into[wire.target.node].append(wire)
            out_of[wire.source.node].append(wire)
        self._into, self._out_of = into, out_of

    def into(self, node: NodeId) -> Sequence[Wire]:
        """The wires that end at a node."""
        return self._into.get(node, ())

    def out_of(self, node: NodeId) -> Sequence[Wire]:
        """The wires that begin at a node."""
        return self._out_of.get(node, ())


_last: tuple[tuple[Wire, ...], WiresAt] = ((), WiresAt(()))


def wires_at(flow: Flow) -> WiresAt:
    """The wires of `flow` by node; those asked about last are remembered: gestures ask often."""
    global _last  # noqa: PLW0603 - one entry, put in its place whole, so that threads need no lock
    known = _last
    if known[0] is not flow.wires:
        known = _last = flow.wires, WiresAt(flow.wires)
    return known[1]
