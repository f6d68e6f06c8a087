"""The tool loop of an agent: ask, run the tools it calls, ask again, until it answers."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from studio.sdk import ChatRequest, Context, Message, StepError, Tool, ToolCall
from studio.sdk.prelude.structured import mismatch, read_structured


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """What an agent said at last, the whole conversation, and `data` where JSON was asked for."""

    reply: str
    messages: list[Message]
    data: Any = None


async def run_agent(
    context: Context,
    *,
    prompt: str,
    instructions: str = "",
    tools: Sequence[Tool] = (),
    turns: int = 8,
    answer_schema: Mapping[str, Any] | None = None,
    temperature: float | None = None,
    profile: str = "",
) -> AgentAnswer:
    """Let an agent work on `prompt` with `tools`, asking the language model at most `turns` times.

    With `answer_schema` the reply is JSON of that schema, parsed into `data`. Raises `StepError` when
    the agent still calls tools in its last turn.
    """
    by_name = {tool.name: tool for tool in tools}
    messages: tuple[Message, ...] = (Message("user", prompt),)
    if instructions.strip():
        messages = (Message("system", instructions), *messages)
    for _ in range(turns):
        request = ChatRequest(
            messages, tuple(tool.spec for tool in tools), temperature, response_schema=answer_schema
        )
        answer = (await context.chat(request, profile=profile)).message
        if not answer.tool_calls:
            return await _finished(context, request, answer, profile)
        calls = [_prepared(context, by_name, call) for call in answer.tool_calls]
        texts = await context.gather(calls)
        answered = (
            Message("tool", text, tool_call_id=call.id)
            for call, text in zip(answer.tool_calls, texts, strict=True)
        )
        messages = (*messages, answer, *answered)
    raise StepError(f"The agent still called tools after {turns} turns.", hint="Allow it more turns.")


async def _finished(context: Context, request: ChatRequest, answer: Message, profile: str) -> AgentAnswer:
    if request.response_schema is None:
        return AgentAnswer(answer.content, [*request.messages, answer])
    data, messages = await read_structured(context, request, answer, profile=profile)
    return AgentAnswer(messages[-1].content, list(messages), data)


def _prepared(context: Context, tools: Mapping[str, Tool], call: ToolCall) -> Callable[[], Awaitable[str]]:
    """Make the call ready to run, or an answer in words for a call that cannot be run."""
    tool = tools.get(call.name)
    if tool is None:
        return partial(_say, f"There is no tool `{call.name}`. There are: {', '.join(tools) or 'none'}.")
    try:
        arguments = json.loads(call.arguments)
    except ValueError as error:
        return partial(_say, f"The arguments cannot be read as JSON ({error}).")
    problem = mismatch(arguments, {"type": "object", **tool.parameters}, "the arguments")
    if problem:
        return partial(_say, f"`{call.name}` was not run: {problem}")
    return partial(context.call, tool, call)


async def _say(text: str) -> str:
    return text
