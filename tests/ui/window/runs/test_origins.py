"""Asking a run in the window where a value comes from."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QToolButton, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from studio.ids import NodeId, StepId
from studio.trace.lineage.wire_sources import Spot
from studio.ui.panels.origin import OriginPanel
from studio.ui.panels.value_card import ValueCard
from studio.ui.viewmodels.run.origin_rows import OriginRows
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.runtime.bench import REGISTRY, flow_of, run
from tests.ui.builders import a_look
from tests.ui.window.live_runs import LONG, finish, live_of

pytestmark = pytest.mark.shared_window

WRITER = NodeId("writer")


def texts(flow: OpenFlow) -> list[str]:
    """All rows that are open, as they stand."""
    flow.work.origin.tree.selectAll()
    flow.work.origin.tree.copy()
    return QGuiApplication.clipboard().text().splitlines()


def test_a_selected_nodes_reply_is_followed_back_and_a_row_shows_its_step_everywhere(
    qtbot: QtBot, window: MainWindow, small: OpenFlow
) -> None:
    work = small.work
    work.session.selection.select([WRITER])
    assert small.origins.can_ask()
    window.app.commands.run("run.origin")
    assert texts(small)[0].startswith("Writer · reply · You asked: Why?")
    # What it began with is looked for a little at a time, and may take longer on a busy machine.
    for beginning in ("model", "given · Why?"):
        qtbot.waitUntil(
            lambda said=beginning: any(said in line for line in texts(small)),  # type: ignore[misc]
            timeout=LONG,
        )
    # Over its chat, which the last row stands for.
    tree = work.origin.tree
    qtbot.waitUntil(tree.isVisible, timeout=LONG)
    tree.setFocus()
    row = next(one for one in _items(small) if one.text(0) == "Writer: chat 1")
    qtbot.waitUntil(tree.hasFocus, timeout=LONG)
    tree.setCurrentItem(row)
    assert work.session.selection.now.step == StepId("writer#chat.1")
    assert work.messages.step == StepId("writer#chat.1")


def test_a_card_in_the_inspector_asks_for_its_own_value(window: MainWindow, small: OpenFlow) -> None:
    del window
    small.work.session.selection.select([WRITER])
    card = next(one for one in small.work.inspector.values.findChildren(ValueCard) if not one.isHidden())
    buttons = {one.accessibleName(): one for one in card.findChildren(QToolButton)}
    buttons["Where does this come from?"].click()
    assert small.work.origin.spots == (Spot(StepId("writer"), "input", "prompt"),)
    buttons["Copy the value"].click()
    assert QGuiApplication.clipboard().text() == "Why?"


def test_a_port_and_a_wire_say_where_their_value_comes_from(window: MainWindow, small: OpenFlow) -> None:
    del window
    menu = QMenu()
    small.origins.add_to(menu, "writer.reply", is_output=True)
    (action,) = menu.actions()
    action.trigger()
    assert small.work.origin.spots == (Spot(StepId("writer"), "output", "reply"),)
    wire = next(one for one in small.work.session.flow.wires if one.target.node == WRITER)
    small.work.session.selection.select([], [wire])
    small.origins.ask_selected()
    assert small.work.origin.spots == (Spot(StepId(wire.source.node), "output", "value"),)


def test_what_a_fork_reused_leads_to_the_run_that_paid_for_it(qtbot: QtBot, small: OpenFlow) -> None:
    first = live_of(small).run
    small.controls.replay_shown()
    finish(qtbot, small)
    assert live_of(small).run != first
    chat = Spot(StepId("writer#chat.1"), "output", "answer")
    small.origins.show([chat])
    assert any(f"reused from run {first}" in line for line in texts(small))
    menu = small.work.origin.make_menu()
    next(one for one in menu.actions() if "taken from" in one.text()).trigger()
    shown = small.work.shown
    qtbot.waitUntil(lambda: shown.run is not None and shown.run.run == first, timeout=LONG)
    qtbot.waitUntil(lambda: small.work.session.selection.now.step == chat.step, timeout=LONG)
    assert small.work.origin.spots == ()


def _items(flow: OpenFlow) -> list[QTreeWidgetItem]:
    return flow.work.origin.tree.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive)


def test_what_lies_ten_thousand_values_back_is_found_while_the_window_goes_on(qtbot: QtBot) -> None:
    nodes = {
        "word": ("text.text", {"text": "owl"}),
        "rounds": ("control.loop", {"max_rounds": 2500}),
        "same": ("text.template", {"template": "{{word}}"}),
        "out": "io.flow_output",
    }
    wires = [
        "word.text -> rounds.start",
        "rounds.value -> same.word",
        "same.text -> rounds.again",
        "rounds.result -> out.value",
    ]
    flow = flow_of(nodes, wires)
    state = asyncio.run(run(flow)).state
    panel = OriginPanel(a_look())
    qtbot.addWidget(panel)
    panel.show_origin(OriginRows(state, flow, REGISTRY), [Spot(StepId("out"), "input", "value")])
    group = panel.tree.topLevelItem(0).child(0)
    assert group.text(0) == "0 sources so far…"
    qtbot.waitUntil(lambda: group.text(0) == "1 source", timeout=LONG)
    assert group.child(0).text(0) == "word · text"


def test_names_are_readable_in_a_narrow_dock_and_values_stand_in_tooltips(qtbot: QtBot) -> None:
    flow = flow_of(
        {"word": ("text.text", {"text": "owl"}), "out": "io.flow_output"}, ["word.text -> out.value"]
    )
    state = asyncio.run(run(flow)).state
    panel = OriginPanel(a_look())
    qtbot.addWidget(panel)
    panel.show_origin(OriginRows(state, flow, REGISTRY), [Spot(StepId("out"), "input", "value")])
    panel.resize(240, 300)
    panel.show()
    tree = panel.tree
    assert tree.isColumnHidden(1)
    assert tree.columnWidth(0) == tree.viewport().width()
    first = tree.topLevelItem(0)
    assert "owl" in first.toolTip(0)
    panel.resize(500, 300)
    assert not tree.isColumnHidden(1)
