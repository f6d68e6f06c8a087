"""A flow exported as Python, in each form, and never over what somebody edited."""

import json
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from studio.export.forms.signature import is_as_exported
from studio.flow.files import codec
from studio.store.memories.file_names import file_of
from studio.ui.panels.script.forms import Form
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.ui.window.scripts.exports import Wish
from studio.ui.window.scripts.script_sheet import ScriptSheet
from tests.app.written_projects import write_project
from tests.export.test_memories import OUT, noting
from tests.runtime.bench import flow_of
from tests.ui.window.live_runs import LONG

pytestmark = pytest.mark.shared_window


def export(qtbot: QtBot, window: MainWindow, flow: OpenFlow, form: Form, path: Path) -> None:
    window.exports.write(Wish(form, flow.work.session, path))
    wait(qtbot, window)


def wait(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: bool(window.notices.text) and "Writing" not in window.notices.text, timeout=LONG)


def way(window: MainWindow, words: str) -> QPushButton:
    return next(one for one in window.notices.buttons if words in one.text())


def edit(script: Path) -> str:
    text = script.read_text("utf-8").replace("You are strict.", "You are lenient.")
    script.write_text(text, "utf-8")
    return text


def test_one_submenu_has_all_forms_each_with_a_tip(window: MainWindow, flow: OpenFlow) -> None:
    del flow
    entries = window.menus.groups["File"].actions()
    menu = next(one.menu() for one in entries if one.text() == "Export")
    assert isinstance(menu, QMenu)
    titles = [one.text() for one in menu.actions()]
    assert titles == [
        "Export as Python script…",
        "Export as Python script for stepwire-kit…",
        "Export as single file (.pyz)…",
        "Export as Python package…",
        "Export as picture…",
    ]
    assert menu.toolTipsVisible()
    assert all(one.toolTip() != one.text() for one in menu.actions())


@pytest.mark.parametrize(("form", "ending"), [("kit", "py"), ("archive", "pyz")])
def test_the_dialog_suggests_a_file_with_the_ending_of_its_form(
    window: MainWindow, flow: OpenFlow, form: str, ending: str
) -> None:
    del flow
    window.app.commands.run(f"file.export_{form}")
    dialog = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    assert dialog.defaultSuffix() == ending
    assert Path(dialog.selectedFiles()[0]).suffix == f".{ending}"
    dialog.close()


@pytest.mark.parametrize(
    ("form", "name", "command"),
    [
        (Form.SCRIPT, "my answers.py", "uv run '{path}'"),
        (Form.KIT, "my answers.py", "python '{path}'"),
        (Form.ARCHIVE, "my answers.pyz", "python '{path}'"),
        (Form.PACKAGE, "my answers", "uv run --project '{path}' my-answers"),
    ],
)
def test_each_form_is_saved_and_offers_the_command_that_runs_it(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, tmp_path: Path, form: Form, name: str, command: str
) -> None:
    path = tmp_path / name
    export(qtbot, window, flow, form, path)
    assert window.notices.text.startswith(f"Saved to “{path}”")
    way(window, "Copy the command").click()
    assert QGuiApplication.clipboard().text() == command.format(path=path)
    assert (tmp_path / "stepwire_kit").exists() == (form is Form.SCRIPT)
    assert (path / "my_answers" / "script.py").exists() == (form is Form.PACKAGE)


def test_the_edits_of_a_script_are_kept_until_a_person_says_otherwise(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, tmp_path: Path
) -> None:
    script = tmp_path / "answer.py"
    export(qtbot, window, flow, Form.SCRIPT, script)
    edited = edit(script)
    export(qtbot, window, flow, Form.SCRIPT, script)
    assert "was edited after it was exported" in window.notices.text
    assert "“-o”" not in window.notices.text, "that is said to who types a command"
    assert script.read_text("utf-8") == edited
    assert [one.text() for one in window.notices.buttons] == [
        "Apply its edits to the flow…",
        "Overwrite",
        "Choose another place…",
    ]
    way(window, "Overwrite").click()
    qtbot.waitUntil(lambda: window.notices.text.startswith("Saved to"), timeout=LONG)
    assert is_as_exported(script.read_text("utf-8"))


def test_the_edits_of_a_script_can_be_applied_from_where_they_would_be_lost(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, tmp_path: Path
) -> None:
    script = tmp_path / "answer.py"
    export(qtbot, window, flow, Form.KIT, script)
    edit(script)
    export(qtbot, window, flow, Form.KIT, script)
    way(window, "Apply its edits").click()
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(ScriptSheet)), timeout=LONG)
    sheet = next(one for one in window.findChildren(ScriptSheet) if one.isVisible())
    assert [one.text() for one in sheet.boxes] == ["Instructions of “Critic”"]
    sheet.close()


def test_an_edited_engine_is_kept_also_where_the_script_beside_it_is_given_up(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, tmp_path: Path
) -> None:
    script = tmp_path / "answer.py"
    export(qtbot, window, flow, Form.SCRIPT, script)
    edit(script)
    module = tmp_path / "stepwire_kit" / "__init__.py"
    module.write_text(f"{module.read_text('utf-8')}# mine\n", "utf-8")
    export(qtbot, window, flow, Form.SCRIPT, script)
    way(window, "Overwrite").click()
    wait(qtbot, window)
    assert "`" not in window.notices.text
    assert "stepwire_kit" in window.notices.text
    assert module.read_text("utf-8").endswith("# mine\n")
    way(window, "Overwrite").click()
    qtbot.waitUntil(lambda: window.notices.text.startswith("Saved to"), timeout=LONG)
    assert not module.read_text("utf-8").endswith("# mine\n")


def test_a_file_of_another_kind_is_not_taken_for_a_script(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, tmp_path: Path
) -> None:
    other = tmp_path / "mine.py"
    other.write_text("mine = 1\n", "utf-8")
    export(qtbot, window, flow, Form.SCRIPT, other)
    assert "is no exported script" in window.notices.text
    assert [one.text() for one in window.notices.buttons] == ["Overwrite", "Choose another place…"]
    way(window, "Choose another").click()
    dialogs = [one for one in window.findChildren(QDialog) if one.isVisible()]
    assert [one.windowTitle() for one in dialogs] == ["Export as Python script"]
    dialogs[0].close()
    assert other.read_text("utf-8") == "mine = 1\n"


def test_what_an_earlier_export_kept_under_another_name_is_told(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    nodes = {"word": "io.flow_input", "inner": ("control.subflow", {"flow": "keep it.json"}), "out": OUT}
    outer = json.loads(codec.dumps(flow_of(nodes, [])))
    outer["wires"] = ["word.value -> inner.word", "inner.out -> out.value"]
    write_project(tmp_path, flow=outer)
    (tmp_path / "keep it.json").write_text(json.dumps({**noting({}), "name": "Notes on birds"}), "utf-8")
    folder = tmp_path / "data" / "memories"
    folder.mkdir(parents=True)
    file_of(folder, "notes_on_birds:notes").write_bytes(b"")
    window.documents.open(tmp_path)
    assert window.front is not None
    export(qtbot, window, window.front, Form.KIT, tmp_path / "script.py")
    assert window.notices.text.startswith("Saved to")
    assert "earlier exports used “notes_on_birds:notes”" in window.notices.text
