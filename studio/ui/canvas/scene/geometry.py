"""The box of one node: how large it is and where its ports stand. No Qt: text is measured by whoever asks."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from studio.flow.plain_text import on_one_line
from studio.flow.ports import AFTER_PORT, ANY, ERROR, JSON, THEN_PORT, Port, PortType, Signature
from studio.flow.records import Node
from studio.ids import PortName
from studio.ui.canvas.document import KindLook

WIDTH = 208
LENDER_WIDTH = 184
WIDEST = 288
HEADER = 36
INSET = 14
ROW = 22
FIRST_ROW = 58
LINE = 17
FOOT = 24
PORT_RADIUS = 5

_BODY_LINES = {"llm": 3, "team": 3, "plan": 3, "control": 0, "memory": 1, "tools": 1}
_OTHER_BODY_LINES = 2

Measure: TypeAlias = Callable[[str], float]
"""The width of a text in the font of port labels."""

Wired: TypeAlias = tuple[frozenset[PortName], frozenset[PortName]]
"""The names of a node's inputs and outputs that a wire ends at."""


class Side(StrEnum):
    """The edge of a box where a port stands; a wire leaves at a right angle to it."""

    LEFT = "left"
    RIGHT = "right"
    TOP = "top"
    BOTTOM = "bottom"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one port of a node stands, relative to the box's upper left corner."""

    port: PortName
    type: PortType
    is_output: bool
    side: Side
    x: float
    y: float
    label: str = ""
    """Drawn beside the port; empty where the port speaks for itself."""
    literal: str = ""
    """The value typed at an unwired port."""
    help: str = ""
    is_known: bool = True
    """False for a port that only a wire speaks of: its node type does not have it."""

    @property
    def is_order(self) -> bool:
        """Whether it carries order only; such ports show when wired or pointed at."""
        return self.type.base == "order"


@dataclass(frozen=True, slots=True)
class Box:
    """The size of a node's card and the places in it."""

    width: float
    height: float
    spots: tuple[Spot, ...]
    body_top: float
    body_lines: int
    has_foot: bool
    _places: Mapping[tuple[PortName, bool], Spot] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # The first of two ports of one name counts, as it does where wires are checked.
        places = {(one.port, one.is_output): one for one in reversed(self.spots)}
        object.__setattr__(self, "_places", places)

    def spot(self, port: PortName, *, is_output: bool) -> Spot | None:
        """The place of one port."""
        return self._places.get((port, is_output))


def box_of(
    node: Node,
    signature: Signature | None,
    look: KindLook | None,
    wired: tuple[Collection[PortName], Collection[PortName]],
    measure: Measure,
) -> Box:
    """Lay out a node's card; `wired` has the names of its inputs and outputs that a wire ends at."""
    inputs, outputs, lent, borrowed = _sides(node, signature, wired)
    literals = {
        port.name: on_one_line(node.inputs[port.name])
        for port in inputs
        if port.name in node.inputs and port.name not in wired[0]
    }
    has_labels = len(inputs) > 1 or len(outputs) > 1 or bool(literals)
    labels_in = [_label(port) if has_labels else "" for port in inputs]
    labels_out = [_label(port) if has_labels else "" for port in outputs]
    is_lender = signature is not None and signature.is_binding
    width = _width(
        labels_in,
        labels_out,
        [literals.get(port.name, "") for port in inputs],
        measure,
        is_lender=is_lender,
    )
    rows = max(len(inputs), len(outputs)) if has_labels else 0
    lines = 1 if is_lender else _BODY_LINES.get(look.category if look else "", _OTHER_BODY_LINES)
    if rows == 0 and lines == 0:
        lines = 1
    body_top = HEADER + 10 if rows == 0 else FIRST_ROW + ROW * (rows - 1) + 15
    has_foot = lines > 1
    height = body_top + LINE * lines + (FOOT + 6 if has_foot else 10 if lines else 4)
    spots = (
        *_column(inputs, labels_in, width=width, is_output=False, literals=literals, signature=signature),
        *_column(outputs, labels_out, width=width, is_output=True, literals={}, signature=signature),
        *_row(lent, width=width, y=0, is_output=True),
        *_row(borrowed, width=width, y=height, is_output=False),
        Spot(AFTER_PORT.name, AFTER_PORT.type, False, Side.LEFT, 0, HEADER / 2, help=AFTER_PORT.help),
        Spot(THEN_PORT.name, THEN_PORT.type, True, Side.RIGHT, width, HEADER / 2, help=THEN_PORT.help),
    )
    return Box(width, height, spots, body_top, lines, has_foot)


class Boxes:
    """Lays out cards, and remembers how: nodes of a kind with the same ports wired are laid out alike."""

    MOST = 4096

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._known: dict[tuple[object, ...], tuple[Signature | None, Box]] = {}

    def box_of(self, node: Node, signature: Signature | None, look: KindLook | None, wired: Wired) -> Box:
        """Lay out a node's card; `wired` has the names of its inputs and outputs that a wire ends at."""
        if node.inputs:  # a value typed at a port is this node's own
            return box_of(node, signature, look, wired, self._measure)
        # Signatures are compared as objects: to hash one costs as much as a layout. Those remembered are
        # kept alive, so that no other can have come to have the same address.
        key = (id(signature), look.category if look else "", wired, node.run.on_error == "output")
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= self.MOST:
                self._known.clear()
            found = self._known[key] = signature, box_of(node, signature, look, wired, self._measure)
        return found[1]


def type_name(port: PortType) -> str:
    """The token that colours a port: lists are coloured as what they hold."""
    names = {"messages": "message", "image": "file", "chat": "message", "environment": "agent"}
    base = names.get(port.base, port.base)
    return base if base not in {"T", "order"} else "any"


def _sides(
    node: Node, signature: Signature | None, wired: tuple[Collection[PortName], Collection[PortName]]
) -> tuple[list[Port], list[Port], list[Port], list[Port]]:
    """Data inputs and outputs, lent bindings (upper edge) and borrowed ones (lower edge)."""
    known_in = list(signature.inputs) if signature else []
    known_out = list(signature.outputs) if signature else []
    if node.run.on_error == "output" and all(port.name != ERROR for port in known_out):
        known_out.append(Port(ERROR, JSON, "error", "What went wrong, instead of failing the run"))
    for known, names in ((known_in, wired[0]), (known_out, wired[1])):
        have = {port.name for port in known} | {AFTER_PORT.name, THEN_PORT.name}
        known.extend(Port(name, ANY, name, _GONE) for name in sorted(names) if name not in have)
    return (
        [port for port in known_in if not port.type.is_binding],
        [port for port in known_out if not port.type.is_binding],
        [port for port in known_out if port.type.is_binding],
        [port for port in known_in if port.type.is_binding],
    )


_GONE = "This port does not exist (any more)"


def _label(port: Port) -> str:
    return port.label or port.name.replace("_", " ")


def _width(
    left: Sequence[str], right: Sequence[str], literals: Sequence[str], measure: Measure, *, is_lender: bool
) -> float:
    least = LENDER_WIDTH if is_lender else WIDTH
    for index in range(max(len(left), len(right))):
        need = 2 * INSET + 12.0
        if index < len(left):
            need += measure(left[index]) + (min(measure(literals[index]), 96) + 20 if literals[index] else 0)
        if index < len(right):
            need += measure(right[index])
        least = max(least, need)
    return float(min(WIDEST, -(-least // 8) * 8))


def _column(
    ports: Sequence[Port],
    labels: Sequence[str],
    *,
    width: float,
    is_output: bool,
    literals: dict[PortName, str],
    signature: Signature | None,
) -> list[Spot]:
    known: set[PortName] = set()
    if signature is not None:
        known.update(port.name for port in (signature.outputs if is_output else signature.inputs))
    return [
        Spot(
            port.name,
            port.type,
            is_output,
            Side.RIGHT if is_output else Side.LEFT,
            width if is_output else 0,
            FIRST_ROW + ROW * row,
            label,
            literals.get(port.name, ""),
            port.help,
            port.name in known or port.name == ERROR,
        )
        for row, (port, label) in enumerate(zip(ports, labels, strict=True))
    ]


def _row(ports: Sequence[Port], *, width: float, y: float, is_output: bool) -> list[Spot]:
    side = Side.TOP if is_output else Side.BOTTOM
    step = width / (len(ports) + 1)
    return [
        Spot(port.name, port.type, is_output, side, step * (index + 1), y, help=port.help or _label(port))
        for index, port in enumerate(ports)
    ]
