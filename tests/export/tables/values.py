"""Nodes that compute, each on values that are given."""

from typing import Any

from tests.export.equality import Row
from tests.runtime.bench import flow_of

OUTPUT = "io.flow_output"
TEXT = "# Hedge\nA dunnock, two wrens.\n# Pond\nA heron."


def chain(kind: str, settings: dict[str, Any], port: str, given: dict[str, Any], out: str) -> Any:
    """A node fed by constants, with its output given back."""
    nodes: dict[str, Any] = {"made": (kind, settings), "out": OUTPUT}
    nodes |= {f"in_{name}": ("value.json", {"value": value}) for name, value in given.items()}
    wires = [f"in_{name}.value -> made.{name}" for name in given]
    return nodes, [*wires, f"made.{port} -> {out}.value"]


FLOWS: dict[str, Any] = {
    **{
        f"split by {by}": chain("text.split", {"by": by, "size": 3}, "pieces", {"text": TEXT}, "out")
        for by in ("separator", "tokens", "headings")
    },
    "jmespath": chain("text.extract", {"query": "a[0]"}, "found", {"value": '{"a": [1]}'}, "out"),
    "no jmespath": chain("text.extract", {"query": "a["}, "found", {"value": {}}, "out"),
    "pattern": chain(
        "text.extract",
        {"by": "regular expression", "query": "(?P<n>[0-9]+)"},
        "found",
        {"value": "a1 b2"},
        "out",
    ),
    "code block": chain(
        "text.extract", {"by": "code block", "first": True}, "found", {"value": "```py\n1\n```"}, "out"
    ),
    "jinja": chain(
        "text.template",
        {
            "language": "jinja",
            "template": "{% for one in birds %}{{ one.name | upper }}{{ sep }}{% endfor %}{{ birds | json }}",
        },
        "text",
        {"birds": [{"name": "wren"}], "sep": {"a": 1}},
        "out",
    ),
    "jinja that fails": chain(
        "text.template", {"language": "jinja", "template": "{{ a.b.c }}"}, "text", {"a": {}}, "out"
    ),
    "a table": chain("io.table", {"file": "a.csv", "delimiter": ";"}, "rows", {}, "out"),
    "a query": chain(
        "io.table", {"file": "a.db", "query": "SELECT :n + 1 AS n"}, "rows", {"parameters": {"n": 1}}, "out"
    ),
    "no table": chain("io.table", {"file": "b.csv"}, "rows", {}, "out"),
    "append row": chain("io.append_row", {"file": "b.jsonl"}, "file", {"row": {"a": 1}}, "out"),
    "append a row without a place": chain(
        "io.append_row", {"file": "a.csv"}, "file", {"row": {"c": 1}}, "out"
    ),
    "parse json": chain("text.parse_json", {}, "value", {"text": 'So: {"a": [1,],}'}, "out"),
    "no json": chain("text.parse_json", {"repair": False}, "value", {"text": "So"}, "out"),
    "pick": chain("value.pick", {"path": "a.-1"}, "value", {"value": {"a": [1, 2]}}, "out"),
    "pick nothing": chain("value.pick", {"path": "b"}, "value", {"value": {"a": 1}}, "out"),
    "set fields": chain(
        "value.set_fields", {"places": ["a.b", "class"]}, "object", {"a_b": 1, "class": [2]}, "out"
    ),
    "compare": chain("value.compare", {"operator": "is one of"}, "result", {"a": 1, "b": [2, 1]}, "out"),
    "formula": chain(
        "value.formula",
        {"formula": "[upper(name), round(price * 2, 1)] if matches(name, '^w') else None"},
        "value",
        {"name": "wren", "price": 1.25},
        "out",
    ),
}

FILES = {"a.csv": "name;count\nwren;2\n", "a.db": ""}
ROWS = {name: Row(flow_of(*one), files=FILES) for name, one in FLOWS.items()}
