"""A memory of the simplest kind, for what uses memories."""

from collections.abc import Sequence

from studio.building_blocks.memories.recall import forget_found, memory_tools
from studio.errors import ToolError
from studio.sdk import Context, Item, Items, Memory, MemoryPlace, Note, Query, Recalled, Tool


def plain_memory(name: str, *, is_conversation: bool = False, denied: str = "") -> Memory:
    """One that finds what has a word of the query; it says no to the agent that is `denied`."""
    place = MemoryPlace(name, "memory.plain")

    async def remember(context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        kept, made = context.memory(place), list[Item]()
        for note in notes:
            known = kept.read(
                "number", lambda items: [Recalled(one) for one in items.all()], purpose="upkeep"
            )
            item = Item(
                f"{name}_{len(known)}",
                note.text,
                note.fields,
                context.now().isoformat(),
                note.by or context.node,
            )
            kept.put(item)
            made.append(item)
        return made

    async def recall(context: Context, query: Query) -> Sequence[Recalled]:
        if denied and query.by == denied:
            raise ToolError(f"`{denied}` may not read `{name}`.")

        def search(items: Items) -> Sequence[Recalled]:
            words = query.text.casefold().split()
            found = [(one, [word for word in words if word in one.text.casefold()]) for one in items.all()]
            fitting = [
                Recalled(one, len(has), " and ".join(f"has “{word}”" for word in has))
                for one, has in found
                if has or not words
            ]
            return fitting[: query.most or None]

        return context.memory(place).read(query.text, search)

    async def forget(context: Context, query: Query) -> Sequence[Item]:
        return await forget_found(context, place, query, recall)

    def tools(context: Context, by: str) -> Sequence[Tool]:
        return memory_tools(context, by, place, recall, remember)

    return Memory(place, recall, remember, forget, tools, is_conversation)
