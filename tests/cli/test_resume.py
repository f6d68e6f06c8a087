import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from studio.ids import step_parts
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.differences.compare import first_difference
from studio.trace.events import Entry, entry_from_json
from studio.trace.fold.state import RunStatus
from tests.app.stored import cut_before
from tests.app.written_projects import write_project
from tests.cli.conftest import Call
from tests.documents import document

SLOW = """
rules:
  - name: whatever
    reply: "{{ last }}+"
    delay: 0.05
"""


def looping() -> dict[str, object]:
    """Describe four rounds of a writer that saves, and a map over what they gave."""
    return document(
        "Slow",
        {
            "word": {"kind": "io.flow_input", "settings": {"default": "a"}},
            "rounds": {"kind": "control.loop", "settings": {"max_rounds": 4}},
            "writer": "llm.chat",
            "save": {"kind": "io.write_file", "settings": {"path": "out.txt", "append": True}},
            "each": {"kind": "control.for_each", "settings": {"at_once": 1}},
            "critic": "llm.chat",
            "all": "control.collect",
            "out": "io.flow_output",
        },
        "word.value -> rounds.start",
        "rounds.value -> writer.prompt",
        "writer.reply -> rounds.again",
        "writer.reply -> save.text",
        "save.file -> rounds.also[0]",
        "rounds.history -> each.items",
        "each.item -> critic.prompt",
        "critic.reply -> all.value",
        "all.values -> out.value",
    )


def run_and_kill(project: Path, kind: str, count: int) -> list[Entry]:
    """Run in a process of its own, kill it at the `count`th event of a kind, and give what it had shown."""
    command = [sys.executable, "-m", "studio", "run", str(project), "--events"]
    shown: list[Entry] = []
    with subprocess.Popen(  # noqa: S603  # our own interpreter, our own module
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            shown.append(entry_from_json(line))
            if sum(one.event.kind == kind for one in shown) == count:
                os.kill(process.pid, signal.SIGKILL)
                break
        process.stdout.read()  # it is over where nobody holds its output open
    return shown


@pytest.mark.process
@pytest.mark.parametrize(
    ("kind", "count"), [("chat_answered", 2), ("step_finished", 5), ("chat_requested", 6)]
)
def test_a_killed_run_goes_on_to_the_same_end_and_buys_nothing_twice(
    call: Call, tmp_path: Path, kind: str, count: int
) -> None:
    whole = write_project(tmp_path / "whole", flow=looping(), script=SLOW)
    expected = call("run", whole, "--json").json
    project = write_project(tmp_path / "killed", flow=looping(), script=SLOW)
    shown = run_and_kill(project, kind, count)
    store = RunStore(project / ".stepwire")
    (before,) = store.runs()
    assert before.status is RunStatus.INTERRUPTED
    called = call("resume", "latest", "--project", project, "--json", "--repeat-in-doubt")
    assert (called.code, called.json) == (0, expected)
    (after,) = store.runs()
    assert (after.status, after.run) == (RunStatus.FINISHED, before.run)
    entries = list(store.entries(after.run))
    assert len({one.number for one in entries}) == len(entries)
    assert _bought_twice(shown, entries) == []
    (first,) = RunStore(whole / ".stepwire").runs()
    assert after.tokens == first.tokens
    assert store.load(after.run).tokens == first.tokens
    assert first_difference(list(RunStore(whole / ".stepwire").entries(first.run)), entries) is None


def _bought_twice(shown: list[Entry], entries: list[Entry]) -> list[str]:
    """Name the chats that had been shown as answered, and were asked once more."""
    answered = {one.step for one in shown if one.event.kind == "chat_answered"}
    later = [one for one in entries if one.number > shown[-1].number]
    reused = Counter(one.step for one in later if one.event.kind == "answer_reused")
    asked = Counter(one.step for one in later if one.event.kind == "chat_requested")
    return [step for step in asked - reused if step in answered]


def test_a_side_effect_in_doubt_is_asked_about_and_not_repeated(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=looping(), script=SLOW)
    call("run", project)
    cut_before(project / ".stepwire", "save", "step_finished")
    written = (project / "out.txt").read_text("utf-8")
    for _ in range(2):  # to ask is no answer: the second time it is still in doubt
        called = call("resume", "latest", "--project", project)
        assert called.code == 4
        assert "--repeat-in-doubt" in called.err
        assert (project / "out.txt").read_text("utf-8") == written
    assert call("resume", "latest", "--project", project, "--repeat-in-doubt").code == 0
    assert (project / "out.txt").read_text("utf-8") == f"{written}a++++\n"


def saving_at_once() -> dict[str, object]:
    """Describe a map over three words, each of which is written down."""
    return document(
        "Words",
        {
            "words": {"kind": "value.json", "settings": {"value": ["a", "b", "c"]}},
            "e": {"kind": "control.for_each", "settings": {"at_once": 3}},
            "save": {"kind": "io.write_file", "settings": {"path": "out.txt", "append": True}},
            "all": "control.collect",
            "out": "io.flow_output",
        },
        "words.value -> e.items",
        "e.item -> save.text",
        "save.file -> all.value",
        "all.values -> out.value",
    )


@pytest.fixture
def in_doubt(call: Call, tmp_path: Path) -> Path:
    """A project of which a run died while three files were written to."""
    project = write_project(tmp_path / "trial", flow=saving_at_once())
    assert call("run", project).code == 0
    cut_and_lose(project, "save", "step_started", lost="step_finished", scope="e.")
    (project / "out.txt").write_text("")
    return project


def cut_and_lose(project: Path, node: str, last: str, *, lost: str, scope: str) -> None:
    """Make the run look as if its process had died just after the last event of a kind at such a node.

    What is `lost` of the steps that begin with `scope` was never written.
    """
    store = RunStore(project / ".stepwire")
    run = store.runs()[0].run
    entries = list(store.entries(run))
    at = max(
        at for at, one in enumerate(entries) if step_parts(one.step)[1] == node and one.event.kind == last
    )
    kept = [one for one in entries[: at + 1] if one.event.kind != lost or not one.step.startswith(scope)]
    path = store.new_run_path(run)
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    writer = RunWriter(path, lambda _: None)
    for number, one in enumerate(kept, 1):
        writer.put(replace(one, number=number))
    writer.close()


def test_all_that_is_in_doubt_is_named_before_anything_is_decided(call: Call, in_doubt: Path) -> None:
    waiting = call("runs", "waiting", "--project", in_doubt)
    assert [f"e.{number}/save" in waiting.out for number in range(3)] == [True] * 3
    called = call("resume", "latest", "--project", in_doubt)
    assert called.code == 4
    assert [f"e.{number}/save" in called.err for number in range(3)] == [True] * 3
    assert (in_doubt / "out.txt").read_text("utf-8") == ""
    after = call("runs", "waiting", "--project", in_doubt)
    assert [f"e.{number}/save" in after.out for number in range(3)] == [True] * 3


def test_each_step_in_doubt_is_decided_by_its_name(call: Call, in_doubt: Path) -> None:
    called = call("resume", "latest", "--project", in_doubt, "--repeat-in-doubt", "e.1/save")
    assert called.code == 4
    assert "e.1/save" not in called.err.partition("error:")[2]
    left = call("runs", "waiting", "--project", in_doubt).out  # `e.1/save` may be done by now
    decided = ("--repeat-in-doubt", "e.1/save") if "e.1/save" in left else ()
    decided += ("--answer", "e.0/save=happened", "--answer", "e.2/save=again")
    assert call("resume", "latest", "--project", in_doubt, *decided).code == 0
    assert sorted((in_doubt / "out.txt").read_text("utf-8").split()) == ["b", "c"]


def test_all_that_is_done_again_is_named(call: Call, in_doubt: Path) -> None:
    called = call("resume", "latest", "--project", in_doubt, "--repeat-in-doubt")
    assert called.code == 0
    assert "repeating what may have happened: `e.0/save`, `e.1/save` and `e.2/save`" in called.err
    assert sorted((in_doubt / "out.txt").read_text("utf-8").split()) == ["a", "b", "c"]


def test_the_run_may_stand_behind_the_steps_that_are_done_again(call: Call, in_doubt: Path) -> None:
    some = call("resume", "--project", in_doubt, "--repeat-in-doubt", "e.0/save", "e.1/save", "latest")
    assert some.code == 4
    assert call("resume", "--project", in_doubt, "--repeat-in-doubt").code == 2
    assert call("resume", "--project", in_doubt, "--repeat-in-doubt", "latest").code == 0


def test_all_that_a_fork_would_repeat_is_named_and_decided_one_by_one(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=saving_at_once())
    assert call("run", project).code == 0
    value = 'words.value=["x", "y", "z"]'
    forked = call("replay", "latest", "--project", project, "--setting", value, "--live")
    assert forked.code == 4
    assert [f"e.{number}/save" in forked.err.partition("error:")[2] for number in range(3)] == [True] * 3
    waiting = call("runs", "waiting", "--project", project)
    assert [f"e.{number}/save" in waiting.out for number in range(3)] == [True] * 3
    answers = ("--answer", "e.0/save=happened", "--answer", "e.2/save=happened")
    assert call("resume", "latest", "--project", project, "--answer", "e.1/save=again", *answers).code == 0
    assert sorted((project / "out.txt").read_text("utf-8").split()) == ["a", "b", "c", "y"]


WRITING_TWICE = """
rules:
  - when: {turn: 0}
    tool_calls:
      - {name: write_file, arguments: {path: one.txt, text: One}}
      - {name: write_file, arguments: {path: two.txt, text: Two}}
  - reply: "Done"
"""


def test_two_calls_in_doubt_of_one_agent_are_decided_apart(call: Call, tmp_path: Path) -> None:
    flow = document(
        "Trial",
        {
            "agent": "llm.agent",
            "files": {"kind": "tools.files", "settings": {"folder": "data", "write": True}},
            "question": {"kind": "io.flow_input", "settings": {"default": "Why?"}},
            "out": "io.flow_output",
        },
        "agent.reply -> out.value",
        "files.tool -> agent.tools",
        "question.value -> agent.prompt",
    )
    project = write_project(tmp_path / "trial", flow=flow, script=WRITING_TWICE)
    data = project / "data"
    data.mkdir()
    assert call("run", project).code == 0
    cut_and_lose(project, "agent", "tool_called", lost="tool_answered", scope="agent")
    for file in ("one.txt", "two.txt"):
        (data / file).unlink()
    asked = call("resume", "latest", "--project", project)
    assert asked.code == 4
    assert "agent#tool.1" in asked.err
    assert "agent#tool.2" in asked.err
    decided = ("--answer", "agent#tool.1=happened", "--answer", "agent#tool.2=again")
    assert call("resume", "latest", "--project", project, *decided).code == 0
    assert [one.name for one in data.iterdir()] == ["two.txt"]


@pytest.mark.parametrize(
    "given",
    [
        ("--repeat-in-doubt", "e.9/save"),
        ("--repeat-in-doubt", "words"),
        ("--answer", "e.0/save=perhaps"),
    ],
)
def test_what_is_not_in_doubt_or_no_answer_to_it_is_refused(
    call: Call, in_doubt: Path, given: tuple[str, str]
) -> None:
    called = call("resume", "latest", "--project", in_doubt, *given)
    assert called.code == 2
    assert (in_doubt / "out.txt").read_text("utf-8") == ""


def test_a_finished_run_is_not_resumed(call: Call, project: Path) -> None:
    call("run", project, "--input", "question=Which?")
    called = call("resume", "latest", "--project", project)
    assert called.code == 2
    assert "has finished" in called.err


def test_a_person_who_was_not_there_answers_later(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.terminal.people.terminal", lambda: None)
    flow = document(
        "Ask",
        {"ask": {"kind": "human.ask", "inputs": {"question": "Which?"}}, "out": "io.flow_output"},
        "ask.answer -> out.value",
    )
    project = write_project(tmp_path / "trial", flow=flow)
    assert call("run", project).code == 4
    assert call("resume", "latest", "--project", project).code == 4
    called = call("resume", "latest", "--project", project, "--answer", 'ask="that"')
    assert (called.code, called.out) == (0, "that\n")
