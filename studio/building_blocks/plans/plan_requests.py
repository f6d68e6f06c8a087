"""Plans that a language model makes: asked for, checked, and sent back with what is wrong with them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from studio.building_blocks.answers.schema_answers import parse_json
from studio.sdk import ChatRequest, Context, Message, StepError

P = TypeVar("P")


async def ask_for_plan(
    context: Context,
    instructions: str,
    asked: str,
    form: Mapping[str, Any],
    read: Callable[[Any], tuple[P, str]],
    *,
    repairs: int = 2,
    temperature: float | None = None,
    profile: str = "",
) -> tuple[P, int]:
    """Ask for JSON of this form, and again with what `read` finds wrong; gives it, and how often it was.

    Raises `StepError` where the last answer will not do either.
    """
    messages = (Message("system", instructions), Message("user", asked))
    request = ChatRequest(messages, temperature=temperature, response_schema=form)
    problem = ""
    for repaired in range(repairs + 1):
        answered = await context.chat(request, profile=profile)
        data, problem, was_read = parse_json(answered.message.content, form)
        if not problem:
            found, problem = read(data)
            if not problem:
                return found, repaired
        if answered.asked:
            request = replace(request, messages=answered.asked)
        remark = f"That will not do: {problem} Give the whole answer again, as JSON alone."
        said = Message("assistant", answered.message.content or "(nothing)")
        request = replace(request, messages=(*request.messages, said, Message("user", remark)))
        if not was_read:
            request = replace(request, schema_by="instruction")
    raise StepError(
        f"No valid plan was made: {problem}",
        hint="Allow more repairs, improve the instructions, or attach what is missing.",
    )
