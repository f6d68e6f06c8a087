"""Breakpoints at the calls that a node makes: set by its menu, listed in words, marked on its card."""

import pytest
from PySide6.QtWidgets import QMenu

from studio.ids import NodeId
from studio.ui.window.chrome.canvas_menu import canvas_menu
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.ui.window.test_window import CRITIC

pytestmark = pytest.mark.shared_window


def here_menu(window: MainWindow, flow: OpenFlow) -> QMenu:
    menu = canvas_menu(window.app.commands, window.menus, "node", window)
    flow.breakpoints.add_to_node(menu)
    (inner,) = (action.menu() for action in menu.actions() if action.text() == "Pause here")
    assert isinstance(inner, QMenu)
    return inner


def test_the_menu_of_an_agent_sets_breakpoints_at_its_calls(window: MainWindow, flow: OpenFlow) -> None:
    flow.work.session.selection.select([CRITIC])
    entries = here_menu(window, flow).actions()
    texts = [entry.text() for entry in entries]
    assert texts[:2] == ["Before each chat", "After each chat"]
    entries[1].trigger()
    place = f"{CRITIC}#chat.answer"
    assert flow.work.session.breakpoints.enabled == {place}
    assert flow.work.canvas.board.cards.shown.breakpoints == {CRITIC: "on"}
    (listed,) = flow.work.debugging.breakpoints.list.rows
    assert listed.title.endswith(" · chat answers")
    again = here_menu(window, flow).actions()
    assert again[-1].text() == "Condition of “Critic · chat answers”…"
    again[1].trigger()
    assert not flow.work.session.breakpoints.all


def test_a_node_that_calls_nobody_is_held_when_it_fails_only(window: MainWindow, flow: OpenFlow) -> None:
    flow.work.session.selection.select([NodeId("question")])
    assert flow.work.call_places() == []
    (failing,) = here_menu(window, flow).actions()
    failing.trigger()
    (row,) = flow.work.debugging.breakpoints.list.rows
    assert (row.title, row.mark) == ("Error at Question", "catch")
    assert flow.work.canvas.board.cards.shown.breakpoints == {"question": "catch"}
