"""Chat profiles are edited in the window; keys and what they may be sent to stay outside of the project."""

import json
import socket
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from studio.llm.endpoints.probes import Capability, Finding, Verdict
from studio.ui.editors.place import PlaceEditor
from studio.ui.editors.simple import ChoiceEditor, FlagEditor, LineEditor, NumberEditor
from studio.ui.window.main_window import MainWindow
from studio.ui.window.models.chat_profiles import ChatProfiles
from studio.ui.window.open_flow import OpenFlow
from studio.workspace.abilities import Abilities
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets
from tests.app.flows import chain
from tests.app.rings import LockedRing, MemoryRing
from tests.app.written_projects import write_project
from tests.ui.window.windows import LONG

pytestmark = pytest.mark.shared_window

URL = "https://llm.example/v1"
KEY = "a-key-that-nobody-else-may-see-4711"


pytestmark = pytest.mark.usefixtures("flow")


@pytest.fixture(autouse=True)
def ring(window: MainWindow, tmp_path: Path) -> MemoryRing:
    made = MemoryRing()
    window.app.secrets = Secrets(tmp_path / "config", lambda: made)
    return made


def opened(window: MainWindow) -> ChatProfiles:
    window.app.commands.run("file.profiles")
    return window.findChildren(ChatProfiles)[-1]


def write(dialog: ChatProfiles, field: str, text: str) -> None:
    editor = dialog.form.fields[field]
    assert isinstance(editor, LineEditor)
    editor.field.setText(text)
    editor.field.textEdited.emit(text)


def choose(dialog: ChatProfiles, field: str, value: str) -> None:
    editor = dialog.form.fields[field]
    assert isinstance(editor, ChoiceEditor)
    editor.field.setCurrentIndex(editor.field.findData(value))


def tick(dialog: ChatProfiles) -> None:
    editor = dialog.form.fields["is_allowed"]
    assert isinstance(editor, FlagEditor)
    editor.field.setChecked(True)


def on_disk(project: Path) -> dict[str, object]:
    plain = json.loads((project / "project.json").read_text("utf-8"))
    return plain["chat"]


def test_a_profile_that_is_added_can_be_chosen_for_the_next_run(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    dialog = opened(window)
    dialog.add()
    write(dialog, "name", "local")
    choose(dialog, "kind", "ollama")
    write(dialog, "llm", "qwen3:8b")
    dialog.save()
    profiles = on_disk(project)["profiles"]
    assert isinstance(profiles, dict)
    assert profiles["local"]["base_url"] == "http://127.0.0.1:11434/v1"
    chooser = flow.work.inspector.start._chooser
    assert chooser is not None
    assert chooser.field.findData("local") >= 0
    assert flow.work.session.project.profiles["local"].llm == "qwen3:8b"


def test_a_typed_key_goes_into_the_keyring_and_nowhere_else(
    window: MainWindow, ring: MemoryRing, tmp_path: Path
) -> None:
    dialog = opened(window)
    dialog.add()
    write(dialog, "base_url", URL)
    write(dialog, "llm", "m")
    choose(dialog, "key_from", "keyring")
    write(dialog, "key", KEY)
    key = dialog.form.fields["key"]
    assert isinstance(key, LineEditor)
    assert key.field.echoMode() is QLineEdit.EchoMode.Password
    dialog.save()
    assert ring.kept == {("stepwire", URL): KEY}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_where_a_key_of_the_environment_may_go_is_kept_with_the_users_settings(
    window: MainWindow, project: Path
) -> None:
    dialog = opened(window)
    dialog.add()
    write(dialog, "base_url", URL)
    write(dialog, "key_env", "MY_KEY")
    tick(dialog)
    dialog.save()
    assert window.app.secrets.is_trusted("MY_KEY", URL)
    assert "MY_KEY=" not in (project / "project.json").read_text("utf-8")
    dialog = opened(window)
    dialog._turn(len(dialog.drafts) - 1)
    flag = dialog.form.fields["is_allowed"]
    assert isinstance(flag, FlagEditor)
    assert flag.field.isChecked()
    flag.field.setChecked(False)
    dialog.save()
    assert not window.app.secrets.is_trusted("MY_KEY", URL)


def test_a_key_that_was_typed_for_one_address_is_not_kept_for_another(
    window: MainWindow, ring: MemoryRing
) -> None:
    dialog = opened(window)
    dialog.add()
    choose(dialog, "key_from", "keyring")
    write(dialog, "base_url", "https://mine.example/v1")
    write(dialog, "key", KEY)
    write(dialog, "base_url", URL)
    assert "Enter the key again" in dialog.form.fields["key"].message
    dialog.save()
    assert not ring.kept


@pytest.mark.parametrize("field", ["base_url", "key_env", "kind"])
def test_what_was_allowed_for_one_address_is_not_allowed_for_another(window: MainWindow, field: str) -> None:
    dialog = opened(window)
    dialog.add()
    write(dialog, "base_url", "https://mine.example/v1")
    tick(dialog)
    if field == "kind":
        write(dialog, "base_url", "")
        choose(dialog, "kind", "ollama")
    else:
        write(dialog, field, URL if field == "base_url" else "OTHER_KEY")
    assert not dialog.drafts[-1].is_allowed
    dialog.save()
    assert window.app.secrets.pairs == frozenset()


def test_a_profile_that_came_with_a_project_is_not_allowed_a_key_by_looking_at_it(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    path = project / "project.json"
    plain = json.loads(path.read_text("utf-8"))
    plain["chat"] = {"profiles": {"theirs": {"base_url": URL, "llm": "m"}}}
    path.write_text(json.dumps(plain), "utf-8")
    window.drop(flow.work.session)
    window.documents.open(project)
    opened(window).save()
    assert window.app.secrets.pairs == frozenset()


def test_what_is_wrong_is_said_and_nothing_is_saved(window: MainWindow, project: Path) -> None:
    before = (project / "project.json").read_bytes()
    dialog = opened(window)
    dialog.add()
    write(dialog, "base_url", "nowhere")
    dialog.save()
    assert "must start with" in dialog.trouble.text()
    assert dialog.isVisible()
    dialog.reject()
    assert (project / "project.json").read_bytes() == before


def test_a_keyring_that_cannot_be_used_is_said_where_it_is_chosen(window: MainWindow, tmp_path: Path) -> None:
    window.app.secrets = Secrets(tmp_path / "config", LockedRing)
    dialog = opened(window)
    dialog.add()
    choose(dialog, "key_from", "keyring")
    assert "The collection is locked" in dialog.form.fields["key"].message
    dialog.reject()


def test_a_removed_profile_is_gone(window: MainWindow, project: Path) -> None:
    dialog = opened(window)
    count = len(dialog.drafts)
    dialog.add()
    dialog.remove()
    assert len(dialog.drafts) == count
    while dialog.drafts:
        dialog.remove()
    dialog.save()
    assert on_disk(project)["profiles"] == {}


def test_a_test_shows_what_the_endpoint_can_do(qtbot: QtBot, window: MainWindow, project: Path) -> None:
    (project / "scripts" / "zz_any.yaml").write_text("rules: [{reply: ok}]", "utf-8")
    dialog = opened(window)
    dialog.add()
    choose(dialog, "kind", "scripted")
    dialog.findings.button.click()
    qtbot.waitUntil(lambda: not dialog.findings.is_testing, timeout=10_000)
    assert len(dialog.findings.findings) == len(Capability)
    assert dialog.findings.findings[0].verdict is Verdict.YES
    dialog.reject()


def test_a_test_can_be_cancelled_and_ends_with_the_dialog(qtbot: QtBot, window: MainWindow) -> None:

    with socket.create_server(("127.0.0.1", 0)) as deaf:
        dialog = opened(window)
        dialog.add()
        write(dialog, "base_url", f"http://127.0.0.1:{deaf.getsockname()[1]}/v1")
        write(dialog, "llm", "m")
        dialog.findings.button.click()
        assert dialog.findings.is_testing
        test = dialog.findings._test
        assert test is not None
        dialog.findings.button.click()
        assert not dialog.findings.is_testing
        qtbot.waitUntil(lambda: test.is_over, timeout=10_000)
        dialog.findings.start()
        test = dialog.findings._test
        assert test is not None
        dialog.reject()
        qtbot.waitUntil(lambda: test.is_over, timeout=10_000)


def test_what_a_test_found_is_shown_again_and_not_for_another_language_model(
    window: MainWindow,
) -> None:
    dialog = opened(window)
    dialog.add()
    write(dialog, "base_url", URL)
    write(dialog, "llm", "tested")
    assert dialog.findings.findings == []
    profile = dialog.form.draft().profile
    found = [Finding(one, Verdict.YES, "It did.") for one in Capability]
    Abilities.of_user(window.app.environ).keep(profile, window.app.environ, found)
    write(dialog, "llm", "another")
    assert dialog.findings.findings == []
    write(dialog, "llm", "tested")
    assert dialog.findings.findings == found
    assert dialog.findings.said.text().startswith("Tested on 2")


def test_azure_is_told_its_version_and_no_other_endpoint_is(window: MainWindow, project: Path) -> None:
    dialog = opened(window)
    dialog.add()
    version = dialog.form.fields["api_version"]
    assert isinstance(version, LineEditor)
    assert not version.isVisibleTo(dialog)
    assert not dialog.form.about.isVisibleTo(dialog)
    choose(dialog, "kind", "azure")
    assert version.isVisibleTo(dialog)
    assert "name of your resource" in dialog.form.about.text()
    write(dialog, "api_version", "2024-10-21")
    dialog.save()
    (profile,) = [one for one in on_disk(project)["profiles"].values() if one.get("kind") == "azure"]  # type: ignore[attr-defined]
    assert profile["api_version"] == "2024-10-21"
    dialog = opened(window)
    choose(dialog, "kind", "ollama")
    assert dialog.form.draft().profile.api_version == ""


def test_what_every_request_says_is_chosen_in_the_form_and_written(window: MainWindow, project: Path) -> None:
    dialog = opened(window)
    dialog.add()
    choose(dialog, "kind", "vllm")
    write(dialog, "name", "served")
    chosen = {"effort": "high", "service_tier": "flex", "continues": "continue_final_message"}
    for field, value in chosen.items():
        choose(dialog, field, value)
    marks = dialog.form.fields["cache_marks"]
    assert isinstance(marks, FlagEditor)
    marks.field.click()
    dialog.save()
    profile = Project.open(project).profiles["served"]
    assert {name: getattr(profile, name) for name in chosen} == chosen
    assert profile.cache_marks
    dialog_again = opened(window)
    choose(dialog_again, "kind", "person")
    assert not dialog_again.form.fields["effort"].isVisibleTo(dialog_again)


def test_the_variable_of_one_endpoint_is_not_kept_for_another_that_is_chosen_after_scripts(
    window: MainWindow,
) -> None:
    dialog = opened(window)
    dialog.add()
    for kind, variable in (("azure", "AZURE_OPENAI_API_KEY"), ("scripted", ""), ("other", "OPENAI_API_KEY")):
        choose(dialog, "kind", kind)
        if variable:
            assert dialog.form.fields["key_env"].value() == variable


def test_a_dialog_is_no_larger_than_the_screen_so_that_its_buttons_can_be_reached(
    qtbot: QtBot, window: MainWindow
) -> None:
    dialog = opened(window)
    dialog.add()
    dialog.show()
    qtbot.waitExposed(dialog)
    room = dialog.screen().availableSize()
    assert dialog.height() < room.height()
    assert dialog.width() < room.width()


def test_solvers_are_simulated_as_is_stated_in_the_form(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    (project / "problems.jsonl").write_text(
        '{"id": "a", "question": "How wide?", "answer": "17", "wrong": ["12"]}', "utf-8"
    )
    dialog = opened(window)
    dialog.add()
    write(dialog, "name", "solvers")
    choose(dialog, "kind", "simulated")
    assert not dialog.form.solvers.isHidden()
    dialog.save()
    assert "no problem file is set" in dialog.trouble.text()
    assert "“solvers”" in dialog.trouble.text()
    assert not set("{}`") & set(dialog.trouble.text())
    assert dialog.form.solvers["problems"].message == "Choose a problem file, or create one."
    for name, text in (("problems", "problems.jsonl"), ("accuracy", "0.9"), ("tokens", "50"), ("rules", "")):
        editor = dialog.form.solvers[name]
        assert isinstance(editor, LineEditor | NumberEditor | PlaceEditor)
        editor.field.setText(text)
        editor.field.textEdited.emit(text)
    dialog.save()
    profiles = on_disk(project)["profiles"]
    assert isinstance(profiles, dict)
    stated = {"problems": "problems.jsonl", "accuracy": 0.9, "tokens": 50}
    chooser = flow.work.inspector.start._chooser
    assert chooser is not None
    chooser.field.setCurrentIndex(chooser.field.findData("solvers"))
    assert "simulated solvers" in window.top_bar._pill.text()
    assert profiles["solvers"] == {"provider": "simulated", "solver": stated}
    assert flow.work.session.project.profiles["solvers"].solver == stated


def test_what_of_a_solver_has_no_field_is_kept(window: MainWindow, project: Path) -> None:
    kept = {
        "problems": "p.jsonl",
        "rules": ["r.yaml"],
        "agents": [{"solver": {"accuracy": 1}}],
        "picks": True,
    }
    plain = json.loads((project / "project.json").read_text("utf-8"))
    plain["chat"] = {"default": "s", "profiles": {"s": {"provider": "simulated", "solver": kept}}}
    (project / "project.json").write_text(json.dumps(plain), "utf-8")
    dialog = ChatProfiles(window.look, Project.open(project), window.app.environ, window.app.secrets, window)
    assert not dialog.form.solvers.isHidden()
    assert dialog.form.draft().profile.solver == kept
    dialog.save()
    profiles = on_disk(project)["profiles"]
    assert isinstance(profiles, dict)
    assert profiles["s"] == {"provider": "simulated", "solver": kept}
    dialog.deleteLater()


def test_simulated_solvers_are_made_in_the_form_alone_data_included_and_run(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    root = write_project(tmp_path / "own", flow=chain(default="How wide is the weir?"))
    window.documents.open(root)
    own = window.front
    assert own is not None
    dialog = opened(window)
    dialog.add()
    choose(dialog, "kind", "simulated")
    dialog.form.solvers.make.click()
    assert dialog.form.solvers["problems"].value() == "data/problems.jsonl"
    dialog.save()
    assert not dialog.isVisible()
    assert own.work.inspector.start.chosen_profile == "profile", (
        "it is the project's first, and so its default"
    )
    window.app.commands.run("run.run")
    run = own.controls.own.last
    assert run is not None
    qtbot.waitUntil(lambda: run.is_over, timeout=LONG)
    answers = {
        f"The answer is {one}." for one in ("the right answer", "a wrong answer", "another wrong answer")
    }
    assert run.state.outputs["answer"].data in answers


def test_the_next_thing_to_do_is_the_blue_button_and_what_another_kind_left_is_gone(
    window: MainWindow, tmp_path: Path
) -> None:
    window.documents.open(write_project(tmp_path / "own", flow=chain()))
    dialog = opened(window)
    assert (dialog.add_button.property("primary"), dialog.save_button.property("primary")) == (True, False)
    dialog.add()
    assert (dialog.add_button.property("primary"), dialog.save_button.property("primary")) == (False, True)
    name = dialog.form.fields["name"]
    assert isinstance(name, LineEditor)
    assert name.field.selectedText() == "profile"
    write(dialog, "llm", "nope")
    assert dialog.list.item(0).data(Qt.ItemDataRole.UserRole).detail == "default · nope"
    choose(dialog, "kind", "made-up")
    assert dialog.list.item(0).data(Qt.ItemDataRole.UserRole).detail == "default · made-up answers"
    dialog.save()
    profiles = on_disk(tmp_path / "own")["profiles"]
    assert profiles == {"profile": {"provider": "made-up"}}
    window.app.commands.run("file.profiles")
    again = window.findChildren(ChatProfiles)[-1]
    assert again.form.draft().profile.provider == "made-up", "it is shown as what it is"
