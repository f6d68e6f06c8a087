"""What a person noticed while using the window."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.flow.records import Socket, title_of
from studio.ids import NodeId, PortName
from studio.ui.canvas.cards.marks import Sign
from studio.ui.canvas.hand.viewport import ZOOM_NOTCH
from studio.ui.window.chrome.canvas_menu import canvas_menu
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.ui.window.runs.run_words import PROBLEM_MATTER

pytestmark = pytest.mark.shared_window

CRITIC, WRITER = NodeId("critic"), NodeId("writer")


def test_nodes_added_from_the_library_lie_on_no_other(window: MainWindow, flow: OpenFlow) -> None:
    for _ in range(4):
        window.library.chosen.emit("llm.chat")
    scene = flow.work.canvas.board.scene
    added = sorted(set(flow.work.session.flow.nodes) - {CRITIC, WRITER})
    fresh = [node for node in added if flow.work.session.flow.nodes[node].kind == "llm.chat"]
    assert len(fresh) == 4
    for node in fresh:
        assert [scene.ids[row] for row in scene.rows_in(scene.rect(node)).tolist()] == [node]


def test_what_undo_takes_away_is_selected_no_more(flow: OpenFlow) -> None:
    session = flow.work.session
    flow.work.add_node("llm.chat")
    fresh = session.selection.now.only_node
    assert fresh is not None
    session.selection.select([fresh, CRITIC])
    session.history.undo()
    assert session.selection.now.nodes == {CRITIC}


def test_a_notice_about_problems_goes_when_they_are_mended(window: MainWindow, flow: OpenFlow) -> None:
    session = flow.work.session
    flow.work.add_node("llm.chat")
    window.app.commands.run("run.run")
    assert window.notices.key == PROBLEM_MATTER
    session.history.undo()
    session.refresh_problems()
    assert window.notices.text == ""


def test_a_notice_about_a_flow_goes_with_the_flow(window: MainWindow, flow: OpenFlow) -> None:
    flow.work.add_node("llm.chat")
    window.app.commands.run("run.run")
    window.drop(flow.work.session)
    assert window.notices.text == ""


def test_a_problem_that_no_button_mends_says_what_to_do(flow: OpenFlow) -> None:
    session = flow.work.session
    session.history.do(edits.set_setting(session.flow, WRITER, "temperature", "hot"))
    session.refresh_problems()
    row = next(row for row in flow.work.problems.rows if row.problem.code == "settings")
    assert "setting" in row.accessibleDescription()


def test_a_right_click_selects_what_was_hit_and_offers_what_can_be_done_with_it(
    window: MainWindow, flow: OpenFlow
) -> None:
    canvas = flow.work.canvas
    rect = canvas.board.scene.rect(WRITER)
    x, y = canvas.board.camera.to_widget(rect.x + 60, rect.y + 18)
    at = QPoint(round(x), round(y))
    asked: list[str] = []
    canvas.menu_asked.disconnect()
    canvas.menu_asked.connect(lambda hit, _at: asked.append(hit))
    asking = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, canvas.mapToGlobal(at))
    QApplication.sendEvent(canvas, asking)
    assert asked == ["node"]
    assert flow.work.session.selection.now.nodes == {WRITER}
    menu = canvas_menu(window.app.commands, window.menus, "node", window)
    on_node = [one for one in window.app.commands if "node" in one.command.offered_on]
    offered = [one.id for one in on_node if one.id.startswith("canvas.") and one.menu != "debug"]
    possible = [name for name in offered if window.menus.action(name).isEnabled()]
    wanted = [
        window.menus.action(one)
        for one in (
            "canvas.breakpoint",
            "canvas.break_when",
            *possible,
            "flow.subflow",
            "flow.rename",
            "run.to_here",
        )
    ]
    assert [one for one in menu.actions() if not one.isSeparator()] == wanted
    assert {"canvas.cut", "canvas.delete", "canvas.mute"} < set(possible)


def test_the_whole_flow_stays_in_view_until_a_person_looks_elsewhere(flow: OpenFlow) -> None:
    canvas = flow.work.canvas
    canvas.fit()
    canvas.resize(500, 300)
    extent = canvas.board.scene.extent(None)
    assert extent is not None
    seen = canvas.board.camera.seen(canvas.width(), canvas.height())
    assert seen.x <= extent.x
    assert extent.right <= seen.right
    canvas.looking.zoom_in()
    scale = canvas.board.camera.scale
    canvas.resize(900, 600)
    assert canvas.board.camera.scale == scale


def test_no_letter_of_a_state_is_cut_in_the_inspector(window: MainWindow, flow: OpenFlow) -> None:
    flow.work.session.selection.select([CRITIC])
    header = flow.work.inspector.header
    header.show_status("held", "held")
    window.appearance.choose("light")
    for status in ("held", "stopped", "interrupted"):
        header.show_status(status, "held")
        assert header.pill.width() >= header.pill.sizeHint().width()


def test_the_minimap_is_there_only_when_something_is_out_of_view(flow: OpenFlow) -> None:
    canvas = flow.work.canvas
    for size in ((760, 340), (1400, 900)):
        canvas.resize(*size)
        canvas.fit()
        assert canvas.furniture.minimap() is None
    for _ in range(8):
        canvas.looking.zoom(ZOOM_NOTCH, canvas.rect().center().toPointF())
    assert canvas.furniture.minimap() is not None


def test_an_edit_to_the_title_is_kept_in_view_at_the_cost_of_the_kind(flow: OpenFlow) -> None:
    session = flow.work.session
    session.history.do(edits.set_title(session.flow, CRITIC, "A critic with a rather long title indeed"))
    session.selection.select([CRITIC])
    assert flow.work.inspector.header.kind.isHidden()


def test_the_window_fits_a_small_screen_at_one_and_a_half(window: MainWindow, flow: OpenFlow) -> None:
    assert flow.work.debugging.minimumSizeHint().width() < 560
    assert window.minimumSizeHint().width() <= 1000


def test_a_right_click_at_a_port_sets_a_breakpoint_there_and_the_port_shows_it(
    window: MainWindow, flow: OpenFlow
) -> None:
    canvas = flow.work.canvas
    spot = next(one for one in canvas.board.scene.spots(WRITER) if one.port == "reply")
    x, y = canvas.board.camera.to_widget(*canvas.board.port_point(WRITER, spot))
    at = QPoint(round(x), round(y))
    asked: list[tuple[str, bool]] = []
    canvas.port_menu_asked.disconnect()
    canvas.port_menu_asked.connect(lambda place, is_output, _at: asked.append((place, is_output)))
    asking = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, canvas.mapToGlobal(at))
    QApplication.sendEvent(canvas, asking)
    assert asked == [("writer.reply", True)]
    breakpoints = flow.work.session.breakpoints
    menu = flow.breakpoints.port_menu("writer.reply", window, is_output=True)
    menu.actions()[0].trigger()
    assert breakpoints.enabled == {"writer.reply"}
    card = canvas.board.cards.card(WRITER)
    assert (card.breakpoint, card.held_ports) == (None, frozenset({("reply", "on")}))
    again = flow.breakpoints.port_menu("writer.reply", window, is_output=True)
    assert again.actions()[0].isChecked()
    again.actions()[0].trigger()
    assert breakpoints.all == {}


def test_the_command_palette_ends_with_a_whole_row(window: MainWindow) -> None:
    window.app.commands.run("view.palette")
    rows = window.palette_box.list
    rows.doItemsLayout()
    bottom = rows.viewport().height()
    last = rows.visualItemRect(rows.item(rows.indexAt(QPoint(5, bottom - 3)).row()))
    assert last.bottom() <= bottom


def test_the_canvas_has_the_keyboard_when_a_tab_is_closed(window: MainWindow, flow: OpenFlow) -> None:
    other = flow.work.session.path.with_name("other.json")
    other.write_text(flow.work.session.path.read_text("utf-8"), "utf-8")
    window.documents.open(other)
    assert window.front is not flow
    assert window.session is not None
    window.drop(window.session)
    assert window.front is flow
    assert window.focusWidget() is flow.work.canvas


def test_the_window_fits_a_screen_at_twice_the_scale(window: MainWindow, flow: OpenFlow) -> None:
    assert flow.work.debugging.minimumSizeHint().width() < 200
    assert window.minimumSizeHint().width() <= 800


def test_a_palette_that_finds_nothing_says_so(window: MainWindow) -> None:
    window.app.commands.run("view.palette")
    window.palette_box.field.setText("zzzz no such thing")
    assert [row.title for row in window.palette_box.list.rows] == ["No match. Press Esc to close."]
    QTest.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert window.palette_box.isVisible()


def test_nothing_is_red_on_the_canvas_before_somebody_tried_to_run(
    window: MainWindow, flow: OpenFlow
) -> None:
    work = flow.work
    work.add_node("llm.chat")
    fresh = work.session.selection.now.only_node
    assert fresh is not None
    work.session.refresh_problems()
    assert work.canvas.board.cards.card(fresh).sign is Sign.OPEN
    window.app.commands.run("run.run")
    assert work.canvas.board.cards.card(fresh).sign is Sign.ERROR


def test_cards_say_which_language_model_answers_them(flow: OpenFlow) -> None:
    work = flow.work
    work.add_node("llm.chat")
    fresh = work.session.selection.now.only_node
    assert fresh is not None
    work.inspector.start.choose_profile("made-up")
    assert work.canvas.board.cards.card(fresh).model == "Made-up answers"
    flow_now, registry = work.session.flow, work.session.registry
    work.session.history.do(edits.set_setting(flow_now, fresh, "profile", "person", library=registry))
    assert work.canvas.board.cards.card(fresh).model == "I answer"


def test_the_history_says_what_was_connected_to_what(flow: OpenFlow) -> None:
    work = flow.work
    work.add_node("llm.chat")
    fresh = work.session.selection.now.only_node
    assert fresh is not None
    source, target = Socket(WRITER, PortName("reply")), Socket(fresh, PortName("prompt"))
    work.session.history.do(edits.connect(work.session.flow, source, target, work.session.registry))
    titles = [title_of(work.session.flow, node) for node in (WRITER, fresh)]
    assert work.session.history.undo_labels[-1] == f"Connect {titles[0]} to {titles[1]}"


def test_a_heading_that_is_cut_ends_with_an_ellipsis(qtbot: QtBot, flow: OpenFlow) -> None:
    kind = type(flow.work.inspector.header.title)
    for text, is_cut in (("Critic", False), ("A very long title of a node " * 4, True)):
        pictures: list[QImage] = []
        for made in (kind(), QLineEdit()):
            qtbot.addWidget(made)
            made.resize(180, 28)
            made.setText(text)
            made.setCursorPosition(0)
            pictures.append(made.grab().toImage())
        assert (pictures[0] != pictures[1]) is is_cut
