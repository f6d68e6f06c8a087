"""Conversations in memories: which of the latest turns there is room for.

A turn begins with what a person says, and stays whole while there is room for the latest one. Tokens are
guessed from the length of the text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from studio.building_blocks.memories.capacity import check_size
from studio.building_blocks.memories.context_window import shortened, tokens_of
from studio.building_blocks.memories.recall import forget_found
from studio.building_blocks.memories.word_search import found_by_words
from studio.sdk import Context, Item, Items, Json, MemoryPlace, Note, Query, Recalled


def turns_back(said: Sequence[Item]) -> Iterator[list[Item]]:
    """The turns of a conversation, the latest first."""
    turn: list[Item] = []
    for one in reversed(said):
        turn.append(one)
        if one.data.get("role") != "assistant":
            yield turn[::-1]
            turn = []
    if turn:
        yield turn[::-1]


def begins_at(said: Sequence[Item], turns: int, tokens: int) -> int:
    """From which place on there is room for all (0: any number); never after the last turn."""
    place, left = len(said), tokens
    for count, turn in enumerate(turns_back(said)):
        left -= sum(tokens_of(one.text) for one in turn) if tokens else 0
        if count and ((turns and count >= turns) or (tokens and left < 0)):
            break
        place -= len(turn)
    return place


def latest(said: Sequence[Item], turns: int, tokens: int, most: int = 0) -> list[Recalled]:
    """What there is room for, the oldest first; of a last turn that is too large, its end, cut if need be."""
    part = [*said[begins_at(said, turns, tokens) :]][-most:]
    while tokens and len(part) > 1 and sum(tokens_of(one.text) for one in part) > tokens:
        del part[0]
    if tokens and part and tokens_of(part[0].text) > tokens:
        part = [replace(part[0], text=cut_to_tokens(part[0].text, tokens))]
    back = len([*turns_back(part)])
    found: list[Recalled] = []
    for place, one in enumerate(part):
        if place and one.data.get("role") != "assistant":
            back -= 1
        found.append(Recalled(one, round(1 / back, 4), how_far(back - 1)))
    return found


def how_far(turns: int) -> str:
    """Say how many turns ago something was said."""
    if turns > 1:
        return f"{turns} turns back"
    return "1 turn back" if turns else "the last turn"


def cut_to_tokens(text: str, tokens: int) -> str:
    """The beginning and the end of a text, with about so many tokens at most."""
    size = tokens * 4
    while size > 64 and tokens_of(shortened(text, size)) > tokens:
        size = size * 3 // 4
    cut = shortened(text, size)
    return cut if tokens_of(cut) <= tokens else text[:tokens]


def least(*bounds: int) -> int:
    """The lowest of some bounds, of which 0 is none."""
    return min((one for one in bounds if one), default=0)


MARK = 60
"""Characters for what stands where something was left out."""


def item_said(context: Context, note: Note, longest: int) -> Item:
    """Make an item of what was said; who does not say that it was the assistant is a person.

    What is longer than a message may be is cut: refused, the conversation would lack what was answered.
    """
    check_size("The message", "", longest, note.fields)
    text = note.text
    if len(text) > longest:
        text = shortened(text, longest - MARK)
        context.log(f"Of a message of {len(note.text):,} characters the beginning and the end are kept.")
    role = "assistant" if note.fields.get("role") == "assistant" else "user"
    data: dict[str, Json] = {**note.fields, "role": role}
    item_id = f"{context.random().getrandbits(48):012x}"
    return Item(item_id, text, data, context.now().isoformat(), note.by or context.node)


async def forget_said(context: Context, place: MemoryPlace, query: Query) -> Sequence[Item]:
    """Take out what has the ids of the query, or says its words."""

    async def find(context: Context, query: Query) -> Sequence[Recalled]:
        """What says the words, the best first."""

        def search(items: Items) -> Sequence[Recalled]:
            return [*islice(found_by_words(items.all(), query.text), query.most or None)]

        return context.memory(place).read(query.text, search, purpose="upkeep")

    return await forget_found(context, place, query, find)


def bounds_in_words(turns: int, tokens: int) -> str:
    """Say what a window holds."""
    last = "the last turn" if turns == 1 else f"the last {turns} turns" if turns else ""
    parts = [last, f"about {tokens} tokens" if tokens else ""]
    return " and ".join(one for one in parts if one) or "all that was said"
