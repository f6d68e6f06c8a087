"""Two runs side by side, as a person reads them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from studio.flow.files import codec
from studio.flow.records import Flow, Node
from studio.ids import NodeId
from studio.trace.differences.comparison import compare_runs
from studio.trace.events import ChatRequested, Event, RunFinished, RunStarted, StepFinished, StepStarted
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunState, fold
from studio.ui.look import Look
from studio.ui.panels.comparison import ComparisonPanel
from tests.trace.builders import answer, numbered
from tests.ui.builders import a_theme

FLOW = Flow(
    name="Trial",
    nodes={
        NodeId("loop"): Node(kind="control.loop", title="Rounds"),
        NodeId("writer"): Node(kind="llm.chat", title="Writer"),
        NodeId("last"): Node(kind="text.text", title="Last"),
    },
)
Happened = tuple[str, Event] | tuple[str, str, Event]


def ran(run: str, *rounds: str, note: object = "x") -> RunState:
    """Rounds of a writer that said these things, and what was made of the last."""
    happened: list[Happened] = []
    for number, said in enumerate(rounds, 1):
        step, chat = f"loop.{number}/writer", f"loop.{number}/writer#chat.1"
        asked = {"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": said}]}
        happened += [
            (step, StepStarted({"prompt": Shown("Why?")})),
            (chat, step, ChatRequested("", asked)),
            (chat, step, answer(f"{said}!", tokens=10, cost=0.5)),
            (step, StepFinished({"reply": Shown(f"{said}!")})),
        ]
    happened += [("last", StepStarted({})), ("last", StepFinished({"value": Shown(note)}))]
    started = RunStarted("Trial", codec.dumps(FLOW))
    return fold(numbered(started, *happened, RunFinished({}), run=run))


@pytest.fixture
def panel(qtbot: QtBot) -> ComparisonPanel:
    made = ComparisonPanel(Look(a_theme("dark")))
    qtbot.addWidget(made)
    return made


def test_without_runs_it_says_how_to_compare_some(qtbot: QtBot, panel: ComparisonPanel) -> None:
    assert panel.empty.title == "No runs to compare"
    panel.compare(compare_runs(ran("a", "owl"), ran("b", "owl")), FLOW)
    assert panel.summary.text().startswith("Both did the same.")
    with qtbot.waitSignal(panel.compared):
        panel.close_button.click()
    assert panel.runs is None


def test_where_both_did_the_same_the_page_says_so_and_offers_all_steps(panel: ComparisonPanel) -> None:
    panel.resize(900, 600)
    panel.show()
    panel.compare(compare_runs(ran("a", "owl"), ran("b", "owl")), FLOW)
    assert panel.same.isVisible()
    assert not panel.list.rows
    panel.same.findChildren(QPushButton)[0].click()
    assert [row.detail for row in panel.list.rows] == ["the same"] * 3
    assert panel.text.isVisible()
    assert "Both runs did the same here." not in panel.text.toPlainText(), "all of the step is shown"
    panel.only_differing.setChecked(True)
    panel.compare(compare_runs(ran("a", "owl"), ran("b", "jay")), FLOW)
    assert not panel.same.isVisible()


def test_the_step_where_they_went_apart_is_chosen_first_and_said(panel: ComparisonPanel) -> None:
    panel.compare(compare_runs(ran("a", "owl", "tit", note="x"), ran("b", "owl", "jay", note="y")), FLOW)
    assert panel.list.current_key() == "loop.2/writer#chat.1"
    assert "First difference: “Writer, round 2: chat 1” (request, answer)." in panel.summary.text()
    assert [row.key for row in panel.list.rows] == ["loop.2/writer", "loop.2/writer#chat.1", "last"]
    assert [row.detail.startswith("first: ") for row in panel.list.rows] == [False, True, False]


def test_only_the_words_that_differ_are_marked(panel: ComparisonPanel) -> None:
    panel.compare(compare_runs(ran("a", "one owl sang"), ran("b", "one tit sang")), FLOW)
    html = panel._page.html(panel.pairs[0], ("", ""), shows_all=False)
    assert "line-through'>owl</span>" in html
    assert "underline'>tit</span>" in html
    assert "1 message is the same." in panel._page.html(panel.pairs[1], ("", ""), shows_all=False)


def test_a_place_in_a_value_is_named(panel: ComparisonPanel) -> None:
    first, second = ran("a", "owl", note={"birds": ["owl"]}), ran("b", "owl", note={"birds": ["owl", "tit"]})
    panel.compare(compare_runs(first, second), FLOW)
    assert "birds[1]" in panel.text.toPlainText()
    assert "tit" in panel.text.toPlainText()


def test_rounds_that_only_one_run_had_are_listed_as_such(panel: ComparisonPanel) -> None:
    panel.compare(compare_runs(ran("a", "owl"), ran("b", "owl", "tit")), FLOW)
    assert [row.detail for row in panel.list.rows] == [
        "first: only in the second run",
        "only in the second run",
    ]


def test_keys_go_from_difference_to_difference_and_tell_the_step_of_the_shown_run(
    qtbot: QtBot, panel: ComparisonPanel
) -> None:
    panel.compare(compare_runs(ran("a", "owl", note="x"), ran("b", "tit", note="y")), FLOW)
    panel.show_run(panel.runs[1].run if panel.runs else None)
    told: list[str] = []
    panel.step_chosen.connect(told.append)
    for _ in range(3):
        panel.go(1)
    panel.go(-1)
    assert told == ["last", "loop.1/writer", "loop.1/writer#chat.1", "loop.1/writer"]
    qtbot.keyClick(panel.list, Qt.Key.Key_Down)
    assert panel.list.current_key() == "loop.1/writer#chat.1"


def test_time_tokens_and_cost_stand_in_a_table_the_most_different_node_first(panel: ComparisonPanel) -> None:
    panel.compare(compare_runs(ran("a", "owl"), ran("b", "owl", "tit")), FLOW)
    rows = [
        [item.text() for column in range(5) if (item := panel.table.item(row, column)) is not None]
        for row in range(panel.table.rowCount())
    ]
    assert rows[0][0] == "The whole run"
    assert rows[0][3] == "10 → 20  (+10)"
    assert [row[0] for row in rows] == ["The whole run", "Writer", "Last"]
    assert rows[1][1] == "1 → 2  (+1)"
    assert rows[1][4].startswith("$0.5000 → $1.00")
    assert rows[2][3] == "0"


def test_the_button_of_a_run_asks_to_show_it(qtbot: QtBot, panel: ComparisonPanel) -> None:
    panel.compare(compare_runs(ran("a", "owl"), ran("b", "tit")), FLOW)
    panel.show_run(panel.runs[0].run if panel.runs else None)
    assert [button.isEnabled() for button in panel.show_buttons] == [False, True]
    with qtbot.waitSignal(panel.run_asked) as asked:
        panel.show_buttons[1].click()
    assert asked.args == ["b"]


def test_of_very_many_steps_those_from_where_they_went_apart_on_are_listed(
    panel: ComparisonPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.ui.panels.comparison.panel.MOST", 3)
    first, second = ran("a", "owl", "tit", "jay", "wren"), ran("b", "owl", "x", "y", "z")
    panel.compare(compare_runs(first, second), FLOW)
    assert len(panel.list.rows) == 3
    assert panel.list.current_key() == "loop.2/writer#chat.1"
    assert panel.more.text() == "3 more not listed."
