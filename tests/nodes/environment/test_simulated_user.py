"""A simulated user wants something of an agent, looks for itself whether it is so, and ends the talk."""

import json
from pathlib import Path
from typing import Any

import pytest

from nodes.environment.simulated_user import simulated_user
from studio.ids import StepId
from studio.runtime.replay.takeover import replayed
from studio.sandbox.wasm import WasmBox
from studio.sdk import Turn
from studio.sdk.testing import ScriptedContext, open_binding
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

HOTEL = '''class Hotel:
    """Rooms, and who booked them."""

    def __init__(self):
        self.booked = {}

    def book(self, room: str, guest: str) -> str:
        """Book a room."""
        self.booked[room] = guest
        return f"Room {room} is booked for {guest}."

    def bookings(self) -> dict:
        """See who booked which room."""
        return self.booked
'''
RULES = r"""
rules:
  - name: the guest looks before the guest believes it
    when: {instructions: You play a person, asked: It is booked, turn: 0}
    tool_calls: [{name: bookings, arguments: {}}]
  - name: the guest is content with what really is
    when: {instructions: You play a person, after_tool: bookings, last: '"7": "Ada"'}
    reply: {say: "Thank you.", mood: satisfied}
  - name: the guest sees that nothing was done
    when: {instructions: You play a person, after_tool: bookings}
    reply: {say: "I see no booking. I am Ada, and it is room 7.", mood: goes on}
  - when: {instructions: You play a person}
    reply: {say: "A room, please.", mood: goes on}
  - name: the clerk promises
    when: {instructions: You are the clerk, asked: 'A room, please'}
    reply: It is booked.
  - name: the clerk does it
    when: {instructions: You are the clerk, asked: 'room (?P<room>\d)', turn: 0}
    tool_calls: [{name: book, arguments: {room: "{{ match.room }}", guest: Ada}}]
  - when: {instructions: You are the clerk, after_tool: book}
    reply: It is booked.
"""
NODES: dict[str, Any] = {
    "hotel": ("environment.environment", {"code": HOTEL}),
    "guest": (
        "environment.simulated_user",
        {"name": "guest", "goal": "Room 7 is booked.", "knows": "You are Ada."},
    ),
    "clerk": ("team.member", {"name": "clerk", "instructions": "You are the clerk."}),
    "desk": (
        "team.round_robin",
        {"rounds": 9, "ends_when": 'speaker == "guest" and "###" in text'},
        {"task": "Speak."},
    ),
    "said": "io.flow_output",
    "ended": "io.flow_output",
}
WIRES = [
    "hotel.tool -> guest.tools[0]",
    "hotel.tool -> clerk.tools[0]",
    "guest.agent -> desk.agents[0]",
    "clerk.agent -> desk.agents[1]",
    "desk.messages -> said.value",
    "desk.ended -> ended.value",
]


async def ran(folder: Path) -> Ran:
    path = folder / "answers.yaml"
    path.write_text(RULES, "utf-8")
    async with WasmBox() as box:
        return await run(flow_of(NODES, WIRES), script=path, box=box)


@pytest.mark.box
async def test_it_is_satisfied_when_it_is_so_and_not_when_that_is_promised(tmp_path: Path) -> None:
    first = await ran(tmp_path)
    assert first.outputs["ended"] == "rule"
    assert [one["content"].partition(": ")[2] for one in first.outputs["said"][1:]] == [
        "A room, please.",
        "It is booked.",
        "I see no booking. I am Ada, and it is room 7.",
        "It is booked.",
        "Thank you. ###",
    ]


@pytest.mark.box
async def test_both_use_the_same_world(tmp_path: Path) -> None:
    state = (await ran(tmp_path)).state
    told = [(step.tool, step.text) for step in state.steps.values() if step.tool in {"book", "bookings"}]
    assert told == [
        ("bookings", "{}"),
        ("book", "Room 7 is booked for Ada."),
        ("bookings", '{"7": "Ada"}'),
    ]
    looked = state.steps[StepId("desk#tool.3/guest#tool.1")]
    assert looked.parent == "desk#tool.3"


@pytest.mark.box
async def test_a_replay_plays_the_person_without_a_language_model_or_a_box(tmp_path: Path) -> None:
    first = await ran(tmp_path)
    again = await run(flow_of(NODES, WIRES), past=replayed(first.entries, flow_of(NODES, WIRES), REGISTRY))
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


async def test_it_may_give_up() -> None:
    context = ScriptedContext(['{"say": "Never mind.", "mood": "gives up"}'])
    guest = await anext(open_binding(simulated_user, {"goal": "A room.", "last_word": "BYE"}, context))
    said = await guest.work(Turn("We are full."))
    assert (said.reply, said.ended) == ("Never mind. BYE", "gave up")
    assert said.messages[-1].content == "Never mind. BYE"


async def test_what_is_asked_in_another_form_is_answered_in_that() -> None:
    context = ScriptedContext(['{"stars": 4}'])
    guest = await anext(open_binding(simulated_user, {"goal": "A room."}, context))
    schema = {"type": "object", "properties": {"stars": {"type": "integer"}}, "required": ["stars"]}
    said = await guest.work(Turn("How was it?", answer_schema=schema))
    assert said.data == {"stars": 4}
    assert json.loads(said.reply) == {"stars": 4}


async def test_a_person_may_hand_over_as_the_others_of_a_team_do(tmp_path: Path) -> None:
    def handing_over(who: str, to: str) -> dict[str, Any]:
        calls = [{"name": f"hand_over_to_{to}", "arguments": {"note": f"says the {who}"}}]
        return {"when": {"instructions": who}, "tool_calls": calls}

    rules = [
        {"when": {"instructions": "clerk", "last": "hand over to `clerk`"}, "reply": "At noon."},
        handing_over("clerk", "guest"),
        handing_over("You play a person", "clerk"),
    ]
    (tmp_path / "answers.yaml").write_text(json.dumps({"rules": rules}), "utf-8")
    nodes: dict[str, Any] = {
        "clerk": NODES["clerk"],
        "guest": ("environment.simulated_user", {"name": "guest", "goal": "A room."}),
        "desk": ("team.handoff", {}, {"task": "When may I come?"}),
        "out": "io.flow_output",
    }
    wires = ["clerk.agent -> desk.agents[0]", "guest.agent -> desk.agents[1]", "desk.path -> out.value"]
    over = await run(flow_of(nodes, wires), script=tmp_path / "answers.yaml")
    assert over.outputs["out"] == ["clerk", "guest", "clerk"]
