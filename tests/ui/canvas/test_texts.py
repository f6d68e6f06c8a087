"""No text on the canvas is cut or lies on another: every node type, at five zooms and three scale factors.

What is compared is the ink of each text as it is really drawn, with the box that it has to stay in.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from studio.flow.checks.problem import Problem
from studio.flow.records import Flow, Frame, Json, Layout, Node, Point, RunSettings
from studio.ids import NodeId, PortName
from studio.sdk.registry import Registry
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Camera
from studio.ui.canvas.cards.card import MARGIN, Card, card_head, draw_card
from studio.ui.canvas.cards.cards import Shown
from studio.ui.canvas.cards.details import can_type
from studio.ui.canvas.cards.marks import found_by_place
from studio.ui.canvas.document import NodeState, Steps
from studio.ui.canvas.drawing.areas import paint_areas, paint_pills
from studio.ui.canvas.drawing.frames import paint_frames
from studio.ui.canvas.drawing.painter import paint_blocks
from studio.ui.canvas.scene.geometry import HEADER, INSET
from studio.ui.canvas.sight import View
from studio.ui.canvas.style import Style
from studio.ui.theme.fonts import load_fonts
from studio.ui.viewmodels.flow.canvas_document import SessionDocument
from studio.workspace.catalog import builtin_types
from tests.flow.builders import flow as flow_of
from tests.flow.builders import node
from tests.ui.builders import a_theme
from tests.ui.canvas.recording import Drawn, Recorder

ZOOMS = (0.2, 0.45, 0.7, 1.0, 2.0)
RATIOS = (1.0, 1.5, 2.0)
FACTORS = sorted({round(zoom * ratio, 4) for zoom in ZOOMS[1:] for ratio in RATIOS})
every_factor = pytest.mark.parametrize(
    "factor",
    [
        pytest.param(one, marks=[pytest.mark.slow] * (one not in {FACTORS[0], 1.0, FACTORS[-1]}))
        for one in FACTORS
    ],
)
TITLES = {
    "words": "Überprüfung jeder Quelle, die der Schreiber nennt, Satz für Satz und Wort für Wort",
    "one word": "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen",
}
LONG = "Three species are noted before nine: a dunnock on the 4th, two siskins and a wren. " * 4
STATES = {
    "idle": NodeState(),
    "running": NodeState("running", LONG, 7384.2, 1_234_567, 1234.5678, "round 120"),
    "chosen": NodeState("done", LONG, 7384.2, 1_234_567, 1234.5, steps=Steps("round 120/200", True, False)),
    "waiting": NodeState("waiting", "", 0.1, 5, 0.00001, "", steps=Steps("item 10000/20000", True, True)),
    "failed": NodeState("failed", LONG, note=LONG),
    "collapsed": NodeState("running", LONG, 7384.2, 1_234_567, 1234.5678, "round 120"),
    "stopped": NodeState("stopped", "W" * 200, 0.5, 10, 0.5, "round 2"),
}
LIBRARY = Registry(builtin_types())
KINDS = tuple(one.kind for one in LIBRARY)
SLACK = 0.75
"""Device pixels by which two inks may meet: an edge of a letter is spread over that much."""


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("state", STATES)
@every_factor
def test_every_text_of_every_card_has_its_place(qtbot: QtBot, title: str, state: str, factor: float) -> None:
    del qtbot
    found: list[str] = []
    for card in cards(title, state):
        drawn = texts_of(card, factor)
        found += [f"{card.telling[:20]}: {fault}" for fault in faults(drawn, obstacles(card, factor))]
        found += [f"“{one.text}” leaves its card" for one in outside(drawn, inside_of(card, factor))]
    assert not found, found[:8]


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("state", ["idle", "chosen", "waiting", "failed", "collapsed"])
def test_every_text_of_areas_and_their_ports_has_its_place(
    qtbot: QtBot, state: str, zoom: float, ratio: float
) -> None:
    del qtbot
    board = areas(state)
    extent = board.scene.extent()
    assert extent is not None
    around = extent.grown(200)
    view = View(
        Camera(zoom, -around.x * zoom, -around.y * zoom), around.width * zoom, around.height * zoom, ratio
    )
    painter = Recorder()
    painter.scale(ratio, ratio)
    paint_areas(painter, board.cards, view, QRectF(0, 0, view.width, view.height))
    if zoom >= ZOOMS[1]:
        paint_pills(painter, board.cards, view)
    painter.end()
    assert painter.drawn
    assert not faults(painter.drawn, [])


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("zoom", ZOOMS)
def test_the_title_of_a_frame_stays_in_it(qtbot: QtBot, zoom: float, ratio: float) -> None:
    del qtbot
    layout = Layout(frames={"f": Frame(TITLES["words"], 0, 0, 300, 200)})
    board = Board(SessionDocument.of_flow(Flow(layout=layout), LIBRARY), style())
    view = View(Camera(zoom, 0, 0), 400 * zoom, 300 * zoom, ratio)
    painter = Recorder()
    painter.scale(ratio, ratio)
    paint_frames(painter, board.cards, view, QRectF(0, 0, view.width, view.height), in_areas=False)
    painter.end()
    factor = zoom * ratio
    assert painter.drawn or zoom < ZOOMS[1]
    assert not faults(painter.drawn, [])
    assert not list(outside(painter.drawn, QRectF(0, 0, 300 * factor, 200 * factor)))


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("zoom", [0.13, ZOOMS[0], 0.44])
def test_titles_seen_from_far_stay_in_their_blocks(qtbot: QtBot, zoom: float, ratio: float) -> None:
    del qtbot
    board = library_board("words", "idle")
    scene = board.scene
    view = View(Camera(zoom, 0, 0), 8000 * zoom, 8000 * zoom, ratio)
    painter = Recorder()
    painter.scale(ratio, ratio)
    rows = scene.rows_in(view.seen())
    paint_blocks(painter, board.cards, view, rows)
    painter.end()
    blocks = [
        QRectF(x * zoom * ratio, y * zoom * ratio, width * zoom * ratio, height * zoom * ratio)
        for x, y, width, height in scene.rects[rows].tolist()
    ]
    assert not faults(painter.drawn, [])
    for one in painter.drawn:
        assert any(block.adjusted(-1, -1, 1, 1).contains(one.ink) for block in blocks), one


def test_a_text_too_long_for_its_box_would_be_noticed(qtbot: QtBot) -> None:
    del qtbot
    painter = Recorder()
    painter.setFont(style().fonts[next(iter(style().fonts))])
    painter.drawText(QRectF(0, 0, 20, 30), 0, "much too long")
    painter.drawText(QRectF(10, 0, 190, 30), 0, "over it")
    painter.end()
    assert len(faults(painter.drawn, [])) == 2


# --------------------------------------------------------------------------------------- what is wrong


def faults(drawn: Sequence[Drawn], marks: Sequence[QRectF]) -> list[str]:
    """Texts that are cut, that lie on one another, or on a mark."""
    found = [f"“{one.text}” is cut by its box" for one in drawn if one.is_cut]
    for one, other in combinations(drawn, 2):
        if _meet(one.ink, other.ink):
            found.append(f"“{one.text}” and “{other.text}” lie on one another")
    found += [f"“{one.text}” lies on a mark" for one in drawn for mark in marks if _meet(one.ink, mark)]
    return found


def outside(drawn: Sequence[Drawn], place: QRectF) -> Iterator[Drawn]:
    return (one for one in drawn if not place.adjusted(-SLACK, -SLACK, SLACK, SLACK).contains(one.ink))


def _meet(one: QRectF, other: QRectF) -> bool:
    return one.adjusted(SLACK, SLACK, -SLACK, -SLACK).intersects(other)


def obstacles(card: Card, factor: float) -> list[QRectF]:
    """Ports, the mark of the category, and what stands beside the title, in device pixels."""
    head = card_head(card, style())
    marks = [QRectF(spot.x - 5, spot.y - 5, 10, 10) for spot in card.box.spots if not spot.is_order]
    marks.append(QRectF(INSET, HEADER / 2 - 5, 10, 10))
    marks += [place for place in (head.mark, head.switch) if place is not None]
    return [_device(mark, factor) for mark in marks]


def inside_of(card: Card, factor: float) -> QRectF:
    return _device(QRectF(3, 1, card.box.width - 6, card.box.height - 2), factor)


def _device(rect: QRectF, factor: float) -> QRectF:
    pad = round(MARGIN * factor)
    return QRectF(
        rect.x() * factor + pad, rect.y() * factor + pad, rect.width() * factor, rect.height() * factor
    )


def texts_of(card: Card, factor: float) -> list[Drawn]:
    painter = Recorder()
    pad = round(MARGIN * factor)
    painter.translate(pad, pad)
    painter.scale(factor, factor)
    draw_card(painter, card, style(), factor)
    painter.end()
    assert painter.drawn
    return painter.drawn


# --------------------------------------------------------------------------------------- what is drawn


@cache
def style() -> Style:
    load_fonts()
    return Style(a_theme("dark"))


def cards(title: str, state: str) -> list[Card]:
    board = library_board(title, state)
    scene = board.scene
    return [board.cards.card(node) for row, node in enumerate(scene.ids) if scene.has_card[row]]


@cache
def library_board(title: str, state: str) -> Board:
    """Each node type once, with the title, a value typed wherever one can be, and what the state shows."""
    nodes = {NodeId(f"n{place}"): _record(kind, TITLES[title], state) for place, kind in enumerate(KINDS)}
    places = {name: Point(place % 8 * 400, place // 8 * 500) for place, name in enumerate(nodes)}
    collapsed = frozenset(nodes) if state == "collapsed" else frozenset[NodeId]()
    return _board(Flow(nodes=nodes, layout=Layout(nodes=places, collapsed=collapsed)), state)


@cache
def areas(state: str) -> Board:
    nodes = {
        "q": node("io.flow_input", title="Question"),
        "outer": node("control.loop", title=TITLES["words"], max_rounds=4),
        "inner": node("control.for_each", title=TITLES["one word"]),
        "work": node("text.template", title="Work", template="{{item}}"),
        "gather": node("control.collect", title="Gather"),
        "empty": node("control.loop", title="Empty"),
    }
    edges = (
        "q.value -> outer.start",
        "outer.value -> inner.items",
        "inner.item -> work.item",
        "work.text -> gather.item",
        "gather.kept -> outer.again",
    )
    places = {"q": (0, 0), "work": (700, 200), "empty": (200, 900)}
    collapsed = frozenset({NodeId("inner"), NodeId("empty")}) if state == "collapsed" else frozenset[NodeId]()
    layout = Layout(
        nodes={NodeId(name): Point(*place) for name, place in places.items()}, collapsed=collapsed
    )
    return _board(replace(flow_of(nodes, *edges), layout=layout), state)


def _board(flow: Flow, state: str) -> Board:
    board = Board(SessionDocument.of_flow(flow, LIBRARY), style())
    is_bad = state in {"failed", "waiting", "stopped"}
    problems = [
        Problem("missing-input" if state == "failed" else "not-wired", "error", LONG, name, port=_first(one))
        for name, one in flow.nodes.items()
        if is_bad
    ]
    board.cards.shown = Shown(
        dict.fromkeys(flow.nodes, STATES[state]),
        pins={name: LONG for name in flow.nodes if state == "chosen"},
        breakpoints=dict.fromkeys(map(str, flow.nodes), "on") if is_bad else {},
        found=found_by_place(problems),
    )
    return board


def _first(record: Node) -> PortName | None:
    signature = LIBRARY.signature(record)
    return signature.inputs[0].name if signature is not None and signature.inputs else None


def _record(kind: str, title: str, state: str) -> Node:
    switched = {"waiting": "bypassed", "failed": "muted"}.get(state, "")
    record = Node(kind=kind, title=title, run=RunSettings(state=switched))  # pyright: ignore[reportArgumentType]
    signature = LIBRARY.signature(record)
    if signature is None or state == "idle":
        return record
    typed: dict[PortName, Json] = {
        port.name: LONG for port in signature.inputs if can_type(port.type) and not port.type.is_binding
    }
    return record.model_copy(update={"inputs": typed})
