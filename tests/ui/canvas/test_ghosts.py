"""What a step makes as it goes, on the canvas: where it stands, and what a hand does with it."""

from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest

from studio.flow import edits
from studio.flow.records import Flow, Point
from studio.ids import NodeId
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.cards.ghost_words import cluster_words
from studio.ui.canvas.hand.tips import tip_for
from studio.ui.canvas.scene.ghost_layout import Ghost, lay_out
from studio.ui.canvas.scene.ghosts import Cluster, GhostHit
from studio.ui.canvas.sight import CARDS_FROM
from tests.ui.canvas.builders import chain
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
WRITER = NodeId("writer")
PLAN = (
    Ghost("a", "Look", "done", "A dunnock.", tip="Look · done"),
    Ghost("b", "Ask", "running", after=("a",)),
    Ghost("c", "Guess", of="a", is_dropped=True),
)


def cluster(h: Hand) -> Cluster:
    return h.view.board.cards.ghosts.clusters[0]


def middle(h: Hand, key: str) -> QPoint:
    rect = h.view.board.cards.ghosts.rect_of(key)
    assert rect is not None
    return h.point(rect.x + rect.width / 2, rect.y + rect.height / 2)


@given(st.lists(st.tuples(st.integers(0, 11), st.sets(st.integers(0, 11), max_size=3)), max_size=12))
def test_no_two_ghosts_lie_on_one_another_whatever_they_name(drawn: list[tuple[int, set[int]]]) -> None:
    ghosts = [
        Ghost(str(number), "x", of=str(of), after=tuple(str(one) for one in sorted(after)))
        for number, (of, after) in enumerate(drawn)
    ]
    rects = [Rect(*one) for one in lay_out(ghosts).rects.tolist()]
    assert len(rects) == len(ghosts)
    assert not any(one.grown(4).meets(other) for one, other in combinations(rects, 2))


@given(st.lists(st.integers(0, 30), max_size=30))
def test_what_waits_for_another_stands_right_of_it(before: list[int]) -> None:
    ghosts = [
        Ghost(str(place), "x", after=(str(one % place),) if place else ()) for place, one in enumerate(before)
    ]
    rects = lay_out(ghosts).rects
    for place, one in enumerate(before):
        assert not place or rects[place, 0] > rects[one % place, 0]


def test_what_waits_for_another_is_joined_to_that_and_the_first_to_what_both_grew_out_of() -> None:
    plan = [Ghost("plan", "Plan"), Ghost("a", "A", of="plan"), Ghost("b", "B", of="plan", after=("a",))]
    laid = lay_out(plan)
    ends = [(curve[0], curve[6]) for curve in laid.curves.tolist()]
    left, right = laid.rects[:, 0].tolist(), (laid.rects[:, 0] + laid.rects[:, 2]).tolist()
    assert ends == [(right[0], left[1]), (right[1], left[2])]
    assert laid.is_growth == [True, False]


def test_where_each_waits_for_several_they_stand_in_layers_from_the_top() -> None:
    first = [Ghost(name, name) for name in "abc"]
    last = [Ghost(name, name, after=("a", "b", "c")) for name in "de"]
    rects = lay_out([*first, *last]).rects.tolist()
    assert len({one[0] for one in rects[:3]}) == len({one[0] for one in rects[3:]}) == 1
    assert rects[0][1] == rects[3][1] == 0
    assert rects[2][1] < 3 * rects[2][3], "no gaps"


def test_many_that_nothing_joins_stand_in_columns() -> None:
    laid = lay_out([Ghost(str(number), "x") for number in range(100)])
    assert 0.5 < laid.width / laid.height < 4


def test_ghosts_stand_below_their_node_and_go_along_with_it(hand: Open) -> None:
    h = hand(chain())
    h.view.show_ghosts({WRITER: PLAN})
    rect = h.view.board.scene.rect(WRITER)
    before = cluster(h).rect
    assert (before.x, before.y > rect.bottom) == (rect.x, True)
    place = h.flow.layout.nodes[WRITER]
    h.doc.history.do(edits.move(h.flow, {WRITER: Point(place.x + 40, place.y + 800)}))
    assert (cluster(h).rect.x, cluster(h).rect.y) == (before.x + 40, before.y + 800)


def test_they_lie_on_no_node(hand: Open) -> None:
    h = hand(chain())
    place = h.flow.layout.nodes[WRITER]
    other = next(node for node in h.flow.nodes if node != WRITER)
    h.doc.history.do(edits.move(h.flow, {other: Point(place.x, place.y + 260)}))
    h.view.show_ghosts({WRITER: PLAN})
    assert not len(h.view.board.scene.rows_in(cluster(h).rect))


@pytest.mark.parametrize("scale", [1.0, CARDS_FROM / 2])
def test_they_are_drawn_and_gone_with_the_run(hand: Open, scale: float) -> None:
    h = hand(chain())
    h.view.looking.zoom(scale, h.point(0, 0).toPointF())
    without = h.view.grab().toImage()
    h.view.show_ghosts({WRITER: PLAN})
    rect = h.view.board.cards.ghosts.rect_of("a")
    assert rect is not None
    left, top = h.view.board.camera.to_widget(rect.x, rect.y)
    place = QRect(int(left), int(top), int(rect.width * scale), int(rect.height * scale))
    assert h.view.grab(place).toImage() != without.copy(place)
    h.view.show_ghosts({})
    assert h.view.grab().toImage() == without


def test_a_click_on_one_asks_for_its_work(hand: Open) -> None:
    h = hand(chain())
    h.view.show_ghosts({WRITER: PLAN})
    heard: list[GhostHit] = []
    h.view.board.ghost_chosen.subscribe(heard.append)
    QTest.mouseClick(h.view, Qt.MouseButton.LeftButton, pos=middle(h, "b"))
    assert heard == [GhostHit(WRITER, "b")]
    assert not h.undo_steps


def test_a_click_on_the_line_above_folds_them_and_unfolds_them(hand: Open) -> None:
    h = hand(chain())
    h.view.show_ghosts({WRITER: PLAN})
    head = cluster(h).head
    for is_folded in (True, False):
        QTest.mouseClick(h.view, Qt.MouseButton.LeftButton, pos=h.point(head.x + 8, head.y + 8))
        assert cluster(h).is_folded is is_folded
        assert len(cluster(h).rects) == (0 if is_folded else 3)


def test_the_line_above_counts_them() -> None:
    laid = lay_out(PLAN)
    assert (
        cluster_words(Cluster(WRITER, Rect(0, 0, 1, 1), laid)) == "3 parts · 1 running · 1 done · 1 dropped"
    )


def test_the_pointer_is_told_what_came_of_one(hand: Open) -> None:
    h = hand(chain())
    h.view.show_ghosts({WRITER: PLAN})
    at = middle(h, "a")
    assert tip_for(h.view.board, h.view.board.hit(at.x(), at.y())) == "Look · done"
