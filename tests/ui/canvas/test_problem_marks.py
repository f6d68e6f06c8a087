"""Problems as marks, where they are, with the remedies a click away."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from studio.flow import edits
from studio.flow.checks.check import check
from studio.flow.records import Flow, Point
from studio.ids import NodeId, PortName
from studio.ui.canvas.cards.card import card_head
from studio.ui.canvas.cards.details import Marked, wire_mark
from studio.ui.canvas.cards.marks import Sign, draw_mark, port_mark
from studio.ui.canvas.sheets.problem_sheet import ProblemSheet
from studio.ui.canvas.style import Style
from tests.flow.builders import flow, node
from tests.ui.builders import a_theme
from tests.ui.canvas.builders import notes_flow, placed
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]


def test_a_click_on_a_cards_mark_shows_the_sentence_and_a_remedy_mends(hand: Open) -> None:
    h = shown(hand(lonely()))
    h.click(mark_of(h, "b"))
    row = sheet(h).problem_rows[0]
    assert "needs an input at" in row.problem.message
    button = row.remedies[0]
    assert button.text() == "Make it an input of the flow"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert h.wires == ["a.text -> c.text", "text.value -> b.text"]
    assert len(h.undo_steps) == 1
    assert h.view.asking.sheet is None


def test_a_sheet_is_high_enough_for_all_lines_of_its_sentences(hand: Open) -> None:
    h = shown(hand(lonely("A title that makes the sentence run over several lines of the sheet")))
    h.click(mark_of(h, "b"))
    labels = [one for one in sheet(h).findChildren(QLabel) if one.wordWrap()]
    assert labels
    assert all(one.height() >= one.heightForWidth(one.width()) for one in labels)


def test_without_the_mouse_the_remedy_is_two_keys_away(hand: Open) -> None:
    h = shown(hand(lonely()))
    h.doc.selection.select([NodeId("b")])
    h.key(Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    button = sheet(h).buttons[0]
    assert isinstance(button, QPushButton)
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert len(h.undo_steps) == 1


def test_escape_leaves_everything_as_it_was(hand: Open) -> None:
    h = shown(hand(lonely()))
    h.click(mark_of(h, "b"))
    QTest.keyClick(sheet(h).buttons[0], Qt.Key.Key_Escape)
    assert h.view.asking.sheet is None
    assert h.undo_steps == []


def test_nothing_is_red_before_somebody_tried_to_run_it(hand: Open) -> None:
    h = hand(lonely())
    h.view.show_problems(check(h.flow, h.doc.library))
    card = h.view.board.cards.card(NodeId("b"))
    assert card.sign is Sign.OPEN
    assert card.port_signs == {("text", Sign.OPEN)}
    h.click(mark_of(h, "b"))
    assert "needs an input at" in sheet(h).problem_rows[0].problem.message, (
        "the ring tells what is to be done"
    )


def test_what_is_added_after_a_try_is_red_after_the_next_one(hand: Open) -> None:
    h = shown(hand(lonely()))
    assert h.view.board.cards.card(NodeId("b")).sign is Sign.ERROR
    name, change = edits.add_node(h.flow, "text.upper", "New", Point(900, 300))
    h.doc.history.do(change)
    h.view.show_problems(check(h.flow, h.doc.library))
    assert h.view.board.cards.card(name).sign is Sign.OPEN
    assert h.view.board.cards.card(NodeId("b")).sign is Sign.ERROR
    h.view.show_tried()
    assert h.view.board.cards.card(name).sign is Sign.ERROR


def test_a_port_that_lacks_something_is_marked_itself(hand: Open) -> None:
    h = shown(hand(lonely()))
    card = h.view.board.cards.card(NodeId("b"))
    assert card.port_signs == {("text", Sign.ERROR)}
    spot = card.box.spot(PortName("text"), is_output=False)
    assert spot is not None
    rect, place = h.view.board.scene.rect(NodeId("b")), port_mark(spot)
    h.click(h.point(rect.x + place.center().x(), rect.y + place.center().y()))
    assert "needs an input at" in sheet(h).problem_rows[0].problem.message


def test_a_wire_that_is_wrong_is_marked_on_the_wire(hand: Open) -> None:
    wrong = placed(flow({"a": "text.text", "s": "value.square"}, "a.text -> s.number"), a=(0, 0), s=(500, 0))
    h = shown(hand(wrong))
    (wire,) = h.flow.wires
    place = wire_mark(h.view.board.cards, wire)
    assert place is not None
    h.click(h.point(place.center().x(), place.center().y()))
    QTest.mouseClick(sheet(h).buttons[0], Qt.MouseButton.LeftButton)
    assert h.wires == []
    assert len(h.undo_steps) == 1


def test_an_area_is_marked_in_its_title(hand: Open) -> None:
    alone = placed(
        flow(
            {"q": "text.text", "l": "control.loop", "w": "text.upper"},
            "q.text -> l.start",
            "l.value -> w.text",
        ),
        q=(0, 60),
        l=(300, 0),
        w=(400, 60),
    )
    h = shown(hand(alone))
    rect = h.view.board.scene.rect(NodeId("l"))
    across = [h.point(rect.x + dx, rect.y + 18) for dx in range(0, round(rect.width), 4)]
    marks = [at for at in across if isinstance(h.view.board.hit(at.x(), at.y()).detail, Marked)]
    h.click(marks[1])
    assert "Nothing is wired back" in sheet(h).problem_rows[0].problem.message


def test_what_runs_only_after_a_loop_is_marked_and_can_be_run_in_every_round(hand: Open) -> None:
    base = notes_flow()
    after = flow({"log": "text.upper"}, "writer.reply -> log.text")
    both = Flow(
        name=base.name,
        nodes={**base.nodes, **after.nodes},
        wires=tuple(sorted({*base.wires, *after.wires}, key=str)),
        layout=base.layout,
    )
    h = shown(hand(placed(both, log=(584, 700))))
    assert h.view.board.cards.card(NodeId("log")).sign is Sign.ONCE
    h.view.board.remedies_asked.tell(NodeId("log"))
    (button,) = [one for one in sheet(h).buttons if isinstance(one, QPushButton) and "round" in one.text()]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert "log.text -> rounds.also[0]" in h.wires
    h.view.show_problems(check(h.flow, h.doc.library))
    assert h.view.board.cards.card(NodeId("log")).sign is None


def test_a_mark_can_be_dragged_by_like_the_rest_of_its_card(hand: Open) -> None:
    h = shown(hand(lonely()))
    at = mark_of(h, "b")
    h.drag(at, at + QPoint(80, 0))
    assert h.view.asking.sheet is None
    assert h.flow.layout.nodes[NodeId("b")].x > 300


@pytest.mark.parametrize("sign", list(Sign))
def test_marks_differ_in_more_than_colour(sign: Sign) -> None:
    others = [one for one in Sign if one is not sign]
    assert all(_ink(sign) ^ _ink(one) for one in others)


def _ink(sign: Sign) -> frozenset[tuple[int, int]]:
    """The pixels that a mark covers, whatever their colour."""
    image = QImage(20, 20, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    draw_mark(painter, sign, QRectF(3, 3, 14, 14), Style(a_theme("high_contrast")))
    painter.end()
    return frozenset((x, y) for x in range(20) for y in range(20) if image.pixelColor(x, y).alpha() > 128)


def lonely(title: str = "") -> Flow:
    nodes = {"a": node("text.text"), "b": node("text.upper", title=title), "c": node("text.upper")}
    return placed(
        flow(nodes, "a.text -> c.text"),
        a=(0, 0),
        b=(300, 0),
        c=(300, 200),
    )


def shown(h: Hand) -> Hand:
    """The hand with the flow's problems marked, after somebody tried to run it."""
    h.view.show_problems(check(h.flow, h.doc.library))
    h.view.show_tried()
    return h


def mark_of(h: Hand, name: str) -> QPoint:
    cards = h.view.board.cards
    mark = card_head(cards.card(NodeId(name)), cards.style).mark
    assert mark is not None
    rect = h.view.board.scene.rect(NodeId(name))
    return h.point(rect.x + mark.center().x(), rect.y + mark.center().y())


def sheet(h: Hand) -> ProblemSheet:
    found = h.view.asking.sheet
    assert isinstance(found, ProblemSheet)
    return found
