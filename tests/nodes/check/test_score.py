"""Scores: how near a value comes to what is wanted, by each way of comparing."""

import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.check.score import score
from studio.building_blocks.agents.made_calls import calls_in
from studio.building_blocks.agents.wanted_calls import calls_score
from studio.building_blocks.values.likeness import has_all, is_alike, leaves
from studio.errors import SettingsError
from studio.sandbox.wasm import WasmBox
from studio.sdk import Message, StepError, ToolCall, ToolError
from studio.sdk.node import node_type_of
from studio.sdk.testing import ScriptedContext, run_bench


async def scored(value: Any, wanted: Any, by: str, **settings: Any) -> tuple[float, str]:
    """The score and the reason."""
    found = await run_bench(score, {"value": value, "wanted": wanted}, {"by": by, **settings})
    assert isinstance(found["score"], float)
    assert found["ok"] is (found["score"] >= settings.get("enough", 1.0))
    assert found.get("passed" if found["ok"] else "failed") == value
    assert ("failed" if found["ok"] else "passed") not in found
    return found["score"], str(found["reason"])


@pytest.mark.parametrize(
    ("value", "wanted", "settings", "expected"),
    [
        (" Wren\n", "Wren", {}, 1),
        ("wren", "Wren", {}, 0),
        ("wren", "Wren", {"ignore_case": True}, 1),
        ({"a": [1, 2.0]}, {"a": [1, 2]}, {}, 1),
        (True, 1, {}, 0),
        (Message("assistant", "wren"), "wren", {}, 1),
    ],
)
async def test_exact(value: Any, wanted: Any, settings: Any, expected: float) -> None:
    assert (await scored(value, wanted, "exact", **settings))[0] == expected


@pytest.mark.parametrize(
    ("by", "wanted", "expected", "reason"),
    [
        ("contains", "wren", 1, ""),
        ("contains", ["wren", "tit", "owl", "hedge"], 0.5, 'It has no "tit". It has no "owl".'),
        ("regular expression", [r"w\w+n", r"^\d"], 0.5, r"Nothing in it is like ^\d"),
    ],
)
async def test_the_score_is_the_share_that_is_there(
    by: str, wanted: Any, expected: float, reason: str
) -> None:
    assert await scored("a wren in a hedge", wanted, by) == (expected, reason)
    assert (await scored("a wren in a hedge", wanted, by, enough=0.5))[0] == expected


async def test_a_pattern_is_bounded() -> None:
    with pytest.raises(ToolError, match=r"group|longer"):
        await scored("a" * 5_000, "(a+)+b", "regular expression")


@pytest.mark.parametrize(
    ("value", "wanted", "settings", "expected"),
    [
        ("That makes 3 of 1,204.50 in all", 1204.5, {}, 1),
        ("so 41", "42", {}, 0),
        ("so 41", 42, {"tolerance": 1}, 1),
        (99, 100, {"tolerance": 0.01, "relative": True}, 1),
        (98, 100, {"tolerance": 0.01, "relative": True}, 0),
        ("-2e3", -2000, {}, 1),
        ("none", 1, {}, 0),
        ("between 3-4", 4, {}, 1),
        ("x=-4", -4, {}, 1),
        (10**400, 1.5, {"tolerance": 1}, 0),
    ],
)
async def test_numbers_are_near_enough(value: Any, wanted: Any, settings: Any, expected: float) -> None:
    assert (await scored(value, wanted, "number", **settings))[0] == expected


@pytest.mark.parametrize(
    ("value", "wanted", "settings", "expected"),
    [
        ('{"a": 1, "b": 2}', {"a": 1, "b": 2}, {}, 1),
        ({"a": 1, "b": 3}, {"a": 1, "b": 2}, {}, 0.5),
        ({"a": 1, "b": 3}, {"a": 1}, {}, 0.5),
        ({"a": 1, "b": 3}, {"a": 1}, {"json_as": "at least this"}, 1),
        ({"a": [1, 5], "b": 3}, {"a": [1, 6]}, {"json_as": "at the places", "places": ["a.0"]}, 1),
        ({"a": [1]}, {"a": [1, 2]}, {"json_as": "at least this"}, 0.5),
        ([1], {"0": 1}, {"json_as": "at least this"}, 0),
        ({"a": 1.04}, {"a": 1}, {"tolerance": 0.05}, 1),
        ("no json", {"a": 1}, {}, 0),
        ({}, {}, {}, 1),
        ({"a": 10**400}, {"a": 0.5}, {}, 0),
    ],
)
async def test_json_is_compared_place_by_place(
    value: Any, wanted: Any, settings: Any, expected: float
) -> None:
    assert (await scored(value, wanted, "JSON", **settings))[0] == expected


async def test_what_differs_in_json_is_said_with_its_place() -> None:
    found = await scored({"birds": [{"name": "wren"}], "c": 1}, {"birds": [{"name": "tit"}], "d": 1}, "JSON")
    said = '`birds[0].name` is "wren", not "tit". `d` is missing, not 1. `c` is 1, but not expected.'
    assert found == (0, said)


async def test_where_nothing_is_wanted_nothing_is_scored() -> None:
    with pytest.raises(StepError, match="No expected value was passed"):
        await scored({}, {}, "JSON", json_as="at the places")
    with pytest.raises(StepError, match="The expected value"):
        await scored(1, "x", "number")


CONVERSATION = [
    Message("user", "?"),
    Message(
        "assistant", "", (ToolCall("1", "find", '{"what": "owl", "most": 3}'), ToolCall("2", "look", "{}"))
    ),
    Message("assistant", "", (ToolCall("3", "write", "not json"),)),
]


@pytest.mark.parametrize(
    ("wanted", "settings", "expected"),
    [
        ([{"name": "find", "arguments": {"what": "owl"}}, "write"], {}, 1),
        (["write", "find"], {}, 0.5),
        (["write", "find"], {"in_order": False}, 1),
        (["find", "look"], {"extra_calls": False}, 2 / 3),
        ([{"name": "find", "arguments": {"what": "wren"}}], {}, 0),
        ([], {}, 1),
        ([], {"extra_calls": False}, 0),
    ],
)
async def test_tool_calls_are_wanted_by_name_arguments_and_order(
    wanted: Any, settings: Any, expected: float
) -> None:
    found, reason = await scored(CONVERSATION, wanted, "tool calls", **settings)
    assert found == pytest.approx(expected, abs=1e-6)  # pyright: ignore[reportUnknownMemberType]
    assert bool(reason) is (expected < 1)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ([{"name": "find", "arguments": [1]}], 0),
        ([{"name": "find", "arguments": {"what": "owl"}}], 1),
        ([{"type": "function", "function": {"name": "find", "arguments": '{"what": "owl"}'}}], 1),
        ({"role": "assistant", "tool_calls": 5}, 0),
        (["look"] * 400 + [{"name": "find", "arguments": {"what": "owl"}}], 1),
    ],
)
async def test_calls_are_read_however_they_are_written(made: Any, expected: float) -> None:
    wanted = [{"name": "find", "arguments": {"what": "owl"}}]
    assert (await scored(made, wanted, "tool calls"))[0] == expected


async def test_more_calls_than_can_be_compared_are_an_error_and_no_wrong_score() -> None:
    with pytest.raises(StepError, match="301 expected ones"):
        await scored(["a"], ["a"] * 301, "tool calls")


NAMES = st.lists(st.sampled_from(["a", "b", "c"]), max_size=5)


@given(made=NAMES, wanted=NAMES)
def test_no_other_pairing_of_calls_would_score_more(made: list[str], wanted: list[str]) -> None:
    def best(*, in_order: bool) -> int:
        ways = [made] if in_order else [list(one) for one in permutations(made)]
        found = 0
        for picks in range(2 ** len(wanted)):
            goal = [one for at, one in enumerate(wanted) if picks >> at & 1]
            if any(is_within(goal, way) for way in ways):
                found = max(found, len(goal))
        return found

    for in_order in (True, False):
        share, faults = calls_score(calls_in(made), calls_in(wanted), in_order=in_order, extra_calls=True)
        found = best(in_order=in_order)
        assert share == (found / len(wanted) if wanted else 1)
        assert len(faults) == len(wanted) - found


def is_within(part: list[str], whole: list[str]) -> bool:
    """Whether a list is found in another one, in its order."""
    left = iter(whole)
    return all(one in left for one in part)


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('a.["', max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(one=plain, other=plain)
def test_values_are_alike_exactly_where_their_json_is(one: Any, other: Any) -> None:
    is_same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert is_alike(one, other) is is_same
    assert has_all(one, other) or not is_same
    assert (leaves(one) == leaves(other) and is_alike(one, other)) is is_same


@pytest.mark.box
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return len(value) / 4", (0.75, "")),
        ("return wanted == 'owl'", (1.0, "")),
        ("return {'score': 0.5, 'reason': 'half'}", (0.5, "half")),
    ],
)
async def test_python_scores_in_a_box(body: str, expected: tuple[float, str]) -> None:
    code = f"def score(value, wanted):\n    {body}"
    async with WasmBox() as box:
        found = await run_bench(
            score, {"value": "owl", "wanted": "owl"}, {"by": "Python", "code": code}, ScriptedContext(box=box)
        )
    assert (found["score"], found["reason"]) == expected


@pytest.mark.box
async def test_python_that_gives_no_score_is_an_error() -> None:
    code = "def score(value, wanted):\n    return 7"
    async with WasmBox() as box:
        with pytest.raises(StepError, match="not a number from 0 to 1"):
            await run_bench(score, {"value": 1}, {"by": "Python", "code": code}, ScriptedContext(box=box))


@pytest.mark.parametrize("code", ["def other(value, wanted): ...", "def score(value): ...", "import os\n"])
def test_code_that_cannot_score_is_refused(code: str) -> None:
    with pytest.raises(SettingsError):
        node_type_of(score).complete_settings({"code": code})
