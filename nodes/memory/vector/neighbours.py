"""Items that are found by their vectors: the nearest, and what keeps such a memory in order."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from studio.building_blocks.memories.capacity import FULL, Eviction, check_size, evicted
from studio.building_blocks.memories.word_search import found_by_words
from studio.sdk import Context, Item, Items, Json, Note, Query, Recalled, ToolError

AGAIN = "said again"
OTHERWISE = "its vector was made otherwise"
BY = "embedded_by"
"""What an item's data tells of its vector: who made it."""

RENEWED = 256
"""So many items get new vectors at a time."""

BEYOND = 50
"""So many more than are wanted are looked at, among which some may be of other makers."""


def nearest(
    items: Items, *, vector: bytes, text: str, most: int, similar: float, maker: str
) -> list[Recalled]:
    """Find those nearest in meaning; those whose vectors somebody else made, by their words."""
    near = items.nearest(vector, most + BEYOND)
    own = [(one, cosine) for one, cosine in near if one.data.get(BY) == maker]
    found = [
        Recalled(one, round(cosine, 4), f"means much the same: cosine {cosine:.2f} of vectors by {maker}")
        for one, cosine in own
        if cosine >= similar
    ]
    if len(own) < min(len(items), most + BEYOND):
        others = [one for one in items.all() if one.data.get(BY) != maker]
        found += [
            replace(
                one, why=f"{one.why}; its vector is by {one.item.data.get(BY) or 'nobody'}, not by {maker}"
            )
            for one in found_by_words(others, text)
        ]
        found.sort(key=lambda one: -one.score)
    return found[:most]


def the_latest(items: Items, *, most: int) -> list[Recalled]:
    """The items that were put last, the latest first."""
    return [Recalled(one, why="among the latest") for one in items.all()[: -most - 1 : -1]]


def to_keep_up(
    items: Items, *, texts: frozenset[str], maker: str, limit: int, evicts: Eviction = "oldest"
) -> list[Recalled]:
    """Find the items that have one of the `texts`, some with vectors of another maker, and the surplus."""
    known = items.all()
    again = {one.text: one for one in known if one.text in texts}
    surplus = len(known) + len(texts) - len(again) - limit
    if surplus > 0 and evicts == "refuse":
        return [Recalled(Item("", f"{limit + surplus} items"), why=FULL)]
    others = [one for one in known if one.text not in texts] if surplus > 0 else []
    surplus_items = evicted(others, surplus, evicts, limit, "items")
    gone = {one.item.id for one in surplus_items}
    otherwise = [
        one for one in known if one.data.get(BY) != maker and one.text not in texts and one.id not in gone
    ]
    return [
        *(Recalled(one, why=AGAIN) for one in again.values()),
        *(Recalled(one, why=OTHERWISE) for one in otherwise[:RENEWED]),
        *surplus_items,
    ]


def to_forget(query: Query) -> Query:
    """The query of what is to go: one item, unless more are wanted; raises `ToolError` for any at all."""
    if not query.text.strip() and "ids" not in query.fields:
        raise ToolError("It is not said what is to be forgotten.", hint="Give words, or ids.")
    return replace(query, most=query.most or 1)


def by_text(notes: Sequence[Note], limit: int, longest: int) -> dict[str, Note]:
    """The notes by what they say, each once; of more than there may be items, the last.

    Raises `ToolError` for one of more than `longest` characters.
    """
    said = {note.text: note for note in notes if note.text.strip()}
    for note in said.values():
        check_size("The text", note.text, longest, note.fields)
    return dict([*said.items()][-limit:])


def item_of(context: Context, note: Note, again: Mapping[str, Item]) -> Item:
    """Make an item of a note, in the place of the one that has its text already, if any."""
    known = again.get(note.text)
    data: dict[str, Json] = {**(known.data if known else {}), **note.fields}
    item_id = known.id if known else f"{context.random().getrandbits(48):012x}"
    return Item(item_id, note.text, data, context.now().isoformat(), note.by or context.node)


def with_vector(item: Item, vector: bytes, maker: str) -> Item:
    """The item with its vector, and with who made that."""
    return replace(item, data={**item.data, BY: maker}, vector=vector)
