"""How many items fit into a memory, what goes where it is full, and how long an item may be."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from studio.building_blocks.values.json_kinds import is_number
from studio.sdk import Context, Item, Items, Json, KeptItems, MemoryPlace, Recalled, ToolError

Eviction = Literal["refuse", "oldest", "least recently used", "least used", "least important"]
"""What becomes of a memory that is full: nothing more is kept, or the item goes that is this."""

BY_USE: tuple[Eviction, ...] = ("least recently used", "least used")
"""Those for which recalls are counted."""

USED = "it was of use before"
FULL = "more than fit"


def check_size(called: str, text: str, longest: int, fields: Mapping[str, Json] | None = None) -> None:
    """Raise `ToolError` where a text, or the fields with it, have more characters than one item may have."""
    written = json.dumps(fields, ensure_ascii=False) if fields else ""
    for what, size in ((called, len(text)), (f"{called}, its fields,", len(written))):
        if size > longest:
            raise ToolError(
                f"{what} has {size:,} characters; {longest:,} fit.",
                hint="Shorten it, or cut it into several.",
            )


def put_within(
    kept: KeptItems,
    made: Sequence[Item],
    most: int,
    called: str,
    evicts: Eviction = "refuse",
    may_go: Callable[[Item], bool] = lambda _: True,
) -> None:
    """Put items in, or none of them: raises `ToolError` where there would be more than `most`.

    Where others are evicted for them, these are such as `may_go`. What is put in the place of an item keeps
    how often that was of use. Steps that write at the same time do not see one another, so that there may be
    more after a map.
    """
    ids = frozenset(one.id for one in made)

    def search(items: Items) -> Sequence[Recalled]:
        """Tell how many there would be, if too many; else what is to go, and what was of use before."""
        over = len(items) + sum(items.get(one) is None for one in ids) - most
        others = [one for one in items.all() if one.id not in ids and may_go(one)] if over > 0 else []
        if over > (0 if evicts == "refuse" else len(others)):
            return [Recalled(Item("", f"{over + most} {called}"), over + most, FULL)]
        again = [one for one in map(items.get, sorted(ids)) if one is not None and evicts != "refuse"]
        used = [Recalled(one, why=USED) for one in again if "uses" in one.data]
        return [*used, *evicted(others, over, evicts, most, called)]

    if not made:
        return
    found = kept.read("is there room for more", search, purpose="upkeep")
    check_room(found, most, called)
    uses = {one.item.id: one.item.data for one in found if one.why == USED}
    for one in found:
        if one.why != USED:
            kept.remove(one.item.id, one.why)
    for one in made:
        before = uses.get(one.id, {})
        data = {**one.data, **{name: before[name] for name in ("uses", "used") if name in before}}
        kept.put(replace(one, data=data) if before else one)


def check_room(found: Sequence[Recalled], most: int, called: str) -> None:
    """Raise `ToolError` where a search for room said that there is none."""
    if found and found[0].why == FULL:
        raise ToolError(f"More than {most:,} {called} do not fit.", hint="Forget some first.")


def evicted(
    items: Sequence[Item], count: int, evicts: Eviction, most: int, called: str
) -> Sequence[Recalled]:
    """The `count` items that go first, of equals the oldest, each with the reason; `items` are by age."""
    if count <= 0:
        return []
    order = sorted(range(len(items)), key=lambda at: (*_worth(items[at], evicts), at))
    return [
        Recalled(items[at], why=f"evicted: {most:,} {called} at most{_reason(items[at], evicts)}")
        for at in order[:count]
    ]


def note_uses(context: Context, place: MemoryPlace, found: Sequence[Recalled], evicts: Eviction) -> None:
    """Count that these were recalled, where what goes first depends on it."""
    if evicts in BY_USE:
        for one in found:
            context.memory(place).use(one.item.id, context.now().isoformat())


def importance_in(item: Item) -> float:
    """How important somebody said that it is; 0 where nobody did."""
    given = item.data.get("importance")
    return float(given) if is_number(given) else 0.0


def _worth(item: Item, evicts: Eviction) -> tuple[float | str, ...]:
    """What is compared, the least of which goes first."""
    uses, last = item.data.get("uses"), str(item.data.get("used") or item.at)
    match evicts:
        case "least recently used":
            return (max(last, item.at),)
        case "least used":
            return (uses if is_number(uses) else 0, last)
        case "least important":
            return (importance_in(item),)
        case _:
            return ()


def _reason(item: Item, evicts: Eviction) -> str:
    match evicts:
        case "least recently used":
            return f"; last used {item.data.get('used') or item.at}"
        case "least used":
            return f"; uses: {item.data.get('uses', 0)}"
        case "least important":
            return f"; importance {importance_in(item):g}"
        case _:
            return ""
