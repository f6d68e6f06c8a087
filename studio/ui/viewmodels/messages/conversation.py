"""What was said in one step, message by message, in the words that the panel shows."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from PySide6.QtCore import QCoreApplication

from studio.ids import StepId
from studio.llm.log_probabilities import TokenChance, confidence, tokens_from_json
from studio.trace.conversations.accounts import Account
from studio.trace.conversations.messages import Seen, Spoken, conversation
from studio.trace.fold.state import RunState

translate = QCoreApplication.translate

FEW = 5
"""Tokens of an answer that are told as its least likely ones."""

COLORS = {
    "system": "text.muted",
    "user": "port.message",
    "assistant": "port.text",
    "tool": "port.tool",
    "failed": "state.failed",
}


@dataclass(frozen=True, slots=True)
class Words:
    """One message. `color` is the theme's name for the bar at its left."""

    heading: str
    body: str
    color: str
    is_json: bool = False
    images: tuple[Seen, ...] = ()
    is_streaming: bool = False
    step: StepId = StepId("")  # noqa: RUF009  (a `NewType` makes nothing)
    """The call in which it was said; empty for what was asked."""
    about: str = ""
    """What else is to be said of it, where a pointer stands over its heading."""


def words_of(state: RunState, step: StepId) -> list[Words]:
    """The conversation of a node's step, or of one of its chats up to there."""
    words: list[Words] = []
    for spoken in conversation(state, step):
        words += (replace(one, is_streaming=spoken.streaming, step=spoken.step) for one in _said(spoken))
    return words


@lru_cache(512)
def as_json(text: str) -> str | None:
    """The text indented, where it is a JSON object or list; None where it is anything else."""
    stripped = text.strip()
    if not stripped or stripped[0] not in "{[":
        return None
    try:
        return json.dumps(json.loads(stripped), indent=2, ensure_ascii=False)
    except ValueError:
        return None


def _said(spoken: Spoken) -> Iterator[Words]:
    """The words of one message, and of each tool that it calls."""
    if spoken.role == "tool":
        yield _tool_answer(spoken)
        return
    if spoken.window is not None:
        yield Words(translate("messages", "window"), _account(spoken.window), COLORS["system"])
        return
    if spoken.text or spoken.streaming or spoken.is_error or spoken.images:
        words = _words(_heading(spoken), spoken.text, "failed" if spoken.is_error else spoken.role)
        yield replace(words, images=spoken.images, about=_unsure(spoken))
    for call in spoken.tool_calls:
        heading = translate("messages", "calls {tool}").format(tool=call.name)
        yield Words(heading, _short(call.arguments), COLORS["tool"], is_json=True)


def heading_of(spoken: Spoken) -> str:
    """Name who says a message."""
    if spoken.role == "tool":
        return _tool_answer(spoken).heading
    if spoken.window is not None:
        return translate("messages", "window")
    return _heading(spoken)


def _heading(spoken: Spoken) -> str:
    if spoken.is_error:
        return translate("messages", "no answer")
    if spoken.streaming:
        return translate("messages", "assistant, streaming")
    headings = {
        "system": translate("messages", "instructions"),
        "user": translate("messages", "user"),
        "assistant": translate("messages", "assistant"),
    }
    said = [headings.get(spoken.role, spoken.role)]
    said += [spoken.speaker] if spoken.speaker else []
    sure = confidence(tokens_from_json(spoken.log_probabilities))
    if sure is not None:
        said.append(translate("messages", "token confidence {share}").format(share=_percent(sure)))
    return " · ".join(said)


def _unsure(spoken: Spoken) -> str:
    """The tokens that were least likely, each with its probability and what else was likely there."""
    told = sorted(tokens_from_json(spoken.log_probabilities), key=lambda one: one.log_probability)
    lines = [f"“{one.token.strip() or '␣'}” {_percent(one.probability)}{_instead(one)}" for one in told[:FEW]]
    return "\n".join([translate("messages", "Least likely tokens:"), *lines]) if lines else ""


def _instead(one: TokenChance) -> str:
    others = [TokenChance(*other) for other in one.others if other[0] != one.token]
    listed = ", ".join(
        f"“{other.token.strip() or '␣'}” {_percent(other.probability)}" for other in others[:3]
    )
    return f" ({translate('messages', 'instead of {tokens}').format(tokens=listed)})" if listed else ""


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def _account(window: Account) -> str:
    """What was sent, and how each message began that was not."""
    taken, tokens = f"{window.taken:,}", f"{window.tokens:,}"
    lines = [translate("messages", "About {taken} of {tokens} tokens.").format(taken=taken, tokens=tokens)]
    if window.shortened:
        said = translate("messages", "Truncated tool results: {count}.")
        lines.append(said.format(count=window.shortened))
    if window.dropped:
        said = translate("messages", "Omitted messages: {count}.")
        if window.is_summed_up:
            said = translate("messages", "Summarized messages: {count}.")
        lines += [said.format(count=len(window.dropped)), *(f"  {one}" for one in window.dropped)]
    return "\n".join(lines)


def _tool_answer(spoken: Spoken) -> Words:
    if spoken.is_error:
        heading = translate("messages", "{tool} failed").format(tool=spoken.tool)
        return Words(heading, spoken.text, COLORS["failed"])
    if spoken.streaming:
        heading = translate("messages", "{tool} is running").format(tool=spoken.tool)
        return Words(heading, spoken.text, COLORS["tool"])
    return _words(translate("messages", "{tool} result").format(tool=spoken.tool), spoken.text, "tool")


def _words(heading: str, content: str, role: str) -> Words:
    written = as_json(content)
    color = COLORS.get(role, COLORS["system"])
    if written is None:
        return Words(heading, content, color)
    return Words(heading, _short(content), color, is_json=True)


def _short(text: str) -> str:
    """JSON on one line where it is short, else indented."""
    written = as_json(text)
    if written is None:
        return text
    line = json.dumps(json.loads(text), ensure_ascii=False)
    return line if len(line) <= 72 else written
