"""A script as a command: arguments from its signature, outputs as JSON, exit codes as of `stepwire run`."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from studio.errors import UsageError
from studio.flow.files import codec
from studio.flow.records import Flow as Document
from studio.flow.records import Node
from studio.ids import NodeId
from studio.script.command_line import run_command
from studio.script.flow import Flow
from studio.script.nodes import ask, chat, parse_json
from studio.script.script_file import flow_of
from studio.store.reader import RunStore
from tests.script.commands import run_script

ASKING = ("--also-ask", "true", "--chat", "made-up")


@pytest.fixture
def flow(tmp_path: Path) -> Flow:
    """A script in a folder of its own."""
    script = tmp_path / "script.py"
    script.touch()
    made = Flow("Parse", project=script)

    @made
    async def parse(text: str, times: int = 1, also_ask: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Parse a text, so often."""
        found = await parse_json("parsed", text)
        return {"found": [found] * times, "reply": str(await chat("asked", "Why?")) if also_ask else ""}

    return made


def test_inputs_are_arguments_and_outputs_are_json(flow: Flow, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(flow, ["--text", "[1]", "--times", "2"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == {"found": [[1], [1]], "reply": ""}
    assert "done     parsed" in said.err
    assert run_command(flow, ["--text", "1", "--also-ask", "true", "--chat", "made-up"]) == 0
    assert json.loads(capsys.readouterr().out)["reply"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "`text` is missing"),
        (["--text", "1", "--times", "many"], 2, "times"),
        (["--text", "{"], 1, "`parsed` failed"),
        (
            ["--text", "1", "--also-ask", "true", "--chat", "made-up", "--limit-steps", "1"],
            3,
            "has reached its limit of",
        ),
        (["--replay", "20260101-000000-0000000"], 2, "20260101-000000-0000000"),
    ],
)
def test_how_it_ended_is_told_by_a_sentence_and_the_exit_code(
    flow: Flow, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    assert run_command(flow, arguments) == code
    assert said in capsys.readouterr().err


def test_a_run_is_replayed_by_its_name_and_the_studio_leaves_it_to_the_script(
    flow: Flow, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(flow, ["--text", "1", "--also-ask", "true", "--chat", "made-up"]) == 0
    first = capsys.readouterr().out
    (run,) = RunStore(tmp_path / ".stepwire").runs()
    assert run_command(flow, ["--replay", run.run]) == 0
    assert capsys.readouterr().out == first


def test_the_help_lists_the_inputs(flow: Flow, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run_command(flow, ["--help"])
    said = capsys.readouterr().out
    assert "Parse a text, so often." in said
    assert "--also-ask" in said


def test_the_flow_of_a_package_is_found_in_its_script(tmp_path: Path) -> None:
    folder = tmp_path / "pond_script"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit('its own kit')", "utf-8")
    body = "@flow\nasync def pond() -> dict:\n    return {}\n"
    (folder / "script.py").write_text(
        f"from stepwire_kit import Flow\n\nflow = Flow('Pond')\n\n\n{body}", "utf-8"
    )
    assert flow_of(folder).title == "Pond"
    (tmp_path / "empty.py").touch()
    with pytest.raises(UsageError, match="has no flow"):
        flow_of(tmp_path / "empty.py")


def test_a_script_that_was_edited_twice_in_a_second_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    for title in ("One", "Two"):
        path.write_text(f'from stepwire_kit import Flow\nflow = Flow("{title}")\n', "utf-8")
        os.utime(path, (1, 1))
        assert flow_of(path).title == title


def test_a_trace_is_added_to_traces_alone(flow: Flow, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    for _ in range(2):
        assert run_command(flow, ["--text=1", f"--trace={path}"]) == 0
    kept = tmp_path / "project.json"
    kept.write_text('{"name": "Pond"}')
    assert run_command(flow, ["--text=1", f"--trace={kept}"]) == 2
    assert kept.read_text() == '{"name": "Pond"}'


def test_inputs_that_are_called_as_options_or_words_of_python_have_an_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "from stepwire_kit import Flow\n\nflow = Flow('Odd')\n\n\n"
        "@flow\nasync def odd(class_: str, chat: str) -> dict:\n    return {'out': class_ + chat}\n"
    )
    assert run_script(tmp_path / "script.py", text, "--class=a", "--input-chat=b") == 0
    assert json.loads(capsys.readouterr().out) == {"out": "ab"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", "chat"], "--from STEP needs --replay RUN"),
        (["--replay", "latest", "--text", "1"], "an earlier run keeps its inputs"),
        (["--text", "1", "--live"], "--live needs --replay RUN"),
        (["--replay", "latest", "--repeat-in-doubt"], "--repeat-in-doubt needs --resume RUN"),
    ],
)
def test_arguments_that_would_do_nothing_are_refused(
    flow: Flow, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run_command(flow, arguments)
    assert said in capsys.readouterr().err


def test_remedies_name_the_options_that_the_script_has(
    flow: Flow, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(flow, []) == 2
    assert "Give it with `--text VALUE`" in capsys.readouterr().err
    assert run_command(flow, ["--text", "1", *ASKING]) == 0
    assert run_command(flow, ["--replay", "latest", "--from", "asked"]) == 4
    assert "remedy: Pass `--live` to call it now.\n" in capsys.readouterr().err
    assert run_command(flow, ["--text", "1", *ASKING, "--limit-steps", "1"]) == 3
    assert "`--resume RUN --limit-steps N`" in capsys.readouterr().err


def test_a_question_that_nobody_answers_is_left_to_a_run_that_goes_on_at_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "script.py").touch()
    flow = Flow("Ask", project=tmp_path / "script.py")

    @flow
    async def asks() -> dict[str, Any]:
        return {"said": await ask("asked", question="May I?")}

    assert run_command(flow, []) == 4
    said = capsys.readouterr().err
    assert "waits for a person" in said
    assert "--answer" not in said
    (run,) = (one.run for one in RunStore(tmp_path / ".stepwire").runs())
    assert f"Pass `--resume {run}` in a terminal, and answer there." in said


def test_a_run_whose_reader_goes_away_ends_without_a_traceback(
    flow: Flow, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert run_command(flow, ["--text", "1", "--events"]) == 1
    assert "Traceback" not in capsys.readouterr().err


DRAWN = """
'''Keep words.

Exported by Stepwire 0.1.0 from flow.json (flow 0123456789ab).
'''
from stepwire_kit import Flow
from stepwire_kit.nodes import parse_json

flow = Flow("Keep words")

@flow
async def keep() -> dict:
    return {"out": await parse_json("kept", CALL)}
"""


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("'{'", "`script.py`, line 13: `Words kept` failed: "),
        ("txt=1", "`script.py`, line 13: `Words kept` (`text.parse_json`) cannot be called so: "),
        ("text='1', nope=2", "`script.py`, line 13: `Words kept` (`text.parse_json`) cannot be called so: "),
        ("", "`script.py`, line 13: `Words kept` needs its input `text`, and the call gives none."),
        ("[][0]", "`script.py`, line 13: IndexError: list index out of range"),
    ],
)
def test_an_error_names_the_line_and_the_title_that_the_node_has_in_the_flow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], call: str, said: str
) -> None:
    nodes = {NodeId("kept"): Node(kind="text.parse_json", title="Words kept")}
    (tmp_path / "flow.json").write_text(codec.dumps(Document("Keep words", nodes=nodes)), "utf-8")
    assert run_script(tmp_path / "script.py", DRAWN.replace("CALL", call)) == 1
    assert f"error: {said}" in capsys.readouterr().err


def test_an_error_between_steps_does_not_fail_the_loop_that_is_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = DRAWN.replace("import Flow", "import Flow, rounds").replace(
        "    return", "    for _ in rounds('tries', 1):\n        break\n    return"
    )
    assert run_script(tmp_path / "script.py", text.replace("CALL", "")) == 1
    assert "done     tries" in capsys.readouterr().err
