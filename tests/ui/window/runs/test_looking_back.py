"""What a run left behind, on the canvas: rounds to choose from, values to look at, outputs to pin."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.ids import NodeId, PortName, StepId
from studio.trace.events import RunFinished, StepFinished, StepStarted
from studio.trace.events.values import Shown
from studio.ui.canvas.camera import Camera
from studio.ui.canvas.cards.card import area_selector, card_selector
from studio.ui.canvas.cards.words import node_words
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.panels.widgets.picture import Picture
from studio.ui.visibility import is_seen
from studio.ui.window.canvas_marks.pin_editor import PinEditor
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.workspace.files import save_flow
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.ui.builders import a_flow, a_run, entries
from tests.ui.window.live_runs import LONG, live_of

pytestmark = pytest.mark.shared_window

WRITER, CRITIC, ROUNDS = NodeId("writer"), NodeId("critic"), NodeId("rounds")


def _round(number: int) -> list[tuple[object, ...]]:
    scope = f"rounds.{number}"
    draft, verdict = Shown(f"draft {number}"), Shown(f"verdict {number}")
    return [
        (f"{scope}/writer", "rounds", StepStarted({"prompt": Shown("Which birds?")})),
        (f"{scope}/writer", "rounds", StepFinished({"reply": draft})),
        (f"{scope}/critic", "rounds", StepStarted({"prompt": draft})),
        (f"{scope}/critic", "rounds", StepFinished({"reply": verdict})),
    ]


@pytest.fixture
def looped(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> OpenFlow:
    """A flow with a loop in front, its run of three rounds shown, seen from near."""
    path = tmp_path / "looped" / "flow.json"
    path.parent.mkdir()
    save_flow(path, a_flow())
    window.documents.open(path)
    flow = window.front
    assert flow is not None
    happened = [("rounds", StepStarted()), *_round(1), *_round(2), *_round(3), RunFinished({})]
    flow.work.shown.show(a_run(*happened))
    flow.view.frame()
    canvas = flow.work.canvas
    window.resize(1400, 1200)  # all of it is seen, with the docks of a run below
    qtbot.waitUntil(lambda: is_seen(flow.work.timeline) and canvas.board.camera != Camera())
    canvas.looking.look(Camera(0.8, -60, 200))
    qtbot.waitUntil(lambda: canvas.board.cards.shown.state(WRITER).text == "draft 3")
    return flow


def _text(flow: OpenFlow, node: NodeId, qtbot: QtBot, text: str) -> None:
    cards = flow.work.canvas.board.cards
    qtbot.waitUntil(lambda: cards.shown.state(node).text == text, timeout=LONG)


def _arrow(flow: OpenFlow, node: NodeId, way: int) -> QPoint:
    """Where an arrow of a card or area is, on the canvas."""
    board = flow.work.canvas.board
    card, area = board.cards.card(node), board.scene.area_of(node)
    if area is None:
        selector, rect = card_selector(card, board.style), board.scene.rect(node)
    else:
        selector, rect = area_selector(card, area.rect.width, board.style), area.rect
    assert selector is not None
    middle = (selector.earlier if way < 0 else selector.later).center()
    return QPointF(*board.camera.to_widget(rect.x + middle.x(), rect.y + middle.y())).toPoint()


def _click(flow: OpenFlow, at: QPoint) -> None:
    QTest.mouseClick(flow.work.canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def test_a_click_at_the_arrow_of_a_card_shows_the_whole_body_in_the_round_before(
    looped: OpenFlow, qtbot: QtBot
) -> None:
    _click(looped, _arrow(looped, WRITER, -1))
    _text(looped, WRITER, qtbot, "draft 2")
    _text(looped, CRITIC, qtbot, "verdict 2")
    board = looped.work.canvas.board
    qtbot.waitUntil(lambda: board.cards.shown.state(ROUNDS).note == "2 of at most 4")
    assert looped.work.session.selection.now.step == "rounds.2/writer"
    _click(looped, _arrow(looped, CRITIC, 1))
    _text(looped, WRITER, qtbot, "draft 3")
    assert not looped.work.session.history.undo_labels


def test_the_arrows_of_an_area_go_from_round_to_round(looped: OpenFlow, qtbot: QtBot) -> None:
    _click(looped, _arrow(looped, ROUNDS, -1))
    _text(looped, WRITER, qtbot, "draft 2")
    _click(looped, _arrow(looped, ROUNDS, -1))
    _text(looped, CRITIC, qtbot, "verdict 1")
    shown = looped.work.canvas.board.cards.shown
    qtbot.waitUntil(lambda: shown.state(ROUNDS).note == "1 of at most 4")  # drawn eight times a second
    steps = shown.state(ROUNDS).steps
    assert steps is not None
    assert (steps.text, steps.earlier, steps.later) == ("1 of at most 4", False, True)


def test_keys_go_from_round_to_round_and_no_further_than_the_first(looped: OpenFlow, qtbot: QtBot) -> None:
    canvas, selection = looped.work.canvas, looped.work.session.selection
    canvas.setFocus()
    for key, number in ((",", 2), (",", 1), (",", 1), (".", 2)):
        QTest.keyClicks(canvas, key)
        _text(looped, WRITER, qtbot, f"draft {number}")
        assert selection.now.step == f"rounds.{number}/writer"


def test_another_node_is_selected_in_the_round_that_is_looked_at(looped: OpenFlow, qtbot: QtBot) -> None:
    _click(looped, _arrow(looped, WRITER, -1))
    _text(looped, CRITIC, qtbot, "verdict 2")
    looped.work.session.selection.select([CRITIC])
    shown = looped.work.shown.shown_step(CRITIC, looped.work.session.selection.now.step)
    assert shown is not None
    assert shown.id == "rounds.2/critic"


def _point_at(flow: OpenFlow, at: QPoint) -> None:
    canvas = flow.work.canvas
    QTest.mouseMove(canvas, at)
    event = QHelpEvent(QHelpEvent.Type.ToolTip, at, canvas.mapToGlobal(at))
    QApplication.sendEvent(canvas, event)


def _port(flow: OpenFlow, node: NodeId, port: str, *, is_output: bool) -> QPoint:
    board = flow.work.canvas.board
    spot = board.scene.spot(node, PortName(port), is_output=is_output)
    assert spot is not None
    return QPointF(*board.camera.to_widget(*board.port_point(node, spot))).toPoint()


def test_a_port_shows_the_value_that_passed_in_the_shown_round(looped: OpenFlow, qtbot: QtBot) -> None:
    _point_at(looped, _port(looped, CRITIC, "prompt", is_output=False))
    sheet = looped.values.sheet
    assert sheet is not None
    assert "draft 3" in sheet.accessibleName()
    assert "text, 7 characters" in sheet.accessibleName()
    looped.work.look_at(StepId("rounds.1/critic"))
    _point_at(looped, _port(looped, CRITIC, "prompt", is_output=False))
    assert looped.values.sheet is not None
    assert "draft 1" in looped.values.sheet.accessibleName()
    qtbot.mouseMove(looped.work.canvas, QPoint(3, 3))
    assert looped.values.sheet is None


def test_a_wire_shows_what_passed_last_and_goes_on_doing_so(looped: OpenFlow) -> None:
    board = looped.work.canvas.board
    wire = next(one for one in looped.work.session.flow.wires if one.source.node == WRITER)
    scene = board.scene
    x0, y0, x1, y1, x2, y2, x3, y3 = scene.curves[scene.pieces(scene.wire_row[wire])][0].tolist()
    middle = (x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8
    _point_at(looped, QPointF(*board.camera.to_widget(*middle)).toPoint())
    assert looped.values.sheet is not None
    assert "draft 3" in looped.values.sheet.accessibleName()
    run = looped.work.shown.run
    assert run is not None
    run.take(entries(*_round(4))[1:])
    looped.view.frame()
    assert looped.values.sheet is not None
    assert "draft 4" in looped.values.sheet.accessibleName()


def test_the_keyboard_shows_the_value_where_it_stands_and_goes_along(looped: OpenFlow) -> None:
    canvas = looped.work.canvas
    canvas.setFocus()
    canvas.board.select([WRITER])
    canvas.board.keyboard.go(Stand(WRITER, PortName("reply"), is_output=True))
    QTest.keyClick(canvas, Qt.Key.Key_I)
    assert looped.values.sheet is not None
    assert "draft 3" in looped.values.sheet.accessibleName()
    canvas.board.keyboard.go(Stand(WRITER, PortName("prompt")))
    assert looped.values.sheet is not None
    assert "Which birds?" in looped.values.sheet.accessibleName()
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert looped.values.sheet is None


def test_a_key_pins_what_a_node_gave_and_marks_it_and_again_unpins_it(looped: OpenFlow) -> None:
    canvas, pins = looped.work.canvas, looped.work.session.pins
    canvas.setFocus()
    looped.work.look_at(StepId("rounds.2/writer"))
    canvas.board.select([WRITER])
    QTest.keyClick(canvas, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    pin = pins.of(WRITER)
    assert pin is not None
    assert (pin.values["reply"].data, pin.step) == ("draft 2", "rounds.2/writer")
    assert canvas.board.cards.card(WRITER).pin == ""
    assert not looped.work.session.history.undo_labels
    QTest.keyClick(canvas, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    assert pins.of(WRITER) is None
    assert canvas.board.cards.card(WRITER).pin is None


@pytest.mark.parametrize(
    ("node", "why"), [("question", "entered when"), ("answer", "no outputs"), ("rounds", "has no output")]
)
def test_what_cannot_be_pinned_says_why(looped: OpenFlow, node: str, why: str) -> None:
    told: list[str] = []
    looped.work.told.connect(told.append)
    looped.work.canvas.board.select([NodeId(node)])
    looped.work.canvas.run("pin")
    assert not looped.work.session.pins.all
    assert why in told[-1]


def test_the_menu_of_an_output_pins_and_unpins(looped: OpenFlow) -> None:
    menu = QMenu(looped.work.canvas)
    looped.pins.add_to(menu, "writer.reply")
    menu.actions()[0].toggle()
    assert looped.work.session.pins.of(WRITER) is not None
    menu.actions()[0].toggle()
    assert looped.work.session.pins.of(WRITER) is None


def test_another_value_can_be_typed_and_pinned_if_it_fits(looped: OpenFlow, qtbot: QtBot) -> None:
    looped.work.canvas.board.select([WRITER])
    looped.work.canvas.run("edit_pin")
    window = looped.work.canvas.window()
    (dialog,) = window.findChildren(PinEditor)
    assert dialog.fields["reply"].text.toPlainText() == "draft 3"
    dialog.fields["reply"].text.setPlainText("mine")
    qtbot.mouseClick(dialog.pin, Qt.MouseButton.LeftButton)
    pin = looped.work.session.pins.of(WRITER)
    assert pin is not None
    assert (pin.values["reply"].data, pin.edited) == ("mine", True)


def test_a_pin_that_does_not_fit_its_node_any_more_is_marked(looped: OpenFlow, qtbot: QtBot) -> None:
    session, board = looped.work.session, looped.work.canvas.board
    session.history.do(edits.set_setting(session.flow, WRITER, "answer_schema", {"type": "object"}))
    session.pins.edit(WRITER, "data", {"birds": 3})
    assert board.cards.card(WRITER).pin == ""
    session.history.undo()
    qtbot.waitUntil(lambda: bool(board.cards.shown.pins.get(WRITER)), timeout=3000)
    assert board.cards.card(WRITER).pin


def test_a_run_of_the_window_takes_the_pin_and_says_so_on_the_card(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window.documents.open(write_project(tmp_path / "trial", flow=chain(default="Why?"), script=SCRIPT))
    flow = window.front
    assert flow is not None
    told: list[str] = []
    flow.work.told.connect(told.append)
    flow.work.session.pins.edit(WRITER, "reply", "pinned words")
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: flow.work.shown.run is not None and live_of(flow).is_over, timeout=LONG)
    assert live_of(flow).state.outputs["answer"].data == "pinned words"
    assert told == ["1 value is pinned in this run; its node is skipped."]
    _text(flow, WRITER, qtbot, "pinned words")
    cards = flow.work.canvas.board.cards
    qtbot.waitUntil(lambda: cards.shown.state(NodeId("question")).status == "skipped", timeout=LONG)
    assert cards.shown.state(WRITER).note == "pinned"


def test_a_node_that_was_edited_since_the_run_says_so_until_that_is_undone(
    looped: OpenFlow, qtbot: QtBot
) -> None:
    session, cards = looped.work.session, looped.work.canvas.board.cards
    session.history.do(edits.set_setting(session.flow, WRITER, "instructions", "Be brief."))
    qtbot.waitUntil(lambda: cards.shown.state(WRITER).note == "edited since this run")
    assert cards.shown.state(CRITIC).note == ""
    session.history.undo()
    qtbot.waitUntil(lambda: cards.shown.state(WRITER).note == "")


def test_pins_are_listed_beside_the_breakpoints_and_unpinned_there(looped: OpenFlow) -> None:
    pins, panel = looped.work.session.pins, looped.work.debugging
    looped.pins.toggle([WRITER, CRITIC])
    pins.edit(CRITIC, "reply", "mine")
    assert [panel.pins.item(row).text() for row in range(2)] == ["Critic, edited", "Writer, round 3"]
    panel.pins.setCurrentRow(1)
    QTest.keyClick(panel.pins, Qt.Key.Key_Delete)
    assert list(pins.all) == [CRITIC]
    panel.unpin.click()
    assert not pins.all
    assert panel.pins.count() == 0


def test_a_value_that_names_a_picture_of_the_project_is_shown_as_one(looped: OpenFlow, qtbot: QtBot) -> None:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.darkGreen)
    assert image.save(str(looped.work.session.project.root / "bird.png"))
    run = looped.work.shown.run
    assert run is not None
    run.take(entries(("rounds.4/critic", "rounds", StepStarted({"prompt": Shown("bird.png")})))[1:])
    looped.view.frame()
    board = looped.work.canvas.board
    qtbot.waitUntil(lambda: board.cards.shown.state(CRITIC).status == "running")
    _point_at(looped, _port(looped, CRITIC, "prompt", is_output=False))
    sheet = looped.values.sheet
    assert sheet is not None
    assert [one.accessibleName() for one in sheet.findChildren(Picture)] == ["bird.png"]


def test_what_is_pinned_is_said_to_a_screen_reader(looped: OpenFlow) -> None:
    looped.pins.toggle([WRITER])
    board = looped.work.canvas.board
    assert "pinned" in node_words(board.flow, WRITER, None, board.cards.shown)


def test_a_run_is_refused_for_a_pin_that_does_not_fit_with_the_button_that_unpins(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window.documents.open(write_project(tmp_path / "trial", flow=chain(default="Why?"), script=SCRIPT))
    flow = window.front
    assert flow is not None
    flow.work.session.pins.edit(WRITER, "gone", "?")
    window.app.commands.run("run.run")
    assert "“Writer” no longer fits" in window.notices.text
    assert flow.work.shown.run is None
    (unpin,) = window.notices.buttons
    qtbot.mouseClick(unpin, Qt.MouseButton.LeftButton)
    assert not flow.work.session.pins.all
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: flow.work.shown.run is not None and live_of(flow).is_over, timeout=LONG)
    assert live_of(flow).state.outputs["answer"].data == "You asked: Why?"
