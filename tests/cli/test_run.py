import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from studio.store.reader import RunStore
from studio.terminal.output import for_terminal, print_json, say, write_line
from studio.trace.events import RunFinished, RunStarted, entry_from_json
from studio.trace.fold.state import RunStatus
from studio.workspace.catalog import builtin_registry
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import FLOW, write_flow, write_project
from tests.cli.conftest import Call
from tests.documents import document


def _last_status(project: Path) -> RunStatus:
    return RunStore(project / ".stepwire").runs()[0].status


def test_a_run_prints_its_output_alone_and_its_trace_beside(call: Call, project: Path) -> None:
    called = call("run", project, "--input", "question=Which bird?")
    assert called.code == 0
    assert called.out == "You asked: Which bird?\n"
    assert "done     writer" in called.err
    assert "tokens" in called.err
    assert _last_status(project) is RunStatus.FINISHED


def test_faults_happen_are_told_and_are_kept_by_a_replay(call: Call, project: Path) -> None:
    called = call(
        "run", project, "--input", "question=Why?", "--fault", "replace writer#chat: Nothing at all."
    )
    assert called.out == "Nothing at all.\n"
    assert "fault    writer#chat.1: replace writer#chat" in called.err
    assert "with injected faults" in called.err
    assert "injected fault: replace writer#chat" in call("runs", "show", "latest", "--project", project).out
    assert call("replay", "latest", "--project", project).out == called.out
    wrong = call("run", project, "--input", "question=Why?", "--fault", "explode writer")
    assert wrong.code == 2
    assert "`explode writer` is not a fault" in wrong.err


def test_json_is_one_object_of_the_outputs(call: Call, project: Path) -> None:
    called = call("run", project, "--input", "question=Why?", "--json")
    assert called.json == {"answer": "You asked: Why?"}


def test_events_are_one_json_line_each_with_the_outputs_last(call: Call, project: Path) -> None:
    called = call("run", project, "--input", "question=Why?", "--events", "--json")
    *lines, outputs = called.out.splitlines()
    entries = [entry_from_json(line) for line in lines]
    assert isinstance(entries[0].event, RunStarted)
    assert isinstance(entries[-1].event, RunFinished)
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    assert json.loads(outputs) == {"answer": "You asked: Why?"}


def test_inputs_come_from_a_file_and_single_ones_win(call: Call, project: Path, tmp_path: Path) -> None:
    (tmp_path / "inputs.json").write_text('{"question": "from the file"}')
    both = call("run", project, "--inputs", tmp_path / "inputs.json", "--input", "question=from the call")
    assert both.out == "You asked: from the call\n"
    assert call("run", project, "--inputs", tmp_path / "inputs.json").out == "You asked: from the file\n"


def test_a_missing_input_is_named_with_how_to_give_it(call: Call, project: Path) -> None:
    called = call("run", project)
    assert called.code == 2
    assert called.out == ""
    assert "`question` is missing" in called.err
    assert "--input question=" in called.err
    assert not (project / ".stepwire" / "runs").exists()


def test_a_default_stands_in_for_an_input(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=chain(default="A default."), script=SCRIPT)
    assert call("run", project).out == "You asked: A default.\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--input", "question"], "has no `=`"),
        (["--input", "wrong=1"], "no input `wrong`"),
        (["--inputs", "/nowhere.json"], "could not be read"),
        (["--chat", "nope", "--input", "question=1"], "no chat profile `nope`"),
        (["--chat", "openai", "--offline", "--input", "question=1"], "--offline"),
        (["--chat", "openai", "--input", "question=1"], "OPENAI_MODEL"),
    ],
)
def test_a_wrong_call_is_explained_and_runs_nothing(
    call: Call, project: Path, arguments: list[str], says: str
) -> None:
    called = call("run", project, *arguments)
    assert called.code == 2
    assert says in called.err
    assert "remedy:" in called.err or says == "could not be read"
    assert not (project / ".stepwire" / "runs").exists()


def test_a_value_of_another_type_is_refused_by_the_inputs_name(call: Call, tmp_path: Path) -> None:
    flow = chain()
    flow["nodes"]["question"]["settings"] = {"type": "number"}  # pyright: ignore[reportIndexIssue]
    project = write_project(tmp_path / "trial", flow=flow, script=SCRIPT)
    called = call("run", project, "--input", "question=many")
    assert called.code == 2
    assert "input `question` does not fit" in called.err
    assert call("run", project, "--input", "question=41").out == "You asked: 41\n"


def test_a_broken_flow_file_is_reported_by_line_and_left_as_it_is(call: Call, project: Path) -> None:
    broken = (project / "flow.json").read_text().replace('"kind": "llm.chat",', '"kind": "llm.chat"')
    (project / "flow.json").write_text(broken)
    called = call("run", project, "--input", "question=1")
    assert called.code == 2
    assert "flow.json" in called.err
    assert "line 1" in called.err
    assert "remedy: Fix the file" in called.err
    assert "Traceback" not in called.err
    assert (project / "flow.json").read_text() == broken


def test_an_unknown_kind_names_the_node_and_the_remedy(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=chain(kind="llm.chatt"), script=SCRIPT)
    before = (project / "flow.json").read_bytes()
    called = call("run", project, "--input", "question=1")
    assert called.code == 2
    assert "`writer`" in called.err
    assert "`llm.chatt`, which is not installed" in called.err
    assert "Did you mean `llm.chat`?" in called.err
    assert (project / "flow.json").read_bytes() == before


def test_a_chat_profile_that_cannot_be_reached_fails_the_run_at_its_node(call: Call, tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    local = {"base_url": f"http://127.0.0.1:{port}/v1", "llm": "tiny", "time_limits": {"connect": 1}}
    project = write_project(
        tmp_path / "trial", flow=chain(), chat={"default": "local", "profiles": {"local": local}}
    )
    called = call("run", project, "--input", "question=1")
    assert called.code == 1
    assert called.out == ""
    assert "`Writer` failed" in called.err
    assert "step: writer" in called.err
    assert "remedy:" in called.err
    state = RunStore(project / ".stepwire").load(RunStore(project / ".stepwire").find("latest"))
    assert state.status is RunStatus.FAILED
    assert state.inputs["question"].data == "1"


def test_a_flow_that_asks_a_model_without_any_profile_says_how_to_set_one_up(
    call: Call, tmp_path: Path
) -> None:
    flow = write_flow(tmp_path / "alone.json", chain())
    called = call("run", flow, "--input", "question=1")
    assert called.code == 2
    assert "no chat profile" in called.err
    assert "OPENAI_API_KEY" in called.err


def test_a_flow_without_language_models_needs_no_profile(call: Call, tmp_path: Path) -> None:
    flow = chain(kind="text.template", settings={"template": "Asked: {{prompt}}"})
    flow["wires"] = ["question.value -> writer.prompt", "writer.text -> answer.value"]
    called = call("run", write_flow(tmp_path / "alone.json", flow), "--input", "question=1")
    assert (called.code, called.out) == (0, "Asked: 1\n")


def test_a_question_without_a_terminal_ends_with_four(call: Call, tmp_path: Path) -> None:
    flow = chain(kind="human.ask")
    flow["wires"] = ["question.value -> writer.question", "writer.answer -> answer.value"]
    project = write_project(tmp_path / "trial", flow=flow)
    called = call("run", project, "--input", "question=Which hedge?")
    assert called.code == 4
    assert "Which hedge?" in called.err
    assert "remedy:" in called.err
    assert _last_status(project) is RunStatus.FAILED


def test_a_key_is_written_nowhere(call: Call, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "a-key-that-nobody-may-see"
    called_before = call("run", project, "--input", "question=none")
    assert called_before.code == 0
    monkeypatch.setenv("OPENAI_API_KEY", key)
    called = call("run", project, "--input", f"question=my key is {key}", "--events")
    assert key not in called.out
    assert "[hidden]" in called.out
    written = b"".join(path.read_bytes() for path in project.rglob("*") if path.is_file())
    assert key.encode() not in written


def _started(*arguments: str) -> "subprocess.Popen[str]":
    """Start the real command; its first line on standard error means that the run begins."""
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "studio", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={name: value for name, value in os.environ.items() if not name.startswith("OPENAI")},
    )


@pytest.mark.process
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_which_is_recorded_as_cancelled(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    slow = 'rules: [{name: slow, reply: "never", delay: 60}]'
    project = write_project(tmp_path / "trial", flow=chain(), script=slow)
    process = _started("run", str(project), "--input", "question=1", "--events")
    assert process.stdout is not None
    for line in process.stdout:
        if '"chat_requested"' in line:
            process.send_signal(number)
            break
    _, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert "interrupted" in err
    assert "`stepwire resume " in err
    assert _last_status(project) is RunStatus.CANCELLED


@pytest.mark.process
def test_a_second_signal_ends_even_a_run_that_a_step_blocks(tmp_path: Path) -> None:
    row = {"kind": "io.append_row", "settings": {"file": "pipe.jsonl"}, "inputs": {"row": "a" * 200_000}}
    project = write_project(tmp_path / "trial", flow={**FLOW, "nodes": {"row": row}})
    os.mkfifo(project / "pipe.jsonl")
    process = _started("run", str(project))
    with (project / "pipe.jsonl").open():  # it is written to by now, and nobody reads what comes
        for _ in range(50):
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
                break
        process.kill()
        process.communicate()
    assert process.returncode == 130


def test_every_node_type_of_these_flows_is_installed() -> None:
    registry = builtin_registry()
    assert all(kind in registry for kind in ("llm.chat", "human.ask", "text.template"))


@pytest.mark.process
def test_a_reader_that_goes_away_stops_the_run(project: Path) -> None:
    process = _started("run", str(project), "--input", "question=1", "--events")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(30) == 1
    assert "Traceback" not in err
    assert _last_status(project) is RunStatus.CANCELLED


@pytest.mark.process
def test_a_question_is_asked_at_the_terminal(tmp_path: Path) -> None:
    flow = chain(kind="human.ask")
    flow["wires"] = ["question.value -> writer.question", "writer.answer -> answer.value"]
    project = write_project(tmp_path / "trial", flow=flow)
    ours, theirs = os.openpty()
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "studio", "run", str(project), "--input", "question=Which hedge?"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    os.close(theirs)
    os.write(ours, b"By the pond\n")
    out, err = process.communicate(timeout=30)
    os.close(ours)
    assert (process.returncode, out) == (0, b"By the pond\n")
    assert b"? Which hedge?" in err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"question": "a", "question": "b"}', "`question` occurs twice"),
        ("[" * 100_000, "are not JSON"),
        ("[1]", "not a JSON object"),
        ("", "are not JSON"),
    ],
)
def test_inputs_that_are_no_object_are_refused(
    call: Call, project: Path, tmp_path: Path, text: str, says: str
) -> None:
    (tmp_path / "inputs.json").write_text(text)
    called = call("run", project, "--inputs", tmp_path / "inputs.json")
    assert called.code == 2
    assert says in called.err


@pytest.mark.process
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("more", [[], ["--json"], ["--events"]])
def test_output_that_does_not_fit_is_said_and_no_defect(project: Path, more: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "studio", "run", str(project), "--input", "question=1", *more],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            check=False,
        )
    assert ended.returncode == 1
    assert "error: The output could not be written: No space left" in ended.stderr
    assert "defect" not in ended.stderr
    assert _last_status(project) is (RunStatus.CANCELLED if more == ["--events"] else RunStatus.FINISHED)


@pytest.mark.process
@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "1>&- 2>&-"])
def test_closed_outputs_do_not_disturb_a_run(project: Path, closed: str) -> None:
    line = f'"$0" -m studio run "$1" --input question=1 {closed}'
    ended = subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", line, sys.executable, str(project)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert ended.returncode == 0
    assert "defect" not in ended.stderr
    assert _last_status(project) is RunStatus.FINISHED


def test_what_a_model_says_cannot_command_the_terminal() -> None:
    said = "\x1b]0;mine\x07 one\ttwo\n\x9b2J"
    assert for_terminal(said) == "\\u001b]0;mine\\u0007 one\ttwo\n\\u009b2J"
    assert for_terminal("a\u202eb\u2066c\u200f") == "a\\u202eb\\u2066c\\u200f"


def test_what_a_pipe_is_told_commands_no_terminal_and_results_stay_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say("error: \x1b[31m\u202e")
    write_line("  title \x1b[31m\u202e")
    write_line("the answer: \u202e", exact=True)
    print_json({"answer": "\u202e"})
    out, err = capsys.readouterr()
    assert err == "error: \\u001b[31m\\u202e\n"
    assert out.splitlines()[0] == "  title \\u001b[31m\\u202e"
    assert out.splitlines()[1] == "the answer: \u202e"
    assert "\u202e" in out.splitlines()[3]


@pytest.mark.process
def test_progress_waits_while_an_answer_is_typed(tmp_path: Path) -> None:
    flow = chain(kind="human.ask")
    flow["wires"] = ["question.value -> writer.question", "writer.answer -> answer.value"]
    project = write_project(tmp_path / "trial", flow=flow)
    ours, theirs = os.openpty()
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "studio", "run", str(project), "--input", "question=Which hedge?"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=0,
        cwd=Path(__file__).parents[2],
    )
    os.close(theirs)
    assert process.stderr is not None
    shown = ""
    while "Answer: " not in shown:
        shown += process.stderr.read(1)
    os.write(ours, b"By the pond\n")
    assert process.stderr.readline().startswith("  done ")
    err = process.stderr.read()  # what was read ahead is still in it
    process.communicate(timeout=30)
    os.close(ours)
    assert "finished" in err


def test_a_step_that_gave_an_error_says_so_and_is_not_only_done(call: Call, tmp_path: Path) -> None:
    flow: dict[str, object] = document(
        "Reading",
        {
            "read": {
                "kind": "text.parse_json",
                "inputs": {"text": "{"},
                "run": {"on_error": "output"},
            },
            "out": "io.flow_output",
        },
        "read.error -> out.value",
    )
    project = write_project(tmp_path / "trial", flow=flow)
    ran = call("run", project)
    assert ran.code == 0
    assert "returned an error: " in next(line for line in ran.err.splitlines() if " read" in line)
    assert "returned an error: " in call("runs", "show", "latest", "--project", project).out


def test_a_run_may_let_others_go_first(call: Call, project: Path) -> None:
    assert call("run", project, "--input", "question=owl", "--priority", "batch").code == 0
    assert call("run", project, "--input", "question=owl", "--priority", "urgent").code == 2
