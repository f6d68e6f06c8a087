"""How a script takes its inputs, and what it says of them and of arguments that make no sense."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.export.scripts import call, export
from tests.runtime.bench import flow_of

OUTPUT: Any = ("io.flow_output", {}, {})


def script_of(folder: Path, **settings: object) -> Path:
    """A script with one input."""
    path = folder / "script.py"
    nodes: dict[str, Any] = {"given": ("io.flow_input", settings, {}), "out": OUTPUT}
    export(flow_of(nodes, ["given.value -> out.value"]), path)
    return path


def told_by(path: Path, argument: str, code: int) -> str:
    """What a script says that comes to no run."""
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-I", str(path), argument],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
        check=False,
    )
    assert ended.returncode == code, ended.stderr
    return ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("kind", "typed", "said"),
    [
        ("number", "many", "argument --given: Expected `number`, got text: 'many'."),
        ("flag", "yes", "argument --given: Expected `flag`, got text: 'yes'."),
        ("text[]", "one", "argument --given: Expected `text[]`, got text: 'one'."),
        ("number[]", '[1, "two"]', "argument --given: Expected `number`, got text: 'two'."),
    ],
)
def test_a_value_of_another_type_is_a_wrong_argument(
    tmp_path: Path, kind: str, typed: str, said: str
) -> None:
    assert said in told_by(script_of(tmp_path, type=kind), f"--given={typed}", 2)


@pytest.mark.parametrize("default", ["5", "true", "null", "wren", '{"a": 1}', "ärger"])
def test_a_default_that_is_a_text_stays_one_where_any_value_may_be_given(
    tmp_path: Path, default: str
) -> None:
    assert call(script_of(tmp_path, type="json", default=default)).outputs == {"out": default}


def test_the_help_tells_what_an_input_is_and_what_it_is_otherwise(tmp_path: Path) -> None:
    said = told_by(script_of(tmp_path, type="number", help="At most 100% of it.", default=30), "--help", 0)
    assert "--given NUMBER  At most 100% of it; otherwise 30" in said


def test_a_description_is_told_as_it_is(tmp_path: Path) -> None:
    flow = flow_of(
        {"given": ("io.flow_input", {"default": "x"}, {}), "out": OUTPUT}, ["given.value -> out.value"]
    )
    described = type(flow)(flow.name, "100% of %(prog)s", flow.nodes, flow.wires)
    export(described, tmp_path / "script.py")
    assert "\n100% of %(prog)s\n" in told_by(tmp_path / "script.py", "--help", 0)
