"""Values typed at unwired ports, on the node: opened with the mouse or the keyboard, one undo step each."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.flow.records import Flow, Json
from studio.ids import NodeId, PortName
from studio.ui.canvas.camera import Camera
from studio.ui.canvas.cards.border_labels import said
from studio.ui.canvas.cards.details import typing_place
from studio.ui.canvas.hand.tips import tip_for
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.canvas.sheets.value_sheet import ValueSheet
from tests.flow.builders import flow, node, port
from tests.ui.canvas.builders import EXTRA, chain, placed
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node with an input of each type that can be typed, and one of a type that cannot."""
    given = ("text", "number", "flag", "json", "text[]", "message")
    names = ("words", "count", "loud", "data", "lines", "said")
    ports = tuple(port(name, kind) for name, kind in zip(names, given, strict=True))
    monkeypatch.setitem(EXTRA, "vendor.typed", type(EXTRA["llm.agent"])(ports, (port("out", "text"),)))


def test_a_click_on_the_name_of_an_unwired_port_lets_a_value_be_typed(hand: Open) -> None:
    h = hand(typed())
    h.click(name_of(h, "words"))
    write(sheet(h), "a wren")
    press(sheet(h), Qt.Key.Key_Return)
    assert inputs(h) == {"words": "a wren"}
    assert len(h.undo_steps) == 1
    assert h.view.asking.sheet is None
    assert h.view.focusWidget() is h.view
    h.doc.history.undo()
    assert inputs(h) == {}


def test_a_click_on_the_value_itself_changes_it(hand: Open) -> None:
    h = hand(typed(words="a wren"))
    h.click(name_of(h, "words", at=0.95))
    assert sheet(h).editor.value() == "a wren"
    write(sheet(h), " sings")
    press(sheet(h), Qt.Key.Key_Return)
    assert inputs(h) == {"words": "a wren sings"}


def test_a_click_on_an_unwired_port_opens_it_too_and_a_drag_from_it_does_not(hand: Open) -> None:
    h = hand(typed())
    h.click(h.port("t.count"))
    assert sheet(h).accessibleName() == "Value of count"
    press(sheet(h), Qt.Key.Key_Escape)
    h.drag(h.port("t.count"), h.port("t.count") - QPoint(120, 0))
    assert h.view.asking.sheet is None


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("words", "a wren", "a wren"),
        ("count", "3.5", 3.5),
        ("data", '{"a": [1]}', {"a": [1]}),
        ("lines", "one\ntwo", ["one", "two"]),
    ],
)
def test_each_type_has_its_editor(hand: Open, name: str, text: str, value: object) -> None:
    h = hand(typed())
    h.view.asking.type_at(NodeId("t"), PortName(name))
    write(sheet(h), text)
    press(sheet(h), Qt.Key.Key_Return)
    assert inputs(h) == {name: value}


def test_a_switch_is_flipped_with_space_and_kept_with_enter_even_when_it_says_no(hand: Open) -> None:
    h = hand(typed())
    h.view.asking.type_at(NodeId("t"), PortName("loud"))
    press(sheet(h), Qt.Key.Key_Space)
    press(sheet(h), Qt.Key.Key_Return)
    assert inputs(h) == {"loud": True}
    h.doc.history.undo()
    h.view.asking.type_at(NodeId("t"), PortName("loud"))
    press(sheet(h), Qt.Key.Key_Return)
    assert inputs(h) == {"loud": False}


def test_escape_keeps_nothing(hand: Open) -> None:
    h = hand(typed(words="a wren"))
    h.click(name_of(h, "words"))
    write(sheet(h), "other")
    press(sheet(h), Qt.Key.Key_Escape)
    assert inputs(h) == {"words": "a wren"}
    assert h.undo_steps == []


def test_what_does_not_fit_is_not_kept_and_says_why(hand: Open) -> None:
    h = hand(typed())
    h.view.asking.type_at(NodeId("t"), PortName("data"))
    write(sheet(h), "{")
    press(sheet(h), Qt.Key.Key_Return)
    assert sheet(h).editor.message
    assert inputs(h) == {}
    h.click(h.point(900, 500))
    assert h.view.asking.sheet is None
    assert inputs(h) == {}


def test_a_press_elsewhere_keeps_what_was_typed(hand: Open) -> None:
    h = hand(typed())
    h.click(name_of(h, "words"))
    write(sheet(h), "a wren")
    h.click(h.point(900, 500))
    assert inputs(h) == {"words": "a wren"}
    assert h.view.asking.sheet is None


def test_v_begins_at_the_first_free_port_and_tab_goes_on(hand: Open) -> None:
    h = hand(typed())
    h.click(h.at("t"))
    h.key(Qt.Key.Key_V)
    write(sheet(h), "a wren")
    press(sheet(h), Qt.Key.Key_Tab)
    assert sheet(h).accessibleName() == "Value of count"
    write(sheet(h), "3")
    press(sheet(h), Qt.Key.Key_Backtab)
    assert sheet(h).accessibleName() == "Value of words"
    press(sheet(h), Qt.Key.Key_Escape)
    assert inputs(h) == {"words": "a wren", "count": 3}
    assert len(h.undo_steps) == 2


@pytest.mark.parametrize("key", [Qt.Key.Key_V, Qt.Key.Key_Return])
def test_at_the_port_where_the_keyboard_stands_a_value_is_typed(hand: Open, key: Qt.Key) -> None:
    h = hand(typed())
    h.click(h.at("t"))
    h.view.board.keyboard.go(Stand(NodeId("t"), PortName("count")))
    h.key(key)
    assert sheet(h).accessibleName() == "Value of count"


def test_emptied_or_taken_away_a_value_is_gone(hand: Open) -> None:
    h = hand(typed(words="a", count=2))
    h.view.asking.type_at(NodeId("t"), PortName("words"))
    press(sheet(h), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    press(sheet(h), Qt.Key.Key_Delete)
    press(sheet(h), Qt.Key.Key_Return)
    assert inputs(h) == {"count": 2}
    h.view.asking.type_at(NodeId("t"), PortName("count"))
    sheet(h).none_button.click()
    assert inputs(h) == {}


def test_shift_enter_breaks_the_line(hand: Open) -> None:
    h = hand(typed())
    h.click(name_of(h, "words"))
    write(sheet(h), "one")
    press(sheet(h), Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    write(sheet(h), "two")
    press(sheet(h), Qt.Key.Key_Return)
    assert inputs(h) == {"words": "one\ntwo"}


@pytest.mark.parametrize(
    ("name", "said"), [("said", "type message cannot be typed"), ("prompt", "A wire provides")]
)
def test_where_nothing_can_be_typed_the_reason_is_said(hand: Open, name: str, said: str) -> None:
    wired = name == "prompt"
    h = hand(
        placed(flow({"a": "text.text", "t": "llm.agent"}, "a.text -> t.prompt"), a=(0, 0), t=(300, 0))
        if wired
        else typed()
    )
    told: list[str] = []
    h.view.refused.connect(told.append)
    h.view.asking.type_at(NodeId("t"), PortName(name))
    assert said in told[0]
    assert h.view.asking.sheet is None


@pytest.mark.parametrize("scale", [0.1, 0.45, 1.0, 2.5])
def test_the_sheet_is_in_sight_at_any_zoom_and_goes_with_the_paper(hand: Open, scale: float) -> None:
    h = hand(typed())
    h.view.board.camera = Camera(scale, 300, 200)
    h.view.asking.type_at(NodeId("t"))
    assert h.view.rect().contains(sheet(h).geometry())
    before = sheet(h).pos()
    h.view.board.camera = h.view.board.camera.panned(-40, 30)
    h.view.grab()
    assert sheet(h).pos() - before == QPoint(-40, 30)


def test_a_sheet_whose_node_goes_away_goes_too(hand: Open, qtbot: QtBot) -> None:
    h = hand(typed())
    h.view.asking.type_at(NodeId("t"))
    open_sheet = sheet(h)
    with qtbot.waitSignal(open_sheet.closed):
        h.doc.history.do(edits.remove(h.flow, [NodeId("t")]))
    assert h.view.asking.sheet is None


def test_in_a_wired_chain_the_first_free_port_is_found(hand: Open) -> None:
    h = hand(chain())
    h.view.asking.type_at(NodeId("writer"))
    assert sheet(h).accessibleName() == "Value of prompt"


def test_what_can_be_clicked_says_so_under_the_pointer(hand: Open) -> None:
    h = hand(typed(words="a wren"))
    before = h.view.grab().toImage()
    h.move(name_of(h, "words"))
    assert h.view.grab().toImage() != before
    at = name_of(h, "words")
    assert tip_for(h.view.board, h.view.board.hit(at.x(), at.y())) == "words: text\nClick to type a value"


def typed(**values: Json) -> Flow:
    return placed(flow({"t": node("vendor.typed", inputs=values)}), t=(200, 100))


def inputs(h: Hand) -> dict[str, object]:
    return {str(name): value for name, value in h.flow.nodes[NodeId("t")].inputs.items()}


def sheet(h: Hand) -> ValueSheet:
    found = h.view.asking.sheet
    assert isinstance(found, ValueSheet)
    return found


def name_of(h: Hand, name: str, at: float = 0.3) -> QPoint:
    """A widget point on a port's name, or with `at` near 1 on its value."""
    board = h.view.board
    spot = board.scene.spot(NodeId("t"), PortName(name), is_output=False)
    assert spot is not None
    place = typing_place(board.cards, NodeId("t"), spot)
    assert place is not None
    rect = board.scene.rect(NodeId("t"))
    return h.point(rect.x + place.left() + place.width() * at, rect.y + place.center().y())


def _field(of: ValueSheet) -> QWidget:
    field = of.editor.focusProxy()
    assert field is not None
    return field


def write(of: ValueSheet, text: str) -> None:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if number:
            press(of, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClicks(_field(of), line)


def press(of: ValueSheet, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(_field(of), key, keys)


def test_a_loop_can_start_with_a_value_that_is_typed_at_its_border(hand: Open) -> None:
    h = hand(
        placed(
            flow({"t": "control.loop", "w": "text.upper"}, "t.value -> w.text", "w.text -> t.again"),
            w=(400, 200),
        )
    )
    h.click(h.port("t.start"))
    write(sheet(h), "a wren")
    press(sheet(h), Qt.Key.Key_Return)
    assert inputs(h) == {"start": "a wren"}
    spot = h.view.board.scene.spot(NodeId("t"), PortName("start"), is_output=False)
    assert spot is not None
    assert said(spot, h.view.board.style) == "start: a wren"
    h.doc.history.undo()
    assert inputs(h) == {}
