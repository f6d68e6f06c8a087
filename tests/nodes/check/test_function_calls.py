"""Calls of functions are right by the rules of BFCL's checker of syntax trees."""

from collections.abc import Mapping
from typing import Any

import pytest

from nodes.check.function_calls import function_calls
from nodes.llm.agent.declared_functions import declared_tools, json_schema
from studio.errors import StepError
from studio.llm.client import Message, ToolCall
from studio.sdk.testing import run_bench
from tests.experiments.toys import WEATHER

FLIGHT = {
    "name": "flight.book",
    "parameters": {
        "type": "dict",
        "properties": {
            "to": {"type": "string"},
            "price": {"type": "float"},
            "stops": {"type": "array", "items": {"type": "string"}},
            "loads": {"type": "array", "items": {"type": "float"}},
            "who": {"type": "dict", "properties": {"name": {"type": "string"}}},
            "legs": {"type": "array", "items": {"type": "dict"}},
            "meal": {"type": "boolean"},
        },
        "required": ["to"],
    },
}
RIGHT: Mapping[str, Any] = {
    "to": ["New York", "NYC"],
    "price": ["", 99.0],
    "stops": ["", ["Bath", "Exeter"]],
    "loads": ["", [1, 2]],
    "who": ["", {"name": ["Ada"], "age": ["", 7]}],
    "legs": ["", [{"by": ["train"]}, {"by": ["ferry"]}]],
    "meal": ["", True],
}


async def verdict(
    value: Any, kind: str = "simple", *answers: Any, functions: Any = (FLIGHT,)
) -> tuple[bool, str]:
    wanted = {"kind": kind, "functions": [*functions], "answers": [*answers]}
    found = await run_bench(function_calls, {"value": value, "wanted": wanted})
    return bool(found["ok"]), str(found["reason"])


def call(**arguments: Any) -> list[Any]:
    return [{"name": "flight_book", "arguments": arguments}]


@pytest.mark.parametrize(
    ("arguments", "ok"),
    [
        ({"to": "new-york"}, True),
        ({"to": "NYC", "price": 99}, True),
        ({"to": "NYC", "price": "99"}, False),
        ({"to": "Boston"}, False),
        ({}, False),
        ({"to": "NYC", "seat": "4A"}, False),
        ({"to": "NYC", "stops": ["bath", "Exeter"]}, True),
        ({"to": "NYC", "stops": ["Exeter", "Bath"]}, False),
        ({"to": "NYC", "stops": "Bath"}, False),
        ({"to": "NYC", "loads": [1, 2]}, True),
        ({"to": "NYC", "who": {"name": "ada"}}, True),
        ({"to": "NYC", "who": {"age": 7}}, False),
        ({"to": "NYC", "who": {"name": "Ada", "shoe": 5}}, False),
        ({"to": "NYC", "legs": [{"by": "Train"}, {"by": "ferry"}]}, True),
        ({"to": "NYC", "legs": [{"by": "ferry"}, {"by": "train"}]}, False),
        ({"to": "NYC", "meal": True}, True),
        ({"to": "NYC", "meal": 1}, False),
    ],
)
async def test_arguments_are_right_by_type_and_value(arguments: Mapping[str, Any], *, ok: bool) -> None:
    assert (await verdict(call(**arguments), "simple", {"flight.book": RIGHT}))[0] is ok


async def test_an_argument_that_may_not_be_left_out_has_to_be_there() -> None:
    _, reason = await verdict(call(to="NYC"), "simple", {"flight.book": {"to": ["NYC"], "meal": [True]}})
    assert reason == "`flight.book` was called without `meal`."


async def test_parallel_calls_come_in_any_order_and_none_too_many() -> None:
    answers = [{"weather.get": {"city": ["Bath"]}}, {"weather.get": {"city": ["Exeter"], "days": ["", 2]}}]
    made = [{"name": "weather_get", "arguments": {"city": one}} for one in ("Exeter", "Bath")]
    assert (await verdict(made, "parallel", *answers, functions=[WEATHER]))[0]
    assert not (await verdict([*made, made[0]], "parallel", *answers, functions=[WEATHER]))[0]
    assert not (await verdict([made[0], made[0]], "parallel", *answers, functions=[WEATHER]))[0]


@pytest.mark.parametrize(("kind", "ok"), [("irrelevance", (True, False)), ("relevance", (False, True))])
async def test_relevance_asks_whether_anything_was_called(kind: str, ok: tuple[bool, bool]) -> None:
    nothing = [Message("assistant", "I cannot know.")]
    something = [Message("assistant", tool_calls=(ToolCall("1", "flight_book", '{"to": "x"}'),))]
    assert ((await verdict(nothing, kind))[0], (await verdict(something, kind))[0]) == ok


async def test_calls_may_be_python_in_a_text() -> None:
    text = '[flight.book(to="NYC", stops=["Bath", "Exeter"])]'
    assert (await verdict(text, "simple", {"flight.book": RIGHT}))[0]
    assert (await verdict(f"```python\n{text}\n```", "simple", {"flight.book": RIGHT}))[0]
    assert (await verdict("I do not know.", "irrelevance"))[0]


async def test_what_is_wanted_has_to_say_its_kind() -> None:
    with pytest.raises(StepError, match="has no `kind`"):
        await run_bench(function_calls, {"value": [], "wanted": {"answers": []}})


def test_declared_functions_become_tools_that_endpoints_take() -> None:
    [tool] = declared_tools([WEATHER])
    assert tool.name == "weather_get"
    properties: Any = tool.parameters["properties"]
    assert properties["at"] == {"type": "array", "items": {"type": "number"}, "description": "Where"}
    [same] = declared_tools([{"type": "function", "function": WEATHER}])
    assert same.spec == tool.spec
    odd: Any = {
        "type": "dict",
        "properties": {"type": {"type": "any", "default": "dict"}},
        "required": ["type"],
    }
    assert json_schema(odd) == {
        "type": "object",
        "properties": {"type": {"default": "dict"}},
        "required": ["type"],
    }


@pytest.mark.parametrize(
    "functions", ["f", [1], [{}], [WEATHER, WEATHER], [{"name": "f", "parameters": [1]}]]
)
def test_functions_that_are_none_are_refused(functions: Any) -> None:
    with pytest.raises(StepError):
        declared_tools(functions)
