"""The tool loop of an agent: ask, run the tools it calls, ask again, until it answers or is stopped."""

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from studio.bounds.schemas import mismatch
from studio.building_blocks.answers.chats import Chats
from studio.building_blocks.answers.schema_answers import read_structured
from studio.llm.client import Effort, SchemaBy
from studio.llm.conversation import (
    continued,
    formerly_called,
    ids_in,
    put_right,
    sendable,
    told_apart,
)
from studio.sdk import ChatAnswer, ChatRequest, Context, Message, StepError, Stops, Tool, ToolCall
from studio.sdk.schema_fields import fields_of

LIMITS = ("turns", "tokens", "cost", "time")
"""Reasons to stop that are limits; the others are ends that somebody wants."""

HANDED_OVER = "handed over"
NOT_RUN = "(It was not run: the agent was stopped.)"


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """What an agent said at last, the whole conversation, and `data` where JSON was asked for.

    `ended` says why it stopped, `speaker` who of several agents spoke last.
    """

    reply: str
    messages: list[Message]
    ended: str = "answered"
    speaker: str = ""
    data: Any = None
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    """What each field of the schema has, by its port."""


async def run_agent(
    context: Context,
    *,
    prompt: str,
    instructions: str = "",
    history: Sequence[Message] = (),
    tools: Sequence[Tool] = (),
    turns: int = 8,
    at_limit: Literal["fail", "answer", "stop"] = "fail",
    parallel: bool = True,
    answer_schema: Mapping[str, Any] | None = None,
    schema_by: SchemaBy = "auto",
    repairs: int = 1,
    temperature: float | None = None,
    effort: Effort = "",
    profile: str = "",
    speaker: str = "",
    through: Chats | None = None,
    stops: Stops | None = None,
) -> AgentAnswer:
    """Let an agent work on `prompt`; with `answer_schema` its reply is JSON of that schema, and fits it.

    It is asked `through` what stands before the context, if anything does.
    """
    asked: Chats = context if through is None else through
    head = (Message("system", instructions),) if instructions.strip() else ()
    said = continued(history, prompt)
    former = () if tools else formerly_called(said)
    request = ChatRequest(
        (*head, *said),
        tools=tuple(tool.spec for tool in tools) or former,
        may_call=not former,
        temperature=temperature,
        response_schema=answer_schema,
        schema_by=schema_by,
        several_calls=parallel,
        speaker=speaker,
        effort=effort,
    )
    if turns < 1:
        # Whoever handed over had the last turn.
        return await _stopped(asked, request, ("", ""), at_limit=at_limit, repairs=repairs, profile=profile)
    answered = await asked.chat(request, profile=profile)
    if answered.message.tool_calls:
        return await _worked(
            context,
            asked,
            request,
            answered,
            tools={tool.name: tool for tool in tools},
            turns=turns,
            at_limit=at_limit,
            parallel=parallel,
            repairs=repairs,
            profile=profile,
            stops=stops,
        )
    return await _finished(asked, request, answered, repairs=repairs, profile=profile, stops=stops)


async def _worked(
    context: Context,
    chats: Chats,
    request: ChatRequest,
    answered: ChatAnswer,
    *,
    tools: Mapping[str, Tool],
    turns: int,
    at_limit: Literal["fail", "answer", "stop"],
    parallel: bool,
    repairs: int,
    profile: str,
    stops: Stops | None,
) -> AgentAnswer:
    """Run the tools that are called, and ask again, until it answers or is stopped."""
    ended = ("", "")
    for turn in range(1, turns + 1):
        if turn > 1:
            answered = await chats.chat(request, profile=profile)
        if not answered.message.tool_calls:
            return await _finished(chats, request, answered, repairs=repairs, profile=profile, stops=stops)
        if answered.asked:
            # A person edited what was asked, and the conversation goes on from that.
            request = replace(request, messages=put_right(answered.asked))
        if stops is not None:
            ended = (stops.heard(answered), "")
        calls = told_apart(answered.message.tool_calls, ids_in(request.messages))
        texts = [NOT_RUN] * len(calls)
        if not ended[0]:
            prepared = [_prepared(context, tools, call) for call in calls]
            work = [partial(_say, one) if isinstance(one, str) else one for one in prepared]
            texts = await context.gather(work, limit=8 if parallel else 1)
            if stops is not None:
                said = zip(calls, texts, prepared, strict=True)
                ended = stops.worked(
                    [(call.name, text) for call, text, ready in said if not isinstance(ready, str)]
                )
        called = sendable(replace(answered.message, tool_calls=calls))
        request = replace(request, messages=(*request.messages, called, *_answers(calls, texts)))
        if not tools:  # it called what nobody had lent it
            request = replace(request, tools=formerly_called(request.messages), may_call=False)
        if ended[0]:
            break
    return await _stopped(chats, request, ended, at_limit=at_limit, repairs=repairs, profile=profile)


def _answers(calls: Iterable[ToolCall], texts: Iterable[str]) -> Iterator[Message]:
    for call, text in zip(calls, texts, strict=True):
        yield Message("tool", text, tool_call_id=call.id)


async def _stopped(
    chats: Chats,
    request: ChatRequest,
    ended: tuple[str, str],
    *,
    at_limit: Literal["fail", "answer", "stop"],
    repairs: int,
    profile: str,
) -> AgentAnswer:
    """End an agent that called tools, for a reason and with the reply that it has, if any."""
    reason, reply = ended[0] or "turns", ended[1]
    if reason not in LIMITS:
        wants_words = request.response_schema is not None and reason != HANDED_OVER
    elif at_limit == "fail":
        over = (
            "still called tools in its last turn" if reason == "turns" else f"reached its limit of {reason}"
        )
        raise StepError(f"The agent {over}.", hint="Raise the limit, or let it answer or stop at a limit.")
    else:
        wants_words = at_limit == "answer"
    return await _left(
        chats, request, reason, reply, wants_words=wants_words, repairs=repairs, profile=profile
    )


async def _finished(
    chats: Chats,
    request: ChatRequest,
    answered: ChatAnswer,
    *,
    repairs: int,
    profile: str,
    stops: Stops | None,
) -> AgentAnswer:
    """End an agent that answered; where that is one of the ends that somebody wants, for this reason."""
    reason = "answered"
    if stops is not None:
        heard = stops.heard(answered)
        reason = "answered" if not heard or heard in LIMITS else heard
    if answered.asked:
        request = replace(request, messages=put_right(answered.asked))
    return await _read(chats, request, answered.message, reason, repairs=repairs, profile=profile)


async def _read(
    chats: Chats,
    request: ChatRequest,
    answer: Message,
    reason: str,
    *,
    repairs: int,
    profile: str,
) -> AgentAnswer:
    if request.response_schema is None:
        return AgentAnswer(answer.content, [*request.messages, answer], reason)
    data, messages = await read_structured(chats, request, answer, profile=profile, repairs=repairs)
    fields = fields_of(data, request.response_schema)
    return AgentAnswer(messages[-1].content, list(messages), reason, data=data, fields=fields)


async def _left(
    chats: Chats,
    request: ChatRequest,
    reason: str,
    reply: str,
    *,
    wants_words: bool,
    repairs: int,
    profile: str,
) -> AgentAnswer:
    """End with what was said; where words are wanted, it is asked for them without tools."""
    if wants_words:
        request = replace(request, may_call=False)
        answer = (await chats.chat(request, profile=profile)).message
        answer = replace(answer, tool_calls=())
        return await _read(chats, request, answer, reason, repairs=repairs, profile=profile)
    said_last = (one.content for one in reversed(request.messages) if one.role == "assistant" and one.content)
    fields = fields_of(None, request.response_schema or {})
    return AgentAnswer(reply or next(said_last, ""), list(request.messages), reason, fields=fields)


def _prepared(
    context: Context, tools: Mapping[str, Tool], call: ToolCall
) -> Callable[[], Awaitable[str]] | str:
    """Make the call ready to run, or say why it cannot be run."""
    tool = tools.get(call.name)
    if tool is None:
        return f"There is no tool `{call.name}`. There are: {', '.join(tools) or 'none'}."
    try:
        arguments = json.loads(call.arguments)
    except ValueError as error:
        return f"The arguments cannot be read as JSON ({error})."
    problem = mismatch(arguments, {"type": "object", **tool.parameters}, "the call")
    if problem:
        return f"`{call.name}` was not run: {problem}"
    return partial(context.call, tool, call)


async def _say(text: str) -> str:
    return text
