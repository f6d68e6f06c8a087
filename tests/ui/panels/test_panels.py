from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from studio.app.runs.debugger import Debugger
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.checks.check import check
from studio.flow.checks.problem import Problem
from studio.flow.checks.problem import Remedy as Mending
from studio.ids import RunId, StepId
from studio.store.summary import RunSummary
from studio.trace.events import (
    ApprovalAsked,
    ApprovalGiven,
    ChatRequested,
    LogWritten,
    StateWritten,
    StepCancelled,
    StepFinished,
    StepHeld,
    StepStarted,
    TextStreamed,
)
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunStatus
from studio.ui.canvas.hand.new_nodes import KIND_MIME
from studio.ui.panels.debugger import DebuggerPanel
from studio.ui.panels.library import LibraryPanel
from studio.ui.panels.log import LogPanel
from studio.ui.panels.messages import MessagesPanel
from studio.ui.panels.problems import ProblemsPanel
from studio.ui.panels.project_files import ProjectFilesPanel
from studio.ui.panels.questions import QuestionsPanel
from studio.ui.panels.runs.panel import RunsPanel
from studio.ui.panels.timeline import TimelinePanel
from studio.ui.panels.timeline.painter import TimelinePainter
from studio.ui.panels.widgets.listing import Listing, ListRow
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.workspace.catalog import builtin_registry
from tests.ui.builders import a_flow, a_look, a_run, a_session, entries


def shown(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.addWidget(widget)
    widget.resize(640, 320)
    widget.show()


# ---------------------------------------------------------------- library


def test_searching_the_library_leaves_what_fits(qtbot: QtBot) -> None:
    panel = LibraryPanel(a_look(), builtin_registry())
    shown(qtbot, panel)
    panel.search.setText("loop round")
    assert [row.kind for row in panel.model.rows if row.kind] == ["control.loop"]


def test_enter_in_the_search_adds_the_first_that_is_found(qtbot: QtBot) -> None:
    panel = LibraryPanel(a_look(), builtin_registry())
    shown(qtbot, panel)
    panel.search.setText("classify")
    with qtbot.waitSignal(panel.chosen) as told:
        qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    assert told.args == ["llm.classify"]


def test_a_dragged_kind_carries_its_name(qtbot: QtBot) -> None:
    panel = LibraryPanel(a_look(), builtin_registry())
    shown(qtbot, panel)
    qtbot.waitUntil(lambda: bool(panel.model.rows))
    row = next(number for number, one in enumerate(panel.model.rows) if one.kind)
    data = panel.model.mimeData([panel.model.index(row)])
    assert bytes(data.data(KIND_MIME).data()).decode() == panel.model.rows[row].kind


def test_a_category_cannot_be_chosen(qtbot: QtBot) -> None:
    panel = LibraryPanel(a_look(), builtin_registry())
    shown(qtbot, panel)
    qtbot.waitUntil(lambda: bool(panel.model.rows))
    assert panel.model.flags(panel.model.index(0)) == Qt.ItemFlag.NoItemFlags


# ---------------------------------------------------------------- timeline


def timeline(qtbot: QtBot) -> TimelinePanel:
    panel = TimelinePanel(a_look())
    shown(qtbot, panel)
    run = a_run(
        ("question", StepStarted()),
        ("question", StepFinished()),
        ("writer", StepStarted()),
        ("writer", StepFinished()),
    )
    run.end()
    panel.show_run(run.state, a_flow())
    return panel


def test_a_click_on_a_bar_tells_its_step(qtbot: QtBot) -> None:
    panel = timeline(qtbot)
    view = panel.view
    picture = view.picture()
    x = picture.left + picture.scale.x(3.5)
    y = picture.top + picture.places.tops[1] + 13
    with qtbot.waitSignal(view.step_chosen) as told:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(round(x), y))
    assert told.args == ["writer"]


def test_the_wheel_zooms_where_the_pointer_is(qtbot: QtBot) -> None:
    view = timeline(qtbot).view
    before = view.scale
    view._zoom(2.0, 300.0)
    assert view.scale.per_second == before.per_second * 2
    assert abs(view.scale.seconds(300.0) - before.seconds(300.0)) < 1e-9


def test_every_bar_is_within_reach_of_the_keyboard(qtbot: QtBot) -> None:
    view = timeline(qtbot).view
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    with qtbot.waitSignal(view.step_chosen) as told:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert told.args == ["writer"]


def test_a_chosen_step_is_described_to_those_who_do_not_see_it(qtbot: QtBot) -> None:
    panel = timeline(qtbot)
    panel.select(StepId("writer"))
    assert panel.view.accessibleDescription().startswith("Writer")


def test_without_a_run_the_timeline_says_how_to_fill_it(qtbot: QtBot) -> None:
    panel = TimelinePanel(a_look())
    shown(qtbot, panel)
    panel.show_run(None, a_flow())
    assert panel.empty.isVisible()
    assert panel.view.bar_at(QPointF(100, 100)) is None


def test_what_was_cancelled_while_it_was_held_looks_held_no_more(qtbot: QtBot) -> None:
    panel = TimelinePanel(a_look())
    shown(qtbot, panel)
    run = a_run(("writer", StepHeld("before", "breakpoint")))
    colors: list[set[str]] = []
    for happening in (None, StepCancelled()):
        if happening is not None:
            run.take(entries(("writer", StepHeld("before", "breakpoint")), ("writer", happening))[2:])
            run.end()
        panel.show_run(run.state, a_flow())
        lane = panel.view.picture().lanes[0]
        rect = TimelinePainter(a_look()).bar_rect(lane.bars[0], panel.view.picture(), 0, 0).toRect()
        image = panel.view.viewport().grab().toImage()
        y = rect.center().y()
        colors.append({image.pixelColor(x, y).name() for x in range(rect.left() + 4, rect.right() - 4)})
    held = a_look().color("state.held").name()
    assert [held in found for found in colors] == [True, False]


# ---------------------------------------------------------------- messages


def test_a_stream_grows_in_the_bubble_that_is_there(qtbot: QtBot) -> None:
    panel = MessagesPanel(a_look())
    shown(qtbot, panel)
    request = ChatRequested("", {"messages": [{"role": "user", "content": "Which birds?"}]})
    run = a_run(("writer", StepStarted()), ("writer#chat.1", "writer", request))
    panel.show_step(run.state, StepId("writer"), "Writer")
    last = panel.bubbles[-1]
    run.take(entries(("writer#chat.1", "writer", TextStreamed("Three species")))[1:])
    panel.refresh()
    assert panel.bubbles[-1] is last
    assert last.words.body == "Three species"


def test_a_step_that_said_nothing_leaves_a_hint(qtbot: QtBot) -> None:
    panel = MessagesPanel(a_look())
    shown(qtbot, panel)
    assert panel.empty.title == "No messages"
    panel.show_step(a_run(("question", StepStarted())).state, StepId("question"), "Question")
    assert panel.empty.isVisible()
    assert panel.empty.title == "No messages yet"


# ---------------------------------------------------------------- debugger, problems, questions


def test_the_debugger_shows_the_variables_of_the_run(qtbot: QtBot, tmp_path: Path) -> None:
    session = a_session(tmp_path)
    panel = DebuggerPanel(a_look(), session, Debugger(session))
    shown(qtbot, panel)
    run = a_run(
        ("writer", StepStarted()),
        ("writer", StateWritten("birds", "set", Shown(["owl"]))),
        ("writer", StepFinished()),
    )
    panel.show_step(run.state, None)
    said = [one.text() for one in panel.findChildren(QLabel)]
    assert "variable birds" in said
    panel.show_step(run.state, StepId("writer"))
    scopes = panel.scopes.invisibleRootItem()
    whole = scopes.child(scopes.childCount() - 1)
    assert (whole.text(0), whole.isExpanded()) == ("Run", True)
    assert ("variable birds", '["owl"]') in [
        (whole.child(at).text(0), whole.child(at).text(1)) for at in range(whole.childCount())
    ]


def test_a_remedy_is_a_button_that_gives_its_change(qtbot: QtBot, tmp_path: Path) -> None:
    session = a_session(tmp_path)
    wire = next(wire for wire in session.flow.wires if wire.target.node == "writer")
    session.history.do(edits.disconnect(session.flow, [wire]))
    panel = ProblemsPanel(a_look())
    shown(qtbot, panel)
    panel.show_problems(session.flow, check(session.flow, session.registry))
    mended = [row for row in panel.rows if row.remedies]
    for row in mended:
        with qtbot.waitSignal(panel.mended) as told:
            row.remedies[0].click()
        assert told.args == [row.problem.remedies[0].change]
    assert panel.rows


def test_all_remedies_are_seen_in_a_narrow_panel(qtbot: QtBot) -> None:
    remedies = tuple(Mending(f"remove the wire from number {n} to the next", Change("")) for n in range(4))
    panel = ProblemsPanel(a_look())
    shown(qtbot, panel)
    panel.show_problems(
        a_flow(), [Problem("cycle", "error", "They wait for one another.", None, remedies=remedies)]
    )
    qtbot.waitUntil(lambda: panel.rows[0].remedies[-1].width() > 0)
    for button in panel.rows[0].remedies:
        right = button.mapTo(panel, button.rect().topRight()).x()
        assert right < panel.width()
        assert button.width() >= button.sizeHint().width()


def test_a_question_is_a_form_and_its_answer_is_told_once_complete(qtbot: QtBot) -> None:
    panel = QuestionsPanel(a_look())
    shown(qtbot, panel)
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "title": "Answer"}},
        "required": ["answer"],
    }
    run = a_run(("ask", StepStarted()), ("ask#ask.1", "ask", ApprovalAsked("Which pond?", schema)))
    panel.show_questions(a_flow(), run.state)
    form = panel.forms[StepId("ask#ask.1")]
    heard: list[object] = []
    panel.answered.connect(lambda step, answer: heard.append((step, answer)))
    form.button.click()
    assert heard == []
    assert form.form["answer"].message
    form.form["answer"].set_value("The small one")
    form.button.click()
    assert heard == [("ask#ask.1", {"answer": "The small one"})]
    run.take(entries(("ask#ask.1", "ask", ApprovalGiven({"answer": "The small one"})))[1:])
    panel.show_questions(a_flow(), run.state)
    assert panel.forms == {}


def test_an_answer_that_does_not_fit_its_form_is_said_where_it_stands_and_not_told(qtbot: QtBot) -> None:
    panel = QuestionsPanel(a_look())
    shown(qtbot, panel)
    schema = {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "title": "How many", "minimum": 1},
            "size": {"enum": [1, 2]},
            "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
        },
        "required": ["count"],
        "$defs": {"tag": {"type": "string", "pattern": "^[a-z]+$"}},
    }
    run = a_run(("ask", StepStarted()), ("ask#ask.1", "ask", ApprovalAsked("Which pond?", schema)))
    panel.show_questions(a_flow(), run.state)
    form = panel.forms[StepId("ask#ask.1")]
    heard: list[object] = []
    panel.answered.connect(lambda _, answer: heard.append(answer))
    for count, tags, said in (
        (0, [], "at least 1"),
        (1.5, [], "of type integer"),
        (2, ["A"], "match the pattern"),
    ):
        form.form["count"].set_value(count)
        form.form["size"].set_value("2")
        form.form["tags"].set_value(tags)
        form.button.click()
        assert heard == []
        assert said in form.form["count"].message + form.form["tags"].message
    form.form["tags"].set_value(["a", "b"])
    form.button.click()
    assert heard == [{"count": 2, "size": 2, "tags": ["a", "b"]}]


def test_what_is_allowed_or_not_has_two_buttons_and_the_keyboard_is_on_the_safe_one(qtbot: QtBot) -> None:
    question = "May this command be started?\n  <b>node</b> server.js"
    schema = {"type": "object", "properties": {"allow": {"type": "boolean"}}, "required": ["allow"]}
    for press, expected in (("button", True), ("no", False)):
        panel = QuestionsPanel(a_look())
        shown(qtbot, panel)
        run = a_run(("server#ask.1", "server", ApprovalAsked(question, schema)))
        panel.show_questions(a_flow(), run.state)
        form = panel.forms[StepId("server#ask.1")]
        heard: list[tuple[object, ...]] = []
        panel.answered.connect(lambda *told, heard=heard: heard.append(told))  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType]
        form.focus_first()
        assert form.focusWidget() is form.no
        labels = {one.text(): one.textFormat() for one in form.findChildren(QLabel)}
        assert labels["  <b>node</b> server.js"] is Qt.TextFormat.PlainText, (
            "what others wrote is shown as it is"
        )
        getattr(form, press).click()
        assert heard == [("server#ask.1", {"allow": expected})]
        assert not form.button.isEnabled()


def test_a_question_of_a_server_can_be_declined_and_choices_are_shown_by_their_words(qtbot: QtBot) -> None:
    panel = QuestionsPanel(a_look())
    shown(qtbot, panel)
    choices = {"type": "string", "oneOf": [{"const": "w", "title": "Wren"}, {"const": "o", "title": "Owl"}]}
    schema = {"type": "object", "properties": {"bird": choices}, "required": ["bird"], "mayDecline": True}
    run = a_run(("server#ask.1", "server", ApprovalAsked("Which bird?", schema)))
    panel.show_questions(a_flow(), run.state)
    form = panel.forms[StepId("server#ask.1")]
    box = form.findChild(QComboBox)
    assert isinstance(box, QComboBox)
    assert [box.itemText(place) for place in range(box.count())] == ["Choose…", "Wren", "Owl"]
    heard: list[tuple[object, ...]] = []
    panel.answered.connect(lambda *told: heard.append(told))  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType]
    form.decline.click()
    box.setCurrentIndex(1)
    form.button.click()
    assert [answer for _, answer in heard] == [{"declined": True}, {"bird": "w"}]


def test_a_second_question_is_told_although_as_many_wait_as_before(qtbot: QtBot) -> None:
    panel = QuestionsPanel(a_look())
    shown(qtbot, panel)
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
    run = a_run(("first#ask.1", "first", ApprovalAsked("Which pond?", schema)))
    told: list[int] = []
    panel.asked.connect(lambda: told.append(len(panel.forms)))
    panel.show_questions(a_flow(), run.state)
    panel.show_questions(a_flow(), run.state)
    assert told == [1]
    given = ("first#ask.1", "first", ApprovalGiven({"answer": "The small one"}))
    run.take(entries(given, ("second#ask.1", "second", ApprovalAsked("Sure?", schema)))[1:])
    panel.show_questions(a_flow(), run.state)
    assert list(panel.forms) == ["second#ask.1"]
    assert told == [1, 1]


def test_the_keyboard_goes_from_an_answer_to_the_next_question(qtbot: QtBot) -> None:
    panel = QuestionsPanel(a_look())
    shown(qtbot, panel)
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
    run = a_run(("first#ask.1", "first", ApprovalAsked("Which pond?", schema)))
    panel.show_questions(a_flow(), run.state)
    panel.forms[StepId("first#ask.1")].button.click()
    given = ("first#ask.1", "first", ApprovalGiven({"answer": ""}))
    run.take(entries(given, ("second#ask.1", "second", ApprovalAsked("Sure?", schema)))[1:])
    panel.show_questions(a_flow(), run.state)
    focused = panel.focusWidget()
    assert focused is not None
    assert panel.forms[StepId("second#ask.1")].isAncestorOf(focused)


# ---------------------------------------------------------------- lists, log, notices


def test_runs_are_listed_with_their_state_and_an_interrupted_one_says_so(qtbot: QtBot) -> None:
    panel = RunsPanel(a_look())
    shown(qtbot, panel)
    panel.show_runs(
        [
            RunSummary(RunId("b"), "Flow", status=RunStatus.INTERRUPTED, started=10.0, ended=12.0),
            RunSummary(RunId("a"), "Flow", status=RunStatus.FINISHED, started=1.0, ended=2.0, tokens=7),
        ]
    )
    assert [row.detail for row in panel.list.rows] == ["interrupted · 2.0 s", "done · 1.0 s · 7 tokens"]


def test_a_fork_says_what_it_changed_where_runs_of_several_flows_are_listed(qtbot: QtBot) -> None:
    panel = RunsPanel(a_look())
    qtbot.addWidget(panel)
    panel.show_runs(
        [
            RunSummary(RunId("c"), "Critic", started=20.0),
            RunSummary(RunId("b"), "Notes", started=10.0, forked_from="a", changes="Put 2 at `x.y`."),
            RunSummary(RunId("a"), "Notes", started=1.0),
        ]
    )
    titles = [row.title.split("  ", 1)[1] for row in panel.list.rows]
    assert titles == ["Critic", "Notes", "Put 2 at `x.y`."]


def test_runs_of_several_flows_say_whose_they_are(qtbot: QtBot) -> None:
    panel = RunsPanel(a_look())
    shown(qtbot, panel)
    runs = [RunSummary(RunId("b"), "Birds", started=10.0), RunSummary(RunId("a"), "Birds", started=1.0)]
    panel.show_runs(runs)
    assert not any("Birds" in row.title for row in panel.list.rows)
    panel.show_runs([*runs, RunSummary(RunId("c"), "Ponds", started=0.0)])
    assert [row.title.split()[-1] for row in panel.list.rows] == ["Birds", "Birds", "Ponds"]


def test_forks_stand_beneath_the_run_that_they_go_back_to(qtbot: QtBot) -> None:
    panel = RunsPanel(a_look())
    shown(qtbot, panel)
    fork = RunSummary(RunId("b"), "Flow", started=10.0, forked_from="a")
    panel.show_runs([fork, RunSummary(RunId("a"), "Flow", started=1.0)])
    assert [(row.key, row.depth) for row in panel.list.rows] == [("a", 0), ("b", 1)]
    assert panel.summary(RunId("b")) is fork


def test_only_the_run_that_is_shown_looks_chosen(qtbot: QtBot) -> None:
    panel = RunsPanel(a_look())
    shown(qtbot, panel)
    runs = [RunSummary(RunId("b"), "Flow", started=10.0), RunSummary(RunId("a"), "Flow", started=1.0)]
    panel.show_runs(runs)
    panel.list.setCurrentRow(1)
    panel.show_shown(RunId("b"), is_old=False)
    assert panel.list.current_key() == "b"
    panel.show_shown(RunId("a run that is still going on"), is_old=False)
    assert panel.list.current_key() == ""


def test_a_notice_has_a_button_for_each_thing_that_can_be_done(qtbot: QtBot) -> None:
    bar = NoticeBar(a_look())
    shown(qtbot, bar)
    done: list[str] = []
    bar.say("It waits.", [Remedy(one, lambda one=one: done.append(one)) for one in ("Continue", "Stop")])
    assert [one.text() for one in bar.buttons] == ["Continue", "Stop"]
    bar.buttons[1].click()
    assert (done, bar.text, bar.buttons) == (["Stop"], "", ())


def test_a_listing_keeps_its_place_when_rows_change(qtbot: QtBot) -> None:
    listing = Listing(a_look(), "Rows")
    shown(qtbot, listing)
    listing.show_rows([ListRow("a", "A"), ListRow("b", "B")])
    listing.setCurrentRow(1)
    listing.show_rows([ListRow("c", "C"), ListRow("a", "A"), ListRow("b", "B, edited")])
    assert listing.current_key() == "b"


def test_a_flow_in_the_project_is_opened_and_any_other_file_shown(qtbot: QtBot, tmp_path: Path) -> None:
    session = a_session(tmp_path)
    (tmp_path / "notes.txt").write_text("x", "utf-8")
    panel = ProjectFilesPanel(a_look())
    shown(qtbot, panel)
    panel.show_project(session.project, session.path)
    root = panel.tree.invisibleRootItem()
    names = [root.child(number).text(0) for number in range(root.childCount())]
    assert names == ["flow.json", "notes.txt"]
    with qtbot.waitSignal(panel.flow_chosen):
        panel.tree.itemActivated.emit(root.child(0), 0)
    with qtbot.waitSignal(panel.file_chosen):
        panel.tree.itemActivated.emit(root.child(1), 0)


def test_log_lines_are_added_and_never_written_twice(qtbot: QtBot) -> None:
    panel = LogPanel(a_look())
    shown(qtbot, panel)
    run = a_run(("writer", StepStarted()), ("writer", LogWritten("one")))
    panel.show_log(a_flow(), 1.0, run.state.log)
    panel.show_log(a_flow(), 1.0, run.state.log)
    assert panel.text.toPlainText() == "   2.000 s  Writer: one"


def test_the_button_of_a_notice_mends_and_closes_it(qtbot: QtBot) -> None:
    bar = NoticeBar(a_look())
    qtbot.addWidget(bar)
    done: list[str] = []
    bar.say("The run failed.", Remedy("Run again", lambda: done.append("again")), key="run")
    bar.buttons[0].click()
    assert (done, bar.text) == (["again"], "")


def test_a_matter_that_is_over_takes_only_its_own_notice_away(qtbot: QtBot) -> None:
    bar = NoticeBar(a_look())
    qtbot.addWidget(bar)
    bar.say("It could not be saved.", key="file")
    bar.settle("run")
    assert bar.text == "It could not be saved."


def test_the_row_of_the_keyboard_looks_other_than_the_row_that_is_shown(qtbot: QtBot) -> None:
    listing = Listing(a_look(), "Rows")
    qtbot.addWidget(listing)
    listing.show_rows([ListRow("a", "Wren", is_current=True), ListRow("b", "Wren")])
    listing.show()
    listing.activateWindow()
    listing.setFocus()
    qtbot.waitUntil(listing.hasFocus)
    listing.setCurrentRow(1)
    image = listing.viewport().grab().toImage()
    shown, stood_on = (image.copy(listing.visualItemRect(listing.item(row))) for row in (0, 1))
    assert shown != stood_on
