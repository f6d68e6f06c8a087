"""What can be seen on the canvas: looked for in its pixels."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.flow.checks.problem import error
from studio.flow.records import Flow, RunSettings, Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.camera import Camera, Rect
from studio.ui.canvas.cards.card import is_streamed
from studio.ui.canvas.document import NodeState
from studio.ui.canvas.drawing.layer import SLOW
from studio.ui.canvas.drawing.picture import picture_of, write_picture
from studio.ui.theme.fonts import load_fonts
from tests.flow.builders import flow, node
from tests.ui.builders import a_theme
from tests.ui.canvas.builders import chain, document, grid_flow, notes_flow, placed
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]


def test_a_wire_is_drawn_in_the_colour_of_its_type(hand: Open) -> None:
    h = hand(chain())
    assert _near(_shot(h).pixelColor(h.middle(h.flow.wires[0])), "port.text")


def test_selection_state_and_breakpoint_are_seen_at_once(hand: Open) -> None:
    h = hand(chain())
    h.view.show_run({NodeId("writer"): NodeState("held")})
    h.view.set_breakpoints({NodeId("writer"): "on"})
    h.doc.selection.select([NodeId("writer")])
    shot = _shot(h)
    edge = h.at("writer", 0.5, 90)
    colors = [shot.pixelColor(edge.x() + dx, edge.y()) for dx in range(-6, 4)]
    assert any(_near(color, "accent.action") for color in colors)
    assert any(_near(color, "state.held") for color in colors)
    assert _near(shot.pixelColor(h.at("writer", 2, 2)), "state.failed")


@pytest.mark.parametrize("status", ["running", "done", "failed", "held"])
def test_a_nodes_border_tells_its_state(hand: Open, status: str) -> None:
    h = hand(chain())
    h.view.show_run({NodeId("upper"): NodeState(status)})  # pyright: ignore[reportArgumentType]
    assert _has(_shot(h), _edge(h, "upper"), f"state.{status}")
    assert not _has(_shot(h), _edge(h, "writer"), f"state.{status}")


def test_a_problem_is_marked_and_said(hand: Open) -> None:
    h = hand(chain())
    assert not _has(_shot(h), _edge(h, "writer"), "state.failed")
    h.view.show_problems([error("missing-input", "Prompt is missing.", NodeId("writer"))])
    h.view.show_tried()
    assert _has(_shot(h), _edge(h, "writer"), "state.failed")
    assert h.view.board.cards.card(NodeId("writer")).problem == "Prompt is missing."


def test_a_muted_node_is_fainter(hand: Open) -> None:
    h = hand(chain())
    before = _contrast(h, "upper")
    run = RunSettings(state="muted")
    h.doc.history.do(edits.set_run(h.flow, NodeId("upper"), run))
    assert _contrast(h, "upper") < before * 0.7


def test_a_missing_kind_keeps_its_ports_and_says_so(hand: Open) -> None:
    h = hand(
        placed(
            flow(
                {"a": "text.text", "b": "vendor.thing", "c": "text.upper"},
                "a.text -> b.input",
                "b.out -> c.text",
            ),
            a=(0, 0),
            b=(300, 0),
            c=(600, 0),
        )
    )
    card = h.view.board.cards.card(NodeId("b"))
    assert card.is_missing
    assert "vendor.thing" in card.telling
    names = {spot.port for spot in card.box.spots if not spot.is_order}
    assert names == {"input", "out"}
    assert _has(_shot(h), _around(h, "b", 0), "state.failed")


def test_a_literal_stands_at_its_port_until_the_port_is_wired(hand: Open) -> None:
    h = hand(
        placed(
            flow({"a": "text.text", "p": node("text.pair", inputs={"one": "birds", "two": 3})}),
            a=(0, 0),
            p=(400, 0),
        )
    )
    assert _literals(h, "p") == {"one": "birds", "two": "3"}
    h.drag(h.port("a.text", is_output=True), h.port("p.one"))
    assert _literals(h, "p") == {"two": "3"}


def test_streamed_text_appears_without_drawing_the_rest_again(hand: Open, qtbot: QtBot) -> None:
    h = hand(chain())
    h.view.show_run({NodeId("writer"): NodeState("running")})
    before = _shot(h)
    drawn: list[object] = []
    h.view._layer._draw = lambda *_: drawn.append(1)
    h.view.update_nodes({NodeId("writer"): NodeState("running", "A dunnock under the hedge.")})
    qtbot.waitUntil(lambda: not h.view.streaming.waiting)
    after = _shot(h)
    assert drawn == []
    assert _differ(before, after, h.view.board.scene.rect(NodeId("writer")), h)
    assert not _differ(before, after, h.view.board.scene.rect(NodeId("upper")), h)


def test_what_is_patched_looks_like_what_is_drawn_afresh(hand: Open, qtbot: QtBot) -> None:
    h = hand(chain())
    state = NodeState("running", "Three species are noted before nine.", 1.8, 612, 0.0009, "round 2")
    h.view.show_run({NodeId("writer"): NodeState("running")})
    _shot(h)
    for told in (
        replace(state, text="Three"),
        state,
        replace(state, status="done"),
        replace(state, text="Four."),
    ):
        h.view.update_nodes({NodeId("writer"): told})
        qtbot.waitUntil(lambda: not h.view.streaming.waiting)
    patched = _shot(h)
    h.view._layer.clear()
    fresh = _shot(h)
    assert patched == fresh


def test_a_panned_picture_is_the_picture_drawn_there(hand: Open) -> None:
    h = hand(notes_flow())
    _shot(h)
    h.view.board.camera = h.view.board.camera.panned(-37, 21)
    scrolled = _shot(h)
    h.view._layer.clear()
    assert scrolled == _shot(h)


def test_while_zooming_a_costly_picture_is_stretched_and_then_drawn_crisp(hand: Open, qtbot: QtBot) -> None:
    h = hand(notes_flow())
    _shot(h)
    h.view._layer.last_cost = 2 * SLOW
    h.view.looking.zoom_in()
    stretched = _shot(h)
    qtbot.waitUntil(lambda: not h.view.looking.is_zooming)
    crisp = _shot(h)
    assert stretched != crisp
    h.view._layer.clear()
    assert crisp == _shot(h)


def test_far_away_nodes_are_blocks_with_titles_and_farther_away_blocks_alone(hand: Open) -> None:
    h = hand(placed(chain(), question=(0, 0), upper=(400, 0), writer=(800, 0)))
    h.view.board.camera = Camera(0.4, 60, 80)
    titled = _colors(h, "writer")
    assert len(titled) > 3
    h.view.board.camera = Camera(0.1, 60, 80)
    assert len(_colors(h, "writer")) <= 2


def test_a_pulse_runs_along_its_wire_and_ends(hand: Open, qtbot: QtBot) -> None:
    h = hand(chain())
    before = _shot(h)
    h.view.pulses.start([h.flow.wires[0]])
    assert _shot(h) != before
    qtbot.waitUntil(lambda: not h.view.pulses.progress())
    assert _shot(h) == before


def test_another_theme_draws_everything_anew(hand: Open) -> None:
    h = hand(chain())
    h.view.set_theme(a_theme("light"))
    shot = _shot(h)
    assert shot.pixelColor(5, 5).name() == a_theme("light").color("surface.canvas")
    assert shot.pixelColor(h.at("upper", 150, 60)).name() == a_theme("light").color("surface.raised")


def test_an_empty_canvas_says_how_to_begin(hand: Open) -> None:
    h = hand(Flow())
    empty = _shot(h)
    h.doc.history.do(
        edits.add_node(Flow(), "llm.agent", "Agent", at=chain().layout.nodes[NodeId("upper")])[1]
    )
    middle = Rect(400, 350, 400, 100)
    assert len({empty.pixelColor(x, y).name() for x in range(500, 700, 2) for y in range(370, 420, 2)}) > 4
    assert middle.contains(600, 400)


def test_the_minimap_shows_and_leads(hand: Open) -> None:
    h = hand(notes_flow())
    corner = h.view.rect().bottomRight()
    h.click(corner - type(corner)(30, 30))
    seen = h.view.board.camera.seen(1200, 800)
    assert seen.x + seen.width / 2 > 800


def test_a_flow_becomes_a_picture_without_a_window(qtbot: QtBot, tmp_path: Path) -> None:
    del qtbot
    load_fonts()
    doc = document(notes_flow())
    states = {NodeId("writer"): NodeState("done", "Three species.")}
    image = picture_of(doc, a_theme("light"), states, ratio=1.0)
    assert image.width() > 1000
    write_picture(doc, a_theme("light"), tmp_path / "flow.svg", states)
    drawn = (tmp_path / "flow.svg").read_text("utf-8")
    assert "Three species." in drawn
    assert "<image" not in drawn
    write_picture(doc, a_theme("dark"), tmp_path / "flow.png")
    assert QImage(str(tmp_path / "flow.png")).width() > image.width()


def test_a_picture_that_cannot_be_written_is_an_error(qtbot: QtBot, tmp_path: Path) -> None:
    del qtbot
    load_fonts()
    with pytest.raises(OSError, match="flow"):
        write_picture(document(chain()), a_theme("dark"), tmp_path / "nowhere" / "flow.png")


def test_a_thousand_nodes_are_drawn(hand: Open) -> None:
    h = hand(grid_flow(1000))
    h.view.fit()
    shot = _shot(h)
    assert len({shot.pixelColor(x, y).name() for x in range(100, 1100, 3) for y in range(300, 320)}) > 3


def test_an_edit_elsewhere_ends_a_gesture(hand: Open) -> None:
    h = hand(chain())
    h.press(h.at("upper"))
    h.move(h.at("upper") + h.view.rect().topLeft() + type(h.at("upper"))(90, 90))
    h.doc.history.do(edits.remove(h.flow, [NodeId("question")]))
    assert h.view.gesture is None
    h.release(h.at("upper"))
    assert set(h.flow.nodes) == {"upper", "writer"}
    _shot(h)


def test_a_wire_to_a_port_that_is_gone_is_still_drawn(hand: Open) -> None:
    broken = replace(
        chain(),
        wires=(
            Wire(
                *(
                    type(chain().wires[0].source)(NodeId(n), PortName(p))
                    for n, p in (("upper", "gone"), ("writer", "nowhere"))
                )
            ),
        ),
    )
    h = hand(broken)
    assert h.port("upper.gone", is_output=True).x() > h.at("upper").x()
    _shot(h)


def _shot(h: Hand) -> QImage:
    return h.view.grab().toImage()


def _near(color: QColor, name: str, within: int = 40) -> bool:
    wanted = QColor(a_theme("dark").color(name))
    return (
        max(
            abs(color.red() - wanted.red()),
            abs(color.green() - wanted.green()),
            abs(color.blue() - wanted.blue()),
        )
        < within
    )


def _around(h: Hand, name: str, grow: float) -> Rect:
    rect = h.view.board.scene.rect(NodeId(name)).grown(grow)
    corner = h.point(rect.x, rect.y)
    return Rect(corner.x(), corner.y(), rect.width, rect.height)


def _edge(h: Hand, name: str) -> Rect:
    """A piece of a card's left edge, away from ports."""
    whole = _around(h, name, 0)
    return Rect(whole.x - 1, whole.y + 44, 4, 6)


def _has(shot: QImage, place: Rect, name: str, within: int = 40) -> bool:
    return any(
        _near(shot.pixelColor(x, y), name, within)
        for x in range(round(place.x), round(place.right))
        for y in range(round(place.y), round(place.bottom))
    )


def _contrast(h: Hand, name: str) -> int:
    shot, place = _shot(h), _around(h, name, -8)
    lights = [
        shot.pixelColor(x, y).lightness()
        for x in range(round(place.x), round(place.x) + 120)
        for y in range(round(place.y), round(place.y) + 24)
    ]
    return max(lights) - min(lights)


def _literals(h: Hand, name: str) -> dict[str, str]:
    spots = h.view.board.scene.spots(NodeId(name))
    return {str(spot.port): spot.literal for spot in spots if spot.literal}


def _differ(one: QImage, other: QImage, rect: Rect, h: Hand) -> bool:
    corner = h.point(rect.x, rect.y)
    return any(
        one.pixel(x, y) != other.pixel(x, y)
        for x in range(corner.x(), corner.x() + round(rect.width))
        for y in range(corner.y(), corner.y() + round(rect.height))
    )


def _colors(h: Hand, name: str) -> set[str]:
    shot, rect = _shot(h), h.view.board.scene.rect(NodeId(name))
    scale = h.view.board.camera.scale
    left, top = h.view.board.camera.to_widget(rect.x, rect.y)
    return {
        shot.pixelColor(x, y).name()
        for x in range(round(left) + 1, round(left + rect.width * scale) - 1)
        for y in range(round(top) + 1, round(top + rect.height * scale) - 1)
    }


def test_only_text_that_streams_is_read_from_its_end() -> None:
    assert is_streamed(NodeState("running", "Three species"))
    assert not is_streamed(NodeState("running")), "what a node is for has its beginning first"
    assert not is_streamed(NodeState("done", "Three species"))


def test_the_title_of_an_area_seen_from_far_is_above_its_blocks(hand: Open) -> None:
    h = hand(notes_flow())
    for scale in (0.2, 0.3, 0.44):
        h.view.looking.look(Camera(scale, 40, 40))
        scene = h.view.board.scene
        (area,) = scene.areas.values()
        first = min(scene.rect(NodeId(one)).y for one in area.region.body)
        left, top = h.view.board.camera.to_widget(area.rect.x, area.rect.y)
        _, end = h.view.board.camera.to_widget(0, first)
        shot = _shot(h)
        titled = [
            y
            for y in range(round(top) + 2, round(end) + 14)
            if _has(shot, Rect(left + 8, y, 40, 1), "area.loop_title")
        ]
        assert max(titled) - min(titled) >= 4
        assert max(titled) <= end
