"""The box of one node: how large it is and where its ports stand. No Qt: text is measured by whoever asks."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import takewhile
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from studio.flow.plain_text import on_one_line
from studio.flow.ports import AFTER_PORT, ANY, ERROR, JSON, THEN_PORT, Port, PortType, Signature, Structure
from studio.flow.records import Node
from studio.ids import PortName
from studio.ui.canvas.document import KindLook
from studio.ui.canvas.scene.idle_text import telling_of

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

DRAWER_ROW = HEADER * 0.4
"""How far below a card's lower edge the first of the ports stands that show on demand only."""

_TALKING = frozenset({"llm", "team", "plan"})
"""Categories whose nodes have a foot for the model and the figures, and two lines where they say much."""
_OTHER_LINES = {"control": 0}
_ONE_LINE = 28
"""Letters of which about as many fit on one line."""

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
    is_spare: bool = False
    """Whether it shows on demand only: neither wired nor needed, it stands in a drawer below the card."""

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
    drawer: float = 0.0
    """The height of the drawer with the spare ports; 0 where there are none."""
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
    """Lay out a node's card; `wired` has the names of its inputs and outputs that a wire ends at.

    Ports that are wired or needed stand on the card. The spare ones stand in a drawer below its lower edge,
    so that opening it moves nothing.
    """
    sides = _sides(node, signature, wired)
    inputs, spare_in = _shown_inputs(node, sides.inputs, wired[0])
    outputs, spare_out = _shown_outputs(node, signature, sides.outputs, wired[1])
    literals = {
        port.name: on_one_line(node.inputs[port.name])
        for port in inputs
        if port.name in node.inputs and port.name not in wired[0]
    }
    has_labels = (
        len(inputs) > 1
        or len(outputs) > 1
        or bool(literals)
        or inputs[:1] != sides.inputs[:1]
        or outputs[:1] != sides.outputs[:1]
    )
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
    category = look.category if look else ""
    has_foot = category in _TALKING and not is_lender
    is_result = signature is not None and signature.structure is Structure.FLOW_OUTPUT
    lines = 2 if is_result or _says_much(node, look) else _OTHER_LINES.get(category, 1)
    if rows == 0 and lines == 0:
        lines = 1
    body_top = HEADER + 10 if rows == 0 else FIRST_ROW + ROW * (rows - 1) + 15
    height = body_top + LINE * lines + (FOOT + 6 if has_foot else 10 if lines else 4)
    drawer = height + DRAWER_ROW
    spare_rows = max(len(spare_in), len(spare_out))
    column = partial(_column, width=width, signature=signature)
    spots = (
        *column(inputs, labels_in, is_output=False, literals=literals),
        *column(outputs, labels_out, is_output=True),
        *_row(sides.lent, width=width, y=0, is_output=True),
        *_row(sides.borrowed, width=width, y=height, is_output=False),
        *column(spare_in, [_label(port) for port in spare_in], is_output=False, top=drawer, is_spare=True),
        *column(spare_out, [_label(port) for port in spare_out], is_output=True, top=drawer, is_spare=True),
        Spot(AFTER_PORT.name, AFTER_PORT.type, False, Side.LEFT, 0, HEADER / 2, help=AFTER_PORT.help),
        Spot(THEN_PORT.name, THEN_PORT.type, True, Side.RIGHT, width, HEADER / 2, help=THEN_PORT.help),
    )
    drawn = DRAWER_ROW + ROW * (spare_rows - 0.5) if spare_rows else 0.0
    return Box(width, height, spots, body_top, lines, has_foot, drawn)


def _shown_inputs(
    node: Node, inputs: Sequence[Port], wired: Collection[PortName]
) -> tuple[list[Port], list[Port]]:
    """Those that are wired, needed or have a value typed, else the first one; and the spare ones."""
    shown = [port for port in inputs if port.required or port.name in wired or port.name in node.inputs]
    shown = shown or list(inputs[:1])
    return shown, [port for port in inputs if port not in shown]


def _shown_outputs(
    node: Node, signature: Signature | None, outputs: Sequence[Port], wired: Collection[PortName]
) -> tuple[list[Port], list[Port]]:
    """Those that are wired, else the first one; every way of what gives one of several; the spare ones.

    Ways are told by their type: the outputs after the first that are like it, where none is sure to give.
    """
    shown = [port for port in outputs if port.name in wired]
    shown = shown or list(outputs[:1])
    if signature is not None and signature.structure is not None:
        shown = list(outputs)
    elif outputs and not outputs[0].required:
        ways = takewhile(lambda port: port.type == outputs[0].type and not port.required, outputs)
        shown += [port for port in ways if port not in shown]
    shown += [port for port in outputs if port.name == ERROR and node.run.on_error == "output"]
    return [port for port in outputs if port in shown], [port for port in outputs if port not in shown]


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
        category = look.category if look else ""
        key = (id(signature), category, wired, node.run.on_error == "output", _says_much(node, look))
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= self.MOST:
                self._known.clear()
            found = self._known[key] = signature, box_of(node, signature, look, wired, self._measure)
        return found[1]


def _says_much(node: Node, look: KindLook | None) -> bool:
    """Whether what a card says of its node takes two lines."""
    if look is None or look.category not in _TALKING or not node.settings:
        return False
    return len(telling_of(node, look)) > _ONE_LINE


def type_name(port: PortType) -> str:
    """The token that colours a port: lists are coloured as what they hold."""
    names = {"messages": "message", "image": "file", "chat": "message", "environment": "agent"}
    base = names.get(port.base, port.base)
    return base if base not in {"T", "order"} else "any"


class _Sides(NamedTuple):
    """A node's ports by the edge of the card at which they stand: left, right, upper, lower."""

    inputs: list[Port]
    outputs: list[Port]
    lent: list[Port]
    borrowed: list[Port]


def _sides(
    node: Node, signature: Signature | None, wired: tuple[Collection[PortName], Collection[PortName]]
) -> _Sides:
    """Sort the ports of a node by the edges at which they stand."""
    known_in = list(signature.inputs) if signature else []
    known_out = list(signature.outputs) if signature else []
    if node.run.on_error == "output" and all(port.name != ERROR for port in known_out):
        known_out.append(Port(ERROR, JSON, "error", "The error, instead of failing the run"))
    for known, names in ((known_in, wired[0]), (known_out, wired[1])):
        have = {port.name for port in known} | {AFTER_PORT.name, THEN_PORT.name}
        known.extend(Port(name, ANY, name, _GONE) for name in sorted(names) if name not in have)
    return _Sides(
        [port for port in known_in if not port.type.is_binding],
        [port for port in known_out if not port.type.is_binding],
        [port for port in known_out if port.type.is_binding],
        [port for port in known_in if port.type.is_binding],
    )


_GONE = "This port no longer exists"


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
    signature: Signature | None,
    is_output: bool,
    literals: Mapping[PortName, str] = MappingProxyType({}),
    top: float = FIRST_ROW,
    is_spare: bool = False,
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
            top + ROW * row,
            label,
            literals.get(port.name, ""),
            port.help,
            port.name in known or port.name == ERROR,
            is_spare,
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
