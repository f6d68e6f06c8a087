"""What is said in the window belongs to what is shown in it: messages, blame, notices."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot

from studio.flow import edits
from studio.ids import NodeId
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.documents import document
from tests.ui.window.live_runs import LONG, live_of
from tests.ui.window.past.test_earlier_runs import REFUSING
from tests.ui.window.windows import point_at

pytestmark = pytest.mark.shared_window


def opened(window: MainWindow, project: Path) -> OpenFlow:
    window.documents.open(project)
    assert window.front is not None
    return window.front


def run(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> None:
    window.app.commands.run("run.run")
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


LENT = document(
    "Lent",
    {
        "question": {"kind": "io.flow_input", "settings": {"default": "Why?"}},
        "rounds": {"kind": "control.loop", "settings": {"max_rounds": 2}},
        "agent": {"kind": "llm.agent", "title": "Agent"},
        "search": {"kind": "tools.text_search", "title": "Text search"},
        "out": "io.flow_output",
    },
    "question.value -> rounds.start",
    "rounds.value -> agent.prompt",
    "agent.reply -> rounds.again",
    "search.tool -> agent.tools",
    "rounds.result -> out.value",
)


def test_a_tool_that_cannot_be_lent_is_the_node_that_is_blamed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    flow = opened(window, write_project(tmp_path / "lent", flow=LENT, script=SCRIPT))
    run(qtbot, window, flow)
    assert window.notices.text.startswith("“Text search” failed: No file here matches “*.txt”.")
    shown = flow.work.canvas.board.cards.shown
    nodes = (NodeId("search"), NodeId("agent"))
    qtbot.waitUntil(lambda: [shown.state(one).status for one in nodes] == ["failed", "stopped"], timeout=LONG)
    assert "No file here" in shown.state(NodeId("search")).text
    (show,) = [one for one in window.notices.buttons if one.text() == "Show the step"]
    show.click()
    assert flow.work.session.selection.now.only_node == "search"


TAKEN = {f"Ctrl+Alt+{key}" for key in ("Left", "Right", "Up", "Down", "D", "L", "T", "Del", "End", "Home")}
"""Keys that desktops keep for themselves: workspaces, terminals, the lock."""


def test_no_key_is_one_that_desktops_take(window: MainWindow) -> None:
    ours = {QKeySequence(action.shortcut).toString() for action in window.app.commands if action.shortcut}
    taken = TAKEN | {f"{keys}F{n}" for keys in ("Alt+", "Ctrl+Alt+", "Alt+Shift+") for n in range(1, 13)}
    assert not ours & taken


def two_flows(window: MainWindow, root: Path) -> tuple[OpenFlow, OpenFlow]:
    first = opened(window, write_project(root / "first", flow=chain(default="Why?"), script=REFUSING))
    return first, opened(window, write_project(root / "second", flow=chain(default="Why?"), script=SCRIPT))


def test_a_notice_stays_with_its_flow_and_is_not_shown_over_another(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    first, second = two_flows(window, tmp_path)
    window.tabs.show_flow(first)
    run(qtbot, window, first)
    assert first.notices.isVisible()
    assert [one.text() for one in window.notices.buttons] == ["Show the step", "Resume"]
    window.tabs.show_flow(second)
    assert not first.notices.isVisible()
    assert (window.notices.text, window.notices.buttons) == ("", ())
    window.tabs.show_flow(first)
    assert first.notices.isVisible()


def test_a_notice_takes_its_own_place_and_leaves_what_is_pointed_at_where_it_is(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = opened(window, write_project(tmp_path / "small", flow=chain(default="Why?"), script=SCRIPT))
    canvas, notices = flow.work.canvas, flow.notices
    canvas.fit()
    before = canvas.mapToGlobal(canvas.rect().topLeft()).y()
    notices.say("It failed.")

    def top() -> int:
        return canvas.mapTo(flow.pages.canvas, QPoint(0, 0)).y()

    qtbot.waitUntil(lambda: top() == notices.height() > 0, timeout=LONG)
    notices.settle("")
    qtbot.waitUntil(lambda: canvas.mapToGlobal(canvas.rect().topLeft()).y() == before, timeout=LONG)
    point_at(canvas)
    monkeypatch.setattr(canvas, "underMouse", lambda: True)

    def seen_at() -> float:
        return top() + canvas.board.camera.to_widget(0, 0)[1]

    pointed_at = seen_at()
    notices.say("It failed.")
    qtbot.waitUntil(lambda: top() > 0, timeout=LONG)
    assert seen_at() == pytest.approx(pointed_at, abs=1)
    canvas.looking.fit_opened()  # which a slow machine comes to only now
    assert seen_at() == pytest.approx(pointed_at, abs=1)
    notices.settle("")
    qtbot.waitUntil(lambda: top() == 0, timeout=LONG)
    assert seen_at() == pytest.approx(pointed_at, abs=1)


def test_what_succeeded_is_said_for_a_while_and_what_failed_until_it_is_mended(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    notices = opened(window, write_project(tmp_path / "small", flow=chain(), script=SCRIPT)).notices
    notices.leaves_after = 20
    notices.say("It failed.", key="run")
    notices.say("Saved.", tone="done", key="export")
    assert notices.text == "Saved."
    qtbot.waitUntil(lambda: notices.text == "It failed.", timeout=LONG)
    notices.say("Writing…", tone="skipped", key="export", lasts=True)
    qtbot.wait(100)
    assert notices.text == "Writing…", "it is still being written"
    notices.settle("export")
    assert notices.text == "It failed."
    assert notices.isVisible()


@pytest.mark.parametrize("goes_on", ["edit", "run"])
def test_what_is_said_of_edits_that_came_back_goes_when_work_goes_on(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, goes_on: str
) -> None:
    project = write_project(tmp_path / "small", flow=chain(default="Why?"), script=SCRIPT)
    flow = opened(window, project)
    flow.work.session.history.do(edits.set_title(flow.work.session.flow, NodeId("writer"), "Author"))
    window.drop(flow.work.session)
    again = opened(window, project)
    assert "unsaved" in again.notices.text
    if goes_on == "edit":
        again.work.session.history.do(edits.set_title(again.work.session.flow, NodeId("writer"), "Poet"))
    else:
        run(qtbot, window, again)
    assert again.notices.text == ""


def test_undoing_edits_of_a_flow_goes_past_chat_profiles_and_offers_them_at_the_end(
    window: MainWindow, tmp_path: Path
) -> None:
    project = write_project(tmp_path / "small", flow=chain(), script=SCRIPT)
    flow = opened(window, project)
    session, profiles = flow.work.session, project / "project.json"
    files, before = window.flow_files, profiles.read_text("utf-8")

    def rename(node: str, title: str) -> None:
        session.history.do(edits.set_title(session.flow, NodeId(node), title))

    def edit_profiles() -> None:
        said = files.project_text(session.project)
        profiles.write_text(f"{profiles.read_text('utf-8')}\n")
        files.note_project_text(session.project, said, "Edit chat profiles")

    def titles() -> tuple[str, str]:
        return session.flow.nodes[NodeId("writer")].title, session.flow.nodes[NodeId("answer")].title

    first = titles()
    edit_profiles()
    window.app.commands.run("edit.undo")
    assert profiles.read_text("utf-8") == before, "the last thing done is what is taken back"
    rename("writer", "Author")
    edit_profiles()
    rename("answer", "Poem")
    after = profiles.read_text("utf-8")
    window.app.commands.run("edit.undo")
    assert titles() == ("Author", first[1])
    window.app.commands.run("edit.undo")
    assert (titles(), profiles.read_text("utf-8")) == (first, after)
    for _ in range(3):  # the key is held
        window.app.commands.run("edit.undo")
    assert profiles.read_text("utf-8") == after
    assert "Edit chat profiles" in window.notices.text
    window.notices.buttons[0].click()
    assert profiles.read_text("utf-8") == before
