"""Distinct types for the names that travel between the parts of the studio."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NewType

NodeId = NewType("NodeId", str)
"""A node inside one flow: a readable slug such as `critic_2`."""

PortName = NewType("PortName", str)
"""A port on a node type: `prompt`, `reply`, `done`."""

RunId = NewType("RunId", str)
"""One execution of a flow: sortable by start time, unique on this machine."""

Scope = NewType("Scope", str)
"""Where a step stands: `rounds.2/each.17`, or the empty string at the root."""

StepId = NewType("StepId", str)
"""One execution of one node: `[SCOPE/]NODE[#CALL][@ATTEMPT]`."""

MADE_UP = "made-up"
"""The profile that makes answers up, and the language model that they are told to be from."""

PERSON = "person"
"""The same of answers that a person gave in the place of a language model."""

ROOT = Scope("")
"""The scope of steps that stand in no loop, map or subflow."""

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,62}")
"""What node ids and port names look like (`fullmatch`)."""


def is_identifier(text: str) -> bool:
    """Tell whether `text` may be a node id or a port name."""
    return IDENTIFIER.fullmatch(text) is not None


def lender_name(flow: str, node: str) -> str:
    """Name what a node lends, such as a memory: after the node, in a called flow with that before it."""
    return f"{slug(flow)}:{node}" if flow else str(node)


def slug(title: str, taken: Iterable[str] = ()) -> NodeId:
    """Make a readable, free node id from `title`: `Critic` gives `critic`, then `critic_2`."""
    stem = re.sub(r"[^a-z0-9]+", "_", title.casefold()).strip("_")[:56]
    if not stem or not stem[0].isalpha() or not stem.isascii():
        stem = f"node_{stem}".rstrip("_") if stem.isascii() else "node"
    used = set(taken)
    candidate, number = stem, 1
    while candidate in used:
        number += 1
        candidate = f"{stem}_{number}"
    return NodeId(candidate)


def inner_scope(scope: Scope, node: NodeId, index: int | None = None) -> Scope:
    """Name the scope that `node` opens inside `scope`; `index` is the round (from 1) or item (from 0)."""
    segment = node if index is None else f"{node}.{index}"
    return Scope(f"{scope}/{segment}" if scope else segment)


def step_id(scope: Scope, node: NodeId, call: str = "", attempt: int = 1) -> StepId:
    """Name a step; `call` is such as `chat.1`, and the first attempt goes unsaid."""
    name = f"{scope}/{node}" if scope else str(node)
    if call:
        name = f"{name}#{call}"
    return StepId(f"{name}@{attempt}" if attempt > 1 else name)


@lru_cache(4096)
def step_parts(step: StepId) -> tuple[Scope, NodeId, str, int]:
    """Split a step's name into scope, node, call (empty for a node's own step) and attempt."""
    scope, _, last = step.rpartition("/")
    last, _, attempt = last.partition("@")
    node, _, call = last.partition("#")
    return Scope(scope), NodeId(node), call, int(attempt) if attempt else 1


def own_step(step: StepId) -> StepId:
    """Name the step of the node that made a call; a step that is no call is its own."""
    scope, node, _, _ = step_parts(step)
    return step_id(scope, node)


def is_called(segment: str) -> bool:
    """Whether a segment of a scope is a step, and no round or item: one that calls a flow, or a tool."""
    return "." not in segment or "#" in segment


def segment_node(segment: str) -> NodeId:
    """The node of a segment: `rounds` of `rounds.2`, `summary` of `summary@2`."""
    return NodeId(re.split(r"[.#@]", segment, maxsplit=1)[0])


@lru_cache(4096)
def place_of(step: StepId) -> str:
    """Where the node of a step stands, whatever round, item or attempt it is: `rounds/writer`."""
    *around, last = step.split("/")
    return "/".join(segment_node(segment) for segment in (*around, last))


@lru_cache(4096)
def own_scope(scope: Scope) -> Scope:
    """The part of a scope that lies outside all flows and tools that the run's own flow calls."""
    segments = scope.split("/")
    called = next((place for place, one in enumerate(segments) if is_called(one)), len(segments))
    return Scope("/".join(segments[:called])) if scope else scope


@lru_cache(4096)
def is_in_called_flow(scope: Scope) -> bool:
    """Whether steps of this scope belong to a flow that the run's own calls, by a step or by a tool."""
    if "/" not in scope:  # most steps stand in one loop or map at most
        return bool(scope) and "." not in scope and "#" not in scope
    return any("." not in segment and "#" not in segment for segment in scope.split("/"))


def seen_from_outside(step: StepId) -> StepId:
    """The step of the run's own flow that `step` is, or inside which it stands."""
    if "/" not in step:
        return step
    segments = step.split("/")
    for place, segment in enumerate(segments[:-1]):
        if is_called(segment):
            scope = Scope("/".join(segments[:place]))
            return step_id(scope, segment_node(segment))
    return step
