"""The tool loop of an agent: ask, run the tools it calls, ask again, until it answers or is stopped."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, Protocol

from studio.llm.client import SchemaBy
from studio.sdk import ChatAnswer, ChatRequest, Context, Message, StepError, Tool, ToolCall
from studio.sdk.prelude.chats import Chats
from studio.sdk.prelude.conversation import (
    continued,
    formerly_called,
    ids_in,
    put_right,
    sendable,
    told_apart,
)
from studio.sdk.prelude.schema_fields import fields_of
from studio.sdk.prelude.schemas import mismatch
from studio.sdk.prelude.structured import read_structured

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


class Stops(Protocol):
    """What tells when an agent is to stop, and why (empty: it goes on)."""

    def heard(self, answer: ChatAnswer) -> str:
        """Look at an answer, before the tools that it calls are run."""
        ...

    def worked(self, called: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Look at the tools that were run, each with its answer; gives the reply, too, where it is one."""
        ...


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
    profile: str = "",
    speaker: str = "",
    chats: Chats | None = None,
    stops: Stops | None = None,
) -> AgentAnswer:
    """Let an agent work on `prompt` with `tools`, asking the language model at most `turns` times.

    With `answer_schema` the reply is JSON of that schema, asked for as `schema_by` says, sent back at most
    `repairs` times, and parsed into `data`. What it does `at_limit`: raise
    `StepError`, answer once more without tools, or stop with what it said last. `chats` is asked in the
    place of the context.
    """
    chats = chats or context
    by_name = {tool.name: tool for tool in tools}
    head = (Message("system", instructions),) if instructions.strip() else ()
    said = continued(history, prompt)
    former = () if tools else formerly_called(said)
    request = ChatRequest(
        (*head, *said),
        tuple(tool.spec for tool in tools) or former,
        temperature,
        response_schema=answer_schema,
        schema_by=schema_by,
        may_call=not former,
        several_calls=parallel,
        speaker=speaker,
    )
    reason, reply = "turns", ""
    for turn in range(1, turns + 1):
        answered = await chats.chat(request, profile=profile)
        request = replace(request, messages=answered.asked or request.messages)
        reason = stops.heard(answered) if stops else ""
        answer = answered.message
        if answered.asked:
            # A person edited what was asked, and the conversation goes on from that.
            request = replace(request, messages=put_right(answered.asked))
        if not answer.tool_calls:
            ended = "answered" if reason in LIMITS else reason or "answered"
            return await _finished(chats, request, answer, profile, ended, repairs)
        calls = told_apart(answer.tool_calls, ids_in(request.messages))
        texts = [NOT_RUN] * len(calls)
        if not reason:
            prepared = [_prepared(context, by_name, call) for call in calls]
            work = [partial(_say, one) if isinstance(one, str) else one for one in prepared]
            texts = await context.gather(work, limit=8 if parallel else 1)
            told = zip(calls, texts, prepared, strict=True)
            called = [(call.name, text) for call, text, ready in told if not isinstance(ready, str)]
            reason, reply = stops.worked(called) if stops else ("", "")
        answers = (
            Message("tool", text, tool_call_id=call.id) for call, text in zip(calls, texts, strict=True)
        )
        request = replace(
            request, messages=(*request.messages, sendable(replace(answer, tool_calls=calls)), *answers)
        )
        if not tools:  # it called what nobody had lent it
            request = replace(request, tools=formerly_called(request.messages), may_call=False)
        if not reason and turn == turns:
            reason = "turns"
        if reason:
            break
    if reason in LIMITS and at_limit == "fail":
        over = (
            "still called tools in its last turn" if reason == "turns" else f"reached its limit of {reason}"
        )
        raise StepError(f"The agent {over}.", hint="Allow it more, or let it answer or stop at a limit.")
    return await _stopped(chats, request, profile, reason, reply, at_limit, repairs)


async def _finished(
    chats: Chats, request: ChatRequest, answer: Message, profile: str, reason: str, repairs: int
) -> AgentAnswer:
    if request.response_schema is None:
        return AgentAnswer(answer.content, [*request.messages, answer], reason)
    data, messages = await read_structured(chats, request, answer, profile=profile, repairs=repairs)
    fields = fields_of(data, request.response_schema)
    return AgentAnswer(messages[-1].content, list(messages), reason, data=data, fields=fields)


async def _stopped(
    chats: Chats,
    request: ChatRequest,
    profile: str,
    reason: str,
    reply: str,
    at_limit: str,
    repairs: int,
) -> AgentAnswer:
    """End an agent that called tools; where words of it are wanted, it is asked for them without tools."""
    wants_words = at_limit == "answer" if reason in LIMITS else request.response_schema is not None
    if wants_words and reason != HANDED_OVER:
        request = replace(request, may_call=False)
        answer = (await chats.chat(request, profile=profile)).message
        answer = replace(answer, tool_calls=())
        return await _finished(chats, request, answer, profile, reason, repairs)
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
