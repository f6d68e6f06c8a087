"""Teams whose members speak, are chosen, hand over and fail."""

from typing import Any

from studio.flow.records import Flow
from tests.export.equality import Row
from tests.runtime.bench import flow_of

NAMES = ("desk", "bills", "rooms")

RULES = """
rules:
  - when: {instructions: You are desk, last: 'rooms: '}
    reply: "You have room 4."
  - when: {instructions: You are desk, has_tool: hand_over_to_bills}
    reply: Bills know that.
    tool_calls: [{name: hand_over_to_bills, arguments: {note: how much is it}}]
  - when: {instructions: You are bills, last: broken}
    tool_calls: [{name: no_such_tool, arguments: {}}]
  - when: {instructions: You are bills, has_tool: hand_over_to_rooms}
    tool_calls: [{name: hand_over_to_rooms, arguments: {}}, {name: hand_over_to_desk, arguments: {}}]
  - when: {instructions: You are rooms, has_tool: hand_over_to_desk}
    tool_calls: [{name: hand_over_to_desk, arguments: {note: it is free}}]
  - when: {instructions: You choose, last: 'not the JSON'}
    reply: {reason: oh, next: rooms}
  - when: {instructions: You choose, last: 'desk: '}
    reply: {reason: so, next: nobody}
  - when: {instructions: You choose}
    reply: {reason: so, next: desk}
  - when: {instructions: You are}
    reply: "{{ system | truncate_words(3) }} heard {{ last | length }}, {{ messages | length }}"
"""
CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "in turn": ("team.round_robin", {"rounds": 2, "instructions": "Be brief."}, "Go."),
    "in turn until a rule holds": ("team.round_robin", {"ends_when": "rounds >= 1 or tokens > 900"}, "Go."),
    "in turn past a failure": ("team.round_robin", {"rounds": 1, "at_fault": "go on"}, "broken"),
    "chosen": ("team.selector", {"instructions": "You choose.", "turns": 3}, "Go."),
    "handed over and back": ("team.handoff", {}, "Go."),
    "handed over until a rule holds": ("team.handoff", {"ends_when": "handed_over == 'rooms'"}, "Go."),
    "handed over to one who fails": ("team.handoff", {"at_fault": "go on"}, "broken"),
}


def team(kind: str, settings: dict[str, Any], task: str) -> Flow:
    nodes: dict[str, Any] = {
        **{
            one: ("team.member", {"name": one, "instructions": f"You are {one}.", "turns": 1})
            for one in NAMES
        },
        "team": (kind, settings, {"task": task}),
        **{f"the_{port}": "io.flow_output" for port in ("reply", "messages", "speaker", "ended")},
    }
    wires = [f"{one}.agent -> team.agents[{place}]" for place, one in enumerate(NAMES)]
    wires += [f"team.{port} -> the_{port}.value" for port in ("reply", "messages", "speaker", "ended")]
    return flow_of(nodes, wires)


ROWS = {name: Row(team(*one), rules=RULES) for name, one in CASES.items()}
