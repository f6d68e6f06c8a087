"""How scripts read: what stands in the head, what flows, loops, branches, maps and lanes become."""

import ast
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from studio.app.scripts.flow_export import export_flow, script_of
from studio.errors import FlowProblemsError
from studio.export.python.literals import WIDTH
from studio.export.script import make_script
from studio.export.statements.variable_use import tidy
from studio.flow.files import codec
from studio.flow.records import Flow, Node
from studio.ids import NodeId
from studio.sdk.node import NodeType
from studio.workspace.files import load_flow
from tests.export.equality import Row, both, loaded
from tests.export.equality import script_of as text_of
from tests.export.gallery import FLOWS, NAMES, exported, named
from tests.export.tables import calls, structures
from tests.export.tables.overlap import LAST, LEFT, LEFT_WIRES, probe, steps
from tests.runtime.bench import REGISTRY, flow_of
from tests.runtime.test_scheduler import INPUT, OUTPUT

every_flow = pytest.mark.parametrize("path", FLOWS, ids=NAMES)


def functions_of(text: str) -> dict[str, ast.AsyncFunctionDef]:
    """The functions at the top of a script."""
    return {one.name: one for one in ast.parse(text).body if isinstance(one, ast.AsyncFunctionDef)}


def called_in(tree: ast.AST) -> list[str]:
    """What is called in a part of a script, in order."""
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
    return [ast.unparse(one.func) for one in sorted(calls, key=lambda one: (one.lineno, one.col_offset))]


# --- the head ----------------------------------------------------------------------------------------------


@every_flow
def test_the_head_says_what_it_is_and_from_which_version_of_the_flow(path: Path) -> None:
    text = exported(path).text
    doc = ast.get_docstring(ast.parse(text)) or ""
    assert doc.startswith(load_flow(path).flow.name)
    said = rf"Exported by Stepwire \d+\.\d+\.\d+ from {path.name} \(flow [0-9a-f]{{12}}\)"
    assert re.search(said, " ".join(doc.split()))
    assert "flow.main()" in text


@every_flow
def test_nothing_but_the_kit_and_what_comes_with_python_is_imported(path: Path) -> None:
    imported = [one for one in ast.parse(exported(path).text).body if isinstance(one, ast.ImportFrom)]
    assert {one.module for one in imported} <= {"stepwire_kit", "stepwire_kit.nodes", "typing", "pathlib"}


def test_scripts_are_as_short_as_their_flows() -> None:
    scripts = {path: exported(path) for path in FLOWS}
    lengths = [one.text.count("\n") for one in scripts.values()]
    # The longest is a system that calls five flows of its own.
    longer = [path for path, length in zip(scripts, lengths, strict=True) if length > 650]
    assert longer == [], "a change that needs more has to be worth reading"
    assert sum(length <= 250 for length in lengths) >= len(lengths) * 4 / 5


def test_arms_with_nothing_else_between_them_are_one_if(tmp_path: Path) -> None:
    rules = {letter: {"cases": [{"label": "Yes", "when": f"'{letter}' in value"}]} for letter in "abc"}
    nodes: dict[str, Any] = {
        "word": ("io.flow_input", {"type": "text"}),
        **{letter: ("control.branch", settings) for letter, settings in rules.items()},
        "shout": ("text.template", {"template": "{{x}}!"}),
        "out": OUTPUT,
    }
    wires = ["word.value -> a.value", "a.yes -> b.value", "b.yes -> c.value", "c.yes -> shout.x"]
    flow = flow_of(nodes, [*wires, "shout.text -> out.value"])
    (asked,) = [one for one in ast.walk(functions_of(text_of(flow))["bench"]) if isinstance(one, ast.If)]
    assert ast.unparse(asked.test) == "'a' in word and 'b' in word and ('c' in word)"
    for word, said in (("abc", {"out": "abc!"}), ("ab", {}), ("bc", {})):
        assert both(Row(flow, {"word": word}), tmp_path / word).outputs == said


def test_an_empty_list_says_what_it_may_hold_where_its_variable_does_not() -> None:
    lines = ["row = nothing", "if votes:", "    row = {'steps': [], 'more': {}}", "print(row)"]
    assert tidy(lines, {"row"})[2] == "    row = {'steps': list[Any](), 'more': dict[str, Any]()}"
    assert tidy([lines[2].strip(), lines[3]], ())[0] == "row: dict[str, Any] = {'steps': [], 'more': {}}"


def test_nothing_is_asked_twice_in_a_row_or_set_to_itself() -> None:
    for path in FLOWS:
        for node in ast.walk(ast.parse(exported(path).text)):
            if not isinstance(node, ast.AsyncFunctionDef | ast.For | ast.If):
                continue
            block = node.body
            tests = [ast.dump(one.test) if isinstance(one, ast.If) else "" for one in block]
            assert not any(one and one == other for one, other in pairwise(tests)), path
            said = [one for one in block if isinstance(one, ast.Assign)]
            assert not any(ast.unparse(one.targets[0]) == ast.unparse(one.value) for one in said), path


@every_flow
def test_exporting_twice_gives_the_same_bytes(path: Path) -> None:
    assert script_of(path).text == exported(path).text


def test_a_heading_is_broken_where_its_lines_are_full() -> None:
    for paragraph in (ast.get_docstring(ast.parse(named("front_desk/flow").text)) or "").split("\n\n"):
        for line, following in pairwise(paragraph.split("\n")):
            assert len(f"{line} {following.split()[0]}") > WIDTH or following.startswith("It calls ")


def test_the_head_names_the_flows_that_are_called() -> None:
    doc = ast.get_docstring(ast.parse(named("chapters/flow").text)) or ""
    assert re.search(r"It calls summary\.json \(flow [0-9a-f]{12}\)", doc)


def test_a_script_says_once_what_it_is_about() -> None:
    path = FLOWS[NAMES.index("mdagents/flow")]
    description, text = load_flow(path).flow.description, exported(path).text
    assert text.count(description[:40]) == 1
    assert loaded(text).document.description.split() == description.split()


def test_a_broken_flow_is_not_exported() -> None:
    with pytest.raises(FlowProblemsError):
        export_flow(flow_of({"out": OUTPUT}, []), registry=REGISTRY)


# --- the same bytes ----------------------------------------------------------------------------------------


def turned(value: dict[str, Any]) -> dict[str, Any]:
    """An object whose fields come in another order."""
    return dict(reversed(value.items()))


def backwards(document: dict[str, Any]) -> str:
    """A flow file whose nodes, settings, inputs, wires and layout come in another order."""
    nodes = {
        name: {**node, **{part: turned(node[part]) for part in ("settings", "inputs") if part in node}}
        for name, node in turned(document["nodes"]).items()
    }
    layout = {part: turned(places) for part, places in document.get("layout", {}).items()}
    return json.dumps({**document, "nodes": nodes, "layout": layout, "wires": document["wires"][::-1]})


SAVED: list[Flow] = [row.flow for row in structures.ROWS.values()][::5]
SAVED += [load_flow(path).flow for path in FLOWS if path.parent.name == "field_notes"]


@pytest.mark.parametrize("flow", SAVED)
def test_two_files_that_are_saved_alike_are_one_script(flow: Flow) -> None:
    text = codec.dumps(flow)
    other = codec.loads(backwards(json.loads(text))).flow
    assert codec.dumps(other) == text
    assert text_of(flow) == text_of(other)


# --- what things become ------------------------------------------------------------------------------------


def test_a_loop_is_a_loop_and_its_agents_are_calls() -> None:
    flow = functions_of(named("field_notes/flow").text)["answer_a_question_from_notes"]
    loop = next(one for one in ast.walk(flow) if isinstance(one, ast.For))
    assert ast.unparse(loop.iter) == "rounds('rounds', 4)"
    assert called_in(loop).count("agent") == 2
    assert any(isinstance(one, ast.Break) for one in ast.walk(loop))
    assert len(loop.orelse) == 1


def test_a_map_is_a_function_of_an_item_that_each_calls() -> None:
    functions = functions_of(named("chapters/flow").text)
    main = functions["summarise_a_document_by_chapters"]
    one = next(one for one in main.body if isinstance(one, ast.AsyncFunctionDef))
    assert (one.name, ast.unparse(one.args)) == ("each_chapter", "chapter: Any")
    assert "call" in called_in(one)
    assert 'await each("each", each_chapter, chapters, at_once=4, collected="all")' in " ".join(
        named("chapters/flow").text.split()
    ).replace("( ", "(").replace(" )", ")")


def test_a_called_flow_is_one_function_with_its_types() -> None:
    flows = {
        name: Flow(name.partition(".")[0], "", one.nodes, one.wires) for name, one in calls.KNOWN.items()
    }
    text = text_of(calls.ROWS["calls in a map, of a flow with a map"].flow, flows)
    functions = functions_of(text)
    assert ast.unparse(functions["lists"].args) == "words: list[str]=WORDS"
    assert ast.unparse(functions["loud"].args) == "text: str, mark: str='!'"
    assert text.count("async def loud(") == 1


def test_a_branch_is_if_elif_and_else() -> None:
    text = text_of(structures.ROWS["branches within branches"].flow)
    function = next(iter(functions_of(text).values()))
    choice = next(one for one in function.body if isinstance(one, ast.If))
    assert ast.unparse(choice.test) == "len(word) > 2"
    assert isinstance(choice.orelse[0], ast.If)
    assert choice.orelse[0].orelse


def branching(rule: str, *wires: str) -> Flow:
    """A branch of two ways, each of which says in a text that it was gone."""
    nodes: dict[str, Any] = {
        "word": INPUT,
        "facts": ("value.json", {"value": {"n": 3, "is": [], "kind": "wren"}}),
        "way": ("control.branch", {"cases": [{"label": "yes", "when": rule}, {"label": "no"}]}),
        "one": ("text.template", {"template": "one {{x}}"}),
        "two": ("text.template", {"template": "two {{x}}"}),
        "either": "control.merge",
        "out": OUTPUT,
    }
    ends = ["word.value -> way.value", "way.yes -> one.x", "way.no -> two.x"]
    ends += ["one.text -> either.values[0]", "two.text -> either.values[1]", "either.value -> out.value"]
    return flow_of(nodes, [*wires, *ends])


FACTS = "facts.value -> way.facts"
RULES = {
    "a question of a text": (branching("len(value) > 3"), "if len(word) > 3:\n"),
    "a question of a field": (branching('facts["n"]', FACTS), "if facts['n']:\n"),
    "a comparison": (branching("value == 'a'"), 'if word == "a":\n'),
    "what a type checker would ask about": (branching("value == 3"), "if "),
    "one that is long": (branching(" or ".join(f"value == '{one * 9}'" for one in "abcdef")), "if "),
    "one of a function that Python has elsewhere": (
        branching('startswith(facts["kind"], value)', FACTS),
        "way = await branch(",
    ),
    "what is no text nor number": (branching("not facts['is']", FACTS), "if "),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_stands_where_it_is_read_and_goes_the_way_that_it_goes_in_the_engine(
    name: str, tmp_path: Path
) -> None:
    flow, said = RULES[name]
    for word in ("a", "wren", ""):
        found = both(Row(flow, {"word": word}), tmp_path)
        assert said.replace("'", '"') in found.text.replace("'", '"')
        assert found.differences() == []


def test_two_calls_at_once_are_one_gather_and_what_follows_one_another_none() -> None:
    flow = steps(
        "word.value -> left.one",
        "word.value -> right.one",
        "left.text -> last.parts[0]",
        "right.text -> last.parts[1]",
        "last.text -> out.value",
        left=probe(10),
        right=probe(20),
        **LAST,
    )
    assert "left, right = await gather(\n        probe(" in text_of(flow)
    assert "gather" not in text_of(steps(*LEFT_WIRES, "left_b.text -> out.value", **LEFT))


def test_what_python_has_no_words_for_is_left_as_it_is_drawn() -> None:
    racing = text_of(structures.ROWS["a race of word.txt"].flow)
    assert called_in(functions_of(racing)["bench"]) == ["region"]


@every_flow
def test_no_part_of_the_gallery_is_left_as_it_is_drawn(path: Path) -> None:
    assert "region(" not in exported(path).text


def test_a_node_that_is_muted_leaves_nothing() -> None:
    text = text_of(structures.ROWS["muted and bypassed"].flow)
    assert '"m"' not in text
    assert '.on(state="bypassed")("b"' in text


def test_a_limit_of_a_run_and_of_a_node_stands_with_the_flow() -> None:
    nodes = {"chat": ("llm.chat", {}, {"prompt": "?"}, {"limits": {"calls": 2, "x=1), print('ran'": 5}})}
    flow = flow_of({**nodes, "out": OUTPUT}, ["chat.reply -> out.value"])
    text = make_script(flow, REGISTRY, source_name="bench", limits={"tokens": 9.0, "cost": 0.5}).text
    made = loaded(text)
    assert made.limits == {"cost": 0.5, "tokens": 9.0}
    assert made.node_limits == {"chat": {"calls": 2, "x=1), print('ran'": 5}}


def test_a_list_of_whole_numbers_is_a_list_of_numbers_to_a_type_checker() -> None:
    flow = flow_of(
        {"sizes": ("io.flow_input", {"type": "number[]", "default": [1, 2]}), "out": OUTPUT},
        ["sizes.value -> out.value"],
    )
    assert "SIZES: list[float] = [1, 2]\n" in text_of(flow)


PLAIN = {"text": "x", "T": "x", "message": {"role": "user", "content": "x"}}
COMPUTING = [one for one in REGISTRY if one.structure is None or one.function is not None]
"""The others stand in the flows that are compared with the engine."""


@pytest.mark.parametrize("kind", COMPUTING, ids=[one.kind for one in COMPUTING])
def test_every_kind_of_node_that_computes_is_called_by_its_name(kind: NodeType) -> None:
    nodes = {NodeId("one"): Node(kind=kind.kind)}
    for port in kind.signature({}).inputs:
        if port.required:
            value = PLAIN.get(port.type.base, 1)
            filled = {**nodes[NodeId("one")].inputs, port.name: [value] if port.type.depth else value}
            nodes[NodeId("one")] = Node(kind=kind.kind, inputs=filled)
    script = make_script(Flow("one", "", nodes), REGISTRY, source_name="bench")
    ast.parse(script.text)
    assert kind.form == "binding" or '("one"' in script.text
