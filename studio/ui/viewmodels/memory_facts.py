"""All that is known of one item of a memory, for who looks at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.app.run_memories import Recall
from studio.ids import StepId
from studio.sdk.items import Item

MOST_NEAR = 30
"""Items named beside another one."""


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """An item of a kind of memory, the step that `wrote` it in the shown run, and what `recalled` it.

    `near` has other items that belong to it, each with what it is to it; `titles` how steps are called.
    """

    kind: str
    item: Item
    wrote: StepId | None = None
    recalled: Sequence[Recall] = ()
    near: Sequence[tuple[str, Item]] = ()
    titles: Mapping[StepId, str] = field(default_factory=dict[StepId, str])


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
