r"""Stream: a memory stream, recalled by recency, importance and relevance.

Each event is rated for its importance from 1 to 10, in the field `importance` of what is remembered, or else
by a chat. What is recalled is what has the highest sum of three parts, each between 0 and 1 over all that is
remembered and multiplied by its weight: how recent it is, which decays by the hour, how important, and how
near in meaning to what is asked for. With *Recalling refreshes*, what was recalled is recent again.

**Reflection.** When the importance of what was remembered since the last reflection reaches *Reflects at*,
the latest events are put to a language model: which questions may be asked about them, and for each question,
which insights follow from what is recalled for it. The insights are remembered as items of the type
`reflection`, with the ids of the events that they follow from as their `evidence`; insights that cite none
are dropped. Where the language model cannot be asked, or its answers do not fit, the events are kept, the
step's log says why, and it is tried again with the next event. `type` in a query's fields asks for items of
one type alone.

Vectors are made here without a network, or by the language model of the chat profile. Above *Items at most*
the least important are forgotten, of these the oldest; an event of more characters than there may be is
refused. Told to forget in words, it forgets the one item that
is nearest in meaning, or as many as are asked for; with a `type` alone, all of that type.

With `of` in the fields of what is remembered or asked, such as `{"of": "Ada"}`, everybody has a stream of
their own, which reflects by itself, and is called after this one and them: `diary.Ada`.

After Park et al., "Generative Agents: Interactive Simulacra of Human Behavior" (2023).

```json
{
  "remember": [
    {"text": "Brushed my teeth.", "fields": {"importance": 1}},
    {"text": "The barn burned down.", "fields": {"importance": 10}}
  ],
  "recall": {"text": "What happened to the barn?", "most": 1},
  "outputs": {"memory": ["The barn burned down."]}
}
```
"""

from typing import Annotated

from nodes.memory.stream.event_stream import EventStream
from nodes.memory.stream.owners import owned
from studio.building_blocks.memories.stream_ranking import Weights
from studio.building_blocks.settings.memories import ItemCharacters, KeptFor, MaxRecalled, MemoryName
from studio.building_blocks.settings.models import ChatProfile
from studio.building_blocks.settings.vectors import VectorMaker
from studio.sdk import Context, Effect, Memory, MemoryPlace, Setting, Yields, binding

KIND = "memory.stream"


@binding(
    KIND,
    title="Stream",
    lends="memory",
    effect=Effect.PAID_READ,
    keywords=("events", "importance", "recency", "reflection", "generative agents", "diary", "insight"),
)
async def stream(
    context: Context,
    *,
    name: MemoryName = "",
    keep: KeptFor = "run",
    most: MaxRecalled = 10,
    recency: Annotated[float, Setting("Weight of recency", minimum=0)] = 1.0,
    importance: Annotated[float, Setting("Weight of importance", minimum=0)] = 1.0,
    relevance: Annotated[float, Setting("Weight of relevance", minimum=0)] = 1.0,
    decay: Annotated[
        float, Setting("Decay per hour", minimum=0.01, maximum=1, help="Recency left after an hour")
    ] = 0.995,
    refreshes: Annotated[
        bool, Setting("Recall refreshes", help="Recalled items count as recent again")
    ] = False,
    reflects_at: Annotated[
        float,
        Setting("Reflects at", minimum=0, help="Importance accumulated since the last reflection; 0: never"),
    ] = 100.0,
    questions: Annotated[int, Setting("Questions of a reflection", minimum=1, maximum=10)] = 3,
    insights: Annotated[int, Setting("Insights for a question", minimum=1, maximum=20)] = 5,
    limit: Annotated[int, Setting("Max. items", minimum=10, maximum=100_000)] = 10_000,
    longest: ItemCharacters = 20_000,
    method: VectorMaker = "embedded",
    profile: ChatProfile = "",
) -> Yields[Memory]:
    """Lend the memory."""
    weights = Weights(recency, importance, relevance, decay)

    def make(place: MemoryPlace) -> Memory:
        """The stream at a place."""
        return EventStream(
            place,
            weights,
            most,
            limit,
            longest,
            refreshes=refreshes,
            reflects_at=reflects_at,
            questions=questions,
            insights=insights,
            method=method,
            profile=profile,
        ).memory()

    yield owned(MemoryPlace(name or context.node, KIND, keep), make)
