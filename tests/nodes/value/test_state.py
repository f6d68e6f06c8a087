"""Set variable and Get variable, one at a time."""

from typing import Any

import pytest

from nodes.value.state_get import state_get
from nodes.value.state_set import state_set
from studio.sdk import StepError
from studio.sdk.node import node_type_of
from studio.sdk.testing import ScriptedContext, run_bench


async def put(before: dict[str, Any], how: str, value: Any) -> dict[str, Any]:
    """What the variables are after one Set variable, which passes its value on."""
    context = ScriptedContext(variables=before)
    outputs = await run_bench(state_set, {"value": value}, {"name": "n", "how": how}, context)
    assert outputs == {"value": value}
    return context.state.variables


@pytest.mark.parametrize(
    ("before", "how", "value", "after"),
    [
        ({"n": 1}, "set", "owl", "owl"),
        ({}, "append", "owl", ["owl"]),
        ({"n": ["owl"]}, "append", ["tit"], ["owl", ["tit"]]),
        ({}, "add", 2, 2),
        ({"n": 2}, "add", 0.5, 2.5),
        ({}, "merge", {"a": 1}, {"a": 1}),
        ({"n": {"a": 1, "b": 2}}, "merge", {"b": 3}, {"a": 1, "b": 3}),
    ],
)
async def test_a_variable_is_replaced_or_added_to(
    before: dict[str, Any], how: str, value: Any, after: Any
) -> None:
    assert await put(before, how, value) == {"n": after}


@pytest.mark.parametrize(
    ("before", "how", "value"),
    [
        ({"n": "owl"}, "append", 1),
        ({"n": "owl"}, "add", 1),
        ({"n": True}, "add", 1),
        ({"n": 1}, "add", "owl"),
        ({}, "add", True),
        ({"n": []}, "merge", {}),
        ({}, "merge", [1]),
    ],
)
async def test_what_does_not_fit_is_refused_and_changes_nothing(
    before: dict[str, Any], how: str, value: Any
) -> None:
    context = ScriptedContext(variables=before)
    with pytest.raises(StepError, match="variable `n`"):
        await run_bench(state_set, {"value": value}, {"name": "n", "how": how}, context)
    assert context.state.variables == before


async def test_appending_leaves_the_list_alone_that_somebody_else_holds() -> None:
    held = ["owl"]
    assert await put({"n": held}, "append", "tit") == {"n": ["owl", "tit"]}
    assert held == ["owl"]


async def test_null_that_was_written_is_no_default() -> None:
    context = ScriptedContext(variables={"n": None})
    settings = {"name": "n", "default": 7, "missing": "fail"}
    assert await run_bench(state_get, {}, settings, context) == {"value": None}
    with pytest.raises(StepError, match="Nothing has been written"):
        await run_bench(state_get, {}, {**settings, "name": "other"}, context)


def test_both_say_which_variable_they_use_and_who_writes() -> None:
    shared = [node_type_of(one).signature({"name": "n"}).shares for one in (state_get, state_set)]
    assert [(one.name, one.is_written) for (one,) in shared] == [("n", False), ("n", True)]
