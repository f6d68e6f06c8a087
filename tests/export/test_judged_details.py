"""What linters found in scripts of whole systems, each where it comes from."""

import pytest

from studio.export.python.lifter import Lifter
from studio.export.python.names import Names
from studio.export.structure.conditions import ALWAYS, Way, when
from studio.export.structure.rules import formula_function
from studio.export.writing.handovers import Handovers
from studio.export.writing.statements import binds_late


def test_that_a_comparison_fails_is_said_by_its_opposite() -> None:
    tests = {"low": 'kind == "low"', "high": 'kind == "high"', "middle": 'kind == "middle"'}
    way = Way("kind", tests)
    assert (~when(way, "middle")).given(ALWAYS).test() == 'kind != "middle"'


@pytest.mark.parametrize(
    ("line", "is_late"),
    [
        ("use(lambda: call(one))", True),
        ("use(lambda: call(other))", False),
        ("use(lambda: call(rounds_round))", True),
        ("use(lambda one: call(one))", False),
    ],
)
def test_a_function_in_a_loop_is_late_only_where_it_reads_what_changes(*, line: str, is_late: bool) -> None:
    assert binds_late(["one = ask()", line], {"rounds_round"}) is is_late


def test_what_a_function_holds_on_to_is_not_read_late() -> None:
    lines = ["one = ask()", "def item(*, one: int = one):", "    return use(lambda: call(one))"]
    assert not binds_late(lines, set())


def test_a_formula_picks_from_a_list_that_may_be_anything() -> None:
    picking = formula_function("Stage", "stage", "['plan', 'act'][round - 1]", Lifter(Names()))
    assert 'return cast("Any", [' in picking.source
    assert "cast" not in formula_function("First", "first", "[1, 2][0]", Lifter(Names())).source


def test_a_task_that_nobody_asks_for_has_no_name() -> None:
    handovers = Handovers()
    _ = handovers.new()
    lines = ["one_task = together.create_task(one())", "two_task = together.create_task(two())"]
    settled = handovers.settle([*lines, "two = two_task.result()"], Lifter(Names()))
    assert settled[:2] == ["together.create_task(one())", lines[1]]
