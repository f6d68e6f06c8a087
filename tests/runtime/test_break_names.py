"""What conditions may name where, and what is wrong in them before a run."""

import pytest

from studio.runtime.gates.breakpoints import Breakpoint
from studio.runtime.gates.condition_names import faults_of, names_at
from tests.runtime.agents import FLOW as AGENT
from tests.runtime.bench import REGISTRY
from tests.runtime.test_gate import FLOW as LOOP


@pytest.mark.parametrize(
    ("one", "offered", "missing"),
    [
        (Breakpoint("grow"), {"x", "inputs", "round", "tokens"}, {"text", "outputs"}),
        (Breakpoint("grow.text"), {"text", "outputs", "x", "inputs"}, {"messages"}),
        (Breakpoint("rounds.result"), {"result", "start"}, {"messages"}),
        (Breakpoint(on="error"), {"error", "text", "inputs"}, {"x"}),
        (Breakpoint(on="budget"), {"limit", "spent", "allowed", "run_cost"}, {"text"}),
    ],
)
def test_each_place_has_names_of_its_own(one: Breakpoint, offered: set[str], missing: set[str]) -> None:
    names = set(names_at(one, LOOP, REGISTRY))
    assert offered <= names
    assert not missing & names


@pytest.mark.parametrize(
    ("place", "offered"),
    [
        ("agent#chat", {"messages", "text"}),
        ("agent#chat.answer", {"answer", "text"}),
        ("agent#tool", {"tool", "arguments"}),
        ("agent#tool.answer", {"tool", "arguments", "answer", "text"}),
        ("search", {"tool", "arguments"}),
        ("agent", {"prompt", "inputs"}),
    ],
)
def test_calls_and_what_lends_tools_have_theirs(place: str, offered: set[str]) -> None:
    assert offered <= set(names_at(Breakpoint(place), AGENT, REGISTRY))


@pytest.mark.parametrize(
    ("one", "field", "said"),
    [
        (Breakpoint("grow", condition="nothing > 3"), "condition", "There is no `nothing` here"),
        (Breakpoint("grow", condition="x >"), "condition", "This is not an expression"),
        (Breakpoint("grow", condition="round > x and round > 'a'"), "condition", "it would never hold"),
        (Breakpoint("grow.text", condition="text == round"), "condition", "it would never hold"),
        (Breakpoint("grow", log="{x} and {y}"), "log", "There is no `y` here"),
        (Breakpoint("grow", hits=-1), "hits", "before the first hit"),
        (Breakpoint(on="text"), "text", "no text to look for"),
        (Breakpoint(on="text", text="(", is_pattern=True), "text", ""),
    ],
)
def test_what_is_wrong_is_told_with_the_remedy(one: Breakpoint, field: str, said: str) -> None:
    (fault,) = faults_of(one, LOOP, REGISTRY)
    assert fault.field == field
    assert said in fault.message
    assert fault.remedy


def test_a_fault_in_a_line_names_its_column_in_the_whole_line() -> None:
    (fault,) = faults_of(Breakpoint("grow", log="{x} and {len(y)}"), LOOP, REGISTRY)
    assert "{x} and {len(y)}"[fault.column - 1] == "y"


@pytest.mark.parametrize(
    "one",
    [
        Breakpoint("grow"),
        Breakpoint("grow", condition="len(x) > 2 and round > 1 or run_cost > 0.5"),
        Breakpoint("grow.text", condition='startswith(text, x) and outputs["text"] != None'),
        Breakpoint(on="error", condition='error == "ToolError"'),
        Breakpoint(on="text", text="refund"),
        Breakpoint("no_more", condition="round > 1"),
    ],
)
def test_what_fits_has_no_faults(one: Breakpoint) -> None:
    assert faults_of(one, LOOP, REGISTRY) == []
