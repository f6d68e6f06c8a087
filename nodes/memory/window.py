r"""Window: a conversation memory of the last turns.

What is remembered are messages; a turn begins with what a person says. Recalling gives the last turns, the
oldest first, within the turns and tokens that there may be: whole turns, and of a last turn that is larger
than the window its end. Tokens are guessed from the length of the text, four bytes each.

What falls out of the window is forgotten, or, as *Older* says, kept for people to read and for a larger
window later; then the oldest are forgotten above *Messages at most*. Of a message with more characters than
there may be the beginning and the end are kept, and the step's log says so. An agent that has this memory
goes on from what was said before, and adds what it is asked and what it answers.

```json
{
  "settings": {"turns": 1},
  "remember": [
    {"text": "What sings there?", "fields": {"role": "user"}},
    {"text": "A dunnock.", "fields": {"role": "assistant"}},
    {"text": "And there?", "fields": {"role": "user"}},
    {"text": "A wren.", "fields": {"role": "assistant"}}
  ],
  "recall": {},
  "outputs": {"memory": ["And there?", "A wren."]}
}
```
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from studio.building_blocks.memories.remembered_turns import (
    begins_at,
    bounds_in_words,
    forget_said,
    item_said,
    latest,
    least,
)
from studio.building_blocks.settings.memories import KeptFor, MemoryName, MessageCharacters, RecalledTokens
from studio.sdk import (
    Context,
    Item,
    Items,
    Memory,
    MemoryPlace,
    Note,
    Query,
    Recalled,
    Setting,
    Yields,
    binding,
)

KIND = "memory.window"


@binding(
    KIND,
    title="Window",
    lends="memory",
    keywords=("conversation", "history", "buffer", "messages", "last turns", "short term"),
)
async def window(
    context: Context,
    *,
    name: MemoryName = "",
    keep: KeptFor = "run",
    turns: Annotated[int, Setting("Max. turns", minimum=0, maximum=10_000, help="0: no limit")] = 10,
    tokens: RecalledTokens = 0,
    older: Annotated[
        Literal["forget", "keep"], Setting("Older", help="What happens to messages that leave the window")
    ] = "forget",
    limit: Annotated[int, Setting("Max. messages", minimum=2, maximum=100_000)] = 10_000,
    longest: MessageCharacters = 20_000,
) -> Yields[Memory]:
    """Lend the conversation."""
    place = MemoryPlace(name or context.node, KIND, keep)
    holds = bounds_in_words(turns, tokens)

    def evicted(items: Items) -> Sequence[Recalled]:
        """What there is no room for."""
        said = items.all()
        fallen = begins_at(said, turns, tokens) if older == "forget" else 0
        return [Recalled(one) for one in said[: max(fallen, len(said) - limit)]]

    async def remember(context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        """Add what was said, and forget what falls out."""
        kept = context.memory(place)
        made = [item_said(context, note, longest) for note in notes]
        for item in made:
            kept.put(item)
        for one in kept.read("what there is no room for", evicted, purpose="upkeep"):
            kept.remove(one.item.id, f"evicted: the window holds {holds}")
        return made

    async def recall(context: Context, query: Query) -> Sequence[Recalled]:
        """Give the last turns."""

        def search(items: Items) -> Sequence[Recalled]:
            return latest(items.all(), turns, least(tokens, query.tokens), query.most)

        return context.memory(place).read(query.text or "what was said last", search)

    async def forget(context: Context, query: Query) -> Sequence[Item]:
        """Take out what is named, or says the words."""
        return await forget_said(context, place, query)

    said = f"A conversation, of which {holds} are recalled."
    yield Memory(place, recall, remember, forget, is_conversation=True, description=said)
