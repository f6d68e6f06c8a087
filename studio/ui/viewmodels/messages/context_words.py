"""What filled a request, in words: a line on all of it, and a row for each part."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import excerpt
from studio.trace.conversations.context_use import ContextUse, Part
from studio.trace.figures import cost
from studio.ui.viewmodels.messages.conversation import COLORS
from studio.ui.viewmodels.words import count_words

translate = QCoreApplication.translate

TOLD = 90
"""Characters of a part that stand in its row."""


@dataclass(frozen=True, slots=True)
class PartRow:
    """One part of a request: its share from 0 to 1 is drawn as a bar in the theme's `color`."""

    title: str
    amount: str
    about: str
    share: float
    color: str
    text: str


def rows_of(use: ContextUse) -> list[PartRow]:
    """One row for each part, in the order in which they were sent; endpoints count only all together."""
    is_known = use.is_counted and len(use.parts) == 1
    return [_row(part, is_known=is_known) for part in use.parts]


def total_line(use: ContextUse) -> str:
    """What was sent and came back: how much, by whose count, what it cost."""
    sent = count_words.tokens(use.tokens_in)
    if use.is_counted:
        said = [translate("context", "{tokens} sent, as counted by the endpoint").format(tokens=sent)]
    else:
        said = [translate("context", "about {tokens} sent, as estimated").format(tokens=sent)]
    if use.is_answered:
        said.append(
            translate("context", "{tokens} received").format(tokens=count_words.tokens(use.tokens_out))
        )
    if use.reasoning:
        thought = count_words.tokens(use.reasoning)
        said.append(translate("context", "{tokens} of them reasoning").format(tokens=thought))
    if use.effort:
        said.append(translate("context", "reasoning effort {effort}").format(effort=use.effort))
    if use.cached:
        share = f"{100 * use.cached_share:.0f}"
        said.append(translate("context", "{share} % from the provider's cache").format(share=share))
    if use.is_reused:
        said.append(translate("context", "paid for in an earlier run"))
    elif use.cost is not None:
        said.append(cost(use.cost))
    elif use.is_counted:
        said.append(translate("context", "cost unknown"))
    if use.llm or use.profile:
        said.append(use.llm or use.profile)
    return " · ".join(said)


def left_out(use: ContextUse) -> list[str]:
    """What a window kept back, a line each: how much room there was, and how each message began."""
    window = use.window
    if window is None:
        return []
    room = translate("context", "Window: {tokens} tokens, about {taken} used.")
    lines = [room.format(tokens=f"{window.tokens:,}", taken=f"{window.taken:,}")]
    if window.shortened:
        lines.append(translate("context", "Truncated tool results: {count}.").format(count=window.shortened))
    if window.dropped:
        said = translate("context", "Omitted messages: {count}.")
        if window.is_summed_up:
            said = translate("context", "Summarized messages: {count}.")
        lines += [said.format(count=len(window.dropped)), *(f"– {one}" for one in window.dropped)]
    return lines


def _row(part: Part, *, is_known: bool) -> PartRow:
    amount = f"{part.tokens:,}" if is_known else f"~{part.tokens:,}"
    share = f"{100 * part.share:.0f} %"
    about = excerpt(part.text, TOLD)
    if part.images:
        about = f"{translate('context', 'pictures: {count}').format(count=part.images)} · {about}"
    color = COLORS.get(part.name if part.kind == "message" else "tool", COLORS["system"])
    return PartRow(_title(part), f"{amount} · {share}", about, part.share, color, part.text)


def _title(part: Part) -> str:
    if part.kind == "tool":
        return translate("context", "tool {name}").format(name=part.name)
    if part.kind == "schema":
        return translate("context", "response format")
    if part.name == "tool":
        return translate("context", "{tool} result").format(tool=part.tool or translate("context", "a tool"))
    return {
        "system": translate("context", "instructions"),
        "user": translate("context", "user"),
        "assistant": translate("context", "assistant"),
    }.get(part.name, part.name)
