"""What the cards say, and their cached pictures."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from studio.flow.records import Node, Socket, title_of
from studio.ids import NodeId
from studio.ui.canvas.cards.card import MARGIN, Card, draw_card, draw_shadow
from studio.ui.canvas.cards.marks import Found, Sign, sign_of
from studio.ui.canvas.cards.state_shapes import draw_state
from studio.ui.canvas.document import NO_STATE, BreakpointMark, NodeState
from studio.ui.canvas.scene.ghosts import Ghosts
from studio.ui.canvas.scene.idle_text import telling_of
from studio.ui.canvas.scene.scene import Scene
from studio.ui.canvas.style import Role, Style
from studio.ui.theme.kind_glyphs import draw_kind

_BYTES = 96 * 1024 * 1024
_TITLES = 40_000
_SHADOWS = 64


@dataclass(slots=True)
class Shown:
    """What is shown on nodes beyond the flow: the run, the problems, the breakpoints."""

    states: Mapping[NodeId, NodeState] = field(default_factory=dict[NodeId, NodeState])
    breakpoints: Mapping[str, BreakpointMark] = field(default_factory=dict[str, BreakpointMark])
    """By place: a node's id, or a port as `node.port`."""
    break_tips: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is told of them beyond what the mark says, by the same places."""
    ringed: frozenset[str] = frozenset()
    """The places of those that a run is held at, or came by just now."""
    pins: Mapping[NodeId, str] = field(default_factory=dict[NodeId, str])
    """The pinned nodes, each with the reason why its pin does not fit any more, or nothing."""
    differing: Mapping[NodeId, bool] = field(default_factory=dict[NodeId, bool])
    """The nodes that did something else in a run that this one is compared with; True for the first."""
    found: Found = field(default_factory=Found)
    """The problems by where they are marked."""
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    """The language model behind each chat profile by its name; the one of runs has none."""

    @property
    def problems(self) -> Mapping[NodeId, str]:
        """The first problem of each node, in a sentence."""
        return self.found.sentences

    def state(self, node: NodeId) -> NodeState:
        """What the run says of a node."""
        return self.states.get(node, NO_STATE)


class Cards:
    """Makes each card once, and its picture once for each scale; the least recently used go by bytes."""

    def __init__(self, scene: Scene, style: Style) -> None:
        self.scene = scene
        self.style = style
        self.shown = Shown()
        self.ghosts = Ghosts(scene)
        """What steps make as they go, drawn behind the cards."""
        self._cards: dict[NodeId, Card] = {}
        self._pictures: OrderedDict[tuple[NodeId, float, float], tuple[Card, QPixmap]] = OrderedDict()
        self._bytes = 0
        self._shadows: dict[tuple[float, float, float], QPixmap] = {}
        self._titles: dict[tuple[str, int], str] = {}
        self._wrapped: dict[tuple[str, int, int, int], tuple[str, ...]] = {}
        self._smalls: dict[tuple[str, float, float], QPixmap] = {}

    def forget(self, nodes: Iterable[NodeId] | None = None) -> None:
        """Make these cards (or all) again when next asked for; equal ones keep their pictures."""
        if nodes is None:
            self._cards.clear()
            return
        for node in nodes:
            self._cards.pop(node, None)

    def restyle(self, style: Style) -> None:
        """Draw everything again in another theme."""
        self.style = style
        self._pictures.clear()
        self._titles.clear()
        self._wrapped.clear()
        self._smalls.clear()
        self._shadows.clear()
        self._bytes = 0

    def elided(self, text: str, width: float) -> str:
        """A small title cut to a width; remembered, since far views draw the same ones again and again."""
        key = (text, int(width) // 4)
        found = self._titles.get(key)
        if found is None:
            if len(self._titles) > _TITLES:
                self._titles.clear()
            found = self._titles[key] = self.style.elided(text, Role.SMALL, key[1] * 4)
        return found

    def block_title(self, text: str, widths: tuple[float, float], lines: int) -> tuple[str, ...]:
        """A small title on at most `lines` lines, the first as wide as the first of `widths`; remembered."""
        first, width = int(widths[0]) // 4, int(widths[1]) // 4
        if lines == 1:
            return (self.elided(text, first * 4),)
        key = (text, first, width, lines)
        found = self._wrapped.get(key)
        if found is None:
            if len(self._wrapped) > _TITLES:
                self._wrapped.clear()
            found = self._wrapped[key] = self.style.indented(text, Role.SMALL, first * 4, width * 4, lines)
        return found

    def small_glyph(self, kind: str, side: float, ratio: float) -> QPixmap:
        """The glyph of a kind as a picture, for blocks."""

        def draw(painter: QPainter, place: QRectF) -> None:
            draw_kind(painter, kind, place, self.style.color("text.strong", 0.85))

        return self._small(kind, side, ratio, draw)

    def small_state(self, status: str, side: float, ratio: float) -> QPixmap:
        """The shape of a state as a picture, for blocks."""
        return self._small(
            status, side, ratio, lambda painter, place: draw_state(painter, status, place, self.style)
        )

    def _small(
        self, name: str, side: float, ratio: float, draw: Callable[[QPainter, QRectF], None]
    ) -> QPixmap:
        key = (name, side, ratio)
        found = self._smalls.get(key)
        if found is None:
            found = QPixmap(round(side * ratio), round(side * ratio))
            found.setDevicePixelRatio(ratio)
            found.fill(Qt.GlobalColor.transparent)
            painter = QPainter(found)
            draw(painter, QRectF(0, 0, side, side))
            painter.end()
            self._smalls[key] = found
        return found

    def card(self, node: NodeId) -> Card:
        """What a node's card says now."""
        found = self._cards.get(node)
        if found is None:
            found = self._cards[node] = self._card(node)
        return found

    def picture(self, node: NodeId, scale: float, ratio: float) -> QPixmap:
        """The card as a pixmap with `MARGIN` scene units around it, for a scale and a device pixel ratio."""
        card = self.card(node)
        key = (node, scale, ratio)
        found = self._pictures.get(key)
        if found is not None and (found[0] is card or found[0] == card):
            if found[0] is not card:
                self._pictures[key] = (card, found[1])
            self._pictures.move_to_end(key)
            return found[1]
        picture = self._draw(card, scale, ratio)
        if found is not None:
            self._bytes -= _size(found[1])
        self._pictures[key] = (card, picture)
        self._bytes += _size(picture)
        while self._bytes > _BYTES and len(self._pictures) > 1:
            self._bytes -= _size(self._pictures.popitem(last=False)[1][1])
        return picture

    def _card(self, node: NodeId) -> Card:
        scene, shown = self.scene, self.shown
        record = scene.flow.nodes[node]
        look = scene.looks[node]
        wired_in, wired_out = scene.wired[node]
        return Card(
            scene.boxes[scene.row[node]],
            title_of(scene.flow, node),
            look.category if look else "",
            record.kind,
            telling_of(record, look, is_installed=scene.signatures[node] is not None),
            self._model(record),
            shown.state(node),
            scene.signatures[node] is None,
            record.run.state,
            shown.problems.get(node, ""),
            shown.found.sign(node),
            self._port_signs(node),
            shown.breakpoints.get(node),
            frozenset([(str(port), False) for port in wired_in] + [(str(port), True) for port in wired_out]),
            self._marked_ports(node),
            shown.pins.get(node),
        )

    def _model(self, record: Node) -> str:
        """What answers its chats, as far as it is known."""
        if record.kind.partition(".")[0] != "llm":
            return ""
        profile = str(record.settings.get("profile") or "")
        return self.shown.models.get(profile, profile)

    def _port_signs(self, node: NodeId) -> frozenset[tuple[str, Sign]]:
        found = self.shown.found
        if node not in found.nodes:
            return frozenset()
        ports = {problem.port for problem in found.nodes[node] if problem.port is not None}
        is_tried = node in found.tried
        signs = ((str(port), sign_of(found.ports[Socket(node, port)], is_tried=is_tried)) for port in ports)
        return frozenset((port, sign) for port, sign in signs if sign is not None)

    def _marked_ports(self, node: NodeId) -> frozenset[tuple[str, BreakpointMark]]:
        start = f"{node}."
        marks = self.shown.breakpoints.items()
        return frozenset((place[len(start) :], kind) for place, kind in marks if place.startswith(start))

    def _draw(self, card: Card, scale: float, ratio: float) -> QPixmap:
        factor = scale * ratio
        picture = QPixmap(self._shadow(card.box.width, card.box.height, factor))
        painter = _painter_on(picture, factor)
        draw_card(painter, card, self.style, factor)
        painter.end()
        picture.setDevicePixelRatio(ratio)
        return picture

    def _shadow(self, width: float, height: float, factor: float) -> QPixmap:
        """An empty card's shadow, drawn once for each size: it costs as much as all the rest."""
        key = (width, height, factor)
        found = self._shadows.get(key)
        if found is None:
            if len(self._shadows) > _SHADOWS:
                self._shadows.clear()
            found = QPixmap(
                round((width + 2 * MARGIN) * factor) + 1, round((height + 2 * MARGIN) * factor) + 1
            )
            found.fill(Qt.GlobalColor.transparent)
            painter = _painter_on(found, factor)
            draw_shadow(painter, QRectF(0, 0, width, height), self.style)
            painter.end()
            self._shadows[key] = found
        return found


def _painter_on(picture: QPixmap, factor: float) -> QPainter:
    painter = QPainter(picture)
    painter.translate(round(MARGIN * factor), round(MARGIN * factor))
    painter.scale(factor, factor)
    return painter


def _size(picture: QPixmap) -> int:
    return picture.width() * picture.height() * 4
