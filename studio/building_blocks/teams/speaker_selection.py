"""Asking a language model who is to speak next, so that its answer is one of those who are there."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.building_blocks.answers.schema_answers import read_structured
from studio.llm.conversation import continued
from studio.sdk import Agent, ChatRequest, Context, Json, Message, StepError

WHO_NEXT = "Who speaks next? Give your reason first, then the name."
MAY_END = " If the task is done, say so by `done`; then nobody speaks any more."


@dataclass(frozen=True, slots=True)
class Choice:
    """Who is to speak next, and why; nobody where the talk is over, or where no name was given."""

    who: Agent | None
    done: bool = False
    reason: str = ""


async def ask_for_form(
    context: Context,
    instructions: str,
    history: Sequence[Message],
    prompt: str,
    schema: Mapping[str, Any],
    *,
    profile: str = "",
    repairs: int = 1,
) -> tuple[Any, list[Message]]:
    """Ask for JSON of a schema, in a conversation; gives it, and the conversation without instructions.

    Raises `StepError` where the last answer does not fit either.
    """
    asked = (Message("system", instructions), *continued(history, prompt))
    request = ChatRequest(asked, response_schema=schema)
    answer = (await context.chat(request, profile=profile)).message
    data, messages = await read_structured(context, request, answer, profile=profile, repairs=repairs)
    said = json.dumps(data, ensure_ascii=False)
    return data, [*(one for one in messages[:-1] if one.role != "system"), Message("assistant", said)]


async def choose_speaker(
    context: Context,
    candidates: Sequence[Agent],
    transcript: Sequence[Message],
    *,
    instructions: str,
    may_end: bool = False,
    profile: str = "",
    repairs: int = 1,
) -> Choice:
    """Ask who of the candidates speaks next; whoever is not among them is told back, so often at most."""
    names: list[Json] = [one.name for one in candidates]
    fields: dict[str, Json] = {"reason": {"type": "string"}}
    if may_end:
        fields["done"] = {"type": "boolean", "description": "Whether the task is done"}
    fields["next"] = {"type": "string", "enum": names, "description": "Who speaks next"}
    schema: dict[str, Json] = {
        "type": "object",
        "properties": fields,
        "required": [*fields],
        "additionalProperties": False,
    }
    prompt = WHO_NEXT + (MAY_END if may_end else "")
    try:
        data, _ = await ask_for_form(
            context, instructions, transcript, prompt, schema, profile=profile, repairs=repairs
        )
    except StepError as error:
        context.log(f"Nobody was chosen: {error.message}")
        return Choice(None)
    chosen = next(one for one in candidates if one.name == data["next"])
    return Choice(chosen, bool(data.get("done")), data["reason"])
