from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from studio.flow.records import Flow, Frame, Note
from studio.ids import NodeId
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.alignment import Moves, Way, align, distribute
from tests.ui.canvas.builders import chain, notes_flow, placed
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
WAYS: tuple[Way, ...] = ("left", "centre", "right", "top", "middle", "bottom")

EDGES: dict[Way, Callable[[Rect], float]] = {
    "left": lambda one: one.x,
    "right": lambda one: one.right,
    "centre": lambda one: one.x + one.width / 2,
    "top": lambda one: one.y,
    "bottom": lambda one: one.bottom,
    "middle": lambda one: one.y + one.height / 2,
}

numbers = st.integers(-3000, 3000)
rects = st.dictionaries(
    st.integers(0, 9),
    st.builds(Rect, numbers, numbers, st.integers(20, 400), st.integers(20, 400)),
    min_size=1,
)


def moved(some: dict[int, Rect], moves: Moves[int]) -> dict[int, Rect]:
    return {
        key: Rect(
            rect.x + moves.get(key, (0, 0))[0], rect.y + moves.get(key, (0, 0))[1], rect.width, rect.height
        )
        for key, rect in some.items()
    }


@given(rects, st.sampled_from(WAYS))
def test_what_is_aligned_stays_within_its_bounds_and_aligned(some: dict[int, Rect], way: Way) -> None:
    after = moved(some, align(some, way))
    lines = [EDGES[way](rect) for rect in after.values()]
    assert max(lines) - min(lines) <= 1
    if way in {"left", "right", "top", "bottom"}:
        assert not align(after, way)
        pick = min if way in {"left", "top"} else max
        assert lines[0] == pick(EDGES[way](rect) for rect in some.values())


@given(rects, st.booleans())
def test_gaps_are_the_same_and_the_ends_stay(some: dict[int, Rect], across: bool) -> None:  # noqa: FBT001
    def span(rect: Rect) -> tuple[float, float]:
        return (rect.x, rect.right) if across else (rect.y, rect.bottom)

    after = moved(some, distribute(some, across=across))
    order = sorted(some, key=lambda key: (sum(span(some[key])), span(some[key])))
    gaps = [span(after[later])[0] - span(after[earlier])[1] for earlier, later in pairwise(order)]
    assert len(some) < 3 or max(gaps) - min(gaps) <= 2
    assert after[order[0]] == some[order[0]]
    assert after[order[-1]] == some[order[-1]]


@pytest.mark.parametrize(
    ("key", "way"),
    [
        (Qt.Key.Key_A, "left"),
        (Qt.Key.Key_D, "right"),
        (Qt.Key.Key_X, "centre"),
        (Qt.Key.Key_W, "top"),
        (Qt.Key.Key_S, "bottom"),
        (Qt.Key.Key_Y, "middle"),
    ],
)
def test_a_key_lines_the_selection_up_in_one_step(hand: Open, key: Qt.Key, way: Way) -> None:
    one = hand(placed(chain(), question=(40, 40), upper=(330, 90), writer=(600, 200)))
    one.key(Qt.Key.Key_A, CONTROL)
    one.key(key, SHIFT)
    lines = [EDGES[way](one.view.board.scene.rect(NodeId(node))) for node in one.flow.nodes]
    assert max(lines) - min(lines) <= 1
    assert one.undo_steps == ["Align"]
    for node, point in one.flow.layout.nodes.items():
        old = placed(chain(), question=(40, 40), upper=(330, 90), writer=(600, 200)).layout.nodes[node]
        assert (point.y == old.y) if way in {"left", "centre", "right"} else (point.x == old.x)


def test_three_are_distributed_between_the_outer_two(hand: Open) -> None:
    one = hand(placed(chain(), question=(0, 0), upper=(230, 0), writer=(800, 0)))
    one.key(Qt.Key.Key_A, CONTROL)
    one.key(Qt.Key.Key_H, SHIFT)
    rects = [one.view.board.scene.rect(NodeId(node)) for node in ("question", "upper", "writer")]
    assert abs((rects[1].x - rects[0].right) - (rects[2].x - rects[1].right)) <= 1
    assert one.undo_steps == ["Distribute"]


def test_an_area_moves_with_its_body_and_a_frame_with_its_contents(hand: Open) -> None:
    flow = notes_flow()
    layout = replace(
        flow.layout,
        frames={"frame": Frame("", 960, 40, 260, 200)},
        notes={"note": Note("", 0, 600, 160, 80)},
    )
    one = hand(replace(flow, layout=layout))
    one.doc.selection.select([NodeId("rounds"), NodeId("writer")], [], ["frame"], ["note"])
    one.key(Qt.Key.Key_W, SHIFT)
    places = one.flow.layout.nodes
    assert one.flow.layout.notes["note"].y == one.flow.layout.frames["frame"].y
    assert abs(one.view.board.scene.rect(NodeId("rounds")).y - one.flow.layout.frames["frame"].y) <= 1
    gap = flow.layout.nodes[NodeId("answer")].y - 40
    assert places[NodeId("answer")].y == one.flow.layout.frames["frame"].y + gap
    body = places[NodeId("critic")].y - places[NodeId("writer")].y
    assert body == flow.layout.nodes[NodeId("critic")].y - flow.layout.nodes[NodeId("writer")].y


def test_one_node_alone_is_in_line(hand: Open) -> None:
    one = hand(chain())
    one.click(one.at("upper"))
    one.key(Qt.Key.Key_A, SHIFT)
    assert not one.undo_steps
