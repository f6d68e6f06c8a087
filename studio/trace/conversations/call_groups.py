"""Which calls of a step go together: who asked for a tool, and which tools a chat was told of."""

from collections.abc import Iterator
from typing import cast

from studio.trace.events.values import Plain
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState


def asking_chat(state: RunState, owner: StepState, tool: StepState) -> StepState | None:
    """The chat in whose answer a tool was asked for; None where the step called it by itself."""
    if not tool.call_id:
        return None
    for name in reversed(owner.children):
        chat = state.steps[name]
        if any(_field(one, "id") == tool.call_id for one in _listed(chat.message, "tool_calls")):
            return chat
    return None


def tools_told(state: RunState, owner: StepState, chat: StepState) -> Iterator[StepState]:
    """The calls of tools whose answers stood in what a chat was asked."""
    told = {_field(one, "tool_call_id") for one in _listed(chat.request, "messages")} - {""}
    for name in owner.children:
        call = state.steps[name]
        if call.call_id and call.call_id in told:
            yield call


def _listed(plain: Plain, key: str) -> list[object]:
    found = cast("dict[str, object]", plain).get(key) if isinstance(plain, dict) else None
    return cast("list[object]", found) if isinstance(found, list) else []


def _field(plain: object, key: str) -> str:
    found = cast("dict[str, object]", plain).get(key) if isinstance(plain, dict) else None
    return found if isinstance(found, str) else ""
