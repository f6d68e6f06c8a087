"""Every node has its lines in a script, and every line of a flow's function the nodes that it is of."""

import ast

import pytest
from hypothesis import assume, given, settings

from studio import places
from studio.export.script import make_script
from studio.export.spans import Place, Spans, find_spans
from studio.export.statements.marks import marked, read_marks, statements_of
from studio.export.statements.parts import Script
from studio.flow.records import Flow
from studio.flow.subflows.calls import GivenFlows
from studio.ids import NodeId
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from tests.examples import examples
from tests.export.kinds import KINDS
from tests.export.tables.structures import ROWS
from tests.reference.generator import Case, cases
from tests.reference.profile import random_flows
from tests.runtime.bench import REGISTRY, flow_of

EXAMPLE_FLOWS = ("chapters", "field_notes", "side_by_side")


def exported(flow: Flow, registry: Registry) -> tuple[Script, Spans]:
    script = make_script(flow, registry, source_name="bench")
    return script, find_spans(script)


def example(name: str) -> tuple[Flow, Registry]:
    path = places.projects() / name / "flow.json"
    return read_flow(path).flow, project_registry(Project.open(path), builtin_registry())


def told(script: Script, spans: Spans, node: str, flow: str = "", *, own: bool = True) -> str:
    """The lines of a node: its own, or what it uses."""
    lines = script.text.split("\n")
    found = [one for one in spans.of([Place(flow, NodeId(node))]) if one.is_own == own]
    return "\n".join("\n".join(lines[one.first - 1 : one.last]) for one in found)


def refuse_overlap(script: Script, spans: Spans) -> None:
    """Fail where two own stretches of different nodes overlap without one standing in the other."""
    own = [one for one in spans.stretches if one.is_own]
    length = script.text.count("\n")
    for one in spans.stretches:
        assert 1 <= one.first <= one.last <= length
    for at, one in enumerate(own):
        for other in own[at + 1 :]:
            is_apart = one.last < other.first or other.last < one.first
            assert is_apart or (one.first <= other.first and other.last <= one.last), (one, other)


@pytest.mark.parametrize("name", EXAMPLE_FLOWS)
def test_every_node_of_an_example_has_its_lines(name: str) -> None:
    flow, registry = example(name)
    script, spans = exported(flow, registry)
    for node in flow.nodes:
        assert spans.of([Place("", node)]), node
    refuse_overlap(script, spans)


def test_a_node_has_its_statement_and_what_it_uses() -> None:
    script, spans = exported(*example("field_notes"))
    own = told(script, spans, "writer").strip()
    assert own.startswith("writer = await agent(")
    assert own.endswith(")")
    assert "critic" not in own
    used = told(script, spans, "writer", own=False)
    assert "WRITER_INSTRUCTIONS = " in used
    assert "CRITIC_INSTRUCTIONS" not in used


def test_a_loop_has_its_rounds_and_what_stands_in_it_is_of_its_steps() -> None:
    script, spans = exported(*example("field_notes"))
    rounds = told(script, spans, "rounds")
    assert "for _ in rounds(" in rounds
    assert "writer = await" in rounds
    line = next(at for at, one in enumerate(script.text.split("\n"), 1) if "writer = await" in one)
    assert spans.at(line) == {Place("", NodeId("writer"))}


def test_calls_side_by_side_have_their_own_lines() -> None:
    script, spans = exported(*example("side_by_side"))
    line = next(at for at, one in enumerate(script.text.split("\n"), 1) if "CAREFUL_INSTRUCTIONS" in one)
    assert spans.at(line) == {Place("", NodeId("careful"))}  # its text
    used = told(script, spans, "careful", own=False)
    assert "CAREFUL_INSTRUCTIONS" in used
    assert "BOLD_INSTRUCTIONS" not in used


def test_what_lends_has_the_line_that_opens_it_and_not_all_that_borrows() -> None:
    script, spans = exported(*example("field_notes"))
    own = told(script, spans, "text_search")
    assert own.strip().startswith("text_search_tool = text_search(")
    assert "agent(" not in own


def test_flow_inputs_and_outputs_are_arguments_and_what_is_returned() -> None:
    script, spans = exported(*example("side_by_side"))
    assert 'question: str = "Should we' in told(script, spans, "question")
    assert '"verdict": comparer.data' in told(script, spans, "verdict")


def test_a_long_default_of_an_input_is_a_text_of_its_own() -> None:
    script, spans = exported(*example("mdagents"))
    assert "question: str = QUESTION" in told(script, spans, "question")
    assert "QUESTION = " in told(script, spans, "question", own=False)


def test_a_called_flow_has_lines_of_its_own_and_its_head_is_of_who_calls_it() -> None:
    script, spans = exported(*example("chapters"))
    assert "writer = await agent(" in told(script, spans, "writer", "summary.json")
    assert told(script, spans, "writer") == ""
    assert "async def summary_of_a_chapter(" in told(script, spans, "summarise", own=False)
    assert "writer = await" not in told(script, spans, "summarise", own=False)


@pytest.mark.parametrize("name", ROWS)
def test_every_step_of_the_flows_that_are_compared_has_its_lines(name: str) -> None:
    script, spans = exported(ROWS[name].flow, REGISTRY)
    refuse_overlap(script, spans)
    function = next(one for one in ast.parse(script.text).body if _is(one, script.flows[0].function))
    for one in statements_of(function):
        is_of_nobody = isinstance(one, ast.If) or _is_plain(one) or _begins(one)
        assert spans.at(one.lineno) or is_of_nobody, ast.unparse(one)


@settings(random_flows, deadline=None, max_examples=examples(25))
@given(cases(most_crossings=1))
def test_in_a_random_flow_steps_have_lines_that_do_not_cross(case: Case) -> None:
    assume(not case.is_refused)
    script, spans = exported(case.flow, KINDS.with_flows(GivenFlows(case.flows)))
    refuse_overlap(script, spans)
    for one in script.flows:
        assert len(one.owners) > 1


def test_a_lane_is_of_the_steps_in_it() -> None:
    nodes = {name: ("llm.chat", {"instructions": name}) for name in ("a", "b", "c", "d")}
    flow = flow_of(
        {"word": "io.flow_input", **nodes, "out": "io.flow_output", "other": "io.flow_output"},
        [
            "word.value -> a.prompt",
            "a.reply -> b.prompt",
            "b.reply -> out.value",
            "word.value -> c.prompt",
            "c.reply -> d.prompt",
            "d.reply -> other.value",
        ],
    )
    script, spans = exported(flow, REGISTRY)
    line = next(at for at, one in enumerate(script.text.split("\n"), 1) if "async def b_lane" in one)
    assert {one.node for one in spans.at(line)} == {"a", "b"}
    assert {one.node for one in spans.at(line + 1)} == {"a"}
    assert "async def b_lane" not in told(script, spans, "a"), "it is more than its own"
    assert "async def b_lane" in told(script, spans, "a", own=False)
    assert "def d_lane" not in told(script, spans, "a", own=False)


def test_marks_leave_the_code_as_it_was() -> None:
    inner = marked([NodeId("b")], ["b = [", "    1,", "]"])
    lines = [
        "def f():",
        *(f"    {one}" for one in marked([NodeId("a")], ["for x in y:", *(f"    {one}" for one in inner)])),
    ]
    plain, owners = read_marks("\n".join(lines))
    assert plain == "def f():\n    for x in y:\n        b = [\n            1,\n        ]"
    assert [tuple(part.nodes for part in one) for one in owners] == [(), (("a",),), (("a",), ("b",))]


def _is(one: ast.stmt, name: str) -> bool:
    return isinstance(one, ast.AsyncFunctionDef) and one.name == name


def _is_plain(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)


def _begins(one: ast.stmt) -> bool:
    """Whether it says of variables that nothing is there yet."""
    return isinstance(one, ast.Assign) and ast.unparse(one.value) == "nothing"
