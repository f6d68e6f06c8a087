"""What memories gave, as steps and agents pass it on, and what memories have in common."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import cast

from studio.building_blocks.memories.capacity import Eviction, note_uses
from studio.building_blocks.memories.context_window import tokens_of
from studio.llm.wire_names import sendable_name
from studio.sdk import (
    Context,
    Item,
    Items,
    Json,
    MemoryPlace,
    Message,
    Note,
    Query,
    Recalled,
    Tool,
)

Recall = Callable[[Context, Query], Awaitable[Sequence[Recalled]]]
Remember = Callable[[Context, Sequence[Note]], Awaitable[Sequence[Item]]]

RECALL: dict[str, object] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "What you want to be reminded of"}},
    "required": ["query"],
    "additionalProperties": False,
}
REMEMBER: dict[str, object] = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "What is to be remembered, in one statement"}},
    "required": ["text"],
    "additionalProperties": False,
}
IMPORTANCE: dict[str, object] = {
    "type": "number",
    "description": "How important it is, from 1 to 10: what is least important is forgotten first",
}
NOTHING_FOUND = "Nothing of that is remembered."


def item_as_json(item: Item, score: float | None = None, why: str = "") -> dict[str, Json]:
    """All that is known of an item; where it was recalled, how well it fits, and why."""
    known: dict[str, Json] = {
        "id": item.id,
        "text": item.text,
        "data": {**item.data},
        "at": item.at,
        "by": item.by,
    }
    return known if score is None else {**known, "score": round(score, 6), "why": why}


def message_of(item: Item) -> Message:
    """The item of a conversation as what was said."""
    return Message("assistant" if item.data.get("role") == "assistant" else "user", item.text)


def spoken(messages: Sequence[Message], fields: Mapping[str, Json], by: str) -> Iterator[Note]:
    """What was said, for a memory: without instructions, answers of tools, and those who said nothing."""
    for one in messages:
        if one.role in {"user", "assistant"} and one.content.strip():
            yield Note(one.content, {**fields, "role": one.role}, by)


def counting(look: Recall, place: MemoryPlace, evicts: Eviction) -> Recall:
    """Recall by `look`, and count that, where it decides what goes when the memory is full."""

    async def recall(context: Context, query: Query) -> Sequence[Recalled]:
        """Find it, and note that it was of use."""
        found = await look(context, query)
        note_uses(context, place, found, evicts)
        return found

    return recall


async def forget_found(context: Context, place: MemoryPlace, query: Query, recall: Recall) -> list[Item]:
    """Take out the items whose ids stand in the field `ids`, or else those that `recall` finds."""
    kept, ids = context.memory(place), query.fields.get("ids")
    if isinstance(ids, list):
        named = [str(one) for one in cast("Sequence[object]", ids)]

        def search(items: Items) -> Sequence[Recalled]:
            """Those that are there."""
            return [Recalled(one) for name in named if (one := items.get(name))]

        found = kept.read(f"items {', '.join(named)}", search, purpose="upkeep")
    else:
        found = await recall(context, query)
    for one in found:
        kept.remove(one.item.id, "forgotten")
    return [one.item for one in found]


def memory_tools(
    context: Context,
    by: str,
    place: MemoryPlace,
    recall: Recall,
    remember: Remember,
    *,
    weighs: bool = False,
) -> list[Tool]:
    """What lets an agent ask a memory, and put something in, with its importance where it `weighs` that."""

    async def look(arguments: Mapping[str, object]) -> str:
        """Say what is remembered, a line for each."""
        found = await recall(context, Query(str(arguments["query"]), by=by))
        return "\n".join(f"- {one.item.text}" for one in found) or NOTHING_FOUND

    async def keep(arguments: Mapping[str, object]) -> str:
        """Remember it."""
        await remember(context, [Note(str(arguments["text"]), weight_in(arguments), by)])
        return "It is remembered."

    taken = {**REMEMBER}
    if weighs:
        taken["properties"] = {**cast("Mapping[str, object]", taken["properties"]), "importance": IMPORTANCE}
    asks = sendable_name(f"recall_from_{place.name}")
    keeps = sendable_name(f"remember_in_{place.name}")
    return [
        Tool(asks, f"Look up what is remembered in `{place.name}`.", RECALL, look, runs_steps=True),
        Tool(keeps, f"Keep something in `{place.name}` for later.", taken, keep, runs_steps=True),
    ]


def weight_in(arguments: Mapping[str, object]) -> dict[str, Json]:
    """How important an agent says that something is, where it was asked."""
    given = arguments.get("importance")
    return {"importance": float(given)} if isinstance(given, int | float) else {}


def within(found: Sequence[Recalled], tokens: int) -> list[Recalled]:
    """The first that have about so many tokens at most (0: all), without those that do not fit."""
    taken: list[Recalled] = []
    left = tokens
    for one in found:
        size = tokens_of(one.item.text)
        if not tokens or size <= left:
            taken.append(one)
            left -= size
    return taken
