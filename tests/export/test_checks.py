"""Checks give in a script what they give in a run."""

from pathlib import Path
from typing import Any

import pytest

from tests.export.scripts import both, call, export
from tests.runtime.bench import flow_of

GUARDED = ("passed", "rewritten", "blocked", "allowed", "ok", "reason")
PORTS = ("passed", "failed", "ok", "score", "reason")
CALLS = [{"name": "find", "arguments": {"what": "owl", "most": 3}}, {"name": "look"}]

CHECKS: dict[str, Any] = {
    "expect": ("check.expect", {"rule": "facts > len(value)"}, {"value": "wren", "facts": 3}),
    "something": ("check.expect", {"says": "Nothing."}, {"value": ""}),
    "schema": ("check.schema", {"schema": {"type": "array", "minItems": 2}}, {"value": "[1]"}),
    "exact": ("check.score", {}, {"value": {"a": [1.0]}, "wanted": {"a": [1]}}),
    "contains": ("check.score", {"by": "contains"}, {"value": "a wren", "wanted": ["wren", "owl"]}),
    "pattern": (
        "check.score",
        {"by": "regular expression", "ignore_case": True},
        {"value": "a wren", "wanted": "W.EN"},
    ),
    "number": ("check.score", {"by": "number", "tolerance": 1}, {"value": "so 41", "wanted": 42}),
    "no number": ("check.score", {"by": "number"}, {"value": "so 41", "wanted": "x"}),
    "json": ("check.score", {"by": "JSON", "enough": 0.5}, {"value": '{"a": 1, "b": 2}', "wanted": {"a": 1}}),
    "places": (
        "check.score",
        {"by": "JSON", "json_as": "at the places", "places": ["a.0", "b"]},
        {"value": {"a": [1]}, "wanted": {"a": [1], "b": 2}},
    ),
    "calls": ("check.score", {"by": "tool calls"}, {"value": CALLS, "wanted": ["look", "find"]}),
    "calls in any order": (
        "check.score",
        {"by": "tool calls", "in_order": False, "extra_calls": False},
        {"value": CALLS, "wanted": [{"name": "find", "arguments": {"most": 3}}]},
    ),
}

GUARDS: dict[str, Any] = {
    "pattern": {"forbidden": ["w.en"]},
    "replaced": {"forbidden": ["w.en"], "instead": "owl"},
    "rule": {"rule": "len(value) > facts"},
    "schema": {"schema": {"type": "object"}},
}


@pytest.mark.parametrize("name", CHECKS)
def test_a_script_checks_as_the_engine_does(name: str, tmp_path: Path) -> None:
    nodes: dict[str, Any] = {"check": CHECKS[name]}
    nodes |= {f"given_{port}": "io.flow_output" for port in PORTS}
    wires = [f"check.{port} -> given_{port}.value" for port in PORTS]
    engine, script = both(flow_of(nodes, wires), tmp_path)
    assert script == engine


@pytest.mark.parametrize("name", GUARDS)
def test_a_script_guards_as_the_engine_does(name: str, tmp_path: Path) -> None:
    nodes: dict[str, Any] = {"check": ("check.guard", GUARDS[name], {"value": "a wren", "facts": 3})}
    nodes |= {f"given_{port}": "io.flow_output" for port in GUARDED}
    wires = [f"check.{port} -> given_{port}.value" for port in GUARDED]
    engine, script = both(flow_of(nodes, wires), tmp_path)
    assert script == engine


def test_code_that_scores_does_so_in_a_script(tmp_path: Path) -> None:
    code = "def score(value, wanted):\n    return {'score': len(value) / 8, 'reason': wanted}"
    settings = {"by": "Python", "code": code, "enough": 0.4}
    nodes = {"check": ("check.score", settings, {"value": "wren", "wanted": "w"}), "out": "io.flow_output"}
    export(flow_of(nodes, ["check.score -> out.value"]), tmp_path / "script.py")
    assert call(tmp_path / "script.py").outputs == {"out": 0.5}


def test_a_script_carries_the_way_of_scoring_that_it_uses(tmp_path: Path) -> None:
    text = export(flow_of({"check": CHECKS["number"]}, []), tmp_path / "a.py")
    assert "score_number(" in text
    assert "score_json" not in text
    assert "# dependencies = []\n" in text
