"""Answers of agents to one question: how they are asked for, read from what was said, and told to others."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from studio.building_blocks.teams.ballots import Same, key_of
from studio.building_blocks.teams.transcript import FAILED, AtFault, heard_at_once
from studio.building_blocks.values.json_kinds import is_number
from studio.sdk import Agent, Context, Message, Said, StepError, Turn

Form = Literal["text", "JSON"]
"""How an answer is asked for: in words, or as JSON with a reason and the answer."""

REASON = {"type": "string", "description": "Why, step by step, in a few sentences"}
ANSWER = {"type": "string", "description": "The answer alone, as short as it can be"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one agent answered: all that it said, the answer in it, and what else it was asked for."""

    speaker: str
    reply: str
    answer: str
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tokens: int = 0


def answer_schema(**more: Mapping[str, Any]) -> dict[str, Any]:
    """The form of an answer: a reason, the answer, and what is asked for besides."""
    return reasoned(answer=ANSWER, **more)


def reasoned(**asked: Mapping[str, Any]) -> dict[str, Any]:
    """A form that has what is asked for, behind a reason."""
    fields = {"reason": REASON, **asked}
    return {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}


async def asked_at_once(
    context: Context,
    turns: Sequence[tuple[Agent, Turn]],
    *,
    parts: Sequence[str] = (),
    limit: int = 8,
    at_fault: AtFault = "fail",
) -> list[Said]:
    """Let agents have their turns at once; those that failed say so. Raises `StepError` where all fail."""
    said = await heard_at_once(context, turns, parts=parts, limit=limit, at_fault=at_fault)
    if said and all(one.ended == FAILED for one in said):
        raise StepError(f"Nobody answered. {said[0].reply}")
    return said


def answer_of(speaker: str, said: Said, *, after: str = "") -> Answer | None:
    """Read what an agent said, in words `after` the last such mark; None where it failed."""
    if said.ended == FAILED:
        return None
    data = fields_in(said)
    if "answer" in data:
        return Answer(speaker, said.reply, str(data["answer"]).strip(), data, said.tokens)
    return Answer(speaker, said.reply, answer_in(said.reply, after), data, said.tokens)


def fields_in(said: Said) -> Mapping[str, Any]:
    """The JSON that an agent was asked for, also where a person answered in its place; else nothing."""
    data = said.data
    if data is None:
        with suppress(ValueError, RecursionError):
            data = json.loads(said.reply)
    return cast("Mapping[str, Any]", data) if isinstance(data, dict) else {}


def sureness_in(data: Mapping[str, Any]) -> float:
    """How sure somebody says to be, from 0 to 1; wholly where it is not said, as by a person who answers."""
    said = data.get("confidence")
    return min(max(float(said), 0.0), 1.0) if is_number(said) else 1.0


def answer_in(reply: str, after: str) -> str:
    """What stands on the line after the last `after`, whatever its case; without one, the whole."""
    found = [*re.finditer(re.escape(after), reply, re.IGNORECASE)] if after else []
    if not found:
        return reply.strip()
    line = reply[found[-1].end() :].strip().partition("\n")[0]
    return line.strip(" \t*:")


def told(answers: Sequence[Answer]) -> str:
    """What others answered, with their names and reasons, as one is told it."""
    return "\n\n".join(f"{one.speaker}: {stated(one)}" for one in answers)


def stated(one: Answer) -> str:
    """An answer with its reason, or all that was said."""
    reason = str(one.more.get("reason", "")).strip()
    if reason:
        return f"{reason} Answer: {one.answer}"
    return one.answer if one.more else one.reply.strip()


def remarks(answers: Sequence[Answer]) -> list[Message]:
    """The same for a transcript, a message each."""
    return [Message("user", told([one])) for one in answers]


def agreement(answers: Sequence[Answer], same: Same = "words") -> float:
    """Which part of them give the answer that most give."""
    keys = [key_of(one.answer, same) for one in answers]
    return round(max(keys.count(key) for key in keys) / len(keys), 6) if keys else 0.0


def rows(answers: Sequence[Answer], **more: Any) -> list[Any]:
    """The answers as JSON."""
    return [
        {**more, "speaker": one.speaker, "answer": one.answer, "reason": str(one.more.get("reason", ""))}
        for one in answers
    ]
