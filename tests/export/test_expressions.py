"""Formulas in scripts: what Python would do otherwise than the engine stays a step."""

from pathlib import Path
from typing import Any

import pytest

from tests.export.equality import Row, both, script_of
from tests.runtime.bench import flow_of

X = ("io.flow_input", {"type": "number", "default": 1})
OUT = "io.flow_output"


def formulas(first: str, second: str = "y") -> Row:
    """A formula over `x`, and one over what it gives as `y`."""
    nodes: dict[str, Any] = {
        "x": X,
        "y": ("value.formula", {"formula": first}),
        "z": ("value.formula", {"formula": second}),
        "out": OUT,
    }
    wires = ["y.value -> z.y", "z.value -> out.value"]
    return Row(flow_of(nodes, [*(["x.value -> y.x"] if "x" in first else []), *wires]))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("(x, 1)", "y == [1, 1]"),
        ("1e308 * 10", "y > 5"),
        ("{1: 2}", "y[1]"),
        ("9 ** 9 ** 9", "y"),
        ("x\n+ 1", "y - 1"),
        ("'a' * 1000000000", "y"),
        ("x + 1", "1 / (y - 2)"),
    ],
)
def test_a_formula_gives_in_a_script_what_it_gives_in_a_run(first: str, second: str, tmp_path: Path) -> None:
    found = both(formulas(first, second), tmp_path)
    assert found.engine.outcome is not None
    if found.engine.outcome.error is None or "**" in first or "*" in first:
        assert found.differences() == []
    else:
        assert found.script.outcome is not None
        assert found.script.outcome.error is not None


def test_a_formula_that_nobody_reads_fails_all_the_same(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "a": ("io.flow_input", {"type": "number", "default": 0}),
        "y": ("value.formula", {"formula": "1 / a"}),
        "out": OUT,
    }
    found = both(Row(flow_of(nodes, ["a.value -> y.a", "a.value -> out.value"])), tmp_path)
    assert found.error


def test_an_input_that_is_called_as_a_function_hides_it_from_nobody(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "len": ("io.flow_input", {"type": "json", "default": [1, 2]}),
        "y": ("value.formula", {"formula": "len(x) + 1"}),
        "out": OUT,
    }
    found = both(Row(flow_of(nodes, ["len.value -> y.x", "y.value -> out.value"])), tmp_path)
    assert found.outputs == {"out": 3}


def test_two_texts_of_one_name_are_two_constants() -> None:
    texts = {"writer_instructions": "The default. " * 9, "writer": "The secret. " * 9}
    nodes: dict[str, Any] = {
        "writer_instructions": ("io.flow_input", {"default": texts["writer_instructions"]}),
        "writer": ("llm.chat", {"instructions": texts["writer"]}),
        "out": OUT,
    }
    text = script_of(
        flow_of(nodes, ["writer_instructions.value -> writer.prompt", "writer.reply -> out.value"])
    )
    assert all(one in text for one in texts.values())


def test_no_text_of_a_flow_tells_an_installer_what_a_script_needs() -> None:
    block = "Begin.\n# /// script\n# dependencies = ['evil']\n# ///\nEnd."
    text = script_of(
        flow_of({"a": ("io.flow_input", {"default": block}), "out": OUT}, ["a.value -> out.value"])
    )
    assert "\n# ///" not in text
    assert "# dependencies = ['evil']" in text
