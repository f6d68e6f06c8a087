"""What a called flow looks like from outside, and where its steps stand."""

from dataclasses import replace
from typing import Any

import pytest

from studio.errors import UsageError
from studio.flow.checks.check import Problem, check
from studio.flow.records import Flow, RunSettings
from studio.flow.structure.types import resolve
from studio.flow.subflows.calls import GivenFlows, flow_at, reachable
from studio.ids import Scope, StepId, own_scope, seen_from_outside
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_registry
from tests.flow.builders import flow, node, socket

SUMMARY = flow(
    {
        "text": "io.flow_input",
        "words": node("io.flow_input", type="number", default=20),
        "prompt": node("text.template", template="{{words}} {{text}}"),
        "gist": "io.flow_output",
        "spent": "io.flow_output",
    },
    "text.value -> prompt.text",
    "words.value -> prompt.words",
    "prompt.text -> gist.value",
    "words.value -> spent.value",
)
SAME = flow(
    {"thing": node("io.flow_input", type="any"), "again": "io.flow_output"}, "thing.value -> again.value"
)
ITSELF = flow(
    {
        "start": "io.flow_input",
        "deeper": node("control.subflow", flow="itself.json"),
        "end": "io.flow_output",
    },
    "start.value -> deeper.start",
    "deeper.end -> end.value",
)
FLOWS = {"summary.json": SUMMARY, "same.json": SAME, "itself.json": ITSELF}


def registry(**more: Flow) -> Registry:
    return builtin_registry().with_flows(GivenFlows({**FLOWS, **more}))


def calling(name: str, *wires: str) -> Flow:
    return flow(
        {
            "question": node("text.text", text="why?"),
            "call": node("control.subflow", title="Call", flow=name),
            "out": "io.flow_output",
        },
        *wires,
    )


def problems(of: Flow) -> list[Problem]:
    return [one for one in check(of, registry()) if one.severity == "error"]


def test_the_ports_of_a_call_are_the_inputs_and_outputs_of_the_called_flow() -> None:
    found = registry().signature(node("control.subflow", flow="summary.json"))
    assert found is not None
    assert [(port.name, str(port.type), port.required) for port in found.inputs] == [
        ("text", "text", True),
        ("words", "number", False),
    ]
    assert [(port.name, str(port.type)) for port in found.outputs] == [("gist", "text"), ("spent", "number")]


def test_what_goes_through_an_untyped_input_keeps_its_type() -> None:
    made = calling("same.json", "question.text -> call.thing", "call.again -> out.value")
    assert str(resolve(made, registry())[socket("call.again")]) == "text"


def test_a_flow_that_calls_itself_in_one_case_has_ports_and_no_problems() -> None:
    assert check(counting("more.yes -> less.n", "more.no -> end.values[1]"), counting_registry()) == []


def test_an_input_without_a_default_has_to_be_fed() -> None:
    (one,) = problems(calling("summary.json", "call.gist -> out.value"))
    assert (one.code, one.node) == ("missing-input", "call")


def test_a_flow_that_is_missing_is_named_with_others_to_call_and_its_wires_stay() -> None:
    made = calling("sumary.json", "question.text -> call.text", "call.gist -> out.value")
    (one,) = problems(made)
    assert (one.code, one.node) == ("called-flow", "call")
    assert one.message == "“Call”: The project has no flow `sumary.json`."
    mended = one.remedies[0].change.applied_to(made)
    assert mended.wires == made.wires
    assert problems(mended) == []


def test_a_call_that_names_no_flow_says_so() -> None:
    one = problems(calling(""))[0]
    assert one.message == "“Call”: No flow is chosen."
    assert [remedy.label for remedy in one.remedies] == [f"Call {name}" for name in sorted(FLOWS)]


def test_a_flow_is_not_offered_itself_to_call() -> None:
    made = replace(calling(""), name="Birds")
    less = replace(made, nodes={name: one for name, one in made.nodes.items() if name != "out"})
    found = [one for one in check(made, registry(**{"aa.json": less})) if one.code == "called-flow"]
    assert [remedy.label for remedy in found[0].remedies] == [f"Call {name}" for name in sorted(FLOWS)]


def test_an_input_that_no_port_can_be_called_after_is_told() -> None:
    odd = flow({"after": "io.flow_input", "out": "io.flow_output"}, "after.value -> out.value")
    found = check(calling("odd.json"), registry(**{"odd.json": odd}))
    assert "`after`" in found[0].message


def lending(name: str) -> Flow:
    return flow(
        {
            "call": "control.call_tool",
            "lender": node("tools.flow_as_tool", title="Lender", flow=name),
            "out": "io.flow_output",
        },
        "lender.tool -> call.tool[0]",
        "call.text -> out.value",
    )


def test_a_tool_names_a_flow_that_is_missing_with_others_to_run() -> None:
    (one,) = problems(lending("sumary.json"))
    assert (one.code, one.node) == ("called-flow", "lender")
    assert problems(one.remedies[0].change.applied_to(lending("sumary.json"))) == []
    assert sorted(reachable(lending("itself.json"), registry())) == ["itself.json"]


def test_a_tool_may_run_a_flow_whose_inputs_no_port_could_be_called_after() -> None:
    odd = flow({"after": "io.flow_input", "out": "io.flow_output"}, "after.value -> out.value")
    assert check(lending("odd.json"), registry(**{"odd.json": odd})) == []


def test_a_wire_to_a_port_that_the_called_flow_lost_is_a_problem() -> None:
    made = calling(
        "summary.json",
        "question.text -> call.text",
        "question.text -> call.title",
        "call.gist -> out.value",
    )
    assert [one.code for one in problems(made)] == ["missing-port"]


def test_all_flows_within_reach_are_found_once_each() -> None:
    middle = calling("itself.json")
    known = registry(**{"middle.json": middle})
    assert sorted(reachable(calling("middle.json"), known)) == ["itself.json", "middle.json"]
    assert reachable(calling("nowhere.json"), known) == {}


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        ("", ITSELF),
        ("rounds.2", ITSELF),
        ("deeper", ITSELF),
        ("each.3/deeper@2/rounds.1/deeper", ITSELF),
        ("end", None),
        ("end#tool.1", ITSELF),
        ("each.2/end#tool.1@2/deeper/rounds.1", ITSELF),
        ("end#tool.1/start", None),
    ],
)
def test_a_scope_says_which_flow_its_steps_belong_to(scope: str, found: Flow | None) -> None:
    assert flow_at(ITSELF, registry(), Scope(scope)) is found


def test_a_step_in_a_called_flow_is_seen_from_outside_as_its_caller() -> None:
    assert seen_from_outside(StepId("each.1/deeper@2/rounds.1/x#chat.1")) == "each.1/deeper"
    assert seen_from_outside(StepId("rounds.2/x#chat.1")) == "rounds.2/x#chat.1"
    assert own_scope(Scope("each.1/deeper@2/rounds.1")) == "each.1"


def test_flows_that_are_not_there_are_told_in_words() -> None:
    with pytest.raises(UsageError, match=r"has no flow `x\.json`"):
        GivenFlows({}).flow("x.json")


def counting(*wires: str, cases: Any = None, **deeper: object) -> Flow:
    """Counts down: a branch says whether it calls itself."""
    known: Any = cases or [{"label": "yes", "when": "value > 0"}, {"label": "no"}]
    return flow(
        {
            "n": node("io.flow_input", type="number"),
            "more": node("control.branch", cases=known),
            "less": node("value.formula", formula="n - 1"),
            "deeper": node("control.subflow", flow="count.json").model_copy(
                update={"run": RunSettings.model_validate(deeper)}
            ),
            "end": "control.merge",
            "out": "io.flow_output",
        },
        "n.value -> more.value",
        "less.value -> deeper.n",
        "deeper.out -> end.values[0]",
        "end.value -> out.value",
        *wires,
    )


def counting_registry(made: Flow | None = None) -> Registry:
    return registry(**{"count.json": made or counting("more.yes -> less.n", "more.no -> end.values[1]")})


def test_a_flow_that_calls_itself_whatever_is_given_is_warned_of() -> None:
    (one,) = check(ITSELF, registry())
    assert (one.code, one.severity, one.node) == ("endless-call", "warning", "deeper")


@pytest.mark.parametrize(
    "made",
    [
        counting("n.value -> less.n"),
        counting("more.other -> less.n", cases=[{"label": "other"}]),
    ],
    ids=["beside the branch", "in the only case"],
)
def test_a_branch_that_has_no_say_in_it_ends_no_calls(made: Flow) -> None:
    assert "endless-call" in [one.code for one in check(made, counting_registry(made))]


def test_a_default_that_hides_the_end_is_told() -> None:
    made = counting("n.value -> less.n", on_error="default", default=0)
    (one,) = [one for one in check(made, counting_registry(made)) if one.code == "endless-call"]
    assert "default then hides" in one.message


def test_two_flows_that_call_one_another_without_a_choice_are_warned_of() -> None:
    def one_of_two(other: str) -> Flow:
        return flow(
            {"x": "io.flow_input", "call": node("control.subflow", flow=other), "y": "io.flow_output"},
            "x.value -> call.x",
            "call.y -> y.value",
        )

    ping, pong = one_of_two("pong.json"), one_of_two("ping.json")
    known = registry(**{"ping.json": ping, "pong.json": pong})
    assert [one.code for one in check(ping, known)] == ["endless-call"]
