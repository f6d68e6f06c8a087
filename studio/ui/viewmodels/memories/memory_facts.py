"""All that is known of one item of a memory, for who looks at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.app.memories.run_memories import Recall
from studio.building_blocks.memories.credible_bounds import lower_bound
from studio.ids import StepId
from studio.sdk.items import Item

MOST_NEAR = 30
"""Items named beside another one."""


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """An item of a kind of memory, the step that `wrote` it in the shown run, and what `recalled` it.

    `near` has other items that belong to it, each with what it is to it; `titles` how steps are called;
    `tried` what is known of each action in situations like that of a try.
    """

    kind: str
    item: Item
    wrote: StepId | None = None
    recalled: Sequence[Recall] = ()
    near: Sequence[tuple[str, Item]] = ()
    titles: Mapping[StepId, str] = field(default_factory=dict[StepId, str])
    tried: Sequence["Tried"] = ()


@dataclass(frozen=True, slots=True)
class Tried:
    """How often an action was tried in like situations, its mean score, and how high that is at least."""

    action: str
    tries: int
    mean: float
    least: float


def what_worked(kind: str, item: Item, items: Sequence[Item]) -> list[Tried]:
    """Give the statistics of the actions in situations like a try's, the best first; none for other items."""
    cluster = item.data.get("cluster")
    if kind != "memory.experience" or not cluster:
        return []
    scores: dict[str, list[float]] = {}
    for one in items:
        score = one.data.get("score")
        if one.data.get("cluster") == cluster and isinstance(score, int | float):
            scores.setdefault(str(one.data.get("action", "")), []).append(float(score))
    found = [
        Tried(name, len(all_), sum(all_) / len(all_), lower_bound(all_)) for name, all_ in scores.items()
    ]
    return sorted(found, key=lambda one: -one.least)


def items_near(kind: str, item: Item, items: Sequence[Item]) -> list[tuple[str, Item]]:
    """Give what stands beside an item: of a triple those that share an end, of an insight its evidence."""
    if kind == "memory.graph":
        return _neighbours(item, items)[:MOST_NEAR]
    evidence = item.data.get("evidence")
    if isinstance(evidence, list):
        wanted = set(map(str, evidence))
        return [("evidence", one) for one in items if one.id in wanted][:MOST_NEAR]
    return []


def _neighbours(item: Item, items: Sequence[Item]) -> list[tuple[str, Item]]:
    ends = _ends_of(item)
    found: list[tuple[str, Item]] = []
    for one in items:
        shared = ends & _ends_of(one)
        if shared and one.id != item.id:
            found.append((", ".join(sorted(shared)), one))
    return found


def _ends_of(item: Item) -> set[str]:
    """The things that a triple joins, by what all ways to write them have in common."""
    return {part.strip() for part in item.id.split("|")[::2]}
