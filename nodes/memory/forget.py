r"""Forget: delete items from a memory.

Those that the words find are taken out, those whose ids arrive, those that the fields name, or all. Words
find the one item that is nearest where a memory goes by meaning, unless *Items at most* says more. It takes
effect when the step finishes; inside a For each, when the item ends. Of a project's memory earlier versions
are kept for a while, so a person can take it back.

```json
{
  "memories": {"memory": [{"text": "a wren in the hedge"}, {"text": "a heron at the pond"}]},
  "inputs": {"query": "hedge"},
  "outputs": {"count": 1, "items": [
    {"id": "memory_0", "text": "a wren in the hedge", "data": {}, "at": "", "by": "step"}
  ]}
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from studio.building_blocks.memories.recall import item_as_json
from studio.building_blocks.settings.memories import ItemLimit, MemoryFields
from studio.sdk import (
    Context,
    Effect,
    In,
    Item,
    Items,
    Json,
    Memory,
    Out,
    Query,
    Recalled,
    Setting,
    StepError,
    node,
)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a memory no longer has."""

    items: Annotated[list[Json], Out("items", "The deleted items")]
    count: Annotated[int, Out("count", "How many were deleted")]


@node(
    "memory.forget",
    title="Forget",
    effect=Effect.PAID_READ,
    keywords=("delete", "remove", "clear", "memory", "erase", "prune"),
)
async def forget(
    context: Context,
    memory: Annotated[Memory, In("The memory to delete from")],
    query: Annotated[str, In("What to delete")] = "",
    ids: Annotated[list[str], In("Ids of the items")] = [],  # noqa: B006  # read, never written
    fields: MemoryFields = {},  # noqa: B006
    *,
    most: ItemLimit = 0,
    everything: Annotated[bool, Setting("Everything", help="Delete all items, whatever the inputs")] = False,
) -> Forgotten:
    """Take out of `memory` what is asked for; raises `StepError` where nothing is."""
    if everything:
        found = context.memory(memory.place).read("all there is", all_ids, purpose="upkeep")
        ids = [one.item.id for one in found]
    elif not (query.strip() or ids or fields):
        raise StepError("Nothing to delete was named.", hint="Wire words or ids, or turn on Everything.")
    named: dict[str, Json] = {**fields, "ids": [*ids]} if ids or everything else fields
    taken = await memory.forget(context, Query("" if everything else query, most, fields=named))
    return Forgotten([item_as_json(one) for one in taken], len(taken))


def all_ids(items: Items) -> Sequence[Recalled]:
    """All there is, by its ids alone."""
    return [Recalled(Item(one.id, "")) for one in items.all()]
