r"""Recall: search a memory.

What is found leaves as one text, as a list of items (each with its id, its text, when and by whom it was
remembered, how well it fits and why it was found), and, where the memory is a conversation, as messages. With
nothing to ask for, the memory gives what it thinks is the most important, such as the latest.

`fields` has what a kind of memory takes besides words, such as the `key` of a note.

```json
{
  "memories": {"memory": [{"text": "a wren in the hedge"}, {"text": "a heron at the pond"}]},
  "inputs": {"query": "hedge wren"},
  "outputs": {"text": "a wren in the hedge"}
}
```
"""

from dataclasses import dataclass
from typing import Annotated

from studio.building_blocks.memories.recall import item_as_json, message_of
from studio.building_blocks.settings.memories import ItemLimit, MemoryFields
from studio.sdk import Context, Effect, In, Json, Memory, Message, Out, Query, Setting, node


@dataclass(frozen=True, slots=True)
class Recollection:
    """What a memory was found to have."""

    text: Annotated[str, Out("text", "The texts found, separated by blank lines")]
    items: Annotated[list[Json], Out("items", "The items in full, with score and reason")]
    messages: Annotated[list[Message] | None, Out("messages", "A conversation, oldest first")] = None


@node(
    "memory.recall",
    title="Recall",
    effect=Effect.PAID_READ,
    only_reads=True,
    keywords=("remember", "retrieve", "search", "memory", "look up", "query"),
)
async def recall(
    context: Context,
    memory: Annotated[Memory, In("The memory to search")],
    query: Annotated[str, In("The search query")] = "",
    fields: MemoryFields = {},  # noqa: B006
    *,
    most: ItemLimit = 0,
    tokens: Annotated[int, Setting("Max. tokens", minimum=0, help="0: the memory's own limit")] = 0,
) -> Recollection:
    """Ask `memory` for what fits `query`."""
    found = await memory.recall(context, Query(query, most, tokens, fields=fields))
    return Recollection(
        "\n\n".join(one.item.text for one in found),
        [item_as_json(one.item, one.score, one.why) for one in found],
        [message_of(one.item) for one in found] if memory.is_conversation else None,
    )
