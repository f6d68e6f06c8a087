"""Summaries of conversations in memories: what a language model makes of the older turns."""

from collections.abc import Sequence
from dataclasses import replace

from studio.building_blocks.memories.context_window import IN_SHORT, SUMMARISE, shortened, tokens_of
from studio.building_blocks.memories.remembered_turns import begins_at, cut_to_tokens, latest
from studio.sdk import ChatRequest, Context, Item, Items, Json, Message, Recalled

PART = 24_000
"""So many characters are summed up at a time; the next part is joined to the summary of those before."""


SURPLUS = "more than fit"
"""Why an item is among what is to be summed up that is to go where it cannot be."""


def to_be_summed_up(items: Items, *, turns: int, tokens: int, left: int, limit: int) -> list[Recalled]:
    """Find the older turns, and the summaries so far, where there are more turns or tokens than may be.

    Where there are more than `limit` messages it is half of them at least: of one endless turn, too.
    """
    known = items.all()
    short, said = apart(known)
    surplus = max(0, len(known) - limit)
    room = max(1, tokens - sum(tokens_of(one.text) for one in short)) if tokens else 0
    if not surplus and not begins_at(said, turns, room):
        return []
    place = max(begins_at(said, left, room * 3 // 4), len(said) // 2 if surplus else 0)
    older = [Recalled(one, why=SURPLUS if at < surplus else "") for at, one in enumerate(said[:place])]
    return [*map(Recalled, short), *older]


def in_short(items: Items, *, turns: int, tokens: int, most: int) -> list[Recalled]:
    """The summaries, and the last turns, within the bounds (0: none)."""
    short, said = apart(items.all())
    before = as_said(short, tokens // 2)
    rest = max(1, tokens - sum(tokens_of(one.item.text) for one in before)) if tokens else 0
    last = latest(said, turns, rest, most)
    return [*before, *last] if not most or len(last) < most else last


def apart(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """The summaries, and what was said since."""
    short = [one for one in items if is_summary(one)]
    return short, [one for one in items if not is_summary(one)] if short else [*items]


def is_summary(item: Item) -> bool:
    """Whether an item sums up others."""
    return "sums_up" in item.data


async def summed_up(context: Context, older: Sequence[Item], words: int, *, profile: str = "") -> str:
    """Ask for a summary of summaries and messages, as many words as there may be; empty where none comes."""
    short, said = apart(older)
    text = "\n\n".join(f"{one.data.get('role', 'user')}: {one.text}" for one in said)
    summary = "\n\n".join(one.text for one in short)
    for start in range(0, len(text) or 1, PART):
        messages = (
            Message("system", SUMMARISE.format(words=words)),
            Message("user", f"{summary}\n\n{text[start : start + PART]}".strip()),
        )
        answer = await context.chat(ChatRequest(messages), profile=profile)
        summary = shortened(answer.message.content.strip(), words * 12)
        if not summary:
            return ""
    return summary


def summary_item(context: Context, text: str, older: Sequence[Item]) -> Item:
    """The item that takes the place of others; it tells how many messages it stands for."""
    count = sum(summed if isinstance(summed := one.data.get("sums_up"), int) else 1 for one in older)
    data: dict[str, Json] = {"role": "user", "sums_up": count}
    item_id = f"{context.random().getrandbits(48):012x}"
    return Item(item_id, text, data, context.now().isoformat(), context.node)


def as_said(short: Sequence[Item], tokens: int) -> list[Recalled]:
    """The summaries as messages, each with its share of about so many tokens (0: as long as they are)."""
    found: list[Recalled] = []
    for one in short:
        text = IN_SHORT.format(summary=one.text)
        if tokens:
            text = cut_to_tokens(text, max(1, tokens // len(short)))
        why = f"sums up {one.data.get('sums_up')} messages that were said before"
        found.append(Recalled(replace(one, text=text), 0.0, why))
    return found
