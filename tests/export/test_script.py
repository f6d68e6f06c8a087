"""What holds for every script: texts stay texts, every kind of node exports, only what is used is lifted."""

import ast
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import ExportError, FlowProblemsError
from studio.export.python.literals import WIDTH
from studio.export.script import export_script
from studio.flow.records import Flow, Node
from studio.ids import NodeId
from studio.sdk.node import NodeType
from studio.sdk.registry import Registry
from tests.examples import examples
from tests.export.scripts import call, export
from tests.runtime.bench import REGISTRY, flow_of
from tests.runtime.test_scheduler import BRANCH_WIRES, BRANCHING, INPUT, OUTPUT

HOSTILE = st.lists(
    st.sampled_from(
        [
            *"\"'\\{}\n\r\0#%()[]:=;x ",
            "\x7f",
            "\u2028",
            "{x!r:>{w}}",
            '"""',
            "'''",
            "\\N{",
            "{0!r}",
            "\n    import os\n",
        ]
    )
).map("".join)


def texted(text: str) -> Flow:
    """A flow with `text` in every place that takes any text."""
    flow = flow_of(
        {
            "word": ("io.flow_input", {"default": text, "help": text, "label": text}),
            "fixed": ("text.text", {"text": text}),
            "way": (
                "control.branch",
                {"cases": [{"label": f"l{text}", "when": "len(value) > 3", "port": "one"}, {"label": "m"}]},
            ),
            "topic": ("llm.classify", {"cases": [{"label": f"a{text}", "when": text, "port": "a"}]}),
            "ask": (
                "llm.agent",
                {"instructions": f"i{text}", "answer_schema": {"type": "object", text: text}},
            ),
            "glue": ("text.join", {"separator": text}),
            "typed": ("io.write_file", {"path": f"p{text}"}, {"text": text}),
            "safe": ("io.read_file", {}, {"path": text}, {"on_error": "default", "default": text}),
            "out": OUTPUT,
            "all": OUTPUT,
        },
        [
            "word.value -> way.value",
            "way.one -> topic.value",
            "topic.a -> ask.prompt",
            "ask.reply -> glue.parts[0]",
            "fixed.text -> glue.parts[1]",
            "safe.text -> glue.parts[2]",
            "glue.text -> out.value",
            "ask.data -> all.value",
        ],
    )
    nodes = {name: node.model_copy(update={"title": f"t{text}"}) for name, node in flow.nodes.items()}
    return Flow(f"Name {text}", text, nodes, flow.wires)


def shape(script: str) -> str:
    """The syntax of a script with every constant made the same."""

    class Blank(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:
            return ast.Constant(type(node.value).__name__)

    tree = ast.parse(script)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            node.body = [one for one in node.body if not isinstance(one, ast.Expr) or not _is_constant(one)]
    return ast.dump(Blank().visit(tree))


def _is_constant(node: ast.Expr) -> bool:
    return isinstance(node.value, ast.Constant)


def exported(text: str) -> str:
    flow = texted(text)
    return export_script(Flow("Name", text, flow.nodes, flow.wires), REGISTRY, source_name="bench")


@cache
def harmless_shape(*, has_placeholder: bool) -> str:
    return shape(exported(f"{'{{' if has_placeholder else ''}{'x' * 70}"))


@settings(max_examples=examples(10), deadline=None)
@given(HOSTILE)
def test_no_text_of_a_flow_becomes_code(text: str) -> None:
    long = f"{text}{'x' * 70}"
    script = exported(long)
    assert shape(script) == harmless_shape(has_placeholder="{{" in long)
    assert any(isinstance(node, ast.Constant) and node.value == long for node in ast.walk(ast.parse(script)))


@settings(max_examples=examples(5), deadline=None)
@given(HOSTILE)
def test_a_flow_may_be_called_anything(text: str) -> None:
    ast.parse(export_script(texted(text), REGISTRY, source_name="bench"))


@pytest.mark.parametrize(("kind", "port"), [("control.race", "values[0]")])
def test_a_structure_that_has_no_export_yet_is_refused_by_name(kind: str, port: str) -> None:
    wired = flow_of(
        {"word": INPUT, "odd": kind, "out": OUTPUT}, [f"word.value -> odd.{port}", "odd.value -> out.value"]
    )
    with pytest.raises(ExportError, match="odd"):
        export_script(wired, REGISTRY, source_name="bench")


COMPUTING = [one for one in REGISTRY if one.structure is None or one.function is not None]
"""The others stand in the flows that are compared with the engine."""
PLAIN: Mapping[str, Any] = {"text": "x", "T": "x", "message": {"role": "user", "content": "x"}}


@pytest.mark.parametrize("kind", COMPUTING, ids=[one.kind for one in COMPUTING])
def test_every_kind_of_node_that_computes_exports(kind: NodeType) -> None:
    nodes = {NodeId("one"): Node(kind=kind.kind)}
    for port in kind.signature({}).inputs:
        if port.required:
            value = PLAIN.get(port.type.base, 1)
            filled = {**nodes[NodeId("one")].inputs, port.name: [value] if port.type.depth else value}
            nodes[NodeId("one")] = Node(kind=kind.kind, inputs=filled)
    ast.parse(export_script(Flow("one", "", nodes), REGISTRY, source_name="bench"))


def test_only_what_is_used_is_lifted(tmp_path: Path) -> None:
    text = export(flow_of(BRANCHING, BRANCH_WIRES), tmp_path / "script.py")
    assert "def fill" in text
    assert not any(
        name in text for name in ("class Context", "class Tool:", "run_agent", "sqlite3", "openai")
    )


def test_functions_of_one_name_are_told_apart(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "files": ("tools.files", {"write": True}),
            "agent": ("llm.agent", {}, {"prompt": "x"}),
            "write": ("io.write_file", {"path": "a.txt"}, {"text": "x"}),
            "out": OUTPUT,
        },
        ["files.tool -> agent.tools[0]", "agent.reply -> out.value"],
    )
    text = export(flow, tmp_path / "script.py")
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert len(names) == len(set(names))
    assert sum("write_file" in name for name in names) == 2


def test_a_broken_flow_is_not_exported(tmp_path: Path) -> None:
    with pytest.raises(FlowProblemsError):
        export(flow_of({"out": OUTPUT}, []), tmp_path / "script.py")
    assert not (tmp_path / "script.py").exists()


def test_a_kind_without_a_script_form_is_named() -> None:
    odd = Registry([*REGISTRY, NodeType("odd.kind", "Odd", "does something.", "", "structural")])
    flow = flow_of({"one": "odd.kind", "word": INPUT}, [])
    with pytest.raises(ExportError, match="`one` cannot be exported"):
        export_script(flow, odd, source_name="bench")


def test_the_heading_is_broken_where_its_lines_are_full(tmp_path: Path) -> None:
    wires = ["word.value -> ask.prompt", "ask.reply -> out.value"]
    text = export(flow_of({"word": INPUT, "ask": "llm.chat", "out": OUTPUT}, wires), tmp_path / "s.py")
    for paragraph in (ast.get_docstring(ast.parse(text)) or "").split("\n\n"):
        for line, following in pairwise(paragraph.split("\n")):
            assert len(f"{line} {following.split()[0]}") > WIDTH


def test_help_names_every_input(tmp_path: Path) -> None:
    flow = flow_of(
        {"a_word": ("io.flow_input", {"help": "50 % of %(it)s"}), "out": OUTPUT},
        ["a_word.value -> out.value"],
    )
    export(flow, tmp_path / "script.py")
    with pytest.raises(SystemExit):
        call(tmp_path / "script.py", ["--help"])
    assert call(tmp_path / "script.py", ["--a-word=x"]).outputs == {"out": "x"}


def test_a_list_of_whole_numbers_is_a_list_of_numbers_to_a_type_checker(tmp_path: Path) -> None:
    flow = flow_of(
        {"sizes": ("io.flow_input", {"type": "number[]", "default": [1, 2]}), "out": OUTPUT},
        ["sizes.value -> out.value"],
    )
    text = export(flow, tmp_path / "script.py")
    assert "SIZES: list[float] = [1, 2]\n" in text
    assert call(tmp_path / "script.py").outputs == {"out": [1, 2]}
