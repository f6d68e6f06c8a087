"""A flow whose chat profile cannot answer runs at once: what is chosen answers, and goes on answering."""

import json
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from studio.app.profiles.local_endpoints import BackgroundSearch, LocalEndpoint
from studio.app.runs.live_run import LiveRun
from studio.llm.presets import ALL
from studio.ui.editors.simple import ChoiceEditor, LineEditor
from studio.ui.panels.inspector.start_form import ADD, StartForm
from studio.ui.window.main_window import MainWindow
from studio.ui.window.models.chat_profiles import ChatProfiles
from studio.ui.window.models.who_answers import WhoAnswers
from studio.ui.window.open_flow import OpenFlow
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets
from tests.app.flows import chain
from tests.app.rings import MemoryRing
from tests.app.written_projects import write_project
from tests.ui.window.windows import LONG

pytestmark = pytest.mark.shared_window

KEY = "a-key-that-nobody-else-may-see-4712"


@pytest.fixture(autouse=True)
def ring(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryRing:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "STEPWIRE_CHAT"):
        monkeypatch.delenv(name, raising=False)
    made = MemoryRing()
    window.app.secrets = Secrets(tmp_path / "config", lambda: made)
    return made


@pytest.fixture
def own(window: MainWindow, tmp_path: Path) -> OpenFlow:
    """A flow that somebody has just drawn: no script, no profile, no key."""
    window.documents.open(
        write_project(tmp_path / "own", flow=chain(default="Why do herons wait at the weir?"))
    )
    assert window.front is not None
    return window.front


def asked(qtbot: QtBot, window: MainWindow) -> WhoAnswers:
    """Run the flow, and wait to be asked who answers."""
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: bool(open_ones(window)), timeout=LONG)
    return open_ones(window)[-1]


def open_ones(window: MainWindow) -> list[WhoAnswers]:
    return [one for one in window.findChildren(WhoAnswers) if one.isVisible()]


def has_outputs(own: OpenFlow) -> bool:
    run = own.controls.own.last
    return run is not None and bool(run.state.outputs)


def ran(qtbot: QtBot, own: OpenFlow) -> LiveRun:
    qtbot.waitUntil(lambda: has_outputs(own), timeout=LONG)
    assert own.controls.own.last is not None
    return own.controls.own.last


def start(own: OpenFlow) -> StartForm:
    return own.work.inspector.start


def test_make_it_up_runs_at_once_is_marked_and_stays_the_flow_s_profile(
    qtbot: QtBot, window: MainWindow, own: OpenFlow
) -> None:
    dialog = asked(qtbot, window)
    assert window.notices.text == ""
    dialog.make_up.click()
    run = ran(qtbot, own)
    assert "made_up" in run.state.outputs["answer"].labels
    assert start(own).chosen_profile == "made-up"
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: own.controls.own.last is not run, timeout=LONG)
    ran(qtbot, own)
    assert not open_ones(window)
    window.list_runs()
    assert "made-up answers" in window.runs.list.item(0).data(0x0100).detail


def test_i_answer_has_each_chat_wait_in_questions(qtbot: QtBot, window: MainWindow, own: OpenFlow) -> None:
    asked(qtbot, window).by_hand.click()
    forms = own.work.questions
    qtbot.waitUntil(lambda: bool(forms.forms), timeout=LONG)
    (form,) = forms.forms.values()
    assert "Why do herons wait at the weir?" in form.asked.question
    form.tell({"answer": "For fish."})
    run = ran(qtbot, own)
    assert run.state.outputs["answer"].data == "For fish."


def test_ports_of_this_machine_are_tried_only_when_that_is_pressed_and_one_is_used_at_once(
    qtbot: QtBot, window: MainWindow, own: OpenFlow
) -> None:
    tried: list[int] = []

    def find() -> list[LocalEndpoint]:
        tried.append(1)
        return [LocalEndpoint(ALL["ollama"], ("qwen3:8b", "tiny"))]

    dialog = asked(qtbot, window)
    dialog.begin_search = partial(BackgroundSearch, find)
    assert not tried
    dialog.look_button.click()
    qtbot.waitUntil(dialog.look_button.isEnabled, timeout=LONG)
    assert tried == [1]
    dialog.chosen.disconnect()  # nobody serves it here
    (use,) = [one for one in dialog.found.findChildren(QPushButton) if one.accessibleName() == "Use Ollama"]
    use.click()
    project = Project.open(own.work.session.project.root)
    assert project.default_profile == "ollama"
    assert (project.profiles["ollama"].llm, project.profiles["ollama"].kind) == ("qwen3:8b", "ollama")
    assert start(own).chosen_profile == "ollama", "the default that was just made is the flow's"


@pytest.mark.usefixtures("own")
def test_where_nothing_answers_the_ports_are_named(qtbot: QtBot, window: MainWindow) -> None:
    dialog = asked(qtbot, window)
    dialog.begin_search = partial(BackgroundSearch, list)
    dialog.look_button.click()
    qtbot.waitUntil(dialog.look_button.isEnabled, timeout=LONG)
    assert any("11434" in one.text() for one in dialog.found.findChildren(QLabel))


def test_a_key_is_kept_in_the_keyring_and_what_is_missing_is_said_beside_its_field(
    qtbot: QtBot, window: MainWindow, own: OpenFlow
) -> None:
    dialog = asked(qtbot, window)
    dialog.chosen.disconnect()
    dialog.key_button.click()
    assert dialog.key_page.isVisible()
    key, llm = dialog.form["key"], dialog.form["llm"]
    assert isinstance(key, LineEditor)
    assert isinstance(llm, LineEditor)
    assert key.field.echoMode() is QLineEdit.EchoMode.Password
    dialog.use_button.click()
    assert key.message == "Enter the key."
    key.field.setText(KEY)
    dialog.use_button.click()
    assert "Enter the name of the model" in llm.message
    llm.field.setText("gpt-5-mini")
    dialog.use_button.click()
    assert not dialog.isVisible()
    text = (own.work.session.project.root / "project.json").read_text("utf-8")
    assert KEY not in text
    assert json.loads(text)["chat"]["profiles"]["own"]["key_from"] == "keyring"
    assert window.app.secrets.key_for("https://api.openai.com/v1") == KEY


def test_both_are_always_offered_and_add_begins_another(window: MainWindow, own: OpenFlow) -> None:
    chooser = start(own).profile["profile"]
    assert isinstance(chooser, ChoiceEditor)
    words = [chooser.field.itemText(row) for row in range(chooser.field.count())]
    assert words == ["openai", "Made-up answers", "I answer", "Add…"]
    chooser.field.setCurrentIndex(chooser.field.findData(ADD))
    dialog = window.findChildren(ChatProfiles)[-1]
    assert [draft.profile.name for draft in dialog.drafts] == ["profile"]
    assert start(own).chosen_profile == "openai", "until it is saved"


def test_a_profile_that_is_made_the_default_is_used_at_once(window: MainWindow, own: OpenFlow) -> None:
    start(own).choose_profile("openai")
    window.app.commands.run("file.profiles")
    dialog = window.findChildren(ChatProfiles)[-1]
    dialog.add()
    dialog.save()
    assert start(own).chosen_profile == "profile"


def test_made_up_answers_are_kept_as_a_script_from_which_the_flow_answers_then(
    qtbot: QtBot, window: MainWindow, own: OpenFlow
) -> None:
    keep = window.app.commands["run.keep_answers"]
    assert not keep.is_enabled()
    asked(qtbot, window).make_up.click()
    run = ran(qtbot, own)
    qtbot.waitUntil(lambda: run.is_over, timeout=LONG)
    assert keep.is_enabled()
    window.app.commands.run("run.keep_answers")
    assert (own.work.session.project.root / "scripts" / "kept_1.yaml").is_file()
    assert start(own).chosen_profile == "kept_1"
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: own.controls.own.last is not run and has_outputs(own), timeout=LONG)
    again = ran(qtbot, own)
    assert again.state.outputs["answer"].data == run.state.outputs["answer"].data
    assert "made_up" not in again.state.outputs["answer"].labels


def test_a_flow_that_the_script_of_its_project_does_not_know_is_offered_other_answers(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    script = "rules:\n  - name: critic\n    when: {node: critic}\n    reply: Fine.\n"
    flow = chain(default="Why do herons wait at the weir?")
    window.documents.open(
        write_project(tmp_path / "own", flow=flow, script=script, chat={"default": "scripted"})
    )
    own = window.front
    assert own is not None
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: "only for the flow" in window.notices.text, timeout=LONG)
    made_up, ask = window.notices.buttons[:2]
    assert (made_up.text(), ask.text()) == ("Made-up answers", "What should answer?…")
    made_up.click()
    run = ran(qtbot, own)
    assert "made_up" in run.state.outputs["answer"].labels
    assert window.notices.text == ""


def test_what_a_run_lacked_is_not_said_once_it_is_there(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.documents.open(write_project(tmp_path / "own", flow=chain(), chat={"default": "Made-up answers"}))
    own = window.front
    assert own is not None
    window.app.commands.run("run.run")
    assert "needs an input" in window.notices.text
    inputs = start(own).inputs
    assert inputs is not None
    inputs["question"].set_value("Why?")
    inputs["question"].edited.emit("Why?")
    assert window.notices.text == ""
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: "no chat profile" in window.notices.text, timeout=LONG)
    start(own).choose_profile("made-up")
    window.app.commands.run("run.run")
    ran(qtbot, own)
    assert window.notices.text == ""
