r"""Route context: select the memories a role needs, within a token budget.

Several agents that share memories need different parts of them. Each memory is asked for what fits the task,
the stage and the role; each item that it gives is scored by how near it is in meaning to the role, how near
to the task at its stage, and how recent it is, each with its weight; and the best are taken as long as there
is room. `text` has these, from one memory after the other, `items` the same with score and reason, `left_out`
what there was no room for. A memory that does not permit it gives nothing.

After Liu et al., "RCR-Router: Efficient Role-Aware Context Routing for Multi-Agent LLM Systems" (2025).

```json
{
  "memories": {"memory": [
    {"text": "the roof plan shows two skylights"}, {"text": "the budget plan has no cent left"}
  ]},
  "inputs": {"task": "plan the roof", "role": "architect who draws roofs"},
  "settings": {"tokens": 10},
  "outputs": {"text": "the roof plan shows two skylights", "tokens": 9}
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from nodes.memory.route_context.selection import Candidate, Routed, Wanted, fitting, routed
from studio.building_blocks.memories.embeddings import vectors_of
from studio.building_blocks.memories.recall import item_as_json
from studio.building_blocks.settings.vectors import VectorMaker, VectorProfile
from studio.sdk import Context, Effect, In, Item, Json, Memory, Out, Query, Setting, ToolError, node


@dataclass(frozen=True, slots=True)
class RoutedContext:
    """The part of memories that somebody needs."""

    text: Annotated[str, Out("text", "The selected texts, separated by blank lines")]
    items: Annotated[list[Json], Out("items", "The selected items, with memory, score and reason")]
    left_out: Annotated[list[Json], Out("left_out", "Items that did not fit, in the same form")]
    tokens: Annotated[int, Out("tokens", "Approximate tokens selected")]


@node(
    "memory.route_context",
    title="Route context",
    effect=Effect.PAID_READ,
    only_reads=True,
    keywords=("memory", "role", "budget", "select", "relevant", "stage", "router", "context"),
)
async def route_context(
    context: Context,
    memory: Annotated[Sequence[Memory], In("The memories to search, in this order")],
    task: Annotated[str, In("The task")],
    role: Annotated[str, In("Description of the role")] = "",
    stage: Annotated[str, In("Current stage of the task, in words")] = "",
    *,
    tokens: Annotated[
        int, Setting("Max. tokens", minimum=1, help="Expression over everything selected")
    ] = 1000,
    candidates: Annotated[int, Setting("Candidates per memory", minimum=1, maximum=1000, help="Items")] = 30,
    by_role: Annotated[float, Setting("Weight of the role", minimum=0)] = 1.0,
    by_stage: Annotated[float, Setting("Weight of task and stage", minimum=0)] = 1.0,
    by_recency: Annotated[float, Setting("Weight of recency", minimum=0)] = 0.3,
    by: Annotated[str, Setting("By", help="Who asks the memories; empty: this node")] = "",
    method: VectorMaker = "embedded",
    profile: VectorProfile = "",
) -> RoutedContext:
    """Choose from all `memory` what `role` needs for `task` at this `stage`."""
    at_stage = "\n".join(one for one in (task, stage) if one.strip())
    asked = "\n".join(one for one in (at_stage, role) if one.strip())
    found = [
        (one.place.name, item)
        for one in memory
        for item in await asked_of(context, one, asked, candidates, by)
    ]
    said = [role, at_stage, *(item.text for _, item in found)]
    to_role, to_stage, *vectors = await vectors_of(context, said, method=method, profile=profile)
    known = [Candidate(name, item, vector) for (name, item), vector in zip(found, vectors, strict=True)]
    ranked = routed(known, Wanted(to_role, to_stage, by_role, by_stage, by_recency))
    taken, left = fitting(ranked, tokens)
    chosen = {(one.candidate.memory, one.candidate.item.id) for one in taken}
    texts = [one.item.text for one in known if (one.memory, one.item.id) in chosen]
    return RoutedContext(
        "\n\n".join(texts),
        [as_json(one) for one in taken],
        [as_json(one) for one in left],
        sum(one.tokens for one in taken),
    )


async def asked_of(context: Context, memory: Memory, asked: str, most: int, by: str) -> list[Item]:
    """What a memory gives; nothing where it does not permit it."""
    query = Query("" if memory.is_conversation else asked, most, by=by)
    try:
        return [one.item for one in await memory.recall(context, query)]
    except ToolError as refused:
        context.log(f"Nothing was recalled from `{memory.place.name}`: {refused}")
        return []


def as_json(one: Routed) -> Json:
    """What was chosen or left out."""
    known = item_as_json(one.candidate.item, one.score, one.why)
    return {"memory": one.candidate.memory, "tokens": one.tokens, **known}
