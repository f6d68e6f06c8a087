"""Calls at the gate: what a chat or a tool is asked, and what it says, can be held and edited there.

Asking for vectors stands there as a chat does: a language model is asked.
Before a call, an `answer` in the place of its own means that it is not made.

A call can be edited before it is made (`messages`, `arguments`, `texts`), or given an answer; after it, when
the answer that was paid for is on disk. Edited arguments are compared with the tool's schema, and messages
with what strict endpoints take, before anything goes on. Whoever asks goes on from the messages that were
really asked (`ChatAnswer.asked`). A fork at a call runs its step again, and what that did before the call
still holds, side effects and edits among it. People and code in the box are not held again: their step is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from studio.bounds.schemas import mismatch
from studio.errors import ValueTypeError
from studio.ids import StepId
from studio.llm.client import ChatAnswer, ChatRequest, Message
from studio.llm.embeddings import Vector
from studio.runtime.calls.child_steps import ChildSteps
from studio.runtime.values import CHAT, Resolved, Value
from studio.sdk.tool import Tool
from studio.trace.events import ToolAnswered
from studio.trace.events.values import Plain

MESSAGES = "messages"
TEXTS = "texts"
ARGUMENTS = "arguments"
ANSWER = "answer"
ERROR = "error"
"""Where the gate says that a call of a tool fails, in the place of its answer."""


async def chat_before(
    children: ChildSteps, step: StepId, request: ChatRequest
) -> tuple[ChatRequest, Message | None]:
    """Wait until a chat may be asked; gives what to ask, and the answer where a person has given it."""
    gate = children.services.gate
    if gate.is_open:
        return request, None
    own = Value(list(request.messages), children.labels)
    with children.failures(step):
        given = await gate.before(children.ref(step, "chat"), {MESSAGES: own})
    if given[MESSAGES] is not own:
        messages = cast("Sequence[Message]", _taken(children, given[MESSAGES]))
        request = replace(request, messages=tuple(messages))
    answer = _taken(children, given[ANSWER]) if ANSWER in given else None
    return request, cast("Message | None", answer)


async def chat_after(children: ChildSteps, step: StepId, answer: ChatAnswer) -> ChatAnswer:
    """Wait until an answer may be used; gives the answer to use."""
    gate = children.services.gate
    if gate.is_open:
        return answer
    own = Value(answer.message, CHAT)
    with children.failures(step):
        given = await gate.after(children.ref(step, "chat"), {ANSWER: own})
    if given[ANSWER] is own:
        return answer
    message = cast("Message", _taken(children, given[ANSWER]))
    return replace(answer, message=message, finish_reason="tool_calls" if message.tool_calls else "stop")


async def embed_before(
    children: ChildSteps, step: StepId, texts: tuple[str, ...]
) -> tuple[tuple[str, ...], Sequence[Vector] | None]:
    """Wait until vectors may be asked for; gives the texts, and the vectors where a person has given them.

    Raises `ValueTypeError` where there are more or fewer of them than before.
    """
    gate = children.services.gate
    if gate.is_open:
        return texts, None
    own = Value(list(texts), children.labels)
    with children.failures(step):
        given = await gate.before(children.ref(step, "chat"), {TEXTS: own})
        vectors = _as_many(children, given[ANSWER], texts) if ANSWER in given else None
        if given[TEXTS] is not own:
            texts = tuple(cast("Sequence[str]", _as_many(children, given[TEXTS], texts)))
    return texts, cast("Sequence[Vector] | None", vectors)


async def embed_after(children: ChildSteps, step: StepId, vectors: Plain) -> Sequence[Vector]:
    """Wait until vectors may be used; gives those to use."""
    found = cast("Sequence[Vector]", vectors)
    gate = children.services.gate
    if gate.is_open:
        return found
    own = Value(vectors, CHAT)
    with children.failures(step):
        given = await gate.after(children.ref(step, "chat"), {ANSWER: own})
        if given[ANSWER] is not own:
            found = cast("Sequence[Vector]", _as_many(children, given[ANSWER], found))
    return found


async def tool_before(
    children: ChildSteps, step: StepId, tool: Tool, arguments: Mapping[str, object]
) -> tuple[Mapping[str, object], ToolAnswered | None]:
    """Wait until a tool may run; gives its arguments, and the answer where it is given without running it.

    A person gives one, or a fault of the run an error.

    Raises `ValueTypeError` for edited arguments that the tool does not take.
    """
    gate = children.services.gate
    if gate.is_open:
        return arguments, None
    own = Value(arguments, children.labels)
    with children.failures(step):
        given = await gate.before(children.ref(step, "tool", tool), {ARGUMENTS: own})
        if given[ARGUMENTS] is not own:
            arguments = cast("Mapping[str, object]", _taken(children, given[ARGUMENTS]))
            problem = mismatch(arguments, {"type": "object", **tool.parameters}, "the call")
            if problem:
                raise ValueTypeError(f"`{tool.name}` was not run: {problem}")
    for name in (ERROR, ANSWER):
        if name in given:
            text, labels = cast("str", _taken(children, given[name])), cast("Value", given[name]).labels
            told = tuple(sorted(labels))
            return arguments, ToolAnswered(tool.name, text, is_error=name == ERROR, labels=told)
    return arguments, None


async def tool_after(children: ChildSteps, step: StepId, tool: Tool, answered: ToolAnswered) -> ToolAnswered:
    """Wait until what a tool said may be used; gives what it is to have said."""
    gate = children.services.gate
    if gate.is_open:
        return answered
    own = Value(answered.text, frozenset(answered.labels))
    with children.failures(step):
        given = await gate.after(children.ref(step, "tool", tool), {ANSWER: own})
    if given[ANSWER] is own:
        return answered
    text = cast("str", _taken(children, given[ANSWER]))
    return replace(answered, text=text, is_error=False)


async def call_failed(
    children: ChildSteps, step: StepId, call: str, error: Exception, tool: Tool | None = None
) -> object:
    """Wait until the error of a call may take its course; gives the answer to use instead, or None."""
    gate = children.services.gate
    if gate.is_open:
        return None
    given = await gate.failed(children.ref(step, call, tool), error, {}, is_caught=True)
    return _taken(children, given[ANSWER]) if given is not None and ANSWER in given else None


def _as_many(children: ChildSteps, value: Resolved, own: Sequence[object]) -> Sequence[object]:
    given = cast("Sequence[object]", _taken(children, value))
    if len(given) != len(own):
        raise ValueTypeError(f"There were {len(own)}, and {len(given)} are to replace them.")
    return given


def _taken(children: ChildSteps, value: Resolved) -> object:
    """What a person gave, which the step has now read."""
    if not isinstance(value, Value):
        message = "an edit without a value"
        raise TypeError(message)
    children.take_in(value.labels)
    return value.data
