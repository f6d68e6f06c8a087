"""What the command line imports before it works: as little as a command needs."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from studio.cli.main import COMMANDS, main, make_parser
from studio.flow.files.codec import dumps
from tests.runtime.bench import flow_of

pytestmark = pytest.mark.process

DEAR = (
    "asyncio",
    "pydantic",
    "orjson",
    "openai",
    "networkx",
    "jsonschema",
    "jinja2",
    "numpy",
    "sqlite_utils",
)

NEEDED = ("asyncio", "pydantic", "orjson")
"""What every run needs of these."""

OTHERS = (
    "httpx2",
    "mcp",
    "yaml",
    "regex",
    "wasmtime",
    "studio.llm.scripted_answers.script_book",
    "studio.llm.endpoints.openai_client",
)
"""What runs without chats and without tools do without, beside those."""


def imported_by(*arguments: str) -> set[str]:
    """The modules that a process of its own has imported once the command is over."""
    code = (
        "import sys; from studio.__main__ import main; sys.argv[1:] = "
        f"{list(arguments)!r}; main(sys.argv[1:]); print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [("--version",), ("--help",)])
def test_what_needs_no_command_imports_none(arguments: tuple[str, ...]) -> None:
    found = imported_by(*arguments)
    assert not found & set(DEAR)
    assert not [
        one for one in found if one.startswith(("studio.app", "studio.trace", "studio.flow", "nodes"))
    ]


def test_a_command_is_imported_alone() -> None:
    others = {one.module for name, one in COMMANDS.items() if name != "prices"}
    assert not imported_by("prices", "--help") & others


def test_a_run_of_three_nodes_imports_what_they_need(tmp_path: Path) -> None:
    nodes = {"question": "io.flow_input", "lines": "text.split", "answer": "io.flow_output"}
    wires = ["question.value -> lines.text", "lines.pieces -> answer.value"]
    place = tmp_path / "three.json"
    place.write_text(dumps(flow_of(nodes, wires)), "utf-8")
    found = imported_by("run", str(place), "--input", "question=1")
    assert {one for one in found if one.startswith("nodes.") and one.count(".") == 2} == {
        f"nodes.{kind}" for kind in nodes.values()
    }
    assert not found & {*DEAR, *OTHERS} - set(NEEDED)


def test_the_list_of_node_types_checks_no_schema() -> None:
    assert not imported_by("nodes") & {"jsonschema", "regex", "numpy", "openai", "networkx", "mcp"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_is_what_its_module_says_first(name: str) -> None:
    module = importlib.import_module(COMMANDS[name].module)
    assert COMMANDS[name].summary == (module.__doc__ or "").partition("\n")[0]
    assert " ".join(COMMANDS[name].summary.split()) in " ".join(make_parser().format_help().split())


def test_help_that_comes_first_lists_every_command_whatever_follows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--help", "run"]) == 0
    assert set(COMMANDS) <= set(re.findall(r"^    ([a-z-]+)", capsys.readouterr().out, re.MULTILINE))
    assert main(["rum"]) == 2
    told = capsys.readouterr().err
    assert all(name in told for name in COMMANDS)


def test_each_command_has_its_own_arguments_where_it_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make_parser(chosen="run").parse_args(["run", "--help"])
    assert "--input" in capsys.readouterr().out
