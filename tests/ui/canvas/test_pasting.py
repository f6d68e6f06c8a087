"""Pasting and duplicating with the wires that come in, by keys."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from studio.flow.files.codec import loads
from studio.flow.records import Flow
from studio.ids import NodeId
from tests.flow.builders import flow, node
from tests.ui.canvas.builders import placed
from tests.ui.canvas.conftest import Hand
from tests.ui.canvas.test_keys import Open

CONTROL = Qt.KeyboardModifier.ControlModifier
BOTH = CONTROL | Qt.KeyboardModifier.ShiftModifier


def pair() -> Flow:
    return placed(
        flow(
            {
                "question": "io.flow_input",
                "files": "tools.files",
                "agent": node("llm.agent", title="Agent"),
                "upper": "text.upper",
                "parts": "text.join",
            },
            "question.value -> agent.prompt",
            "question.value -> parts.parts[1]",
            "files.tool -> agent.tools[0]",
            "agent.reply -> upper.text",
            "upper.text -> parts.parts[0]",
        ),
        question=(0, 0),
        files=(0, 200),
        agent=(300, 0),
        upper=(600, 0),
        parts=(900, 0),
    )


def copied(h: Hand, *nodes: str) -> None:
    h.doc.selection.select([NodeId(one) for one in nodes])
    h.key(Qt.Key.Key_C, CONTROL)


def test_ctrl_shift_v_feeds_the_copies_as_the_originals_are_fed_in_one_step(hand: Open) -> None:
    h = hand(pair())
    copied(h, "agent", "upper", "parts")
    h.key(Qt.Key.Key_V, BOTH)
    assert [wire for wire in h.wires if "_2" in wire] == [
        "agent_2.reply -> upper_2.text",
        "files.tool -> agent_2.tools[0]",
        "question.value -> agent_2.prompt",
        "question.value -> parts_2.parts[1]",
        "upper_2.text -> parts_2.parts[0]",
    ]
    assert len(h.undo_steps) == 1
    h.doc.history.undo()
    assert h.flow == pair()


def test_a_plain_paste_takes_no_wires_along_and_the_text_names_no_node_that_is_not_in_it(hand: Open) -> None:
    h = hand(pair())
    copied(h, "agent", "upper")
    h.key(Qt.Key.Key_V, CONTROL)
    assert [wire for wire in h.wires if "_2" in wire] == ["agent_2.reply -> upper_2.text"]
    assert [str(wire) for wire in loads(QGuiApplication.clipboard().text()).flow.wires] == [
        "agent.reply -> upper.text"
    ]


def test_wires_whose_source_is_gone_or_fits_no_more_are_left_out(hand: Open) -> None:
    h = hand(pair())
    copied(h, "agent")
    h.doc.selection.select([NodeId("files"), NodeId("question")])
    h.key(Qt.Key.Key_Delete)
    h.key(Qt.Key.Key_V, BOTH)
    assert not [wire for wire in h.wires if "agent_2" in wire]
    assert "agent_2" in h.flow.nodes


def test_ctrl_shift_d_duplicates_with_what_feeds_the_original(hand: Open) -> None:
    h = hand(pair())
    h.click(h.at("upper"))
    before = set(h.wires)
    h.key(Qt.Key.Key_D, BOTH)
    assert set(h.wires) - before == {"agent.reply -> upper_2.text"}
    assert len(h.undo_steps) == 1


def test_pasting_while_nothing_was_ever_copied_says_so(hand: Open) -> None:
    h = hand(pair())
    QGuiApplication.clipboard().clear()
    told: list[str] = []
    h.view.told.connect(told.append)
    h.key(Qt.Key.Key_V, CONTROL)
    assert told == ["There are no nodes on the clipboard."]
    assert not h.undo_steps
