"""Runs of scripts are replayed, resumed, forked and compared from the command line."""

import shutil
from pathlib import Path

import pytest

from studio.places import projects
from studio.store.reader import RunStore
from studio.trace.events import ChatRequested, RunStarted
from studio.workspace.project import Project
from studio.workspace.user_folder import CONFIG_VARIABLE
from tests.app.flows import chain
from tests.app.written_projects import write_flow
from tests.cli.conftest import Call
from tests.script.commands import run_script
from tests.script.test_guide import shown_script

SCRIPT = """
from stepwire_kit import Flow
from stepwire_kit.nodes import chat, write_file

flow = Flow("Ask twice", limits={"calls": 9})

@flow
async def ask(word: str = "owl") -> dict:
    first = (await chat("first", word)).reply
    second = (await chat("second", first)).reply
    await write_file("save", second, path="out.txt", append=True)
    return {"reply": second}
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who has approved nothing yet."""
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path / "config"))
    return tmp_path


@pytest.fixture
def script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A script that has run once."""
    folder = tmp_path / "own"
    folder.mkdir()
    assert run_script(folder / "ask.py", SCRIPT, "--chat", "made-up") == 0
    capsys.readouterr()
    return folder / "ask.py"


def asked(script: Path) -> list[str]:
    """The chats of the latest run that were asked, and not answered by a record."""
    store = RunStore(Project.open(script).private)
    entries = list(store.entries(store.find("latest")))
    reused = {one.step for one in entries if one.event.kind == "answer_reused"}
    return [one.step for one in entries if isinstance(one.event, ChatRequested) and one.step not in reused]


def test_a_script_is_executed_again_only_when_a_person_approved_it(call: Call, script: Path) -> None:
    here = ["--project", script]
    refused = call("replay", "latest", *here)
    assert refused.code == 4
    assert "executes the Python script" in refused.err
    assert "--approve-script" in refused.err
    replayed = call("replay", "latest", *here, "--approve-script", "--json")
    assert replayed.code == 0
    assert asked(script) == []
    assert (script.parent / "out.txt").read_text().count("\n") <= 1
    assert call("replay", "latest", *here).code == 0, "what was approved stays so"
    script.write_text(SCRIPT + "\n# edited\n")
    run_script(script, SCRIPT + "\n# edited\n", "--chat", "made-up")
    assert call("replay", "latest", *here).code == 4, "it is another script now"


def test_a_script_is_verified_by_runs_of_its_flow_and_by_no_run_of_a_script(call: Call, script: Path) -> None:
    write_flow(script.parent / "flow.json", chain())
    new = script.parent / "new.py"
    refused = call("export", script.parent / "flow.json", "-o", new, "--verify", "latest")
    assert refused.code == 2
    assert "a run of the script `ask.py`, not of the flow" in refused.err
    assert "stepwire runs list" in refused.err
    assert "replay" not in refused.err
    assert not new.exists()


def test_a_script_that_changed_is_refused_with_the_line(call: Call, script: Path) -> None:
    script.write_text(SCRIPT.replace('"second", first', '"second", word'))
    changed = call("replay", "latest", "--project", script, "--approve-script")
    assert changed.code == 4
    assert "has changed since the run" in changed.err
    assert "first in line 10" in changed.err


def test_a_fork_takes_over_what_came_before_its_step(call: Call, script: Path) -> None:
    here = ["--project", script, "--approve-script"]
    before = (script.parent / "out.txt").read_text()
    (old,) = RunStore(Project.open(script).private).runs()
    run = old.run
    stopped = call("replay", run, "--from", "second", "--live", *here)
    assert (stopped.code, "has side effects" in stopped.err) == (4, True)
    assert (script.parent / "out.txt").read_text() == before
    forked = call("replay", run, "--from", "second", "--live", "--repeat-in-doubt", *here)
    assert forked.code == 0, forked.err
    assert asked(script) == ["second#chat.1"]
    assert (script.parent / "out.txt").read_text() == before * 2
    unknown = call("replay", "latest", "--from", "third", *here)
    assert (unknown.code, "has no step `third`" in unknown.err) == (2, True)
    other = call("replay", "latest", "--set", "second.prompt=1", *here)
    assert (other.code, "is of a script" in other.err) == (2, True)


def test_a_script_forks_its_own_runs(script: Path) -> None:
    store = RunStore(Project.open(script).private)
    (run,) = store.runs()
    arguments = ["--replay", run.run, "--from", "second", "--live", "--chat", "made-up"]
    assert run_script(script, SCRIPT, *arguments[:4]) == 4, "only `--live` calls the model"
    assert run_script(script, SCRIPT, *arguments) == 4, "it would write a second time"
    assert run_script(script, SCRIPT, *arguments, "--repeat-in-doubt") == 0
    assert asked(script) == ["second#chat.1"]


def test_a_run_that_reached_a_limit_is_resumed(
    call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "ask.py"
    assert run_script(script, SCRIPT, "--chat", "made-up", "--limit-calls", "1") == 3
    capsys.readouterr()
    resumed = call("resume", "latest", "--project", script, "--approve-script", "--limit-calls", "5")
    assert resumed.code == 0, resumed.err
    assert asked(script).count("first#chat.1") == 1


def test_a_script_that_is_gone_leaves_a_run_to_be_read(call: Call, script: Path) -> None:
    script.rename(script.with_name("away.py"))
    here = ["--project", script.parent / "away.py"]
    gone = call("replay", "latest", *here, "--approve-script")
    assert (gone.code, "is not there" in gone.err, "--flow FILE" in gone.err) == (2, True, True)
    assert call("runs", "show", "latest", *here).code == 0
    assert call("runs", "bundle", "latest", *here, "-o", script.with_name("run.stepwire")).code == 0


def test_a_script_s_run_is_compared_with_and_forks_on_the_flow_that_does_the_same(
    call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "notes"
    shutil.copytree(projects() / "field_notes", home, ignore=shutil.ignore_patterns(".stepwire", "out"))
    assert call("run", home, "--chat", "made-up").code == 0
    assert run_script(home / "answer.py", shown_script(), "--chat", "made-up") == 0
    capsys.readouterr()
    store = RunStore(home / ".stepwire")
    drawn, written = sorted(one.run for one in store.runs())
    compared = call("runs", "compare", drawn, written, "--project", home)
    assert (compared.code, "Both did the same" in compared.out) == (0, True), compared.out
    changed = shown_script().replace("You are strict.", "You are kind.")
    run_script(home / "kind.py", changed, "--chat", "made-up")
    capsys.readouterr()
    other = call("runs", "compare", "latest", drawn, "--project", home)
    assert other.code == 1
    assert "round 1 of “Rounds” (line 28): the script calls the model differently" in other.out
    forked = call("replay", written, "--flow", home / "flow.json", "--from", "save", "--project", home)
    assert "1 step runs again" in forked.err
    first = next(iter(store.entries(store.find("latest")))).event
    assert isinstance(first, RunStarted)
    assert first.source is None
    assert first.forked_from is not None
    assert first.forked_from.run == written
