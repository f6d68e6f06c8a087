"""The page of all keys, and going round the window with them."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ids import NodeId
from studio.ui.canvas.commands.catalog import all_commands
from studio.ui.window.help.keyboard_page import KeyboardPage, key_rows, show_keyboard
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow

WRITER = NodeId("writer")


def test_the_page_has_every_key_of_the_window_and_the_canvas_once(window: MainWindow) -> None:
    rows = key_rows(window.app.commands)
    keys = {key for row in rows for key in row.keys}
    assert {key for command in window.app.commands for key in command.keys} <= keys
    assert {key for command in all_commands() for key in (command.shortcut, *command.also) if key} <= keys
    assert len(rows) == len(set(rows))


def test_the_page_is_opened_from_the_help_menu_and_narrowed_by_typing(window: MainWindow) -> None:
    page = show_keyboard(window.look, window.app.commands, window)
    everything = len(page.shown)
    QTest.keyClicks(page.field, "connect to")
    assert page.shown == [("Connect to…", "W")]
    assert everything > 60
    page.close()
    assert "help.keyboard" in window.app.commands


def _press(
    page: KeyboardPage, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.keyClick(page.keys.edit, key, held)


def test_a_command_gets_another_key_which_menus_name_and_the_window_hears(window: MainWindow) -> None:
    page = show_keyboard(window.look, window.app.commands, window)
    page.show_command("view.palette")
    _press(page, Qt.Key.Key_F4)
    assert window.menus.action("view.palette").shortcut().toString() == "F4"
    assert ("Command palette…", "F4") in page.shown
    page.keys.own.click()
    assert window.menus.action("view.palette").shortcut().toString() == "Ctrl+Shift+P"
    assert not page.keys.own.isEnabled()
    page.close()


def test_a_key_that_another_command_has_is_taken_from_it_only_when_told_so(window: MainWindow) -> None:
    commands = window.app.commands
    page = show_keyboard(window.look, commands, window)
    page.show_command("run.step")
    _press(page, Qt.Key.Key_F5)
    assert "“Run”" in page.keys.said.text()
    assert (commands["run.run"].keys, commands["run.step"].keys) == (("F5",), ("F10",))
    page.keys.take.click()
    assert (commands["run.run"].keys, commands["run.step"].keys) == ((), ("F5",))
    assert "(F5)" in window.top_bar.button("run.step").toolTip()
    page.keys.all.click()
    assert (commands["run.run"].keys, commands["run.step"].keys) == (("F5",), ("F10",))
    page.close()


def test_a_key_of_the_canvas_is_changed_in_all_open_flows_and_the_old_one_does_nothing(
    window: MainWindow, flow: OpenFlow
) -> None:
    page = show_keyboard(window.look, window.app.commands, window)
    page.show_command("canvas.mute")
    _press(page, Qt.Key.Key_U)
    page.close()
    flow.work.session.selection.select([WRITER])
    QTest.keyClick(flow.work.canvas, Qt.Key.Key_M)
    assert flow.work.session.flow.nodes[WRITER].run.state != "muted"
    QTest.keyClick(flow.work.canvas, Qt.Key.Key_U)
    assert flow.work.session.flow.nodes[WRITER].run.state == "muted"
    assert "U" in window.menus.action("canvas.mute").text()
    window.app.commands.restore_keys()


def test_escape_leaves_the_field_for_a_key_and_changes_nothing(window: MainWindow) -> None:
    page = show_keyboard(window.look, window.app.commands, window)
    page.show_command("run.run")
    page.keys.edit.setFocus()
    _press(page, Qt.Key.Key_Escape)
    assert page.isVisible()
    assert window.app.commands["run.run"].keys == ("F5",)
    assert page.focusWidget() is page.list
    page.close()


def test_going_round_leaves_the_canvas_and_comes_back_to_it(window: MainWindow, flow: OpenFlow) -> None:
    assert QTest.qWaitForWindowActive(window)
    window.docks["library"].bring_up()
    flow.work.canvas.setFocus()
    passed: list[object] = []
    for _ in range(len(window.docks.all) + 1):
        window.app.commands.run("view.next_place")
        passed.append(QApplication.focusWidget())
        if passed[-1] is flow.work.canvas:
            break
    assert passed[-1] is flow.work.canvas
    assert len(passed) > 2
    window.app.commands.run("view.previous_place")
    assert QApplication.focusWidget() is not flow.work.canvas


def test_a_dock_behind_another_is_reached_by_its_key_and_the_canvas_again(
    window: MainWindow, flow: OpenFlow
) -> None:
    assert QTest.qWaitForWindowActive(window)
    flow.work.canvas.setFocus()
    assert flow.work.outline.isHidden() or flow.work.outline.visibleRegion().isEmpty()
    QTest.keyClick(window, Qt.Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is flow.work.outline.tree
    QTest.keyClick(flow.work.outline.tree, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is flow.work.canvas
    assert flow.work.canvas.keys.lead


def test_every_dock_can_be_gone_to_from_the_palette_of_commands(window: MainWindow, flow: OpenFlow) -> None:
    assert window.front is flow
    for dock in window.docks.all:
        window.app.commands.run(f"panel.{dock.objectName()}")
        assert not dock.visibleRegion().isEmpty(), dock.objectName()


def test_the_panels_menu_stands_in_the_view_menu_and_is_no_taller_than_a_small_screen(
    window: MainWindow, flow: OpenFlow
) -> None:
    assert window.front is flow
    view = window.menus.groups["View"]
    panels = window.menus.groups["Panels"]
    assert panels.menuAction() in view.actions()
    assert panels.menuAction() not in window.menus.actions()
    assert panels.sizeHint().height() < 700
