"""What grows in a run, in the window: the tree, and what a row of it leads to."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from studio.app.runs.live_run import LiveRun
from studio.ids import NodeId, StepId
from studio.trace.events import Entry
from studio.trace.events.parts import PartTold
from studio.ui.canvas.scene.ghosts import GhostHit
from studio.ui.panels.growth.tree import SCORE, TITLE
from studio.ui.viewmodels.messages.conversation import words_of
from studio.ui.window.chrome.canvas_menu import canvas_menu
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.ui import growing
from tests.ui.window.windows import LONG

pytestmark = pytest.mark.shared_window


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "birds"
    folder.mkdir()
    (folder / "flow.json").write_text(json.dumps(growing.FLOW))
    about = {"format": "stepwire.project", "version": 1, "name": "birds"}
    (folder / "project.json").write_text(json.dumps(about))
    return folder


def show(flow: OpenFlow, run: LiveRun) -> None:
    flow.view.show(run)
    flow.view.frame()


def titles(flow: OpenFlow) -> list[str]:
    tree = flow.work.growth.tree
    found: list[str] = []
    waiting = [tree.topLevelItem(number) for number in range(tree.topLevelItemCount())]
    while waiting:
        item = waiting.pop(0)
        assert item is not None
        found.append(item.text(TITLE))
        waiting[:0] = [item.child(number) for number in range(item.childCount())]
    return found


def row(flow: OpenFlow, title: str) -> QTreeWidgetItem:
    flags = Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive
    return flow.work.growth.tree.findItems(title, flags)[0]


def test_a_run_that_grows_nothing_says_what_would_stand_there(window: MainWindow, flow: OpenFlow) -> None:
    window.docks["tree"].bring_up()
    assert flow.work.growth.empty.isVisible()


def test_the_tree_has_parts_and_turns_beneath_their_step(window: MainWindow, flow: OpenFlow) -> None:
    window.docks["tree"].bring_up()
    show(flow, growing.a_run())
    assert titles(flow) == ["Team", "Look for birds", "Guess", "Ask who sang", "expert"]
    assert row(flow, "Guess").font(TITLE).strikeOut()
    assert row(flow, "Guess").text(SCORE) == "0.12"
    assert not row(flow, "Ask who sang").font(TITLE).strikeOut()


def test_it_grows_while_the_run_goes_on(window: MainWindow, flow: OpenFlow, qtbot: QtBot) -> None:
    window.docks["tree"].bring_up()
    run = growing.a_run(growing.BEGINS)
    show(flow, run)
    assert titles(flow) == ["Team", "Look for birds", "Ask who sang"]
    before = row(flow, "Look for birds")
    run.take(growing.entries()[len(growing.BEGINS) :])
    flow.view.frame()
    qtbot.waitUntil(lambda: "expert" in titles(flow), timeout=LONG)
    assert row(flow, "Look for birds") is before, "rows that stay are not made anew"


def test_a_row_leads_to_its_call_its_bar_and_its_messages(window: MainWindow, flow: OpenFlow) -> None:
    window.docks["tree"].bring_up()
    show(flow, growing.a_run())
    flow.work.growth.tree.setCurrentItem(row(flow, "Ask who sang"))
    assert flow.work.session.selection.now.step == "team#tool.2"
    assert flow.work.session.selection.now.nodes == {"team"}
    assert flow.work.timeline.view.picture().selected == "team#tool.2"
    assert flow.work.messages.step == "team#tool.2"
    assert [one.body for one in words_of(growing.a_run().state, StepId("team#tool.2"))] == [
        "Who sang?",
        "The wren.",
    ]


def test_a_selected_member_shows_its_own_last_turn(flow: OpenFlow) -> None:
    show(flow, growing.a_run())
    said = dict[str, str | None]()
    for member in ("ada", "ben"):
        flow.work.session.selection.select([NodeId(member)])
        said[member] = flow.work.messages.step
    assert said == {"ada": "team#tool.1", "ben": "team#tool.2"}


def test_a_step_that_is_shown_stands_chosen_in_the_tree(window: MainWindow, flow: OpenFlow) -> None:
    window.docks["tree"].bring_up()
    show(flow, growing.a_run())
    flow.work.show_step("team#tool.1/ada#chat.1")
    current = flow.work.growth.current
    assert current is not None
    assert current.title == "Look for birds"


def test_a_search_keeps_what_a_found_row_stands_beneath(window: MainWindow, flow: OpenFlow) -> None:
    window.docks["tree"].bring_up()
    show(flow, growing.a_run())
    panel = flow.work.growth
    QTest.keyClicks(panel.field, "tells nothing")
    assert titles(flow) == ["Team", "Look for birds", "Guess"]
    QTest.keyClick(panel.field, Qt.Key.Key_Escape)
    assert len(titles(flow)) == 5


def test_at_an_earlier_moment_the_tree_is_as_it_was(
    window: MainWindow, flow: OpenFlow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.docks["tree"].bring_up()

    def history(_run: LiveRun) -> list[Entry]:
        return growing.entries()

    monkeypatch.setattr(flow.work.shown, "_history", history)
    show(flow, growing.a_run())
    flow.work.shown.show_moment(len(growing.BEGINS) - 1.0)
    flow.view.frame()
    qtbot.waitUntil(lambda: titles(flow) == ["Team", "Look for birds", "Ask who sang"], timeout=LONG)
    flow.work.shown.show_moment(None)
    flow.view.frame()
    qtbot.waitUntil(lambda: "Guess" in titles(flow), timeout=LONG)


def test_ghosts_follow_the_playhead(flow: OpenFlow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def history(_run: LiveRun) -> list[Entry]:
        return growing.entries()

    def ghosts() -> list[str]:
        return [one.title for one in flow.work.canvas.board.cards.ghosts.told.get(NodeId("team"), ())]

    monkeypatch.setattr(flow.work.shown, "_history", history)
    show(flow, growing.a_run())
    assert ghosts() == ["Look for birds", "Guess", "Ask who sang", "expert"]
    flow.work.shown.show_moment(len(growing.BEGINS) - 1.0)
    flow.view.frame()
    qtbot.waitUntil(lambda: ghosts() == ["Look for birds", "Ask who sang"], timeout=LONG)
    flow.view.show(None)
    flow.view.frame()
    assert ghosts() == []


def test_a_ghost_leads_to_its_call_and_is_ringed(flow: OpenFlow) -> None:
    show(flow, growing.a_run())
    ghosts = flow.work.canvas.board.cards.ghosts
    flow.work.canvas.board.ghost_chosen.tell(GhostHit(NodeId("team"), "team\nlook"))
    assert flow.work.session.selection.now.step == "team#tool.1"
    assert ghosts.chosen == "team\nlook"
    flow.work.show_step("team#tool.2/ben#chat.1")
    assert ghosts.chosen == "team\nask"
    flow.work.look_at(None)
    assert not ghosts.chosen


def test_a_plan_becomes_nodes_in_one_step_that_is_undone(window: MainWindow, flow: OpenFlow) -> None:
    window.docks["tree"].bring_up()
    show(flow, growing.a_run())
    session = flow.work.session
    before = session.flow
    flow.work.growth.tree.setCurrentItem(row(flow, "Ask who sang"))
    QTest.mouseClick(flow.work.growth.keep_all, Qt.MouseButton.LeftButton)
    assert session.flow.nodes.keys() - before.nodes.keys() == {"look_for_birds", "ask_who_sang"}
    assert "look_for_birds.reply -> ask_who_sang.look" in [str(wire) for wire in session.flow.wires]
    assert session.selection.now.nodes == {"look_for_birds", "ask_who_sang"}
    scene = flow.work.canvas.board.scene
    for node in session.selection.now.nodes:
        assert list(scene.rows_in(scene.rect(node))) == [scene.row[node]], "it lies on nothing"
    window.app.commands.run("edit.undo")
    assert session.flow == before


def test_kept_nodes_that_stand_above_one_another_leave_room_between(
    window: MainWindow, flow: OpenFlow
) -> None:
    window.docks["tree"].bring_up()
    agent = {"instructions": "Listen.", "name": "listener"}
    beside = ("team", PartTold("hear", "Listen", after=("look",), sort="llm.agent", settings=agent))
    show(flow, growing.a_run([*growing.BEGINS, beside]))
    scene = flow.work.canvas.board.scene
    flow.work.growth.tree.setCurrentItem(row(flow, "Ask who sang"))
    QTest.mouseClick(flow.work.growth.keep_all, Qt.MouseButton.LeftButton)
    first, second = sorted(
        (scene.rect(NodeId(one)) for one in ("listen", "ask_who_sang")), key=lambda one: one.y
    )
    window.app.commands.run("edit.undo")
    assert second.y - first.bottom >= 24


def test_of_a_plan_that_was_made_anew_what_was_dropped_is_not_kept(
    window: MainWindow, flow: OpenFlow
) -> None:
    window.docks["tree"].bring_up()
    dropped = ("team", PartTold("old", "An old task", "dropped", sort="llm.agent"))
    show(flow, growing.a_run([*growing.BEGINS, dropped]))
    flow.work.growth.tree.setCurrentItem(row(flow, "Ask who sang"))
    QTest.mouseClick(flow.work.growth.keep_all, Qt.MouseButton.LeftButton)
    assert {"look_for_birds", "ask_who_sang"} <= flow.work.session.flow.nodes.keys()
    assert "an_old_task" not in flow.work.session.flow.nodes
    window.app.commands.run("edit.undo")


def test_the_chosen_part_alone_is_kept_from_the_palette(window: MainWindow, flow: OpenFlow) -> None:
    show(flow, growing.a_run())
    actions = window.app.commands
    flow.work.canvas.board.ghost_chosen.tell(GhostHit(NodeId("team"), "team\nguess"))
    assert not actions["run.keep_part"].is_enabled(), "it says of no node that it would be"
    flow.work.canvas.board.ghost_chosen.tell(GhostHit(NodeId("team"), "team\nlook"))
    actions.run("run.keep_part")
    assert "look_for_birds" in flow.work.session.flow.nodes
    assert "ask_who_sang" not in flow.work.session.flow.nodes


def test_ghosts_have_a_menu(window: MainWindow, flow: OpenFlow) -> None:
    show(flow, growing.a_run())
    flow.work.canvas.board.ghost_chosen.tell(GhostHit(NodeId("team"), "team\nlook"))
    menu = canvas_menu(window.app.commands, window.menus, "ghost", window)
    assert [action.text().replace("&", "") for action in menu.actions()] == [
        "Keep the selected part as a node",
        "Keep the whole plan as nodes",
        "Fold or unfold generated parts",
        "Go to Tree",
    ]
    window.app.commands.run("view.fold_growth")
    ghosts = flow.work.canvas.board.cards.ghosts
    assert [one.is_folded for one in ghosts.clusters] == [True]
    window.app.commands.run("view.fold_growth")
    assert [one.is_folded for one in ghosts.clusters] == [False]
