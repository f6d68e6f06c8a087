"""A script that does what a run did is found equal; a hand that changed it is found out, with its line."""

import asyncio
import shutil
from pathlib import Path

import pytest

from studio.app.scripts.check.differences import Unlike
from studio.app.scripts.verification import Verified, verify_script
from studio.errors import RunError, UsageError
from studio.past.replays import OldRun
from studio.places import projects
from studio.store.reader import RunStore
from studio.trace.events import Entry, RunCancelled
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.checked_scripts import checked, first_difference, recorded
from tests.app.pumping import ENVIRON
from tests.runtime.bench import flow_of
from tests.runtime.called import OUT
from tests.script.test_guide import shown_script

HEARD = "rules: [{reply: 'I heard {{ last }}'}]"
TWO_CHATS = flow_of(
    {
        "word": "io.flow_input",
        "first": ("llm.chat", {"instructions": "You greet."}),
        "second": ("llm.chat", {"instructions": "You judge."}),
        "out": OUT,
    },
    ["word.value -> first.prompt", "first.reply -> second.prompt", "second.reply -> out.value"],
)
SAME = """
async def main(word: str) -> dict:
    first = await chat("first", word, instructions="You greet.")
    second = await chat("second", first.reply, instructions="You judge.")
    return {"out": second.reply}
"""
READING = flow_of(
    {
        "read": ("io.read_file", {"file": "word.txt"}),
        "write": ("io.write_file", {"path": "a.txt"}),
        "out": OUT,
    },
    ["read.text -> write.text", "write.file -> out.value"],
)
READS = """
async def main() -> dict:
    read = await read_file("read", file="word.txt")
    return {"out": await write_file("write", read, path="a.txt")}
"""


def edited(old: str, new: str, of: str = SAME) -> str:
    """A script changed by hand."""
    assert old in of
    return of.replace(old, new)


def told(folder: Path, body: str) -> Unlike:
    """The first difference of a changed script."""
    found = first_difference(TWO_CHATS, folder, body, {"word": "x"}, rules=HEARD)
    assert found is not None
    return found


def test_the_same_script_is_found_equal_and_its_requests_are_counted(tmp_path: Path) -> None:
    found = checked(TWO_CHATS, recorded(TWO_CHATS, tmp_path, {"word": "x"}, rules=HEARD), tmp_path, SAME)
    assert found.sentence.endswith("2 requests and the end are identical.")


def test_another_prompt_is_told_with_its_step_its_line_and_both_texts(tmp_path: Path) -> None:
    unlike = told(tmp_path, edited("You judge.", "You jest."))
    assert (unlike.what, unlike.step, unlike.place) == ("request", "second#chat.1", "message 1 (system)")
    assert (unlike.script, unlike.recording, unlike.line) == ("You jest.", "You judge.", 10)
    assert unlike.sentence == (
        "“second” (line 10): the script calls the model differently, at message 1 (system): “You jest.” in "
        "the script, “You judge.” in the recording."
    )


def test_only_the_first_of_two_differences_is_told(tmp_path: Path) -> None:
    assert told(tmp_path, edited("You ", "We ")).step == "first#chat.1"


def test_a_call_that_is_never_made_is_told_with_the_line_where_it_stands(tmp_path: Path) -> None:
    unlike = told(tmp_path, edited("    second = await", "    second = first if word else await"))
    assert (unlike.what, unlike.step, unlike.line) == ("missing", "second#chat.1", 10)
    assert "the recording calls the model, the script does not: “I heard x”" in unlike.sentence


def test_a_call_of_another_name_is_another_step(tmp_path: Path) -> None:
    unlike = told(tmp_path, edited('"second"', '"third"'))
    assert (unlike.what, unlike.step, unlike.line) == ("extra", "third#chat.1", 10)


def test_one_call_more_is_told(tmp_path: Path) -> None:
    more = '    third = await chat("third", "again")\n    return'
    unlike = told(tmp_path, edited("    return", more))
    assert (unlike.what, unlike.step, unlike.line) == ("extra", "third#chat.1", 11)


def test_another_output_is_told(tmp_path: Path) -> None:
    unlike = told(tmp_path, edited('{"out": second.reply', '{"out": first.reply + second.reply'))
    assert (unlike.what, unlike.place) == ("output", "the output `out`")
    assert unlike.recording == "I heard I heard x"


def test_another_failure_is_told_with_its_line(tmp_path: Path) -> None:
    unlike = told(tmp_path, edited("    second = await", '    raise ValueError("no")\n    second = await'))
    sentence = "The script fails in line 10 with ValueError: no; the recording returns its outputs."
    assert (unlike.what, unlike.sentence) == ("failure", sentence)


def test_a_script_that_cannot_be_read_is_told_with_its_line(tmp_path: Path) -> None:
    unlike = told(tmp_path, edited("async def main", "async def def main"))
    assert (unlike.what, unlike.line) == ("broken", 8)


def test_a_refusal_of_the_endpoint_fails_alike(tmp_path: Path) -> None:
    refuses = "rules: [{error: {status: 400, message: not today}}]"
    assert first_difference(TWO_CHATS, tmp_path, SAME, {"word": "x"}, rules=refuses) is None


def test_no_file_is_read_or_written(tmp_path: Path) -> None:
    (tmp_path / "word.txt").write_text("early")
    ran = recorded(READING, tmp_path)
    (tmp_path / "word.txt").write_text("late")
    (tmp_path / "a.txt").unlink()
    found = checked(READING, ran, tmp_path, READS)
    assert (found.difference, found.compared) == (None, 2)
    assert not (tmp_path / "a.txt").exists()


def test_what_is_written_otherwise_is_told_and_not_written(tmp_path: Path) -> None:
    (tmp_path / "word.txt").write_text("early")
    unlike = first_difference(READING, tmp_path, edited("a.txt", "b.txt", READS))
    assert unlike is not None
    assert (unlike.step, unlike.script, unlike.recording) == ("write", "b.txt", "a.txt")
    assert not (tmp_path / "b.txt").exists()


def test_one_file_more_is_told_and_not_written(tmp_path: Path) -> None:
    (tmp_path / "word.txt").write_text("early")
    more = '    await write_file("more", "x", path="more.txt")\n    return'
    unlike = first_difference(READING, tmp_path, edited("    return", more, READS))
    assert unlike is not None
    assert (unlike.what, unlike.step, unlike.line) == ("extra", "more", 10)
    assert not (tmp_path / "more.txt").exists()


def test_a_run_without_an_end_cannot_be_compared(tmp_path: Path) -> None:
    ran = recorded(TWO_CHATS, tmp_path, {"word": "x"}, rules=HEARD)
    last = ran.entries[-1]
    ran.entries[-1] = Entry(last.run, last.number, last.step, last.parent, last.time, RunCancelled())
    with pytest.raises(UsageError, match="no end to compare with"):
        checked(TWO_CHATS, ran, tmp_path, SAME)


# ------------------------------------------------------------------------------ in a process of its own


def in_a_process(folder: Path, script: str) -> Verified:
    """Run the example, and hold a script against it as `export --verify` does."""
    home = folder / "notes"
    shutil.copytree(projects() / "field_notes", home, ignore=shutil.ignore_patterns(".stepwire", "out"))
    project = Project.open(home)
    flow, registry = load_flow(project.main_flow).flow, builtin_registry()

    asyncio.run(run_here(prepare(project, flow, registry, environ=ENVIRON, pace=0)))
    shutil.rmtree(home / "out")
    file = folder / "answer.py"
    file.write_text(script, "utf-8")
    store = RunStore(project.private)
    try:
        return verify_script(file, OldRun.read(store, store.find("latest")), flow, registry)
    finally:
        assert not (home / "out").exists()


@pytest.mark.process
def test_the_script_of_the_guide_does_what_a_run_of_the_example_did(tmp_path: Path) -> None:
    found = in_a_process(tmp_path, shown_script())
    assert (found.difference, found.notes) == (None, ())
    assert found.compared >= 5


@pytest.mark.process
@pytest.mark.parametrize(
    "does",
    [
        "open(__file__ + '.more', 'w')",
        "__import__('subprocess').run(['true'])",
        "__import__('socket').create_connection(('127.0.0.1', 9))",
        "__import__('os').remove(__file__)",
    ],
)
def test_a_script_that_reaches_past_its_steps_is_stopped(does: str, tmp_path: Path) -> None:
    script = shown_script().replace("    draft = question\n", f"    draft = question\n    {does}\n")
    unlike = in_a_process(tmp_path, script).difference
    assert unlike is not None
    assert unlike.what == "outside"
    assert script.splitlines()[unlike.line - 1].strip() == does
    assert {one.name for one in tmp_path.iterdir()} == {"notes", "answer.py"}


@pytest.mark.process
def test_a_script_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.app.scripts.verification.LONGEST", 1.0)
    script = shown_script().replace("    draft = question\n", "    while True:\n        pass\n")
    with pytest.raises(RunError, match="did not finish within 1 s"):
        in_a_process(tmp_path, script)
