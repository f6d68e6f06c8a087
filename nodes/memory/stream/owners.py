"""Memories of which everybody has one of their own, behind one node: a field says whose is meant."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from studio.sdk import Context, Item, Json, Memory, MemoryPlace, Note, Query, Recalled


def owned(place: MemoryPlace, make: Callable[[MemoryPlace], Memory]) -> Memory:
    """The memory at a place, and with `of` in the fields of what is asked or put, that of somebody.

    Each is a memory in its own right, called `PLACE.SOMEBODY`, which is made by `make`.
    """
    common = make(place)

    def whose(fields: Mapping[str, Json]) -> Memory:
        """The memory that is meant."""
        owner = str(fields.get("of") or "")
        return make(replace(place, name=f"{place.name}.{owner}")) if owner else common

    async def recall(context: Context, query: Query) -> Sequence[Recalled]:
        """Ask the one that is meant."""
        return await whose(query.fields).recall(context, query)

    async def remember(context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        """Put each note where it belongs."""
        made: list[Item] = []
        for owner in dict.fromkeys(str(one.fields.get("of") or "") for one in notes):
            own = [one for one in notes if str(one.fields.get("of") or "") == owner]
            made += await whose(own[0].fields).remember(context, own)
        return made

    async def forget(context: Context, query: Query) -> Sequence[Item]:
        """Take out of the one that is meant."""
        return await whose(query.fields).forget(context, query)

    return replace(common, recall=recall, remember=remember, forget=forget, by_owner=True)
