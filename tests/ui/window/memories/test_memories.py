"""Memories in the window: what a run remembered, what the project keeps, edited, undone and taken over."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from studio.app.memories.item_lines import write_lines
from studio.app.memories.project_memories import ProjectMemories
from studio.app.runs.live_run import LiveRun
from studio.ids import NodeId, RunId, StepId
from studio.sdk.items import Item
from studio.trace import events
from studio.trace.events import Entry
from studio.trace.events.run import Origin
from studio.trace.events.values import Shown
from studio.ui.panels.inspector.memory_cards import memory_cards
from studio.ui.panels.memories.item_sheet import ItemSheet
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.documents import document
from tests.ui.window.scripts.test_script_runs import wait_for_run
from tests.ui.window.windows import LONG

pytestmark = pytest.mark.shared_window

NODES = {
    "board": {"kind": "memory.notes", "title": "Board", "settings": {"keep": "run"}},
    "note_it": {
        "kind": "memory.remember",
        "inputs": {"texts": ["Ask Ada about the hedge."], "fields": {"key": "plan"}},
    },
    "ask": {"kind": "memory.recall", "inputs": {"query": "hedge"}},
    "out": {"kind": "io.flow_output"},
}
WIRES = [
    "board.memory -> note_it.memory",
    "board.memory -> ask.memory",
    "note_it.then -> ask.after",
    "ask.text -> out.value",
]
PLAN = Item("plan", "Ask Ada about the hedge.", {}, "2026-11-21T10:00:00+00:00", "writer")
DRAFT = Item("draft", "A dunnock sang.", {}, "2026-11-21T10:01:00+00:00", "writer")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "birds"
    folder.mkdir()
    flow = document("Birds", NODES, *WIRES)
    (folder / "flow.json").write_text(json.dumps(flow))
    about = {"format": "stepwire.project", "version": 1, "name": "birds"}
    (folder / "project.json").write_text(json.dumps(about))
    return folder


@pytest.fixture
def kept(flow: OpenFlow) -> ProjectMemories:
    """Two notes that the project keeps."""
    project = flow.work.session.project
    write_lines([PLAN, DRAFT], project.root / "items.jsonl")
    found = ProjectMemories(project)
    found.import_from("facts", project.root / "items.jsonl", "memory.notes")
    return found


def come_up(qtbot: QtBot, window: MainWindow, flow: OpenFlow, key: str) -> None:
    """Bring the panel up and wait for the items of a memory."""
    window.docks["memories"].bring_up()
    panel = flow.work.memories
    qtbot.waitUntil(lambda: any(one.key == key for one in panel.list.rows), timeout=LONG)
    panel.choose(key)
    qtbot.waitUntil(lambda: panel.shown == key, timeout=LONG)


def shown(flow: OpenFlow) -> list[str]:
    return [one.id for one in flow.work.memories.table.items.items]


def sheet(window: MainWindow) -> ItemSheet:
    return next(one for one in window.findChildren(ItemSheet) if one.isVisible())


def test_a_project_without_memories_says_where_they_come_from(window: MainWindow, flow: OpenFlow) -> None:
    window.docks["memories"].bring_up()
    assert flow.work.memories.empty.isVisible()


def test_what_a_run_remembered_is_shown_with_the_step_that_wrote_it_and_what_recalled_it(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    window.app.commands.run("run.run")
    wait_for_run(qtbot, window)
    flow.work.session.selection.select([NodeId("board")])
    window.app.commands.run("run.memory")
    come_up(qtbot, window, flow, "run/board")
    panel = flow.work.memories
    assert shown(flow) == ["plan"]
    text = panel.page.toPlainText()
    assert "Ask Ada about the hedge." in text
    assert "in note_it" in text
    assert "hedge” · 1.00" in text
    assert not panel.add.isEnabled()
    panel.page.step_chosen.emit("note_it")
    assert flow.work.session.selection.now.step == StepId("note_it")

    flow.view.playhead.moved.emit()
    flow.work.shown.show_moment(0.0)
    qtbot.waitUntil(lambda: not shown(flow), timeout=LONG)
    flow.work.shown.show_moment(None)
    qtbot.waitUntil(lambda: shown(flow) == ["plan"], timeout=LONG)


def test_a_step_says_what_it_recalled_and_leads_to_the_item(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    window.app.commands.run("run.run")
    wait_for_run(qtbot, window)
    state = flow.work.shown.state
    assert state is not None
    asked: list[tuple[str, str]] = []
    cards = memory_cards(
        window.look, state.steps[StepId("ask")], window, lambda memory, item: asked.append((memory, item))
    )
    assert len(cards) == 1
    card = cards[0]
    assert "hedge" in card.text.text()
    card.text.linkActivated.emit("board/plan")
    assert asked == [("board", "plan")]
    card.deleteLater()
    flow.work.inspector.values.memory_asked.emit("board", "plan")
    qtbot.waitUntil(lambda: flow.work.memories.shown == "run/board", timeout=LONG)
    assert flow.work.memories.table.current_id() == "plan"


def test_what_a_run_could_not_save_is_taken_over_with_one_button(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    kept = ProjectMemories(flow.work.session.project)
    events_of_a_fork = [
        events.RunStarted("Birds", "{}", forked_from=Origin(RunId("before"))),
        events.MemoryOpened("facts", "memory.notes", "project"),
        events.StepStarted({}),
        events.MemoryWritten("facts", "put", Shown({"id": "aim", "text": "Count them.", "data": {}})),
        events.StepFinished({}),
        events.RunFinished({}),
    ]
    run = LiveRun(RunId("fork"), flow.work.session.flow)
    for number, event in enumerate(events_of_a_fork, 1):
        step = StepId("note_it") if event.kind.startswith(("step", "memory_w")) else StepId("")
        run.state.apply(Entry(run.run, number, step, StepId(""), 1.0, event))
    flow.view.show(run)
    flow.view.frame()
    come_up(qtbot, window, flow, "run/facts")
    panel = flow.work.memories
    assert shown(flow) == ["aim"]
    assert not kept.all()
    panel.help.click()
    qtbot.waitUntil(lambda: bool(kept.items("facts")), timeout=LONG)
    assert [(one.id, one.text) for one in kept.items("facts")] == [("aim", "Count them.")]
    come_up(qtbot, window, flow, "project/facts")
    assert shown(flow) == ["aim"]


def test_a_memory_that_cannot_be_kept_is_told_with_what_leads_there(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    run = LiveRun(RunId("now"), flow.work.session.flow, ask=lambda _asked: None)
    flow.view.show(run)
    flow.view.frame()
    trouble = events.MemoryOpened(
        "facts", "memory.notes", "project", trouble="The file is of a newer version."
    )
    run.take([Entry(run.run, 1, StepId(""), StepId(""), 1.0, trouble)])
    flow.view.frame()
    assert window.notices.text == "The file is of a newer version."
    window.notices.buttons[0].click()
    qtbot.waitUntil(lambda: flow.work.memories.list.current_key() == "run/facts", timeout=LONG)
    assert flow.work.memories.about.text() == "The file is of a newer version."


def test_a_double_click_on_a_memory_leads_to_what_it_keeps(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    window.app.commands.run("run.run")
    wait_for_run(qtbot, window)
    flow.work.canvas.request_open.emit("board")
    qtbot.waitUntil(lambda: flow.work.memories.shown == "run/board", timeout=LONG)
    assert flow.work.memories.isVisible()
    assert flow.work.session.selection.now.only_node == NodeId("board")


@pytest.mark.usefixtures("kept")
def test_an_item_is_edited_in_a_sheet_and_undone(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> None:
    come_up(qtbot, window, flow, "project/facts")
    panel = flow.work.memories
    assert shown(flow) == ["plan", "draft"]
    panel.table.choose("draft")
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    asked = sheet(window)
    assert asked.fields["key"].text() == "draft"
    asked.text.setPlainText("A wren sang.")
    qtbot.mouseClick(asked.keep, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.table.items.items[1].text == "A wren sang.", timeout=LONG)
    assert panel.table.items.items[1].by == "user"
    panel.undo.click()
    qtbot.waitUntil(lambda: panel.table.items.items[1].text == "A dunnock sang.", timeout=LONG)


@pytest.mark.usefixtures("kept")
def test_what_somebody_wrote_is_shown_where_it_was_written_though_the_run_has_such_a_memory_too(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    run = LiveRun(RunId("now"), flow.work.session.flow)
    opened = events.MemoryOpened("facts", "memory.notes", "project", version=1, items=2)
    run.state.apply(Entry(run.run, 1, StepId(""), StepId(""), 1.0, events.RunStarted("Birds", "{}")))
    run.state.apply(Entry(run.run, 2, StepId(""), StepId(""), 2.0, opened))
    flow.view.show(run)
    flow.view.frame()
    come_up(qtbot, window, flow, "project/facts")
    panel = flow.work.memories
    panel.table.choose("draft")
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    asked = sheet(window)
    asked.fields["key"].clear()
    assert not asked.keep.isEnabled()
    assert "no key" in asked.reason.text()
    asked.fields["key"].setText("draft")
    asked.text.setPlainText("A wren sang.")
    qtbot.mouseClick(asked.keep, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "A wren sang." in [one.text for one in panel.table.items.items], timeout=LONG)
    assert panel.shown == "project/facts"


@pytest.mark.usefixtures("kept")
def test_delete_forgets_an_item_and_the_notice_brings_it_back(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    come_up(qtbot, window, flow, "project/facts")
    panel = flow.work.memories
    panel.table.choose("plan")
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: shown(flow) == ["draft"], timeout=LONG)
    undo: QPushButton = window.notices.buttons[0]
    undo.click()
    qtbot.waitUntil(lambda: set(shown(flow)) == {"draft", "plan"}, timeout=LONG)


def test_what_another_program_changes_is_seen(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, kept: ProjectMemories
) -> None:
    come_up(qtbot, window, flow, "project/facts")
    kept.remove("facts", ["plan"])
    flow.memories.look()
    qtbot.waitUntil(lambda: shown(flow) == ["draft"], timeout=LONG)


@pytest.mark.usefixtures("kept")
def test_a_new_item_needs_to_say_something(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> None:
    come_up(qtbot, window, flow, "project/facts")
    flow.work.memories.add.click()
    asked = sheet(window)
    assert not asked.keep.isEnabled()
    asked.rest.setPlainText("{")
    assert "not JSON" in asked.reason.text()
    asked.rest.setPlainText("")
    asked.fields["key"].setText("aim")
    asked.text.setPlainText("Count them all.")
    qtbot.mouseClick(asked.keep, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shown(flow) == ["plan", "draft", "aim"], timeout=LONG)


@pytest.mark.usefixtures("kept")
def test_items_are_exported_forgotten_and_imported_again(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, tmp_path: Path
) -> None:
    come_up(qtbot, window, flow, "project/facts")
    panel, path = flow.work.memories, tmp_path / "out.jsonl"
    actions = {one.text(): one for one in panel.make_menu().actions()}
    export, take_in, clear = actions.values()
    export.trigger()
    file_dialog(window).fileSelected.emit(str(path))
    qtbot.waitUntil(path.exists, timeout=LONG)
    clear.trigger()
    qtbot.waitUntil(lambda: not shown(flow), timeout=LONG)
    take_in.trigger()
    file_dialog(window).fileSelected.emit(str(path))
    qtbot.waitUntil(lambda: shown(flow) == ["plan", "draft"], timeout=LONG)
    assert [one.text for one in panel.table.items.items] == [PLAN.text, DRAFT.text]


def file_dialog(window: MainWindow) -> QFileDialog:
    found = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    found.hide()
    return found
