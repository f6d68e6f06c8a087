"""What stands on the border of a loop or map: which ports face one another, and how high."""

from collections.abc import Callable, Iterable, Sequence

from studio.flow.ports import Port, Signature, Structure
from studio.ids import NodeId, PortName

PILL_STEP = 22
"""Scene units between the ports on a border."""
_START = PortName("start")

Pair = tuple[NodeId, Port | None, Port | None]
"""The node, the port on the border's outer side, the port on its inner side."""


def pairs_of(
    node: NodeId, collects: Sequence[NodeId], signature_of: Callable[[NodeId], Signature | None]
) -> tuple[list[Pair], list[Pair]]:
    """The ports of a loop or map that face one another across its border: those at its left, at its right."""
    signature = signature_of(node)
    if signature is None:
        return [], []
    if signature.structure is Structure.FOR_EACH:
        return _joined(node, signature.inputs, signature.outputs), [
            pair
            for collect in collects
            if (closing := signature_of(collect)) is not None
            for pair in _joined(collect, closing.outputs, closing.inputs)
        ]
    given = [port for port in signature.outputs if port.name in {"value", "round"}]
    taken = [port for port in signature.inputs if port.name == _START]
    back = [port for port in signature.inputs if port.name != _START]
    out = [port for port in signature.outputs if port not in given]
    return _joined(node, taken, given), [
        *((node, port, None) for port in out),
        *((node, None, port) for port in back),
    ]


def _joined(node: NodeId, outer: Sequence[Port], inner: Sequence[Port]) -> list[Pair]:
    rows = max(len(outer), len(inner))
    return [
        (node, outer[row] if row < len(outer) else None, inner[row] if row < len(inner) else None)
        for row in range(rows)
    ]


def heights_of(pairs: Sequence[Pair], wanted: Sequence[float | None], first: float) -> list[float]:
    """A height for each pair: wired ones where their wires want them, the others next to their like.

    None lies above `first`.
    """
    taken: dict[int, float] = {}
    wishes = [(want, row) for row, want in enumerate(wanted) if want is not None]
    for want, row in sorted(wish for wish in wishes if pairs[wish[1]][2] is not None):
        lowest = max(taken.values(), default=first - PILL_STEP)
        taken[row] = max(first, want, lowest + PILL_STEP)
    for want, row in sorted(wish for wish in wishes if pairs[wish[1]][2] is None):
        taken[row] = _free_height(want, first, taken.values())
    for row, want in enumerate(wanted):
        if want is None:
            alike = [y for other, y in taken.items() if _faces_alike(pairs[other], pairs[row])]
            y = max(alike, default=first)
            for other in sorted(taken.values()):
                y = other + PILL_STEP if abs(other - y) < PILL_STEP else y
            taken[row] = y
    return [taken[row] for row in range(len(wanted))]


def _free_height(want: float, first: float, taken: Iterable[float]) -> float:
    """The height nearest to `want` at which a pill lies on no other."""
    others = list(taken)
    choices = [max(first, want), *(y + step for y in others for step in (-PILL_STEP, PILL_STEP))]
    free = [y for y in choices if y >= first and all(abs(y - other) >= PILL_STEP for other in others)]
    return min(free, key=lambda y: abs(y - want))


def _faces_alike(one: Pair, other: Pair) -> bool:
    """Whether both have a port outside, or both one inside."""
    return any(a is not None and b is not None for a, b in zip(one[1:], other[1:], strict=True))
