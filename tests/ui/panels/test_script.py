"""The script beside the canvas: it follows the flow, and both select the same."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio import places
from studio.app.documents.session import Session
from studio.app.projects.copies import copy_project
from studio.app.scripts.script_preview import Draft, Unwritten, Written, write_script
from studio.app.scripts.script_writer import LOST, Heard, ScriptWriter
from studio.export.spans import Place
from studio.flow import edits
from studio.flow.files.codec import dumps
from studio.flow.records import Flow, Node, Socket, Wire
from studio.flow.subflows.calls import reachable
from studio.ids import NodeId, PortName
from studio.ui.editors.highlight import colored_lines, spans
from studio.ui.panels.script.code_view import CodeView, Marked
from studio.ui.panels.script.forms import Form, form_titles
from studio.ui.panels.script.panel import ScriptPanel
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from tests.examples import examples
from tests.ui.builders import a_look, a_session

CRITIC, WRITER, ROUNDS = NodeId("critic"), NodeId("writer"), NodeId("rounds")


class WritingHere(ScriptWriter):
    """Writes at once, in this process."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def ask(self, asker: object, draft: Draft, heard: Heard) -> None:
        del asker
        self.count += 1
        heard(write_script(draft, builtin_registry()))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return a_session(tmp_path)


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> Iterator[ScriptPanel]:
    made = opened(qtbot, session)
    yield made
    made.close_session()


def opened(qtbot: QtBot, session: Session) -> ScriptPanel:
    panel = ScriptPanel(a_look(), session, WritingHere())
    qtbot.addWidget(panel)
    panel.resize(500, 280)  # less than the script of the example is long
    panel.show()
    assert panel.script is not None
    return panel


def the_example() -> Flow:
    return read_flow(places.projects() / "field_notes" / "flow.json").flow


def line_of(panel: ScriptPanel, words: str) -> int:
    lines = panel.code.toPlainText().split("\n")
    return next(number for number, line in enumerate(lines, 1) if words in line)


def put_cursor(panel: ScriptPanel, line: int) -> None:
    cursor = QTextCursor(panel.code.document().findBlockByNumber(line - 1))
    panel.code.setTextCursor(cursor)


def strong_lines(panel: ScriptPanel) -> set[int]:
    return {line for one in panel.code.marks if one.is_strong for line in range(one.first, one.last + 1)}


def is_in_sight(view: CodeView, line: int) -> bool:
    place = view.cursorRect(QTextCursor(view.document().findBlockByNumber(line - 1)))
    return view.viewport().rect().intersects(place)


def rewrite(panel: ScriptPanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not panel._pause.isActive())


def test_selecting_a_node_marks_its_lines_and_brings_them_into_sight(
    panel: ScriptPanel, session: Session
) -> None:
    line = line_of(panel, "writer = await")
    assert not is_in_sight(panel.code, line)
    session.selection.select([WRITER])
    assert line in strong_lines(panel)
    assert line_of(panel, "critic = await") not in strong_lines(panel)
    assert is_in_sight(panel.code, line)
    session.selection.select([ROUNDS])
    assert {line, line_of(panel, "for _ in rounds(")} <= strong_lines(panel)
    session.selection.select([])
    assert not panel.code.marks


def test_what_was_selected_before_is_in_sight_when_the_script_comes(qtbot: QtBot, session: Session) -> None:
    session.selection.select([CRITIC])
    panel = opened(qtbot, session)
    assert is_in_sight(panel.code, line_of(panel, "critic = await"))
    panel.close_session()


def test_what_a_node_uses_is_marked_less(qtbot: QtBot, tmp_path: Path) -> None:
    session = a_session(tmp_path, the_example())
    panel = opened(qtbot, session)
    session.selection.select([WRITER])
    text = line_of(panel, "WRITER_INSTRUCTIONS = ")
    assert text not in strong_lines(panel)
    assert any(one.first <= text <= one.last for one in panel.code.marks)
    panel.close_session()


def test_the_cursor_selects_the_node_whose_line_it_is_in(
    qtbot: QtBot, panel: ScriptPanel, session: Session
) -> None:
    with qtbot.waitSignal(panel.node_shown) as told:
        put_cursor(panel, line_of(panel, "critic = await"))
    assert told.args == ["critic"]
    assert session.selection.now.nodes == {CRITIC}
    put_cursor(panel, line_of(panel, "from stepwire_kit import"))
    assert session.selection.now.nodes == {CRITIC}, "a line of nobody says nothing"


def test_selecting_text_to_copy_it_selects_no_nodes(panel: ScriptPanel, session: Session) -> None:
    panel.code.selectAll()
    assert not session.selection.now.nodes
    panel.copy_button.click()
    assert QApplication.clipboard().text() == panel.script


def test_an_edit_is_followed_and_the_place_stays(qtbot: QtBot, panel: ScriptPanel, session: Session) -> None:
    panel.code.verticalScrollBar().setValue(15)
    session.history.do(edits.set_title(session.flow, WRITER, "Poet"))
    session.history.do(edits.set_setting(session.flow, WRITER, "instructions", "Rhyme."))
    assert panel.script is None, "it is not written yet"
    rewrite(panel, qtbot)
    assert panel.script is not None
    assert 'instructions="Rhyme."' in panel.script
    assert "# Poet" in panel.script
    assert panel.code.verticalScrollBar().value() == 15


def test_a_panel_that_nobody_sees_asks_for_nothing(qtbot: QtBot, session: Session) -> None:
    panel = opened(qtbot, session)
    writer = panel._writer
    assert isinstance(writer, WritingHere)
    panel.hide()
    session.history.do(edits.set_setting(session.flow, WRITER, "instructions", "Rhyme."))
    assert not panel._pause.isActive()
    assert writer.count == 1
    panel.show()
    assert writer.count == 2
    panel.close_session()


def test_why_there_is_no_script_is_told_with_the_way_to_the_node(
    qtbot: QtBot, panel: ScriptPanel, session: Session
) -> None:
    before = panel.code.toPlainText()
    wire = Wire(Socket(WRITER, PortName("reply")), Socket(CRITIC, PortName("prompt")))
    session.history.do(edits.disconnect(session.flow, [wire]))
    rewrite(panel, qtbot)
    assert "Critic" in panel.notice.text
    assert panel.code.is_faded
    assert panel.code.toPlainText() == before, "the last script stays"
    assert not panel.save_button.isEnabled()
    (button,) = panel.notice.buttons
    assert "Critic" in button.text()
    button.click()
    assert session.selection.now.nodes == {CRITIC}
    assert "Critic" in panel.notice.text, "it stays said while it is so"
    session.history.undo()
    rewrite(panel, qtbot)
    assert not panel.code.is_faded
    assert panel.notice.text == ""
    assert panel.save_button.isEnabled()


def test_a_process_that_ended_can_be_started_again(panel: ScriptPanel) -> None:
    panel._show(panel._session.flow, LOST, [])
    assert panel.script is None
    (button,) = panel.notice.buttons
    button.click()
    assert panel.script is not None


def test_a_line_of_a_called_flow_selects_who_calls_it_and_offers_the_way(
    qtbot: QtBot, tmp_path: Path
) -> None:
    inner = Flow(
        "Inner",
        nodes={
            NodeId("text"): Node(kind="io.flow_input"),
            NodeId("shout"): Node(kind="text.template", settings={"template": "{{text}}!"}),
            NodeId("out"): Node(kind="io.flow_output"),
        },
        wires=(
            Wire(Socket(NodeId("shout"), PortName("text")), Socket(NodeId("out"), PortName("value"))),
            Wire(Socket(NodeId("text"), PortName("value")), Socket(NodeId("shout"), PortName("text"))),
        ),
    )
    outer = Flow(
        "Outer",
        nodes={
            NodeId("call"): Node(
                kind="control.subflow", settings={"flow": "inner.json"}, inputs={"text": "Hi"}
            ),
            NodeId("out"): Node(kind="io.flow_output"),
        },
        wires=(Wire(Socket(NodeId("call"), PortName("out")), Socket(NodeId("out"), PortName("value"))),),
    )
    (tmp_path / "inner.json").write_text(dumps(inner), "utf-8")
    session = a_session(tmp_path, outer)
    panel = opened(qtbot, session)
    put_cursor(panel, line_of(panel, "shout = "))
    assert session.selection.now.nodes == {NodeId("call")}
    assert line_of(panel, "shout = ") in strong_lines(panel), "what was pointed at is marked with it"
    with qtbot.waitSignal(panel.place_asked) as told:
        panel.elsewhere.click()
    assert told.args == ["inner.json", "shout"]
    put_cursor(panel, line_of(panel, "await call("))
    assert not panel.elsewhere.isVisible()
    at_the_foot = line_of(panel, "shout = ")
    QApplication.processEvents()
    panel.code.verticalScrollBar().setValue(0)
    while not is_in_sight(panel.code, at_the_foot):
        panel.code.verticalScrollBar().setValue(panel.code.verticalScrollBar().value() + 1)
    height = panel.code.viewport().height()
    put_cursor(panel, at_the_foot)
    qtbot.waitUntil(lambda: panel.code.viewport().height() < height)
    QApplication.processEvents()
    assert is_in_sight(panel.code, at_the_foot), "what was pointed at stays in sight"
    panel.close_session()


def test_a_branch_that_is_no_step_has_the_line_that_asks(qtbot: QtBot, tmp_path: Path) -> None:
    session = a_session(tmp_path, the_example())
    panel = opened(qtbot, session)
    line = line_of(panel, "if critic.data[")
    session.selection.select([NodeId("accepted")])
    assert line in strong_lines(panel)
    session.selection.select([])
    put_cursor(panel, line)
    assert session.selection.now.nodes == {NodeId("accepted")}
    panel.close_session()


def test_the_title_above_a_statement_selects_its_node(qtbot: QtBot, tmp_path: Path) -> None:
    session = a_session(tmp_path, the_example())
    panel = opened(qtbot, session)
    put_cursor(panel, line_of(panel, "# Next round"))
    assert session.selection.now.nodes == {NodeId("revision")}
    panel.close_session()


def test_every_node_of_a_flow_has_lines_also_in_flows_that_it_calls_or_lends(
    tmp_path: Path,
) -> None:
    for name in ("field_notes", "metagpt", "latte_review", "generative_agents"):
        project = Project.open(copy_project(places.projects() / name, tmp_path).root)
        registry = project_registry(project, builtin_registry())
        flow = read_flow(project.main_flow).flow
        flows = {"": flow, **reachable(flow, registry)}
        written = write_script(Draft(flow, project, flows=reachable(flow, registry)), registry)
        assert isinstance(written, Written)
        for called, flow in flows.items():
            for node in flow.nodes:
                assert written.spans.of([Place(called, node)]), f"{name}: {called} {node}"


def raced(count: int) -> Flow:
    """Two chats, the first of which answers; so many times, one after the other."""
    nodes = {NodeId("text"): Node(kind="io.flow_input", settings={"default": "Why?"})}
    wires: list[Wire] = []
    last = Socket(NodeId("text"), PortName("value"))
    for number in range(count):
        race = NodeId(f"first_{number}")
        nodes[race] = Node(kind="control.race", title=f"First {number}")
        for place in range(2):
            chat = NodeId(f"chat_{number}_{place}")
            nodes[chat] = Node(kind="llm.chat")
            wires.append(Wire(last, Socket(chat, PortName("prompt"))))
            wires.append(Wire(Socket(chat, PortName("reply")), Socket(race, PortName("values")), place))
        last = Socket(race, PortName("value"))
        nodes[NodeId(f"out_{number}")] = Node(kind="io.flow_output")
        wires.append(Wire(last, Socket(NodeId(f"out_{number}"), PortName("value"))))
    return Flow("Races", nodes=nodes, wires=tuple(wires))


def test_what_is_left_as_it_is_drawn_is_counted_and_listed_when_somebody_asks(
    qtbot: QtBot, tmp_path: Path
) -> None:
    session = a_session(tmp_path, raced(2))
    panel = opened(qtbot, session)
    drawn = panel.drawn
    assert drawn.summary.text() == "2 parts are left as drawn"
    assert not drawn.list.isVisible()
    drawn.summary.click()
    assert drawn.list.isVisible()
    lines = [at for at, said in enumerate(panel.code.toPlainText().split("\n"), 1) if "await region(" in said]
    for place, line in enumerate(lines):
        assert f"“First {place}”, line {line}</a>: a race" in drawn.list.text()
    assert set(lines) <= panel.code.drawn
    drawn.list.linkActivated.emit("1")
    assert NodeId("first_1") in session.selection.now.nodes
    assert lines[1] in strong_lines(panel)
    assert is_in_sight(panel.code, lines[1])
    panel.close_session()


def test_where_all_is_python_nothing_is_said_of_it(panel: ScriptPanel) -> None:
    assert not panel.drawn.isVisible()
    assert not panel.code.drawn


def test_nodes_of_a_part_that_is_left_are_marked_where_it_is_run_and_in_its_json(
    qtbot: QtBot, tmp_path: Path
) -> None:
    session = a_session(tmp_path, raced(1))
    panel = opened(qtbot, session)
    session.selection.select([NodeId("chat_0_1")])
    assert line_of(panel, "await region(") in strong_lines(panel)
    noted = line_of(panel, '    "chat_0_1": {"kind"')
    assert any(one.first <= noted <= one.last and not one.is_strong for one in panel.code.marks)
    session.selection.select([])
    put_cursor(panel, noted)
    assert session.selection.now.nodes == {NodeId("chat_0_1")}
    panel.close_session()


def test_the_script_is_saved_in_the_form_that_is_chosen(qtbot: QtBot, panel: ScriptPanel) -> None:
    with qtbot.waitSignal(panel.save_asked) as told:
        panel.save_button.click()
    assert told.args == [Form.SCRIPT]
    entries = panel.forms_button.menu().actions()
    assert [one.text() for one in entries] == list(form_titles().values())
    for form, entry in zip(Form, entries, strict=True):
        with qtbot.waitSignal(panel.save_asked) as told:
            entry.trigger()
        assert told.args == [form]


def test_words_are_found_with_the_keyboard(qtbot: QtBot, panel: ScriptPanel, session: Session) -> None:
    panel.activateWindow()
    panel.find_bar.open()
    qtbot.keyClicks(panel.find_bar.field, "critic")
    assert panel.code.textCursor().selectedText() == "critic"
    first = panel.code.textCursor().position()
    qtbot.keyClick(panel.find_bar.field, Qt.Key.Key_Return)
    assert panel.code.textCursor().position() > first
    qtbot.keyClick(panel.find_bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert panel.code.textCursor().position() == first
    assert panel.find_bar.found.text().split()[0].isdecimal()
    assert not session.selection.now.nodes
    qtbot.keyClick(panel.find_bar.field, Qt.Key.Key_Escape)
    assert panel.find_bar.isHidden()


TEXTS = st.lists(st.sampled_from(["", "a", "b = 1", '"""', "é🙂"]), min_size=1, max_size=8).map("\n".join)


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_whatever_stood_there_the_new_text_is_shown_in_its_colours(texts: list[str]) -> None:
    view = CodeView(a_look())
    for text in texts:
        colors = colored_lines(text, "python")
        view.show_code(text, colors)
        assert view.toPlainText() == text
        for row, line in enumerate(colors):
            block = view.document().findBlockByNumber(row)
            shown = {
                at for one in block.layout().formats() for at in range(one.start, one.start + one.length)
            }
            assert shown == {at for begin, length, _ in line for at in range(begin, begin + length)}
    view.deleteLater()


def test_lines_are_coloured_as_the_whole_text_is() -> None:
    text = 'def f():\n    """One\n    two."""\n    return "🙂" + "x"\n'
    whole = {(text[begin : begin + length], name) for begin, length, name in spans(text, "python")}
    lines = colored_lines(text, "python")
    assert ('"""One\n    two."""', "port.agent") in whole
    assert [name for _, _, name in lines[1]] == ["port.agent"]
    assert lines[2] == [(0, len('    two."""'), "port.agent")]
    assert (12, 2, "port.agent") in lines[3], "as Qt counts"
    assert lines[3][-1][0] + lines[3][-1][1] == len('    return "xx" + "x"')


def test_marks_of_one_line_show_the_stronger(qtbot: QtBot) -> None:
    view = CodeView(a_look())
    qtbot.addWidget(view)
    view.show_code("a\nb\nc", [])
    view.show_marks([Marked(1, 3, is_strong=False), Marked(2, 2, is_strong=True)])
    found = view._mark_of(2)
    assert found is not None
    assert found.is_strong


def test_a_script_that_is_written_or_not_says_so_of_a_draft(session: Session) -> None:
    draft = Draft(session.flow, session.project)
    assert isinstance(write_script(draft, session.registry), Written)
    broken = replace(session.flow, wires=())
    told = write_script(replace(draft, flow=broken), session.registry)
    assert isinstance(told, Unwritten)
    assert told.node
    assert told.others
