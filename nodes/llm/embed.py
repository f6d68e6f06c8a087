"""Embed: turn texts into embedding vectors.

Choose a chat profile whose language model is one for embeddings. The texts are sent several at a time, one
that comes twice only once, and each request is a step of its own in the trace. Vectors of two language models
say nothing of one another, so no other profile is asked where this one fails.

```json
{
  "settings": {"dimensions": 4},
  "inputs": {"texts": ["moss", "bark", "moss"]},
  "outputs": {"vectors": [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]}
}
```
"""

from functools import partial
from typing import Annotated

from studio.building_blocks.settings.models import ChatProfile
from studio.sdk import Context, Effect, In, Out, Setting, StepError, node

AT_ONCE = 4
"""Requests that are under way together."""


@node(
    "llm.embed",
    title="Embed",
    effect=Effect.PAID_READ,
    keywords=("vector", "embedding", "similarity", "search", "meaning"),
)
async def embed(
    context: Context,
    texts: Annotated[list[str], In("The texts to embed")],
    *,
    dimensions: Annotated[
        int | None,
        Setting("Dimensions", editor="number", minimum=1, help="Empty: the model's default"),
    ] = None,
    batch: Annotated[int, Setting("Texts at a time", minimum=1, maximum=2048)] = 64,
    profile: ChatProfile = "",
) -> Annotated[list[list[float]], Out("vectors", "One vector per text, in the same order")]:
    """Turn `texts` into vectors, asking for `batch` of them at a time."""
    for place, text in enumerate(texts):
        if not text.strip():
            message = f"The text at {place} is empty; models have no embedding for it."
            raise StepError(message, hint="Remove empty texts first.")
    unlike = list(dict.fromkeys(texts))
    parts = [tuple(unlike[start : start + batch]) for start in range(0, len(unlike), batch)]
    asked = [partial(context.embed, part, dimensions=dimensions, profile=profile) for part in parts]
    answered = await context.gather(asked, AT_ONCE)
    found = dict(zip(unlike, (vector for vectors in answered for vector in vectors), strict=True))
    return [found[text] for text in texts]
