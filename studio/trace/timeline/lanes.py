"""What the lanes of a timeline stand for: nodes, agents, or rounds and items."""

from enum import StrEnum
from typing import NamedTuple

from studio.ids import own_step, segment_node
from studio.trace.conversations.accounts import speaker_of
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState


class LaneKey(NamedTuple):
    """What a lane is of: a scope, a node or who speaks there, and the calls of that (`chat`, a tool)."""

    scope: str = ""
    who: str = ""
    call: str = ""


OTHERS = LaneKey("", "/", "")
"""The lane of all steps that ask nobody, where lanes are by agent; no node is called so."""


LOOK_BACK = 64
"""Calls of a step among which the chat is looked for that asked for a tool."""


class Grouping(StrEnum):
    """By what lanes are made."""

    NODE = "node"
    AGENT = "agent"
    SCOPE = "scope"

    def key(self, state: RunState, step: StepState) -> LaneKey | None:
        """The lane of a step; None where it has none: by agent, loops and maps stand for no one."""
        # A call's tool is told by its first event, so a lane of tools is known by name from the start.
        call = step.call and (step.tool or step.call.partition(".")[0])
        match self:
            case Grouping.NODE:
                return LaneKey(place(step.scope), step.node, call)
            case Grouping.SCOPE:
                return LaneKey(step.scope, "", call)
            case Grouping.AGENT:
                return _agent(state, step, call)


def place(scope: str) -> str:
    """A scope without its rounds and items."""
    if "/" not in scope and "#" not in scope and "@" not in scope:
        return scope.partition(".")[0]
    if "#" in scope or "@" in scope:
        return "/".join(segment_node(segment) for segment in scope.split("/"))
    return "/".join([segment.partition(".")[0] for segment in scope.split("/")])


def outer_keys(key: LaneKey, grouping: Grouping) -> list[LaneKey]:
    """The lanes around a lane, outermost first: of the loops and maps, or rounds and items, it stands in."""
    if grouping is Grouping.AGENT:
        return []
    segments = key.scope.split("/") if key.scope else []
    if grouping is Grouping.NODE:
        return [LaneKey("/".join(segments[:depth]), one) for depth, one in enumerate(segments)]
    return [LaneKey("/".join(segments[:depth])) for depth in range(len(segments))]


def _agent(state: RunState, step: StepState, call: str) -> LaneKey | None:
    if call and _is_turn(state, step):
        return LaneKey(place(step.id), step.tool)
    own = step if not step.call else state.steps.get(own_step(step.id), step)
    if not call:
        if step.request is not None:
            return LaneKey(place(step.scope), speaker_of(step.request) or step.node)
        first = state.steps.get(step.children[0]) if step.children else None
        if first is None:
            return OTHERS
        return LaneKey(place(step.scope), step.node) if first.call else None
    return LaneKey(place(own.scope), _speaker(state, own, step) or own.node, call)


def _is_turn(state: RunState, call: StepState) -> bool:
    """Whether a call is the turn of an agent, who asks in it under the name by which it is called."""
    chats = (state.steps[name] for name in call.children[:LOOK_BACK])
    return any(speaker_of(one.request) == call.tool for one in chats if one.request is not None)


def _speaker(state: RunState, own: StepState, call: StepState) -> str:
    """The agent who made a call: who is named in it, or in the chat before it."""
    if call.request is not None:
        return speaker_of(call.request)
    for name in reversed(own.children[-LOOK_BACK:]):
        chat = state.steps[name]
        if chat.request is not None and (chat.began or 0.0) <= (call.began or 0.0):
            return speaker_of(chat.request)
    return ""
