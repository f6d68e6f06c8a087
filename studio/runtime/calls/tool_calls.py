"""A call of a tool as a child step: what it is asked and says is on record, whatever it does.

A tool that `runs_steps` is never answered from a recording: it runs once more, what it does is given what it
was given then, and a side effect in it is in doubt by itself.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import cast

from studio.errors import ChatIncompleteError, StepError, ToolError
from studio.ids import StepId
from studio.llm.client import ToolCall
from studio.runtime.calls.call_place import UNDER_WAY, Place
from studio.runtime.calls.child_steps import ChildSteps
from studio.runtime.calls.held_calls import call_failed, tool_after, tool_before
from studio.runtime.failures import ENDS_THE_RUN, describe
from studio.runtime.values import USER, apart
from studio.sdk.tool import Effect, Tool
from studio.trace.events import ToolAnswered, ToolCalled


async def call_tool(children: ChildSteps, tool: Tool, call: ToolCall, *, raises: bool) -> str:
    """Run a tool; what it says no to is answered in words.

    With `raises` that is a `ToolError`, as is whatever else goes wrong in the tool. Raises
    `ChatIncompleteError` for arguments that are not a whole JSON object; the tool is not run then.
    """
    asked = _whole(call)
    step, read = children.begin("tool"), children.read
    arguments, given = await tool_before(children, step, tool, asked)
    read |= USER if arguments is not asked else frozenset()
    # What steps do that a tool runs, they answer for themselves.
    effect = Effect.PURE if given is not None or tool.runs_steps else tool.effect
    called = ToolCalled(tool.name, arguments, call.id, effect)
    await children.request(called, step)
    if given is not None:
        answered = given
        await children.answered(answered, step)
    else:
        answered = await _answered(children, tool, called, step, read, raises=raises)
    answered = await tool_after(children, step, tool, answered)
    if raises and answered.is_error:
        raise ToolError(answered.text)
    return answered.text


async def call_outside(children: ChildSteps, called: ToolCalled, work: Callable[[], Awaitable[str]]) -> str:
    """Do something outside that stands as a tool; a replay is given what it gave."""
    step = children.begin("tool")
    children.record(called, step)
    with children.failures(step):
        answered = await children.earlier(step, called)
        if not isinstance(answered, ToolAnswered):
            answered = ToolAnswered(called.tool, await work())
    children.record(answered, step)
    await children.recorder.committed()
    return answered.text


async def _answered(
    children: ChildSteps,
    tool: Tool,
    called: ToolCalled,
    step: StepId,
    read: frozenset[str],
    *,
    raises: bool,
) -> ToolAnswered:
    """Take what the tool said in an earlier run, or run it."""
    if called.effect == Effect.SIDE_EFFECT:
        await children.recorder.committed()
    with children.failures(step):
        # What it does is given what it was given then, and a side effect in it is in doubt by itself.
        answered = None if tool.runs_steps else await _earlier(children, tool, called, step)
    if answered is not None:  # what it said no to has been told with its answer
        children.take_in(frozenset(answered.labels))
        await children.answered(answered, step)
        await children.recorder.committed()
        return answered
    with children.failures(step):
        await children.count_call()
        place = children.place_of(step, read)
        if place is not None:
            place.runs_steps = tool.runs_steps
        answered = await _run_or_given(children, place, tool, called, step, raises=raises)
    await children.answered(answered, step)
    if tool.effect is not Effect.PURE:
        await children.recorder.committed()
    return answered


async def _earlier(children: ChildSteps, tool: Tool, called: ToolCalled, step: StepId) -> ToolAnswered | None:
    """Take what the tool said in an earlier run; that it failed then is read from it as well."""
    try:
        found = await children.earlier(step, called)
    except ENDS_THE_RUN:
        raise
    except Exception:
        children.take_in(_labels(children, tool))
        raise
    return found if isinstance(found, ToolAnswered) else None


def _labels(children: ChildSteps, tool: Tool) -> frozenset[str]:
    return frozenset({f"tool:{tool.name}"}) | children.labels_of(tool)


async def _run_or_given(
    children: ChildSteps, place: Place | None, tool: Tool, called: ToolCalled, step: StepId, *, raises: bool
) -> ToolAnswered:
    """Run it; where that fails, or it says no, a person may answer instead."""
    try:
        answered = await _run(children, place, tool, called.arguments, raises=raises)
        error = ToolError(answered.text) if answered.is_error else None
    except ENDS_THE_RUN:
        raise
    except Exception as failed:
        given = await call_failed(children, step, "tool", failed, tool)
        if given is None:
            raise
    else:
        given = await call_failed(children, step, "tool", error, tool) if error is not None else None
        if given is None:
            return answered
    return ToolAnswered(tool.name, cast("str", given), labels=tuple(sorted(USER)))


async def _run(
    children: ChildSteps, place: Place | None, tool: Tool, arguments: Mapping[str, object], *, raises: bool
) -> ToolAnswered:
    is_error = False
    under_way = UNDER_WAY.set(place)
    try:
        text = _answer(tool, await tool.run(cast("Mapping[str, object]", apart(arguments))))
    except ToolError as error:
        text, is_error = str(error), True
    except ENDS_THE_RUN:
        raise
    except Exception as error:
        if not raises:
            raise
        text, is_error = describe(error).message, True
    finally:  # what the tool read, it may have read only now; an error may quote it
        UNDER_WAY.reset(under_way)
        labels = _labels(children, tool) | (place.labels if place is not None else frozenset[str]())
        children.take_in(labels)
    return ToolAnswered(tool.name, text, is_error, tuple(sorted(labels)))


def _answer(tool: Tool, given: object) -> str:
    """Look at what a tool gave, before it is written where only text can be read again."""
    if not isinstance(given, str):
        raise StepError(f"The tool `{tool.name}` returned a `{type(given).__name__}`, not text.")
    return given


def _whole(call: ToolCall) -> Mapping[str, object]:
    """Read the arguments of a call; what is not whole is never acted on."""

    def refuse(constant: str) -> object:
        raise ValueError(constant)

    try:
        arguments: object = json.loads(call.arguments, parse_constant=refuse)
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        message = f"The arguments for the tool `{call.name}` are not a complete JSON object."
        raise ChatIncompleteError(message, hint="The tool was not called; try again.")
    return cast("Mapping[str, object]", arguments)
