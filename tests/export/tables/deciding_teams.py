"""Teams that decide by votes, judges and marks."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from studio.flow.records import Flow
from tests.export.equality import Row
from tests.runtime.bench import flow_of

MARKS = (
    '"ratings": [{% for name in question | regex_findall("(ada|ben|cy): so") %}'
    '{"agent": "{{ name }}", "score": {{ 1 if name == "cy" else 4 }}}{{ ", " if not loop.last }}{% endfor %}]'
)


def says(name: str, answer: str, later: str) -> list[Mapping[str, Any]]:
    """What one answers, before and after it heard the others, and whom it prefers."""
    who = {"instructions": f"You are {name}"}
    marked = f'{{"reason": "so", "answer": "{later}", {MARKS}}}'
    return [
        {"when": {**who, "asked": "Rank all"}, "reply": {"reason": "", "ranking": ["answer_2", "answer_1"]}},
        {"when": {**who, "asked": "Mark each"}, "reply": marked},
        {"when": {**who, "asked": "answers of others"}, "reply": {"reason": "so", "answer": later}},
        {"when": {**who, "asked": "surely"}, "reply": {"reason": "so", "answer": answer, "confidence": 0.5}},
        {"when": {**who, "asked": "."}, "reply": {"reason": "so", "answer": answer}},
    ]


RULES = {
    "rules": [
        {
            "when": {"instructions": "the answers of several agents"},
            "reply": {"reason": "", "best": ["answer_1", "answer_2"]},
        },
        {
            "when": {"instructions": "(Choose the best|where a debate)"},
            "reply": {"reason": "", "best": "answer_2"},
        },
        *says("ada", "a wren", "a wren"),
        *says("ben", "a wren", "a tit"),
        *says("cy", "a tit", "a tit"),
    ]
}


def team(kind: str, settings: Mapping[str, Any], outputs: Sequence[str], **inputs: Any) -> Flow:
    """Three members, and what is given by the node that lets them speak."""
    nodes: dict[str, Any] = {"it": (kind, dict(settings), {"task": "What sang?", **inputs})}
    nodes |= {
        name: ("team.member", {"name": name, "instructions": f"You are {name}"})
        for name in ("ada", "ben", "cy")
    }
    nodes |= {f"gives_{port}": "io.flow_output" for port in outputs}
    wires = [f"{name}.agent -> it.agents[{place}]" for place, name in enumerate(("ada", "ben", "cy"))]
    return flow_of(nodes, [*wires, *(f"it.{port} -> gives_{port}.value" for port in outputs)])


def rewired() -> Flow:
    """A debate of which a loop holds a round at a time, along edges that are computed from the round."""
    edges = '[{"from": "cy", "to": "ben"}] if round > 1 else []'
    nodes: dict[str, Any] = {
        "begin": ("value.json", {"value": []}),
        "rounds": ("control.loop", {"max_rounds": 3}),
        "edges": ("value.formula", {"formula": edges}),
        "it": ("team.debate", {"rounds": 1, "agreed": 0}, {"task": "What sang?"}),
        "table": "io.flow_output",
    }
    nodes |= {
        name: ("team.member", {"name": name, "instructions": f"You are {name}"})
        for name in ("ada", "ben", "cy")
    }
    wires = [f"{name}.agent -> it.agents[{place}]" for place, name in enumerate(("ada", "ben", "cy"))]
    wires += ["begin.value -> rounds.start", "rounds.value -> it.so_far", "rounds.round -> edges.round"]
    wires += ["edges.value -> it.edges", "it.rounds -> rounds.again", "rounds.result -> table.value"]
    return flow_of(nodes, wires)


VOTED = ("reply", "share", "tally", "ended", "answers", "messages")
DEBATED = ("reply", "share", "agreement", "rounds", "ended", "speaker", "messages")
MET = ("reply", "importance", "ranking", "dropped", "rounds", "ended")

FLOWS = {
    "a run-off": (team("team.vote", {"by": "run-off"}, VOTED), "a tit"),
    "a judged vote": (team("team.vote", {"by": "judge"}, VOTED), "a tit"),
    "a vote of the sure": (
        team(
            "team.vote", {"by": "confidence", "times": 2, "ties": "chance"}, VOTED, task="What surely sang?"
        ),
        "a wren",
    ),
    "a judged debate": (
        team(
            "team.debate",
            {"rounds": 2, "topology": "given", "lines": ["ben: cy"], "decided_by": "judge", "agreed": 0},
            DEBATED,
        ),
        "a tit",
    ),
    "a debate with a rule": (
        team("team.debate", {"rounds": 5, "ends_when": "agreement > 0.6 or tokens > 100000"}, DEBATED),
        "a wren",
    ),
    "a committee with a ranker": (
        team("team.committee", {"agreed": 0.9, "removed_by": "ranker", "rounds": 3}, MET),
        "a tit",
    ),
    "a committee with a rule": (
        team("team.committee", {"agreed": 0, "ends_when": "members < 3", "least": 2}, MET),
        "a wren",
    ),
}

REPLIES = {name: reply for name, (_, reply) in FLOWS.items()}
ROWS = {name: Row(flow, rules=json.dumps(RULES)) for name, (flow, _) in FLOWS.items()}
ROWS["a debate along edges that are computed"] = Row(rewired(), rules=json.dumps(RULES))
