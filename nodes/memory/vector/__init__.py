r"""Vector: texts found by meaning (embeddings).

Each text is kept with a vector, and recalling gives those whose vectors are nearest to that of the query.

*Vectors* says what makes them. **embedded**, the default: WordLlama's, 256 numbers, made here without a
network and always the same. **profile**: the language model of a chat profile, one for embeddings. Of two
hundred questions to 260 passages, half of them in quite other words than the answer, the embedded ones have
the answer among the first five for 73 in 100, a search by words for 51, and both together do no better.

Where the method is changed, older items have vectors that say nothing beside the new ones. They are found
by their words, as the reason says, and some hundred of them get new vectors whenever something is
remembered.

A text that is remembered again is renewed, not doubled. Above *Max. items* others make room for what is new,
as *When full* says: the oldest, those that were recalled longest ago or least often, or those of the least
`importance`, a number in the fields of what is remembered; or what is new is refused. Which went, and why,
stands in the run. A longer text than *Max. characters* is refused. With nothing to look for, the latest are
given. Told to forget in words, it forgets the one text that is nearest, or as many as are asked for.

```json
{
  "settings": {"most": 1},
  "remember": [
    {"text": "The second key hangs behind the shed door."},
    {"text": "Simmer the lentils for half an hour."}
  ],
  "recall": {"text": "How long must I cook the lentil soup?"},
  "outputs": {"memory": ["Simmer the lentils for half an hour."]}
}
```
"""

from collections.abc import Sequence
from functools import partial
from itertools import repeat
from typing import Annotated

from nodes.memory.vector.neighbours import (
    AGAIN,
    OTHERWISE,
    by_text,
    item_of,
    nearest,
    the_latest,
    to_forget,
    to_keep_up,
    with_vector,
)
from studio.building_blocks.memories.capacity import check_room
from studio.building_blocks.memories.embeddings import VectorMethod, made_by, vectors_of
from studio.building_blocks.memories.recall import counting, forget_found, memory_tools, within
from studio.building_blocks.settings.memories import (
    ItemCharacters,
    KeptFor,
    MaxRecalled,
    MemoryName,
    WhenFull,
)
from studio.building_blocks.settings.vectors import VectorProfile
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
    Tool,
    Yields,
    binding,
)

KIND = "memory.vector"


@binding(
    KIND,
    title="Vector memory",
    lends="memory",
    effect=Effect.PAID_READ,
    keywords=("embedding", "semantic", "similarity", "rag", "retrieval", "facts", "long term"),
)
async def vector(
    context: Context,
    *,
    name: MemoryName = "",
    keep: KeptFor = "run",
    most: MaxRecalled = 5,
    similar: Annotated[
        float, Setting("Min. similarity", minimum=-1, maximum=1, help="Cosine similarity")
    ] = 0.0,
    limit: Annotated[int, Setting("Max. items", minimum=1, maximum=100_000)] = 10_000,
    longest: ItemCharacters = 20_000,
    method: Annotated[
        VectorMethod,
        Setting(
            "Vectors",
            help="embedded: WordLlama, locally and offline; profile: by the endpoint of a chat profile",
        ),
    ] = "embedded",
    profile: VectorProfile = "",
    evicts: WhenFull = "oldest",
) -> Yields[Memory]:
    """Lend the memory."""
    place = MemoryPlace(name or context.node, KIND, keep)
    maker = made_by(method=method, profile=profile)

    async def remember(context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        """Put texts in with their vectors, and keep the memory in order."""
        said = by_text(notes, limit, longest)
        kept = context.memory(place)
        search = partial(to_keep_up, texts=frozenset(said), maker=maker, limit=limit, evicts=evicts)
        found = kept.read("what is said again, made otherwise, or too much", search, purpose="upkeep")
        again = {one.item.text: one.item for one in found if one.why == AGAIN}
        check_room(found, limit, "items")
        older = [one.item for one in found if one.why == OTHERWISE]
        if older:
            context.log(f"{len(older)} older items of `{place.name}` get vectors by {maker}.")
        made = [item_of(context, note, again) for note in said.values()]
        vectors = await vectors_of(
            context, [one.text for one in (*made, *older)], method=method, profile=profile
        )
        put = list(map(with_vector, (*made, *older), vectors, repeat(maker)))
        for item in put:
            kept.put(item)
        for one in found:
            if one.why not in {AGAIN, OTHERWISE}:
                kept.remove(one.item.id, one.why)
        return put[: len(made)]

    async def look(context: Context, query: Query) -> Sequence[Recalled]:
        """Find what is nearest."""
        count = query.most or most
        [wanted] = await vectors_of(context, [query.text], method=method, profile=profile)
        if not wanted:
            found = context.memory(place).read("the latest", partial(the_latest, most=count))
        else:
            search = partial(
                nearest, vector=wanted, text=query.text, most=count, similar=similar, maker=maker
            )
            found = context.memory(place).read(query.text, search)
        return within(found, query.tokens)

    async def forget(context: Context, query: Query) -> Sequence[Item]:
        """Take out what is named, or the one that is nearest, unless more are wanted."""
        return await forget_found(context, place, to_forget(query), look)

    recall = counting(look, place, evicts)

    def tools(context: Context, by: str) -> Sequence[Tool]:
        """What lets an agent look things up, and remember."""
        weighs = evicts == "least important"
        return memory_tools(context, by, place, recall, remember, weighs=weighs)

    said = f"Texts that are found by what they mean; vectors by {maker}."
    yield Memory(place, recall, remember, forget, tools, description=said)
