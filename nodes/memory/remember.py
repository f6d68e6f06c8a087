r"""Remember: add items to a memory.

Each text becomes an item, and each message, which a conversation keeps with who said it; instructions among
them and answers of tools are left out. `fields` has what a kind of memory takes besides the text, such as the
`key` of a note or the `importance` of an event, the same for all.

What is put takes effect when the step finishes, so that what fails leaves nothing behind; inside a For each,
when the item ends, in the order of the items. Order the steps that share a memory by wires, if only from
`then` to `after`.

```json
{
  "memories": {"memory": []},
  "inputs": {"texts": ["a wren in the hedge"]},
  "settings": {"by": "warden"},
  "outputs": {"items": [
    {"id": "memory_0", "text": "a wren in the hedge", "data": {}, "at": "", "by": "warden"}
  ]}
}
```
"""

from typing import Annotated

from studio.building_blocks.memories.recall import item_as_json, spoken
from studio.building_blocks.settings.memories import MemoryFields
from studio.sdk import Context, Effect, In, Json, Memory, Message, Note, Out, Setting, node


@node(
    "memory.remember",
    title="Remember",
    effect=Effect.PAID_READ,
    keywords=("store", "save", "write", "memory", "keep", "note", "learn"),
)
async def remember(
    context: Context,
    memory: Annotated[Memory, In("The memory to add to")],
    texts: Annotated[list[str], In("The texts to remember")] = [],  # noqa: B006  # read, never written
    messages: Annotated[list[Message], In("The messages to remember")] = [],  # noqa: B006
    fields: MemoryFields = {},  # noqa: B006
    *,
    by: Annotated[str, Setting("By", help="Author of the items; empty: this node")] = "",
) -> Annotated[list[Json], Out("items", "The items added")]:
    """Put `texts` and `messages` into `memory`."""
    notes = [Note(text, fields, by) for text in texts if text.strip()]
    notes += spoken(messages, fields, by)
    return [item_as_json(one) for one in await memory.remember(context, notes)] if notes else []
