"""What is said in the window belongs to what is shown in it: messages, blame, notices."""

from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot

from studio.ids import NodeId
from studio.ui.window.main_window import MainWindow
from studio.ui.window.tabs import OpenFlow
from tests.app.flows import SCRIPT, chain
from tests.app.projects import write_project
from tests.ui.window.test_window import LONG, live_of

pytestmark = pytest.mark.shared_window


def opened(window: MainWindow, project: Path) -> OpenFlow:
    window.documents.open(project)
    assert window.front is not None
    return window.front


def run(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> None:
    window.app.actions.run("run.run")
    qtbot.waitUntil(lambda: live_of(flow).status.is_final and live_of(flow).is_over, timeout=LONG)


def test_messages_are_those_of_the_selected_node_and_of_no_other(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    flow = opened(window, write_project(tmp_path / "small", flow=chain(default="Why?"), script=SCRIPT))
    run(qtbot, window, flow)
    messages, selection = flow.work.messages, flow.work.session.selection
    qtbot.waitUntil(lambda: bool(messages.bubbles), timeout=LONG)
    selection.select([NodeId("answer")])
    assert not messages.bubbles
    assert messages.empty.title == "No conversation"
    assert messages.title == ""
    selection.select([NodeId("writer")])
    assert messages.bubbles
    selection.select([])
    assert messages.bubbles, "with nothing selected, who spoke last"


LENT = {
    "format": "stepwire.flow",
    "version": 1,
    "name": "Lent",
    "nodes": {
        "question": {"kind": "io.flow_input", "settings": {"default": "Why?"}},
        "rounds": {"kind": "control.loop", "settings": {"max_rounds": 2}},
        "agent": {"kind": "llm.agent", "title": "Agent"},
        "search": {"kind": "tools.text_search", "title": "Text search"},
        "out": {"kind": "io.flow_output"},
    },
    "wires": [
        "question.value -> rounds.start",
        "rounds.value -> agent.prompt",
        "agent.reply -> rounds.again",
        "search.tool -> agent.tools",
        "rounds.result -> out.value",
    ],
}


def test_a_tool_that_cannot_be_lent_is_the_node_that_is_blamed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    flow = opened(window, write_project(tmp_path / "lent", flow=LENT, script=SCRIPT))
    run(qtbot, window, flow)
    assert window.notices.text.startswith("`Text search` failed: No file here is called `*.txt`.")
    states = flow.work.canvas.board.cards.shown.states
    qtbot.waitUntil(lambda: states.get(NodeId("search")) is not None, timeout=LONG)
    states = flow.work.canvas.board.cards.shown.states
    assert (states[NodeId("search")].status, states[NodeId("agent")].status) == ("failed", "stopped")
    assert "No file here" in states[NodeId("search")].text
    (show,) = [one for one in window.notices.buttons if one.text() == "Show the step"]
    show.click()
    assert flow.work.session.selection.now.only_node == "search"


TAKEN = {f"Ctrl+Alt+{key}" for key in ("Left", "Right", "Up", "Down", "D", "L", "T", "Del", "End", "Home")}
"""Keys that desktops keep for themselves: workspaces, terminals, the lock."""


def test_no_key_is_one_that_desktops_take(window: MainWindow) -> None:
    ours = {QKeySequence(action.shortcut).toString() for action in window.app.actions if action.shortcut}
    taken = TAKEN | {f"{keys}F{n}" for keys in ("Alt+", "Ctrl+Alt+", "Alt+Shift+") for n in range(1, 13)}
    assert not ours & taken
