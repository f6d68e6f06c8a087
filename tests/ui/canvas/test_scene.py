"""Arrays follow changes: what is patched is what reading the flow again would give."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from studio.ids import PortName
from studio.ui.canvas.camera import Camera, Rect, fitted
from studio.ui.canvas.document import KindLook
from studio.ui.canvas.hand.fuzzy import ranked
from studio.ui.canvas.scene.geometry import box_of
from studio.ui.canvas.scene.regions import regions_of
from studio.ui.canvas.scene.scene import Scene
from studio.ui.canvas.scene.wires import TOLERANCE, cubics, nearest, points_on, runs, segments
from tests.flow.builders import LIBRARY, node
from tests.ui.canvas.builders import LOOKS, document, grid_flow, notes_flow


def _width(text: str) -> float:
    return 6.5 * len(text)


@given(
    st.floats(0.05, 2.5),
    st.floats(-500, 500),
    st.floats(-500, 500),
    st.floats(-3000, 3000),
    st.floats(-3000, 3000),
)
def test_a_camera_leads_there_and_back(scale: float, x: float, y: float, px: float, py: float) -> None:
    camera = Camera(scale, x, y)
    back = camera.to_scene(*camera.to_widget(px, py))
    assert np.allclose(back, (px, py), atol=1e-6)


@given(st.floats(0.3, 3), st.floats(0, 1000), st.floats(0, 800))
def test_zooming_keeps_what_is_under_the_pointer(factor: float, x: float, y: float) -> None:
    camera = Camera(0.7, 31, -20)
    before, after = camera.to_scene(x, y), camera.zoomed(factor, x, y).to_scene(x, y)
    assert np.allclose(before, after, atol=1e-6)


def test_fitting_shows_everything_and_comes_no_nearer_than_it_must() -> None:
    content = Rect(-400, 100, 5000, 300)
    seen = fitted(content, 1000, 700).seen(1000, 700)
    assert seen.contains(content.x, content.y)
    assert seen.contains(content.right, content.bottom)
    assert fitted(Rect(0, 0, 10, 10), 1000, 700).scale == 1.0


def test_tessellated_wires_stay_on_their_curves_and_end_at_their_ports() -> None:
    curves = np.array([[0.0, 0, 120, 0, 80, 300, 200, 300], [0, 50, 40, 50, 60, 50, 100, 50]])
    lines = segments(curves, 2.0, (-1000, -1000, 1000, 1000))
    ends = {tuple(point) for point in np.concatenate([lines[:, :2], lines[:, 2:]]).round(6).tolist()}
    assert {(0.0, 0.0), (200.0, 300.0), (0.0, 50.0), (100.0, 50.0)} <= ends
    fine = points_on(curves, 2000).reshape(-1, 2)
    middles = (lines[:, :2] + lines[:, 2:]) / 2
    gaps = [np.hypot(*(fine - middle).T).min() for middle in middles]
    assert max(gaps) < 0.75


@given(
    st.lists(st.tuples(*[st.floats(-900, 900, width=32)] * 4), min_size=1, max_size=6),
    st.sampled_from([1.0, 1.5, 2.0]),
)
def test_no_drawn_piece_of_a_wire_misses_its_curve(ends: list[tuple[float, ...]], ratio: float) -> None:
    curves = cubics(np.array(ends), np.tile([1.0, 0.0], (len(ends), 1)), np.tile([-1.0, 0.0], (len(ends), 1)))
    for curve in curves:
        lines = segments(curve[None], ratio, (-1e5, -1e5, 1e5, 1e5))
        fine = points_on(curve[None], 2000).reshape(-1, 2)
        middles = (lines[:, :2] + lines[:, 2:]) / 2
        gaps = np.array([np.hypot(*(fine - middle).T).min() for middle in middles])
        if len(lines) < 36:  # the most pieces that a wire is drawn in, however it turns
            assert (gaps * ratio <= TOLERANCE + 0.25).all()


@given(st.lists(st.tuples(*[st.floats(-90, 90, width=32)] * 4), max_size=8), st.sampled_from([1.0, 2.0]))
def test_the_runs_of_thin_lines_lie_along_them_without_gaps(
    lines: list[tuple[float, ...]], ratio: float
) -> None:
    for x0, y0, x1, y1 in lines:
        rects = runs(np.array([[x0, y0, x1, y1]]), ratio) * ratio
        pixels = {
            (x, y)
            for left, top, width, height in rects.round().astype(int).tolist()
            for x in range(left, left + width)
            for y in range(top, top + height)
        }
        across, down = (x1 - x0) * ratio, (y1 - y0) * ratio
        length = max(np.hypot(across, down), 1e-9)
        for x, y in pixels:
            aside = abs((x + 0.5 - x0 * ratio) * down - (y + 0.5 - y0 * ratio) * across) / length
            assert aside <= 1.5
        for done in np.linspace(0, 1, 40):
            at = x0 * ratio + across * done, y0 * ratio + down * done
            assert any(abs(x + 0.5 - at[0]) <= 1.5 and abs(y + 0.5 - at[1]) <= 1.5 for x, y in pixels)


def test_cards_of_a_kind_with_the_same_ports_wired_are_laid_out_once() -> None:
    measured: list[str] = []

    def measure(text: str) -> float:
        measured.append(text)
        return _width(text)

    doc = document(grid_flow(400))
    scene = Scene(doc.history.flow, doc.library, doc.describe, measure, regions_of)
    for name, record in doc.history.flow.nodes.items():
        alone = box_of(record, scene.signatures[name], doc.describe(record.kind), scene.wired[name], _width)
        assert scene.boxes[scene.row[name]] == alone
    assert len({id(box) for box in scene.boxes}) < 20
    assert len(measured) < 100


def test_pieces_of_wires_out_of_sight_are_not_drawn() -> None:
    curves = np.array([[0.0, 0, 2000, 0, 4000, 900, 9000, 900]])
    everything = segments(curves, 1.0, (-1e5, -1e5, 1e5, 1e5))
    assert 0 < len(segments(curves, 1.0, (0, -10, 400, 400))) < len(everything)


def test_the_nearest_wire_is_found_and_none_that_is_too_far() -> None:
    curves = np.array([[0.0, 0, 30, 0, 60, 0, 90, 0], [0, 40, 30, 40, 60, 40, 90, 40]])
    boxes = np.array([[0.0, 0, 90, 0], [0, 40, 90, 40]])
    assert nearest(curves, boxes, 45, 36, 7) == 1
    assert nearest(curves, boxes, 45, 20, 7) is None


def test_ports_of_one_side_stand_in_rows_and_borrowed_ones_on_the_lower_edge() -> None:
    pair = node("text.pair")
    box = box_of(pair, LIBRARY.signature(pair), LOOKS[6], ((), ()), _width)
    ys = [spot.y for spot in box.spots if spot.x == 0 and not spot.is_order]
    assert len(set(ys)) == 2
    agent = node("llm.agent")
    box = box_of(agent, LIBRARY.signature(agent), LOOKS[7], ((), ()), _width)
    tools = box.spot(PortName("tools"), is_output=False)
    lent = box.spot(PortName("agent"), is_output=True)
    assert tools is not None
    assert lent is not None
    assert (tools.y, lent.y) == (box.height, 0)


def test_a_card_grows_for_long_labels_and_no_further_than_it_may() -> None:
    look = KindLook("text.pair", "Pair", "text")
    wide = node("text.pair", inputs={"one": "a rather long literal"})
    narrow = box_of(node("text.pair"), LIBRARY.signature(wide), look, ((), ()), lambda _: 20)
    broad = box_of(wide, LIBRARY.signature(wide), look, ((), ()), lambda _: 90)
    broadest = box_of(wide, LIBRARY.signature(wide), look, ((), ()), lambda _: 9000)
    assert narrow.width < broad.width <= broadest.width <= 288


def test_the_palette_finds_titles_before_kinds_and_words_before_letters() -> None:
    assert ranked(LOOKS, "col")[0].title == "Collect"
    assert ranked(LOOKS, "repeat")[0].title == "Loop"
    assert ranked(LOOKS, "jt")[0].title == "Join text"
    python = [KindLook("control.python", "Python", "control", "A step", ("code", "function"))]
    both = [*python, KindLook("tools.python_function", "Python function", "tools", "Lends a function")]
    assert ranked(both, "python func")[0].title == "Python function"
    assert ranked(both, "python")[0].title == "Python"
    assert ranked(LOOKS, "zzz") == []
    assert [look.title for look in ranked(LOOKS, "")] == [look.title for look in LOOKS]


def test_the_canvas_says_what_it_holds(qtbot: QtBot) -> None:
    from studio.ui.canvas.view import CanvasView
    from studio.ui.theme.fonts import load_fonts
    from tests.ui.builders import a_theme

    load_fonts()
    view = CanvasView(document(notes_flow()), a_theme("dark"))
    qtbot.addWidget(view)
    assert view.accessibleName() == "Canvas"
    assert "8 nodes" in view.accessibleDescription()


def test_a_short_level_wire_goes_straight_and_a_short_slanted_one_turns() -> None:
    doc = document(notes_flow())
    scene = Scene(doc.history.flow, doc.library, doc.describe, _width, regions_of)
    row = next(row for row, wire in enumerate(scene.wires) if str(wire) == "writer.reply -> critic.prompt")
    source, target = scene.rows_of_wires.sources[row], scene.rows_of_wires.targets[row]
    places = scene.home.copy()
    level = scene.rows_of_wires.offsets[row, 1] - scene.rows_of_wires.offsets[row, 3]
    across = scene.rows_of_wires.offsets[row, 0] - scene.rows_of_wires.offsets[row, 2]
    places[target] = places[source] + (across + 12, level)
    scene.settle(places)
    assert np.count_nonzero(scene.piece_wire == row) == 1
    places[target] += (0, 90)
    scene.settle(places)
    assert np.count_nonzero(scene.piece_wire == row) == 3
