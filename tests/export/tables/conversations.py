"""Memories that are conversations, or find texts by what they mean."""

from collections.abc import Mapping
from typing import Any

from studio.flow.records import Flow
from tests.export.equality import Row
from tests.runtime.bench import flow_of

TWO: dict[str, Any] = {"turns": 1, "left": 1}
REPLY = "rules:\n  - reply: They heard a dunnock.\n"
BIRD = "A dunnock sang behind the shed."
DOWN = "rules:\n  - error: {status: 400, message: Not today}\n"


def two_steps(
    kind: str, settings: Mapping[str, Any], query: str = "what was said", first: str = BIRD
) -> Flow:
    """A memory in which two steps put texts, and in which a third looks."""
    return flow_of(
        {
            "memory": (kind, settings),
            "first": ("memory.remember", {}, {"texts": [first]}),
            "second": ("memory.remember", {}, {"texts": ["The soup wants more cumin.", "The gate is open."]}),
            "look": ("memory.recall", {}, {"query": query}),
            "out": "io.flow_output",
            "also": "io.flow_output",
        },
        [
            "memory.memory -> first.memory",
            "memory.memory -> second.memory",
            "memory.memory -> look.memory",
            "first.then -> second.after",
            "second.then -> look.after",
            "look.text -> out.value",
            "second.items -> also.value",
        ],
    )


FLOWS = {
    "window": two_steps("memory.window", {"turns": 2}),
    "tokens": two_steps("memory.window", {"turns": 0, "tokens": 5, "older": "keep"}),
    "long": two_steps("memory.window", {"turns": 0, "longest": 200}, first=BIRD * 9),
    "vector": two_steps("memory.vector", {"most": 1}, "Which bird was heard?"),
    "few": two_steps("memory.vector", {"most": 9, "limit": 2}, ""),
}
SUMMARY = two_steps("memory.summary", TWO)


def routed(settings: Mapping[str, Any]) -> Flow:
    """A step that chooses from a memory by vectors."""
    return flow_of(
        {
            "memory": "memory.window",
            "route": ("memory.route_context", settings, {"task": "mend the roof", "role": "carpenter"}),
            "out": "io.flow_output",
        },
        ["memory.memory -> route.memory", "route.text -> out.value"],
    )


ROWS = {
    **{name: Row(flow) for name, flow in FLOWS.items()},
    **{
        f"summed up: {said}": Row(SUMMARY, rules=rules)
        for said, rules in (("so", REPLY), ("not at all", DOWN))
    },
    "a limit, and nothing that sums up": Row(two_steps("memory.summary", {**TWO, "limit": 2}), rules=DOWN),
    "a choice by embedded vectors": Row(routed({"method": "embedded"})),
}
