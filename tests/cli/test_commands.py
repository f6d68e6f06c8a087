import json
import os
import shlex
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from studio import __main__ as entrance
from studio import __version__
from studio.app.projects import new_project as starting
from studio.cli import nodes
from studio.errors import UsageError
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.cli.conftest import Call


def _no_spec(_name: str) -> None: ...


def _is_there(_name: str) -> bool:
    return True


def test_check_is_quiet_about_a_good_flow(call: Call, project: Path) -> None:
    called = call("check", project)
    assert (called.code, called.out) == (0, f"{project}: no problems\n")


def test_check_tells_every_problem_with_node_and_remedy_and_gives_two(call: Call, tmp_path: Path) -> None:
    flow = chain(kind="llm.nothing")
    flow["wires"] = ["question.value -> writer.prompt", "question.value -> answer.nowhere"]
    bad = write_project(tmp_path / "bad", flow=flow)
    good = write_project(tmp_path / "good", flow=chain())
    called = call("check", bad, good, "--json")
    assert called.code == 2
    report = called.json
    assert report[str(good)] == []
    errors = {one["code"]: one for one in report[str(bad)] if one["severity"] == "error"}
    assert errors["unknown-kind"]["node"] == "writer"
    assert errors["missing-port"]["node"] == "answer"
    assert all(one["remedy"] for one in errors.values())
    assert "error: line 11: `writer`:" in call("check", bad).out


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "stepwire.flow"', "\x00"])
def test_check_reports_a_broken_file_instead_of_failing(call: Call, tmp_path: Path, content: str) -> None:
    path = tmp_path / "flow.json"
    path.write_text(content)
    called = call("check", path)
    assert called.code == 2
    assert "error:" in called.out
    assert "remedy:" in called.out
    assert path.read_text() == content


def test_nodes_lists_the_catalogue_and_one_page_of_it(call: Call) -> None:
    listed = call("nodes", "--json").json
    assert {"llm.agent", "control.loop"} <= {one["kind"] for one in listed}
    page = call("nodes", "llm.chat")
    assert page.code == 0
    assert "Inputs\n  prompt" in page.out
    assert "Settings\n" in page.out
    assert set(json.loads(call("nodes", "llm.chat", "--json").out)) >= {"inputs", "outputs", "settings"}


def test_an_unknown_kind_suggests_one_that_exists(call: Call) -> None:
    called = call("nodes", "llm.agnet")
    assert called.code == 2
    assert "Did you mean `llm.agent`" in called.err


def test_every_node_type_can_be_described(call: Call) -> None:
    from studio.workspace.catalog import builtin_registry

    for node_type in builtin_registry():
        assert json.dumps(nodes.describe(node_type))
        assert call("nodes", node_type.kind).code == 0


def test_runs_are_listed_latest_first_and_shown_by_prefix(
    call: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("runs", "list", "--project", project).out == "There are no runs yet.\n"
    for question in ("one", "two"):
        call("run", project, "--input", f"question={question}")
    monkeypatch.chdir(project)
    listed = call("runs", "list", "--json").json
    assert [one["status"] for one in listed] == ["finished", "finished"]
    assert listed[0]["run"] > listed[1]["run"]
    assert listed[0]["run"] in call("runs", "list").out
    shown = call("runs", "show", "latest", "--json").json
    assert shown["outputs"]["answer"]["data"] == "You asked: two"
    assert "writer#chat.1" in [one["step"] for one in shown["steps"]]
    assert "output   answer: You asked: one" in call("runs", "show", listed[1]["run"]).out


def test_runs_are_searched_for_words_and_phrases(call: Call, project: Path) -> None:
    for question in ("where do herons nest", "what do newts eat"):
        call("run", project, "--input", f"question={question}")
    found = call("runs", "search", "herons", "--project", project, "--json").json
    assert {one["run"] for one in found} == {
        call("runs", "list", "--project", project, "--json").json[1]["run"]
    }
    (start, end), *_ = found[0]["marks"]
    assert found[0]["text"][start:end] == "herons"
    assert "»herons«" in call("runs", "search", "herons", "--project", project).out
    assert "»do newts«" in call("runs", "search", "do newts", "--project", project).out
    nothing = call("runs", "search", "newts do", "--project", project)
    assert (nothing.code, nothing.out.split(".")[0]) == (0, "No match")


def test_old_runs_are_removed_only_when_it_is_meant(call: Call, project: Path) -> None:
    for question in ("one", "two", "three"):
        call("run", project, "--input", f"question={question}")
    assert "3 runs, " in call("runs", "list", "--project", project).out
    refused = call("runs", "prune", "--project", project)
    assert (refused.code, "--keep N" in refused.err) == (2, True)
    told = call("runs", "prune", "--keep", "1", "--project", project)
    assert "2 of 3 runs would be removed" in told.out
    assert "3 runs, " in call("runs", "list", "--project", project).out
    assert "Removed 2 of 3" in call("runs", "prune", "--keep", "1", "--yes", "--project", project).out
    (left,) = call("runs", "list", "--project", project, "--json").json
    assert call("runs", "show", left["run"], "--project", project).out.endswith("three\n")


def test_a_project_says_itself_how_many_runs_are_kept(call: Call, project: Path) -> None:
    path = project / "project.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "keep": {"runs": 2}}))
    for question in ("one", "two", "three"):
        call("run", project, "--input", f"question={question}")
    assert "2 runs, " in call("runs", "list", "--project", project).out
    assert "nothing to remove" in call("runs", "prune", "--yes", "--project", project).out
    path.write_text(json.dumps({**json.loads(path.read_text()), "keep": {"runs": 0}}))
    assert call("run", project, "--input", "question=x").code == 2


def test_a_run_that_is_not_there_is_a_wrong_call(call: Call, project: Path) -> None:
    called = call("runs", "show", "2099", "--project", project)
    assert called.code == 2
    assert "no run `2099`" in called.err


def test_examples_are_listed_with_what_they_say_of_themselves(call: Call) -> None:
    listed = call("examples", "--json").json
    assert "field_notes" in {Path(one["path"]).name for one in listed}
    assert all(one["name"] for one in listed)


@pytest.mark.script
def test_export_writes_a_script_that_knows_its_arguments(call: Call, project: Path, tmp_path: Path) -> None:
    script = tmp_path / "out.py"
    called = call("export", project, "-o", script)
    assert (called.code, called.out) == (0, f"{script}\n")
    told = f"`uv run {script}`, or with `python {script}` where the dependencies at its top are installed"
    assert told in called.err
    helped = subprocess.run(  # noqa: S603
        [sys.executable, str(script), "--help"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "--question" in helped.stdout


@pytest.mark.parametrize("kind", ["llm.nothing", "human.nobody"])
def test_what_cannot_run_is_not_exported(call: Call, tmp_path: Path, kind: str) -> None:
    project = write_project(tmp_path / "trial", flow=chain(kind=kind))
    script = tmp_path / "out.py"
    script.write_text("precious")
    called = call("export", project, "-o", script)
    assert called.code == 2
    assert "`writer`" in called.err
    assert "remedy:" in called.err
    assert script.read_text() == "precious"


def test_a_script_that_cannot_be_written_is_said(call: Call, project: Path, tmp_path: Path) -> None:
    called = call("export", project, "-o", tmp_path / "nowhere" / "out.py")
    assert called.code == 2
    assert "nowhere" in called.err


def test_a_new_project_has_no_problems_and_runs_at_once(call: Call, tmp_path: Path) -> None:
    made = call("new", tmp_path / "bird_watch")
    assert (made.code, made.out) == (0, f"{tmp_path / 'bird_watch'}\n")
    assert call("check", tmp_path / "bird_watch").out.endswith("no problems\n")
    called = call("run", tmp_path / "bird_watch", "--input", "question=Why?")
    assert called.out.startswith("You asked: Why?")
    again = call("new", tmp_path / "bird_watch")
    assert again.code == 2
    assert "already" in again.err


@pytest.mark.parametrize(
    "arguments", [["run"], ["runs"], ["run", "x", "--limit-wishes", "1"], ["--nope"], ["a", "b"], ["check"]]
)
def test_a_call_that_makes_no_sense_gives_two_and_points_to_the_help(
    call: Call, arguments: list[str]
) -> None:
    called = call(*arguments)
    assert called.code == 2
    assert called.out == ""
    assert "--help" in called.err


def test_help_and_version_are_results(call: Call) -> None:
    assert call("--version").out == f"stepwire {__version__}\n"
    helped = call("--help")
    assert helped.code == 0
    assert all(
        name in helped.out
        for name in ("run", "check", "export", "nodes", "runs", "answer-server", "examples")
    )


def test_a_path_that_is_not_there_opens_no_window(call: Call, tmp_path: Path) -> None:
    called = call(tmp_path / "nowhere")
    assert called.code == 2
    assert "nowhere" in called.err


def test_without_qt_the_window_says_what_to_install(
    call: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrance.importlib.util, "find_spec", _no_spec)
    called = call(project)
    assert called.code == 2
    [line] = [one for one in called.err.splitlines() if "install" in one and "remedy" in one]
    requirements = {
        Requirement(one) for one in shlex.split(line) if one.lower().startswith(("pyside6", "qasync"))
    }
    specifiers = {one.name.lower(): one.specifier for one in requirements}
    assert specifiers == {"pyside6-essentials": SpecifierSet(">=6.8,<6.12"), "qasync": SpecifierSet(">=0.28")}


def test_windows_is_told_where_it_runs(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance.sys, "platform", "win32")
    called = call("check", "flow.json")
    assert called.code == 2
    assert "WSL" in called.err
    assert call("--version").code == 0


def test_without_a_display_the_window_says_so(
    call: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrance.importlib.util, "find_spec", _is_there)
    monkeypatch.setattr(entrance.sys, "platform", "linux")
    for name in entrance.DISPLAYS:
        monkeypatch.delenv(name, raising=False)
    called = call(project)
    assert called.code == 2
    assert "needs a display" in called.err


def test_a_display_is_asked_for_on_linux_alone() -> None:
    entrance.refuse_no_display("darwin", {})
    entrance.refuse_no_display("linux", {"WAYLAND_DISPLAY": "wayland-0"})
    for empty in ({}, {"DISPLAY": ""}):
        with pytest.raises(UsageError, match="needs a display"):
            entrance.refuse_no_display("linux", empty)


def test_the_qt_that_ends_this_python_is_refused() -> None:
    with pytest.raises(UsageError, match=r"pip install"):
        entrance.refuse_bad_qt((3, 11, 9), "6.12.0")
    entrance.refuse_bad_qt((3, 12, 0), "6.12.0")
    entrance.refuse_bad_qt((3, 11, 9), "6.11.3")


def test_an_unexpected_error_is_a_sentence_and_a_traceback_only_when_asked(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_arguments: object) -> int:
        raise RuntimeError("the unforeseen")

    monkeypatch.setattr(nodes, "execute", fail)
    called = call("nodes")
    assert called.code == 1
    assert "RuntimeError: the unforeseen" in called.err
    assert "--debug" in called.err
    assert "Traceback" not in called.err
    assert "Traceback" in call("nodes", "--debug").err


@pytest.mark.process
def test_the_answer_server_prints_its_address_and_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text(SCRIPT)
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "studio", "answer-server", str(tmp_path / "answers.yaml")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    body = json.dumps({"model": "any", "messages": [{"role": "user", "content": "Hello"}]}).encode()
    request = urllib.request.Request(  # noqa: S310
        f"{address}/chat/completions", body, {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310
        answer = json.loads(response.read())
    assert answer["choices"][0]["message"]["content"] == "You asked: Hello"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 143


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["/nowhere.yaml"], "nowhere"), (["SCRIPT", "--fault", "nope"], "no fault `nope`")],
)
def test_an_answer_server_that_cannot_serve_says_why(
    call: Call, tmp_path: Path, arguments: list[str], says: str
) -> None:
    (tmp_path / "answers.yaml").write_text(SCRIPT)
    called = call(
        "answer-server", *(str(tmp_path / "answers.yaml") if one == "SCRIPT" else one for one in arguments)
    )
    assert called.code == 2
    assert says in called.err


def test_check_passes_on_what_the_reader_of_a_file_notices(call: Call, project: Path) -> None:
    flow = (project / "flow.json").read_text().replace('"version": 1', '"version": 99')
    (project / "flow.json").write_text(flow)
    called = call("check", project)
    assert called.code == 0
    assert "newer than this Stepwire knows" in called.out


def test_a_pipe_is_refused_rather_than_waited_for(call: Call, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "flow.json")
    called = call("check", tmp_path / "flow.json")
    assert called.code == 2
    assert "is not a file" in called.out


@pytest.mark.process
def test_texts_that_no_encoding_knows_are_printed_all_the_same(tmp_path: Path) -> None:
    flow = chain(kind="llm.nope")
    flow["nodes"]["writer"]["title"] = "\ud800"  # pyright: ignore[reportIndexIssue]
    project = write_project(tmp_path / "trial", flow=flow)
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "studio", "check", str(project)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert ended.returncode == 2
    assert r"\ud800" in ended.stdout


@pytest.mark.parametrize("command", ["check", "run", "export", "new"])
def test_a_name_that_no_disk_takes_is_a_wrong_call(call: Call, tmp_path: Path, command: str) -> None:
    more = ["-o", tmp_path / "x.py"] if command == "export" else []
    called = call(command, tmp_path / ("a" * 300), *more)
    assert called.code == 2
    assert "too long" in called.out + called.err


def test_hints_can_be_pasted_into_a_shell(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "my ünusual $project"
    assert f"'{folder}'" in call("new", folder).err
    exported = call("export", folder, "-o", folder / "my script.py")
    assert f"python '{folder / 'my script.py'}'" in exported.err


def test_half_a_project_is_taken_back(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise starting.SaveError("No space left.")

    with monkeypatch.context() as patched:
        patched.setattr(starting, "save_flow", refuse)
        assert call("new", tmp_path / "trial").code == 2
    assert not (tmp_path / "trial").exists()
    assert call("new", tmp_path / "trial").code == 0


def test_runs_of_no_project_say_how_to_name_one(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    called = call("runs", "list")
    assert called.code == 2
    assert "--project PATH" in called.err


@pytest.mark.parametrize("port", ["-1", "65536", "many"])
def test_a_port_that_cannot_be_is_a_wrong_call(call: Call, project: Path, port: str) -> None:
    called = call("answer-server", project / "scripts", "--port", port)
    assert called.code == 2
    assert "--port" in called.err


@pytest.mark.parametrize(
    "words", [("check", "a", "--\x1b[31m\u202e"), ("\x1b]0;mine\x07", "x"), ("run", "a", "\x1b[2J")]
)
def test_a_wrong_call_is_quoted_without_commanding_the_terminal(call: Call, words: tuple[str, ...]) -> None:
    called = call(*words)
    assert called.code == 2
    assert "1b" in called.err
    assert not set("\x1b\x07\u202e") & set(called.err)
