"""Whatever the texts of a flow say, its script has the same syntax, and does what the engine does."""

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.flow.checks.check import check, errors_of
from studio.flow.records import Flow, Frame, Layout, Node, Note, Point
from studio.flow.subflows.calls import GivenFlows
from studio.ids import NodeId
from studio.sdk.node import NodeType
from studio.sdk.testing import example_of, ports_in
from studio.workspace.catalog import builtin_types
from tests.examples import examples
from tests.export.equality import Row, both, loaded, script_of
from tests.export.help_examples import flow_of_example, flows_of
from tests.export.kinds import KINDS
from tests.runtime.bench import flow_of

Place: TypeAlias = tuple[str | int, ...]
"""Where a text stands in a node: `settings` or `inputs`, and the way from there."""

IT = NodeId("it")
OUT = "io.flow_output"
HOSTILE = {
    "quotes": "'\"",
    "a docstring's end": '""" + __import__("os").system("true") + """',
    "single ones": "''' + 1 + '''",
    "braces": "{}{0!r}{x!r:>{w}}{{y}}",
    "percent": "%s %(x)d %",
    "backslashes": "\\ \\N{DASH} \\x41 \\",
    "lines": "\n    import os\n\r\nraise SystemExit\r",
    "nul": "\0",
    "separators": "\u2028\u2029\x85\x0b\x0c\x1c",
    "directions": "\u202e\u2066\ufeff\u200b",
    "half a pair": "\ud83d",
    "marks": "# only with: tools",
    "a formatter's switch": "\n# fmt: off\n# fmt: skip",
    "a checker's switch": "# type: ignore # noqa # pyright: ignore",
    "a script's head": "\n# ///\n# /// script\n# dependencies = ['x']\n",
    "a comment's end": "*/ <!-- --> ]]>",
    "a coding": "# -*- coding: latin-1 -*-",
    "ligatures": "\ufb01 \uff49\uff4d\uff50",
}
PAD = "x" * 70
"""So that every text is as long as those that stand under a name."""
TYPES = [one for one in builtin_types() if example_of(one).outputs and not one.unavailable]
LINES = PAD + "\n" + "".join(HOSTILE.values())
PLAIN = PAD + "\n{{y}}"
"""As many lines as make a text of several, and a pair of braces: only with one is anything filled in."""

every_text = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


@pytest.mark.parametrize("kind", TYPES, ids=[one.kind for one in TYPES])
def test_no_text_of_a_node_becomes_code(kind: NodeType) -> None:
    flows, said = flows_of(example_of(kind)), said_freely(kind, LINES)
    hostile, plain = (exported(texted(kind, said, one), flows) for one in (LINES, PLAIN))
    assert shape(hostile) == shape(plain)


def said_freely(kind: NodeType, text: str) -> set[Place]:
    """The places of the example's node that may say the text, as far as `check` has a say in it."""
    flow, flows = flow_of_example(kind), flows_of(example_of(kind))
    registry = KINDS.with_flows(GivenFlows(flows))
    node = flow.nodes[IT]
    found: set[Place] = set()
    for place in [*places(complete(kind, node), "settings"), *places(node.inputs, "inputs")]:
        signatures: list[object] = []
        for one in (PAD, text):
            changed = changed_at(kind, flow, {place}, one)
            if errors_of(check(changed, registry)):
                break
            signatures.append(ports_in(kind.signature(changed.nodes[IT].settings)))
        if len(signatures) == 2 and signatures[0] == signatures[1]:
            found.add(place)
    return found


def complete(kind: NodeType, node: Node) -> dict[str, Any]:
    """What is set and what could be, as the file would say it."""
    read = kind.complete_settings(node.settings)
    settings: dict[str, Any] = {spec.name: spec.write(read[spec.name]) for spec in kind.settings}
    cases = settings.get("cases", ())
    for case, port in zip(cases, kind.signature(node.settings).outputs, strict=False):
        case["port"] = port.name  # otherwise it is made of the label
    return settings


def places(value: Any, *way: str | int) -> Iterator[Place]:
    """Where texts stand in a value."""
    if isinstance(value, str):
        yield way
    for name, one in parts(value):
        yield from places(one, *way, name)


def parts(value: Any) -> list[tuple[str | int, Any]]:
    """What a value holds, each under what it is found by."""
    if isinstance(value, dict):
        return [*cast("dict[str | int, Any]", value).items()]
    return [*enumerate(cast("list[Any]", value))] if isinstance(value, list) else []


def changed_at(kind: NodeType, flow: Flow, said: set[Place], text: str) -> Flow:
    """The flow with the text at the end of what stands at these places of its node."""

    def spell(value: Any, *way: str | int) -> Any:
        told = {name: spell(one, *way, name) for name, one in parts(value)}
        if isinstance(value, dict | list):
            return told if isinstance(value, dict) else [*told.values()]
        return f"{value}{sayable(text, way)}" if way in said else value

    node = flow.nodes[IT]
    settings, inputs = spell(complete(kind, node), "settings"), spell(dict(node.inputs), "inputs")
    told = node.model_copy(update={"settings": settings, "inputs": inputs})
    return replace(flow, nodes={**flow.nodes, IT: told})


def sayable(text: str, way: Place) -> str:
    """The text as it may stand there: settings hold no half pairs, and in some of them these are ports."""
    return text if way[0] == "inputs" else text.replace("\ud83d", "").replace("{{y}}", "{ {y} }")


def texted(kind: NodeType, said: set[Place], text: str) -> Flow:
    """The example of a kind with the text at these places of its node, and in all that is around it."""
    flow = changed_at(kind, flow_of_example(kind), said, text)
    nodes = {name: one.model_copy(update={"title": f"t{text}"}) for name, one in flow.nodes.items()}
    at = Point(0, 0)
    layout = Layout(
        dict.fromkeys(nodes, at),
        {f"f{text}": Frame(f"f{text}", -10, -10, 99, 99)},
        {f"n{text}": Note(f"n{text}", -10, -10, 99, 99)},
    )
    return Flow(f"n{text}", f"d{text}", nodes, flow.wires, layout=layout)


exported = script_of


def telling(text: str) -> Flow:
    """A flow whose every step says the text to somebody: a language model, a tool, the next step."""
    said = sayable(text, ("settings",))
    schema = {"type": "object", "properties": {"it": {"type": "string", "description": said}, said: {}}}
    cases = [{"label": f"a{said}", "when": said, "port": "one"}, {"label": "b", "port": "two"}]
    return flow_of(
        {
            "word": ("io.flow_input", {"default": said, "help": said}),
            "fixed": ("text.text", {"text": said}),
            "fill": ("text.template", {"template": f"{{{{word}}}} {said}"}, {"other": said}),
            "glue": ("text.join", {"separator": said}),
            "ask": ("llm.chat", {"instructions": said, "answer_schema": schema}),
            "way": ("llm.classify", {"cases": cases}),
            "agent": ("llm.agent", {"instructions": said, "name": "clerk"}),
            "lend": ("tools.human_as_tool", {"description": said}),
            "safe": ("io.read_file", {}, {"path": text}, {"on_error": "default", "default": {"text": said}}),
            "out": OUT,
            "whole": OUT,
            "found": OUT,
            "read": OUT,
        },
        [
            "word.value -> fill.word",
            "fill.text -> glue.parts[0]",
            "fixed.text -> glue.parts[1]",
            "glue.text -> ask.prompt",
            "ask.reply -> way.value",
            "way.one -> agent.prompt",
            "lend.tool -> agent.tools[0]",
            "agent.reply -> out.value",
            "glue.text -> whole.value",
            "ask.it -> found.value",
            "safe.text -> read.value",
        ],
    )


@every_text
def test_no_text_of_a_flow_becomes_code(text: str) -> None:
    ends = "\n" if "\n" in text else ""
    assert shape(exported(telling(PAD + text), {})) == shape(exported(telling(PAD + ends), {}))


@every_text
def test_a_script_says_and_asks_what_the_engine_does(text: str, tmp_path: Path) -> None:
    flow, said = telling(text), sayable(text, ("settings",))
    rules = [
        {"when": {"instructions": "Choose"}, "reply": json.dumps({"case": f"a{said}"})},
        {"when": {"has_tool": "ask_person"}, "reply": "{{ last }}"},
        {"reply": json.dumps({"it": said, said: 1})},
    ]
    assert both(Row(flow, rules=json.dumps({"rules": rules})), tmp_path).differences() == []


HOSTILE_PARTS = st.lists(
    st.sampled_from(
        [
            *"\"'\\{}\n\r\0#%()[]:=;x ",
            *("\x7f", "\u2028", "{x!r:>{w}}", '"""', "'''", "\\N{", "{0!r}", "\n    import os\n"),
        ]
    )
).map("".join)


@settings(max_examples=examples(20), deadline=None)
@given(HOSTILE_PARTS)
def test_a_flow_may_be_called_anything(text: str) -> None:
    flow = telling("x")
    nodes = {name: node.model_copy(update={"title": f"t{text}"}) for name, node in flow.nodes.items()}
    made = loaded(script_of(Flow(f"Name {text}", text, nodes, flow.wires)))
    assert made.title == f"Name {text}"


def shape(script: str) -> str:
    """The syntax of a script with every constant, and what the flow is called, made the same."""

    class Blank(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:  # as `ast` wants it
            return ast.Constant(type(node.value).__name__)

    tree = ast.parse(script)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            node.body = [one for one in node.body if not isinstance(one, ast.Expr) or not _is_constant(one)]
        if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("name"):
            node.name = "name"
    return ast.dump(Blank().visit(tree))


def _is_constant(node: ast.Expr) -> bool:
    return isinstance(node.value, ast.Constant)
