"""Checks and guards."""

from typing import Any

from studio.flow.records import Flow
from tests.export.equality import Row
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


def checking(node: Any, ports: tuple[str, ...]) -> Flow:
    """A check, and what it gives."""
    nodes: dict[str, Any] = {"check": node, **{f"given_{port}": "io.flow_output" for port in ports}}
    return flow_of(nodes, [f"check.{port} -> given_{port}.value" for port in ports])


ROWS = {
    **{name: Row(checking(one, PORTS)) for name, one in CHECKS.items()},
    **{
        f"a guard: {name}": Row(checking(("check.guard", one, {"value": "a wren", "facts": 3}), GUARDED))
        for name, one in GUARDS.items()
    },
}
