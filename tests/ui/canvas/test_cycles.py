"""Wires that close a cycle, and the loop that is offered instead."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from studio.flow import edits
from studio.flow.records import Flow, Point
from studio.ids import NodeId
from studio.ui.canvas.scene.areas import PILL_WIDTH
from tests.flow.builders import flow
from tests.ui.canvas.builders import placed
from tests.ui.canvas.conftest import Hand
from tests.ui.canvas.strokes import hold, release, stroke

Open = Callable[[Flow], Hand]


def row() -> Flow:
    return placed(
        flow(
            {
                "ask": "text.text",
                "write": "llm.agent",
                "judge": "text.upper",
                "end": "text.upper",
                "number": "value.number",
            },
            "ask.text -> write.prompt",
            "write.reply -> judge.text",
            "judge.text -> end.text",
        ),
        ask=(0, 0),
        write=(340, 0),
        judge=(620, 0),
        end=(1000, 0),
        number=(300, 400),
    )


def reviewed() -> Flow:
    """A writer and a critic between what is asked and what is answered, close together."""
    return placed(
        flow(
            {"ask": "text.text", "write": "llm.agent", "critic": "llm.agent", "end": "io.flow_output"},
            "ask.text -> write.prompt",
            "write.reply -> critic.prompt",
            "write.reply -> end.value",
        ),
        ask=(0, 0),
        write=(240, 0),
        critic=(480, 60),
        end=(720, 0),
    )


def test_a_wire_that_closes_a_cycle_offers_a_loop_and_inserts_it_in_one_step(hand: Open) -> None:
    h = hand(row())
    before = h.flow
    stroke(h, h.port("judge.text", is_output=True), h.port("write.prompt"))
    sheet = h.view.furniture.offer
    assert sheet.isVisible()
    assert "close a cycle" in sheet.sentence.text()
    assert h.flow == before
    QTest.keyClick(sheet.take, Qt.Key.Key_Return)
    assert {"ask.text -> rounds.start", "judge.text -> rounds.again", "rounds.value -> write.prompt"} <= set(
        h.wires
    )
    assert h.undo_steps == ["Insert a loop"]
    h.doc.history.undo()
    assert h.flow == before


def test_the_wire_that_goes_back_from_a_critic_asks_what_the_next_round_reads(hand: Open) -> None:
    h = hand(reviewed())
    before = h.flow
    stroke(h, h.port("critic.reply", is_output=True), h.port("write.prompt"))
    sheet = h.view.furniture.offer
    assert "What should the next round receive?" in sheet.sentence.text()
    assert sheet.sentence.height() >= sheet.sentence.heightForWidth(sheet.sentence.width()), "no line is cut"
    assert [one.text() for one in (sheet.take, sheet.other)] == [
        "Task, draft and feedback",
        "This value only",
    ]
    QTest.keyClick(sheet.take, Qt.Key.Key_Return)
    assert {"write.reply -> accepted.value", "next_round.text -> rounds.again"} <= set(h.wires)
    assert h.undo_steps == ["Insert a loop"]
    h.doc.history.undo()
    assert h.flow == before


def test_the_other_choice_hands_on_only_what_the_wire_carries(hand: Open) -> None:
    h = hand(reviewed())
    stroke(h, h.port("critic.reply", is_output=True), h.port("write.prompt"))
    sheet = h.view.furniture.offer
    QTest.mouseClick(sheet.other, Qt.MouseButton.LeftButton)
    assert "critic.reply -> rounds.again" in h.wires
    assert not any("next_round" in wire for wire in h.wires)


@pytest.mark.parametrize("choice", ["take", "other"])
def test_a_loop_that_is_inserted_lies_on_none_of_its_neighbours(hand: Open, choice: str) -> None:
    h = hand(reviewed())
    stroke(h, h.port("critic.reply", is_output=True), h.port("write.prompt"))
    QTest.mouseClick(getattr(h.view.furniture.offer, choice), Qt.MouseButton.LeftButton)
    scene = h.view.board.scene
    area = scene.areas[NodeId("rounds")]
    for node in set(scene.ids) - area.region.body - {area.node}:
        assert not scene.rect(node).grown(PILL_WIDTH / 2).meets(area.rect), node


def test_a_wire_dropped_on_the_card_of_what_comes_before_offers_a_loop_too(hand: Open) -> None:
    h = hand(row())
    stroke(h, h.port("judge.text", is_output=True), h.at("write", 100, 80))
    assert h.view.furniture.offer.isVisible()


def test_a_wire_into_the_start_of_a_loop_from_inside_offers_another_round(hand: Open) -> None:
    h = hand(row())
    stroke(h, h.port("judge.text", is_output=True), h.port("write.prompt"))
    QTest.keyClick(h.view.furniture.offer.take, Qt.Key.Key_Return)
    stroke(h, h.port("end.text", is_output=True), h.port("rounds.start"))
    sheet = h.view.furniture.offer
    assert "for another round" in sheet.sentence.text()
    QTest.mouseClick(sheet.take, Qt.MouseButton.LeftButton)
    assert "end.text -> rounds.again" in h.wires


def test_a_wire_let_go_on_a_card_that_has_no_use_for_it_says_why(hand: Open) -> None:
    h = hand(row())
    reasons: list[str] = []
    h.view.refused.connect(reasons.append)
    h.doc.history.do(edits.add_node(h.flow, "value.square", "Square", Point(600, 400))[1])
    before = h.flow
    hold(h, h.port("ask.text", is_output=True), h.at("square", 100, 60))
    assert getattr(h.view.gesture, "reason", "") == "`text` does not fit `number`."
    release(h, h.at("square", 100, 60))
    assert reasons == ["`text` does not fit `number`."]
    assert h.flow == before
    assert not h.view.furniture.offer.isVisible()


def test_an_offer_goes_with_a_press_on_the_canvas(hand: Open) -> None:
    h = hand(row())
    stroke(h, h.port("judge.text", is_output=True), h.port("write.prompt"))
    h.click(h.at("number") + QPoint(0, 260))
    assert not h.view.furniture.offer.isVisible()
    assert h.flow == row()
