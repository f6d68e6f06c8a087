"""A language model chooses who speaks next."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from nodes.team.selector import selector
from studio.sdk import Agent, StepError
from studio.sdk.testing import ScriptedContext, run_bench
from tests.nodes.team.members import saying


def chosen(name: str, **more: Any) -> str:
    return json.dumps({"reason": "So.", **more, "next": name})


async def talk(agents: Sequence[Agent], chat: Sequence[str], **settings: Any) -> tuple[dict[str, Any], Any]:
    context = ScriptedContext(chat)
    found = await run_bench(selector, {"task": "Go.", "agents": agents}, settings, context)
    return found, context


def speakers(found: dict[str, Any]) -> list[str]:
    return [one.content.partition(":")[0] for one in found["messages"][1:]]


THREE = ("ada", "ben", "cy")


def three(*texts: str) -> list[Any]:
    return [saying(name, *(texts or ("x", "y", "z")), description=f"{name} helps") for name in THREE]


async def test_whoever_is_named_speaks_and_is_asked_about_with_what_was_said() -> None:
    found, context = await talk(three(), [chosen("cy"), chosen("ada")], turns=2)
    assert speakers(found) == ["cy", "ada"]
    second = context.requests[1]
    assert "- ben: ben helps" in second.messages[0].content
    assert second.messages[1].content.startswith("Go.\n\ncy: x\n\nWho speaks next?")


async def test_edges_say_who_hears_what_is_said_and_the_one_who_chooses_reads_all() -> None:
    team, context = three(), ScriptedContext([chosen("ada"), chosen("ben"), chosen("cy")])
    given = {"task": "Go.", "agents": team, "edges": {"cy": ["ben"]}}
    await run_bench(selector, given, {"turns": 3}, context)
    assert [one.heard for one in team] == [["Go."], ["Go."], ["Go.\n\nben: x"]]
    assert "ada: x\n\nben: x" in context.requests[2].messages[1].content


async def test_nobody_is_chosen_twice_in_a_row_unless_it_is_allowed() -> None:
    found, context = await talk(three(), [chosen("cy"), chosen("cy"), chosen("ben")], turns=2)
    assert speakers(found) == ["cy", "ben"]
    names = [one.response_schema["properties"]["next"]["enum"] for one in context.requests]
    assert names == [["ada", "ben", "cy"], ["ada", "ben"], ["ada", "ben"]]
    found, _ = await talk(three(), [chosen("cy"), chosen("cy")], turns=2, again=True)
    assert speakers(found) == ["cy", "cy"]


async def test_a_name_that_nobody_has_is_sent_back_and_then_the_next_in_turn_speaks() -> None:
    found, context = await talk(three(), [chosen("ben"), *[chosen("dan")] * 3], turns=2)
    assert speakers(found) == ["ben", "cy"]
    assert "That was not the JSON" in context.requests[-1].messages[-1].content
    with pytest.raises(StepError, match="No speaker was chosen"):
        await talk(three(), [chosen("dan")] * 3, without="fail")


async def test_who_hands_over_to_some_is_followed_by_one_of_these() -> None:
    ada, ben, cy = three()
    team = [replace(ada, passes_to=("cy", "nobody")), replace(ben, passes_to=("nobody",)), cy]
    found, context = await talk(team, [chosen("ada"), chosen("ben"), chosen("ada")], turns=4)
    assert speakers(found) == ["ada", "cy", "ben", "ada"]
    assert len(context.requests) == 3, "where one alone may follow, nobody is asked"


async def test_who_is_alone_speaks_without_being_chosen() -> None:
    found, context = await talk([saying("ada", "one", "two")], [], turns=2)
    assert speakers(found) == ["ada", "ada"]
    assert not context.requests


async def test_the_one_who_chooses_may_say_that_it_is_done() -> None:
    chat = [chosen("ada", done=False), chosen("ben", done=True)]
    found, _ = await talk(three(), chat, may_end=True)
    assert (speakers(found), found["ended"]) == (["ada"], "done")


async def test_it_ends_by_its_rule_or_after_its_turns() -> None:
    chat = [chosen("ada"), chosen("ben"), chosen("ada")]
    found, _ = await talk(three(), chat, ends_when='speaker == "ben"')
    assert (found["ended"], found["speaker"]) == ("rule", "ben")
    found, _ = await talk(three(), chat, ends_when="rounds == 1")
    assert (found["ended"], len(found["messages"])) == ("rule", 4)
    found, _ = await talk(three(), chat, turns=2)
    assert found["ended"] == "turns"
