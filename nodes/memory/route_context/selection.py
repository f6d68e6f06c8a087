"""Which part of what is remembered somebody needs: by role, stage of the task and recency, within a budget.

After Liu et al., "RCR-Router: Efficient Role-Aware Context Routing for Multi-Agent LLM Systems" (2025): each
item is scored for who asks, and the best are taken as long as there is room.
"""

import array
from collections.abc import Sequence
from dataclasses import dataclass

from studio.building_blocks.memories.context_window import tokens_of
from studio.building_blocks.memories.stream_ranking import scaled, seconds_at
from studio.sdk import Item


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item of a memory, with the vector of its text."""

    memory: str
    item: Item
    vector: bytes


@dataclass(frozen=True, slots=True)
class Wanted:
    """The vectors of a role and of a task at its stage, and what counts how much."""

    role: bytes
    stage: bytes
    by_role: float
    by_stage: float
    by_recency: float


@dataclass(frozen=True, slots=True)
class Routed:
    """A candidate with its score, why it has it, and about how many tokens it takes."""

    candidate: Candidate
    score: float
    why: str
    tokens: int


def routed(candidates: Sequence[Candidate], wanted: Wanted) -> list[Routed]:
    """All candidates, the best first; of equals the first."""
    if not candidates:
        return []
    times = [seconds_at(one.item.at) for one in candidates]
    order = {time: place for place, time in enumerate(sorted(set(times)))}
    # By their order: the time between them says how fast an endpoint is, and not what somebody needs.
    recent = scaled([order[time] for time in times])
    made: list[Routed] = []
    for one, recency in zip(candidates, recent, strict=True):
        role = likeness(wanted.role, one.vector)
        stage = likeness(wanted.stage, one.vector)
        score = wanted.by_role * role + wanted.by_stage * stage + wanted.by_recency * recency
        why = f"fits the role by {role:.2f} and the task by {stage:.2f}, recency {recency:.2f}"
        made.append(Routed(one, score, why, tokens_of(one.item.text)))
    return sorted(made, key=lambda one: -one.score)


def fitting(ranked: Sequence[Routed], tokens: int) -> tuple[list[Routed], list[Routed]]:
    """The best that there is room for, and those that are left out."""
    taken: list[Routed] = []
    left: list[Routed] = []
    for one in ranked:
        has_room = one.tokens <= tokens
        tokens -= one.tokens if has_room else 0
        (taken if has_room else left).append(one)
    return taken, left


def likeness(one: bytes, other: bytes) -> float:
    """The cosine between two vectors of length 1; 0 where one says nothing."""
    if len(one) != len(other):
        return 0.0
    pairs = zip(array.array("f", one), array.array("f", other), strict=True)
    return max(0.0, sum(a * b for a, b in pairs))
