"""Agents hand a task over to one another, as runs show it."""

import json
from pathlib import Path
from typing import Any

import pytest

from nodes.team.handoff import handoff
from nodes.team.handoff.transfer import takers_of
from studio.ids import StepId
from studio.runtime.replay.takeover import replayed
from studio.sdk import Message, StepError
from studio.sdk.testing import ScriptedContext, run_bench
from studio.trace.differences.compare import first_difference
from tests.nodes.team.members import failing, saying
from tests.runtime import bench
from tests.runtime.bench import Ran, flow_of

PEOPLE = ("desk", "bills", "rooms")


def over(name: str, note: str = "") -> list[dict[str, Any]]:
    return [{"name": f"hand_over_to_{name}", "arguments": {"note": note} if note else {}}]


def rule(name: str, said: str, then: dict[str, Any]) -> dict[str, Any]:
    return {"when": {"instructions": f"You are {name}", "last": said}, **then}


RULES = [
    rule("desk", "rooms: It is free", {"reply": "You have room 4."}),
    rule("desk", "", {"reply": "Bills know that.", "tool_calls": over("bills", "what does room 4 cost?")}),
    rule("bills", "person", {"tool_calls": over("user")}),
    rule("bills", "", {"tool_calls": [*over("rooms", "is it free?"), *over("desk")]}),
    {
        "when": {"instructions": "You are rooms", "has_tool": "hand_over_to_desk"},
        "reply": "It is free.",
        "tool_calls": over("desk"),
    },
    rule("rooms", "", {"reply": "Take room 4."}),
]


async def ran(folder: Path, settings: dict[str, Any] | None = None, task: str = "Room 4, please.") -> Ran:
    path = folder / "answers.yaml"
    path.write_text(json.dumps({"rules": RULES}), "utf-8")
    return await bench.run(flow(settings, task), script=path)


def flow(settings: dict[str, Any] | None = None, task: str = "Room 4, please.") -> Any:
    nodes: dict[str, Any] = {
        **{one: ("team.member", {"name": one, "instructions": f"You are {one}."}) for one in PEOPLE},
        "team": ("team.handoff", settings or {}, {"task": task}),
    }
    wires = [f"{one}.agent -> team.agents[{place}]" for place, one in enumerate(PEOPLE)]
    for port in ("reply", "path", "ended", "handed_over"):
        nodes[f"the_{port}"] = "io.flow_output"
        wires.append(f"team.{port} -> the_{port}.value")
    return flow_of(nodes, wires)


async def test_the_word_goes_where_it_is_handed_and_the_last_answers(tmp_path: Path) -> None:
    found = await ran(tmp_path)
    told = dict(found.outputs)
    assert told == {
        "the_reply": "You have room 4.",
        "the_path": ["desk", "bills", "rooms", "desk"],
        "the_ended": "answered",
        "the_handed_over": "",
    }


async def test_who_takes_over_reads_what_was_handed_on(tmp_path: Path) -> None:
    state = (await ran(tmp_path)).state
    asked = state.steps[StepId("team#tool.2/bills#chat.1")].request
    assert asked is not None
    assert asked["messages"][-1]["content"] == (
        "Room 4, please.\n\ndesk: Bills know that.\n\n(I hand over to `bills`: what does room 4 cost?)"
    )
    assert [one["name"] for one in asked["tools"]] == ["hand_over_to_desk", "hand_over_to_rooms"]


async def test_it_may_be_handed_over_to_a_person_outside(tmp_path: Path) -> None:
    found = await ran(tmp_path, {"others": ["user"]}, "I want a person.")
    assert found.outputs["the_ended"] == "handed over"
    assert found.outputs["the_handed_over"] == "user"
    assert found.outputs["the_path"] == ["desk", "bills"]


def test_tools_have_names_that_every_endpoint_takes() -> None:
    desk = saying("desk")
    assert takers_of(desk, [desk], ["the call centre"]) == {"hand_over_to_the_call_centre": "the call centre"}


async def test_after_so_many_whoever_has_the_word_keeps_it(tmp_path: Path) -> None:
    found = await ran(tmp_path, {"hand_overs": 2})
    assert found.outputs["the_path"] == ["desk", "bills", "rooms"]
    assert found.outputs["the_reply"] == "Take room 4."
    asked = found.state.steps[StepId("team#tool.3/rooms#chat.1")].request
    assert asked is not None
    assert not asked["tools"]


async def test_a_rule_ends_it_at_a_hand_over(tmp_path: Path) -> None:
    found = await ran(tmp_path, {"ends_when": 'handed_over == "rooms"'})
    assert found.outputs["the_ended"] == "rule"
    assert found.outputs["the_path"] == ["desk", "bills"]


async def test_it_goes_on_where_it_was_left_with_what_a_person_said() -> None:
    desk, bills = saying("desk"), saying("bills", "It costs 40.")
    said = ["Room 4?", "desk: (I hand over to `bills`.)", "bills: (I hand over to `user`: which week?)"]
    given: dict[str, Any] = {"task": "In May.", "agents": [desk, bills], "first": "bills"}
    given["history"] = [Message("user", one) for one in said]
    found: dict[str, Any] = await run_bench(handoff, given, {}, ScriptedContext())
    assert (found["reply"], found["path"]) == ("It costs 40.", ["bills"])
    assert bills.heard == ["In May."]
    assert [one.role for one in bills.turns[0].history] == ["user", "user", "assistant"]
    assert [one.content for one in found["messages"]] == [*said, "In May.", "bills: It costs 40."]
    with pytest.raises(StepError, match="The team has no agent `dan`"):
        await run_bench(handoff, {**given, "first": "dan"}, {}, ScriptedContext())


async def test_a_replay_goes_the_same_way(tmp_path: Path) -> None:
    first = await ran(tmp_path)
    again = await bench.run(flow(), past=replayed(first.entries, flow(), bench.REGISTRY))
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


async def test_a_member_that_fails_ends_it_or_there_is_nobody_to_go_back_to() -> None:
    given = {"task": "Go.", "agents": [failing("ada", "broken"), saying("ben", "b")]}
    with pytest.raises(StepError, match="broken"):
        await run_bench(handoff, given, {}, ScriptedContext())
    found = await run_bench(handoff, given, {"at_fault": "go on"}, ScriptedContext())
    assert (found["ended"], found["path"]) == ("failed", ["ada"])


async def test_it_goes_back_to_who_handed_over_where_a_member_fails(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    failure = {
        "when": {"instructions": "You are bills"},
        "error": {"status": 400, "message": "no bills today"},
    }
    answer = rule("desk", "could not answer", {"reply": "Nobody knows what it costs."})
    path.write_text(json.dumps({"rules": [failure, answer, *RULES]}), "utf-8")
    found = await bench.run(flow({"at_fault": "go on"}), script=path)
    assert found.outputs["the_path"] == ["desk", "bills", "desk"]
    assert found.outputs["the_reply"] == "Nobody knows what it costs."
