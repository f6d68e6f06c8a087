import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from studio.places import projects
from studio.store.reader import RunStore
from studio.trace.differences.compare import first_difference
from tests.cli.conftest import Call

_watched: list[list[str]] = []


def _watch(event: str, _arguments: object) -> None:
    if _watched and (
        event.startswith("socket.connect") or event in {"socket.getaddrinfo", "subprocess.Popen"}
    ):
        _watched[-1].append(event)


sys.addaudithook(_watch)


@contextmanager
def connections() -> Generator[list[str]]:
    """Gather the connections that this process tries to open."""
    _watched.append([])
    try:
        yield _watched[-1]
    finally:
        _watched.pop()


@pytest.fixture(autouse=True)
def _nothing_was_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the sockets of runs that were killed: whether anybody answers there is found by knocking."""
    sockets = tmp_path / "run"
    sockets.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(sockets))


@pytest.fixture(params=["field_notes", "side_by_side"])
def example(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns(".stepwire", "out")
    return shutil.copytree(projects() / request.param, tmp_path / request.param, ignore=ignored)


@pytest.mark.box
def test_a_replay_of_an_example_connects_nowhere_and_gives_the_same(call: Call, example: Path) -> None:
    first = call("run", example, "--json", "--input", f"question={_question(example)}")
    shutil.rmtree(example / "out")
    with connections() as opened:
        again = call("replay", "latest", "--project", example, "--json")
    assert (again.code, again.json) == (0, first.json)
    assert opened == []
    assert not (example / "out").exists()
    store = RunStore(example / ".stepwire")
    replay, run = (list(store.entries(one.run)) for one in store.runs())
    assert first_difference(run, replay) is None


def test_what_an_endpoint_refused_is_refused_again_without_asking_it(call: Call, project: Path) -> None:
    script = project / "scripts" / "answers.yaml"
    script.write_text("rules: [{name: none, when: {last: never}, reply: x}]", "utf-8")
    first = call("run", project, "--input", "question=Which?")
    with connections() as opened:
        again = call("replay", "latest", "--project", project)
    assert (again.code, opened) == (first.code, []) == (1, [])
    assert first.err.partition("error:")[2].splitlines()[0] in again.err


def test_a_run_that_is_not_there_is_a_wrong_call(call: Call, project: Path) -> None:
    assert call("replay", "nothing", "--project", project).code == 2


@pytest.mark.box
def test_a_fork_of_field_notes_asks_again_only_what_follows(call: Call, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns(".stepwire", "out")
    project = shutil.copytree(projects() / "field_notes", tmp_path / "notes", ignore=ignored)
    first = call("run", project, "--json", "--input", "question=When did the pond freeze?")
    store = RunStore(project / ".stepwire")
    old = store.runs()[0].run
    critics = [one for one in store.load(old).order if one.endswith("/critic")]
    place = f'{critics[-1]}.data={{"accepted": true, "reason": ""}}'
    forked = call(
        "replay", "latest", "--project", project, "--set", place, "--live", "--repeat-in-doubt", "--json"
    )
    assert (forked.code, forked.json) == (0, first.json)
    new = store.runs()[0]
    assert (new.forked_from, new.tokens) == (old, 0)
    entries = list(store.entries(new.run))
    reused = {one.step for one in entries if one.event.kind == "answer_reused"}
    assert not {one.step for one in entries if one.event.kind == "chat_requested"} - reused
    assert f"from {old}" in call("runs", "list", "--project", project).out


def test_runs_are_compared_by_what_they_did(call: Call, project: Path) -> None:
    call("run", project, "--input", "question=Which?")
    first = RunStore(project / ".stepwire").runs()[0].run
    call("replay", "latest", "--project", project)
    same = call("runs", "compare", first, "latest", "--project", project)
    assert (same.code, same.out.splitlines()[0]) == (0, "Both did the same.")
    call("run", project, "--input", "question=Why?")
    other = call("runs", "compare", first, "latest", "--project", project)
    assert other.code == 1
    assert "inputs.question" in other.out.splitlines()[0]
    assert "You asked: Which?" in other.out
    assert "You asked: Why?" in other.out
    plain = call("runs", "compare", first, first, "--project", project, "--json").json
    assert isinstance(plain, dict)
    assert plain["difference"] is None


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("nothing.reply=1", "no step `nothing`"),
        ("writer.nothing=1", "no `nothing`"),
        ("writer.reply=[", "not JSON"),
        ("writer=1", "not of the form `STEP.PORT=JSON`"),
        ("writer.reply={}", "does not fit"),
    ],
)
def test_a_wrong_setting_is_explained(call: Call, project: Path, place: str, says: str) -> None:
    call("run", project, "--input", "question=Which?")
    called = call("replay", "latest", "--project", project, "--set", place)
    assert called.code == 2
    assert says in called.err


def test_another_input_forks_the_whole_run(call: Call, project: Path) -> None:
    call("run", project, "--input", "question=Which?")
    called = call("replay", "latest", "--project", project, "--set", 'question.value="Why?"', "--live")
    assert (called.code, called.out) == (0, "You asked: Why?\n")


def _question(example: Path) -> str:
    return {"field_notes": "When did the pond freeze?"}.get(example.name, "What is a flow?")
