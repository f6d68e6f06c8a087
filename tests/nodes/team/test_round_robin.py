"""Members speak in turn, and see what was said."""

from collections.abc import Sequence
from typing import Any

import pytest

from nodes.team.round_robin import round_robin
from studio.errors import SettingsError
from studio.sdk import Agent, StepError
from studio.sdk.node import node_type_of
from studio.sdk.testing import ScriptedContext, run_bench
from tests.nodes.team.members import failing, saying


async def talk(agents: Sequence[Agent], **settings: Any) -> dict[str, Any]:
    return await run_bench(round_robin, {"task": "Go.", "agents": agents}, settings, ScriptedContext())


async def test_they_speak_in_the_order_of_the_wires_round_after_round() -> None:
    found = await talk([saying("ada", "one", "three"), saying("ben", "two", "four")], rounds=2)
    assert [one.content for one in found["messages"]] == [
        "Go.",
        "ada: one",
        "ben: two",
        "ada: three",
        "ben: four",
    ]
    assert (found["reply"], found["speaker"], found["ended"]) == ("four", "ben", "rounds")


async def test_it_ends_in_the_midst_of_a_round_where_the_rule_holds() -> None:
    found = await talk([saying("ada", "done"), saying("ben")], rounds=5, ends_when='text == "done"')
    assert (found["speaker"], found["ended"], len(found["messages"])) == ("ada", "rule", 2)


async def test_a_round_is_whole_when_all_have_spoken() -> None:
    found = await talk([saying("ada", "1", "3"), saying("ben", "2", "4")], rounds=5, ends_when="rounds >= 2")
    assert (found["reply"], found["ended"]) == ("4", "rule")


async def test_a_team_of_one_goes_on_by_itself() -> None:
    ada = saying("ada", "one", "two")
    found = await talk([ada], rounds=2)
    assert found["reply"] == "two"
    assert ada.heard == ["Go.", "Go on."]


async def test_what_all_are_told_is_added_to_each_ones_instructions() -> None:
    two = [saying("ada", "a"), saying("ben", "b")]
    await talk(two, rounds=1, instructions="Be brief.")
    assert [one.roles for one in two] == [["Be brief."], ["Be brief."]]


async def test_edges_say_who_hears_what_is_said() -> None:
    team = [saying("ada", "one", "four"), saying("ben", "two", "five"), saying("cleo", "three", "six")]
    edges = [
        {"from": "ada", "to": "cleo"},
        {"from": "ben", "to": "ada"},
        {"from": "cleo", "to": "ben", "round": 2},
    ]
    found = await run_bench(round_robin, {"task": "Go.", "agents": team, "edges": edges}, {"rounds": 2})
    assert [one.heard for one in team] == [
        ["Go.", "ben: two"],
        ["Go.", "Go on."],
        ["Go.\n\nada: one", "ada: four"],
    ]
    assert len(found["messages"]) == 7
    with pytest.raises(StepError, match="names `dan`"):
        await run_bench(round_robin, {"task": "Go.", "agents": team, "edges": {"dan": ["ada"]}})


async def test_a_member_that_fails_ends_it_or_is_passed_over() -> None:
    with pytest.raises(StepError, match="broken"):
        await talk([failing("ada", "broken"), saying("ben", "b")], rounds=1)
    ben = saying("ben", "b")
    found = await talk([failing("ada", "broken"), ben], rounds=1, at_fault="go on")
    assert found["reply"] == "b"
    assert "ada: (I could not answer: broken)" in ben.heard[0]


async def test_nobody_is_refused() -> None:
    with pytest.raises(StepError, match="No agents"):
        await talk([])


def test_a_rule_speaks_of_what_there_is() -> None:
    with pytest.raises(SettingsError) as refused:
        node_type_of(round_robin).complete_settings({"ends_when": "messages > 3"})
    assert "the names are `handed_over`, `rounds`" in "".join(refused.value.details)
