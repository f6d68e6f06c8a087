r"""Summary: a conversation memory: recent turns in full, older ones summarized.

When there are more turns than *Turns at most*, or more tokens, all but the last *Turns left* are summed up
by a language model, together with the summary so far, and the summary takes their place. Recalling gives the
summary as the first message, and then the last turns, whole, the oldest first.

Nothing is lost where the language model cannot be asked or says nothing: the messages stay, the step's log
says why, and they are summed up the next time. Only where there are more than *Messages at most* by then are
the oldest forgotten, which the log tells as well. Of a message with more characters than there may be the
beginning and the end are kept. Where two items of a For each sum up at once there are two
summaries, which the next one joins.

```json
{
  "settings": {"turns": 1, "left": 1},
  "chat": ["The user asked what sings there; it was a dunnock."],
  "remember": [
    {"text": "What sings there?", "fields": {"role": "user"}},
    {"text": "A dunnock.", "fields": {"role": "assistant"}},
    {"text": "And there?", "fields": {"role": "user"}}
  ],
  "recall": {},
  "outputs": {"memory": [
    "(In short, what was said before: The user asked what sings there; it was a dunnock.)", "And there?"
  ]}
}
```
"""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from nodes.memory.summary.summaries import SURPLUS, in_short, summary_item, summed_up, to_be_summed_up
from studio.building_blocks.memories.remembered_turns import bounds_in_words, forget_said, item_said, least
from studio.building_blocks.settings.memories import KeptFor, MemoryName, MessageCharacters, RecalledTokens
from studio.building_blocks.settings.models import ChatProfile
from studio.errors import ChatError
from studio.sdk import (
    Context,
    Effect,
    Item,
    Memory,
    MemoryPlace,
    Note,
    Query,
    Recalled,
    Setting,
    Yields,
    binding,
)

KIND = "memory.summary"


@binding(
    KIND,
    title="Summary",
    lends="memory",
    effect=Effect.PAID_READ,
    keywords=("conversation", "history", "condense", "compress", "running summary", "long term"),
)
async def summary(
    context: Context,
    *,
    name: MemoryName = "",
    keep: KeptFor = "run",
    turns: Annotated[int, Setting("Max. turns", minimum=1, maximum=10_000)] = 12,
    tokens: RecalledTokens = 0,
    left: Annotated[
        int, Setting("Turns kept", minimum=1, maximum=10_000, help="When older ones are summarized")
    ] = 6,
    limit: Annotated[
        int, Setting("Max. messages", minimum=2, maximum=100_000, help="If they cannot be summarized")
    ] = 10_000,
    longest: MessageCharacters = 20_000,
    words: Annotated[int, Setting("Words of the summary", minimum=20, maximum=5000)] = 150,
    profile: ChatProfile = "",
) -> Yields[Memory]:
    """Lend the conversation."""
    place = MemoryPlace(name or context.node, KIND, keep)
    holds = bounds_in_words(turns, tokens)

    too_much = partial(to_be_summed_up, turns=turns, tokens=tokens, left=left, limit=limit)

    async def remember(context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        """Add what was said, and sum up what is too much."""
        kept = context.memory(place)
        made = [item_said(context, note, longest) for note in notes]
        for item in made:
            kept.put(item)
        found = kept.read("what is to be summed up", too_much, purpose="upkeep")
        older = [one.item for one in found]
        if not older:
            return made
        try:
            text = await summed_up(context, older, words, profile=profile)
            failed = "" if text else "the summary came back empty."
        except ChatError as error:
            text, failed = "", str(error)
        if not text:
            surplus = [one.item for one in found if one.why == SURPLUS]
            for one in surplus:
                kept.remove(one.id, f"evicted: {limit} messages at most")
            left_over = f"the {len(surplus)} oldest are forgotten" if surplus else "all is kept"
            context.log(f"Nothing was summed up, and {left_over}: {failed}")
            return made
        for one in older:
            kept.remove(one.id, "summed up")
        kept.put(summary_item(context, text, older), f"sums up {len(older)} messages")
        return made

    async def recall(context: Context, query: Query) -> Sequence[Recalled]:
        """Give the summary, and the last turns."""
        bound = least(tokens, query.tokens)
        search = partial(in_short, turns=turns, tokens=bound, most=query.most)
        return context.memory(place).read(query.text or "what was said", search)

    async def forget(context: Context, query: Query) -> Sequence[Item]:
        """Take out what is named, or says the words."""
        return await forget_said(context, place, query)

    said = f"A conversation, of which {holds} are recalled and what came before in a summary."
    yield Memory(place, recall, remember, forget, is_conversation=True, description=said)
