"""How a held step, or a held call of one, is named, and what can be done about it."""

from typing import cast

from PySide6.QtCore import QCoreApplication

from studio.app.documents.breakpoints import place_parts
from studio.flow.plain_text import quoted
from studio.flow.records import CallingLibrary, Flow, title_of
from studio.ids import NodeId, is_in_called_flow
from studio.trace.fold.steps import StepState
from studio.ui.viewmodels.words import count_words

translate = QCoreApplication.translate


def call_words(step: StepState) -> str:
    """Name a call within its step: `chat 2`, `text_search`; empty for a node's own step."""
    kind, _, number = step.call.partition(".")
    if kind == "chat":
        return translate("held", "chat {number}").format(number=number)
    if kind == "policy":
        return translate("held", "decision {number}").format(number=number)
    return step.tool or step.call


def held_title(flow: Flow, step: StepState, library: CallingLibrary | None = None) -> str:
    """Name what is held: `Writer, round 2`, `Writer, round 2: chat 1`."""
    title, call = count_words.step_title(flow, step.id, library), call_words(step)
    return f"{title}: {call}" if call else title


def place_words(flow: Flow, place: str) -> str:
    """Name the place of a breakpoint: `Critic`, `Critic · reply`, `Critic · chats`."""
    node, call, port = place_parts(place)
    title = title_of(flow, NodeId(node))
    said = call_place_words(call, port) if call else port
    return f"{title} · {said}" if said else title


def call_place_words(call: str, port: str) -> str:
    """Name what of the calls of a node a breakpoint stands at."""
    if call == "chat":
        return translate("held", "chat answers") if port else translate("held", "chats")
    return translate("held", "tool answers") if port else translate("held", "tool calls")


def held_text(step: StepState) -> str:
    """What a held call asks or has said, in words; empty where it has none, and for a node's own step."""
    if not step.call:
        return ""
    for shown in (step.inputs if step.held_phase == "before" else step.outputs).values():
        data: object = shown.data
        if isinstance(data, list):
            data = cast("list[object]", data)[-1] if data else None
        content = cast("dict[str, object]", data).get("content") if isinstance(data, dict) else None
        if isinstance(content, str) and content:
            return content
    return ""


def held_sentence(
    flow: Flow, step: StepState, *, has_values: bool, library: CallingLibrary | None = None
) -> str:
    """Say before or after what it is held, and what of it can be edited."""
    is_before = step.held_phase != "after"
    if step.held_reason == "error":
        return _error_sentence(flow, step, library)
    if step.call.startswith("policy"):
        return translate("held", "Paused before this takes effect: {what}").format(what=quoted(step.note))
    if step.call:
        return _call_sentence(flow, step, library, is_before=is_before)
    is_called = is_in_called_flow(step.scope)  # the inspector shows the node that calls
    said = count_words.step_title if is_called else count_words.place
    where = said(flow, step.id, library)
    if not has_values:
        begun = translate("held", "it starts") if is_before else translate("held", "it ended")
        words = (
            translate("held", "Paused before {where}")
            if is_before
            else translate("held", "Paused after {where}")
        )
        return words.format(where=where or begun)
    if is_before and where:
        return translate("held", "Paused before {where}: edit its inputs").format(where=where)
    if is_before:
        return translate("held", "Paused before it starts: edit its inputs")
    if where:
        return translate("held", "Paused after {where}: edit its outputs").format(where=where)
    return translate("held", "Paused after it ended: edit its outputs")


def why_held(step: StepState) -> str:
    """Say in a few words for what a step is held, such as `breakpoint: round > 2`."""
    reasons = {
        "error": translate("held", "failed"),
        "tool": translate("held", "tool call"),
        "policy": translate("held", "decision"),
        "condition": translate("held", "its condition cannot be evaluated"),
    }
    reason = reasons.get(step.held_reason, step.held_reason)
    return f"{reason}: {step.held_detail}" if step.held_detail else reason


def _error_sentence(flow: Flow, step: StepState, library: CallingLibrary | None) -> str:
    said = count_words.step_title if is_in_called_flow(step.scope) else count_words.place
    where = said(flow, step.id, library)
    named = ", ".join(one for one in (call_words(step), where) if one)
    words = translate("held", "Failed, {where}: {why}") if named else translate("held", "Failed: {why}")
    return words.format(where=named, why=step.held_detail)


def _call_sentence(flow: Flow, step: StepState, library: CallingLibrary | None, *, is_before: bool) -> str:
    where = count_words.place(flow, step.id, library)
    call = f"{call_words(step)}, {where}" if where else call_words(step)
    if not is_before:
        return translate("held", "Paused after {call}: edit the answer").format(call=call)
    if step.call.startswith(("chat", "embed")):
        return translate("held", "Paused before {call}: edit the request").format(call=call)
    return translate("held", "Paused before the call of {call}: edit its arguments").format(call=call)
