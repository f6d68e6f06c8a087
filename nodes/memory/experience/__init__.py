r"""Experience: remembers what was tried in which situation, and what worked best.

What is remembered is a try: the text is the situation, and the fields say which `action` was taken, its
`score` from 0 (it failed) to 1 (it worked) and, in words, the `outcome`. Situations of like meaning are
counted together. Asked about a situation, it tells for each action that was taken in like ones how often it
was tried, its mean score, and how high that is at least, with the probability that is set; the action with
the highest such bound comes first, so that what worked once by luck stands behind what works most times.
Without a like situation it gives nothing.

The bound is that of a beta distribution which began with every mean as likely as any other. Vectors are made
here without a network, or by the language model of the chat profile. Above *Tries at most* the oldest are
forgotten, and count no more; a try of more characters than there may be is refused.

```json
{
  "remember": [
    {"text": "A module is missing.", "fields": {"action": "reinstall", "score": 1}},
    {"text": "A module is missing.", "fields": {"action": "reinstall", "score": 1}},
    {"text": "A module is missing.", "fields": {"action": "retry", "score": 0}}
  ],
  "recall": {"text": "A module is missing.", "most": 1},
  "outputs": {"memory": [
    "reinstall: tried 2 times, mean 1.00, at least 0.37 (with 95% probability). As in: A module is missing."
  ]}
}
```
"""

from functools import partial
from typing import Annotated

from nodes.memory.experience.trials import Trials
from studio.building_blocks.memories.embeddings import made_by, vectors_of
from studio.building_blocks.settings.memories import KeptFor, MemoryName
from studio.building_blocks.settings.vectors import VectorMaker, VectorProfile
from studio.sdk import Context, Effect, Memory, MemoryPlace, Setting, Yields, binding

KIND = "memory.experience"


@binding(
    KIND,
    title="Experience",
    lends="memory",
    effect=Effect.PAID_READ,
    keywords=("what worked", "statistics", "outcome", "learn", "strategy", "trial", "score", "bandit"),
)
async def experience(
    context: Context,
    *,
    name: MemoryName = "",
    keep: KeptFor = "run",
    most: Annotated[int, Setting("Max. recalled", minimum=1, maximum=1000, help="Actions")] = 5,
    alike: Annotated[
        float,
        Setting(
            "Similarity threshold",
            minimum=0,
            maximum=1,
            help="Cosine similarity above which situations are grouped",
        ),
    ] = 0.45,
    probability: Annotated[
        float, Setting("Confidence", minimum=0.5, maximum=0.999, help="Confidence of the lower bound")
    ] = 0.95,
    limit: Annotated[int, Setting("Max. rewrites", minimum=10, maximum=100_000)] = 10_000,
    longest: Annotated[int, Setting("Max. characters", minimum=1, help="Per entry")] = 20_000,
    method: VectorMaker = "embedded",
    profile: VectorProfile = "",
) -> Yields[Memory]:
    """Lend the memory."""
    place = MemoryPlace(name or context.node, KIND, keep)
    embed = partial(vectors_of, method=method, profile=profile)
    maker = made_by(method=method, profile=profile)
    yield Trials(place, most, limit, longest, alike, embed, maker, probability).memory()
