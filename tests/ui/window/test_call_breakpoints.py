"""Breakpoints at the calls that a node makes: set by its menu, listed in words, marked on its card."""

from PySide6.QtWidgets import QMenu

from studio.ids import NodeId
from studio.ui.window.canvas_menu import add_call_breakpoints, canvas_menu
from studio.ui.window.main_window import MainWindow
from studio.ui.window.tabs import OpenFlow
from tests.ui.window.test_window import CRITIC


def calls_menu(window: MainWindow, flow: OpenFlow) -> QMenu:
    menu = canvas_menu(window.menus, "node", window)
    add_call_breakpoints(menu, flow.work.session.breakpoints, flow.work.call_places())
    (inner,) = (action.menu() for action in menu.actions() if action.text() == "Break at its calls")
    assert isinstance(inner, QMenu)
    return inner


def test_the_menu_of_an_agent_sets_breakpoints_at_its_calls(window: MainWindow, flow: OpenFlow) -> None:
    flow.work.session.selection.select([CRITIC])
    entries = calls_menu(window, flow).actions()
    texts = [entry.text() for entry in entries]
    assert texts[:2] == ["Before each chat", "After each chat"]
    entries[1].trigger()
    place = f"{CRITIC}#chat.answer"
    assert flow.work.session.breakpoints.enabled == {place}
    assert flow.work.canvas.board.cards.shown.breakpoints == {CRITIC: "on"}
    listed = flow.work.debugging.breakpoints.list.item(0)
    assert listed is not None
    assert listed.text().endswith(" · chat answers")
    calls_menu(window, flow).actions()[1].trigger()
    assert not flow.work.session.breakpoints.all


def test_a_node_that_calls_nobody_has_no_such_menu(window: MainWindow, flow: OpenFlow) -> None:
    flow.work.session.selection.select([NodeId("question")])
    assert flow.work.call_places() == []
    menu = canvas_menu(window.menus, "node", window)
    before = len(menu.actions())
    add_call_breakpoints(menu, flow.work.session.breakpoints, flow.work.call_places())
    assert len(menu.actions()) == before
