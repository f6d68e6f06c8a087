"""A guard lets a text pass, rewrites it, or blocks it, and says why."""

import json
from typing import Any

import pytest

from nodes.check.guard import guard
from studio.errors import SettingsError
from studio.sdk.node import node_type_of
from studio.sdk.testing import ScriptedContext, run_bench

WAYS = ("passed", "rewritten", "blocked")


async def guarded(value: str, settings: Any, chat: Any = (), **inputs: Any) -> tuple[str, str, str]:
    """The way that a text went, the text there, and the reason."""
    found = await run_bench(guard, {"value": value, **inputs}, settings, ScriptedContext(list(chat)))
    [way] = [one for one in WAYS if one in found]
    assert found["ok"] is (way != "blocked")
    assert found.get("allowed") == (None if way == "blocked" else found[way])
    return way, str(found[way]), str(found["reason"])


def allows(reason: str = "", *, allowed: bool) -> str:
    return json.dumps({"reason": reason, "allowed": allowed})


@pytest.mark.parametrize(
    ("settings", "way", "reason"),
    [
        ({}, "passed", ""),
        ({"forbidden": ["owl"]}, "passed", ""),
        ({"forbidden": ["owl", "w.en"]}, "blocked", "It has something that is forbidden: w.en"),
        ({"rule": "len(value) < facts"}, "passed", ""),
        ({"rule": "len(value) > facts"}, "blocked", "The rule does not hold for it."),
        ({"schema": {"type": "object"}}, "blocked", "The text is not JSON"),
    ],
)
async def test_what_nobody_is_asked_about(settings: Any, way: str, reason: str) -> None:
    found = await guarded("a wren", settings, facts=10)
    assert found[:2] == (way, "a wren")
    assert found[2].startswith(reason)
    assert bool(found[2]) is bool(reason)


async def test_json_has_to_fit_the_schema() -> None:
    schema = {"type": "object", "required": ["a"]}
    assert await guarded('{"a": 1}', {"schema": schema}) == ("passed", '{"a": 1}', "")
    way, _, reason = await guarded("{}", {"schema": schema})
    assert way == "blocked"
    assert "`a`" in reason


async def test_what_is_forbidden_is_replaced_without_asking_anybody() -> None:
    settings = {"forbidden": [r"\d{4}", "wren"], "instead": "…"}
    assert await guarded("wren 1234 and wren", settings) == (
        "rewritten",
        "… … and …",
        r"It has something that is forbidden: \d{4}",
    )
    assert await guarded("an owl", settings) == ("passed", "an owl", "")
    still = await guarded("wren", {"forbidden": ["wren"], "instead": "wrens"})
    assert still[:2] == ("blocked", "wren")


async def test_a_language_model_judges_by_the_policy_what_nothing_else_stands_against() -> None:
    settings = {"policy": "Nobody is named.", "forbidden": ["owl"]}
    assert await guarded("a wren", settings, [allows(allowed=True)]) == ("passed", "a wren", "")
    assert await guarded("Ann", settings, [allows("It names Ann.", allowed=False)]) == (
        "blocked",
        "Ann",
        "It names Ann.",
    )
    assert (await guarded("an owl", settings))[0] == "blocked"  # no chat is asked


async def test_rewriting_is_tried_until_nothing_stands_against_it_any_more() -> None:
    settings: Any = {"forbidden": ["owl"], "otherwise": "rewrite", "policy": "Be kind.", "tries": 3}
    chat = ["an owl still", "a bad bird", allows("unkind", allowed=False), "a bird", allows(allowed=True)]
    context = ScriptedContext(chat)
    found = await run_bench(guard, {"value": "an owl"}, settings, context)
    assert (found["rewritten"], found["allowed"]) == ("a bird", "a bird")
    assert found["reason"] == "It has something that is forbidden: owl"
    asked = [json.loads(one.messages[1].content) for one in context.requests]
    assert [one["objection"] for one in asked if "objection" in one] == [
        "It has something that is forbidden: owl",
        "It has something that is forbidden: owl",
        "unkind",
    ]


async def test_what_no_try_helps_is_blocked_as_it_came() -> None:
    settings = {"forbidden": ["owl"], "otherwise": "rewrite", "tries": 2}
    assert (await guarded("an owl", settings, ["owl 1", " "]))[:2] == ("blocked", "an owl")


async def test_an_empty_try_is_not_what_the_next_one_rewrites() -> None:
    settings: Any = {"forbidden": ["owl"], "otherwise": "rewrite", "tries": 2}
    context = ScriptedContext([" ", "a bird"])
    assert (await run_bench(guard, {"value": "an owl"}, settings, context))["rewritten"] == "a bird"
    assert [json.loads(one.messages[1].content)["text"] for one in context.requests] == ["an owl", "an owl"]


@pytest.mark.parametrize("pattern", ["(", "(a+)+"])
def test_patterns_that_cannot_be_read_are_refused_beforehand(pattern: str) -> None:
    with pytest.raises(SettingsError):
        node_type_of(guard).complete_settings({"forbidden": [pattern]})


@pytest.mark.parametrize(
    ("settings", "is_asked"),
    [
        ({}, False),
        ({"policy": " \n"}, False),
        ({"policy": "Be kind."}, True),
        ({"otherwise": "rewrite"}, True),
    ],
)
def test_a_chat_profile_is_needed_only_where_a_model_is_asked(settings: Any, is_asked: bool) -> None:  # noqa: FBT001
    kind = node_type_of(guard)
    chosen = kind.of_variant(kind.complete_settings(settings))
    assert any(spec.editor == "profile" for spec in chosen.settings) is is_asked
    assert chosen.heavy is not is_asked
