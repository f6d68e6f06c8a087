"""How a stream of events is searched: by how recent, how important and how relevant each is.

After Park et al., "Generative Agents: Interactive Simulacra of Human Behavior" (2023): each of the three is
scaled to 0 to 1 over all that is remembered, and the score is their weighted sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from studio.sdk import Item, Items, Recalled

LOOKED_AT = 100
"""So many of the nearest are told apart by relevance; what is further away counts as the last of these."""

REFLECTION = "reflection"


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts how much; `decay` is what is left of recency after an hour."""

    recency: float = 1.0
    importance: float = 1.0
    relevance: float = 1.0
    decay: float = 0.995


def ranked(
    items: Items, vector: bytes, now: str, weights: Weights, most: int, sort: str = ""
) -> list[Recalled]:
    """The best, the later of equals, of one `sort` alone, if any; without a vector nothing is relevant."""
    known = items.all()
    if sort:
        known = [one for one in known if one.data.get("type") == sort]
    if not known:
        return []
    end, decay = seconds_at(now), weights.decay ** (1 / 3600)
    near = {one.id: cosine for one, cosine in items.nearest(vector, LOOKED_AT)} if vector else {}
    least = min(near.values(), default=0.0)
    chosen = candidates(known, near, most)
    times = [end - seconds_at(str(one.data.get("used") or one.at)) for one in chosen]
    recent = scaled([decay ** max(0.0, time) for time in times])
    important = scaled([importance_of(one) for one in chosen])
    relevant = scaled([near.get(one.id, least) for one in chosen])
    scores = [
        weights.recency * one + weights.importance * other + weights.relevance * third
        for one, other, third in zip(recent, important, relevant, strict=True)
    ]
    best = sorted(range(len(chosen)), key=lambda place: (-scores[place], -place))[:most]
    return [
        Recalled(chosen[place], scores[place], reason(chosen[place], times[place], near)) for place in best
    ]


def candidates(known: Sequence[Item], near: Mapping[str, float], most: int) -> list[Item]:
    """All that can be among the best, and the oldest and the least important, by which all are scaled.

    Of what is not near, and as important as one another, the latest are the best; so that a look at each of
    ten thousand takes about a millisecond.
    """
    counts: dict[object, int] = {}
    chosen: list[Item] = []
    for one in reversed(known):
        data = one.data
        importance = data.get("importance")
        if one.id in near or "used" in data:
            chosen.append(one)
            counts.setdefault(importance, 0)
        elif (count := counts.get(importance, 0)) < most:
            counts[importance] = count + 1
            chosen.append(one)
    if chosen[-1] is not known[0]:
        chosen.append(known[0])
    return chosen[::-1]


def reason(item: Item, age: float, near: Mapping[str, float]) -> str:
    """Why an item was found, in one sentence."""
    parts = [f"importance {importance_of(item):g} of 10", f"{ago(age)} ago"]
    if item.id in near:
        parts.insert(0, f"relevance {near[item.id]:.2f}")
    return ", ".join(parts)


def ago(seconds: float) -> str:
    """A time that has passed, in the largest unit of which there is one."""
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= size:
            return f"{seconds / size:.1f} {name}"
    return f"{max(0.0, seconds):.0f} seconds"


def scaled(numbers: Sequence[float]) -> list[float]:
    """The numbers with the lowest at 0 and the highest at 1; all 0 where they are the same."""
    low, high = min(numbers), max(numbers)
    spread = high - low
    return [(one - low) / spread for one in numbers] if spread > 0 else [0.0] * len(numbers)


def importance_of(item: Item) -> float:
    """How important an item is, from 1 to 10."""
    found = item.data.get("importance")
    return float(found) if isinstance(found, int | float) else 1.0


@lru_cache(maxsize=32768)
def seconds_at(time: str) -> float:
    """A time of ISO 8601 as seconds; 0 for what is none."""
    try:
        return datetime.fromisoformat(time).timestamp()
    except ValueError:
        return 0.0


def since_reflection(items: Items) -> list[Recalled]:
    """The last event, with the importance of all events since the last reflection as its score."""
    total, last = 0.0, None
    for one in reversed(items.all()):
        if one.data.get("type") == REFLECTION:
            break
        last, total = last or one, total + importance_of(one)
    return [Recalled(last, total, "importance since the last reflection")] if last else []


def surplus(items: Items, most: int) -> list[Recalled]:
    """What is to go where there are more than `most`: the least important, of these the oldest."""
    over = len(items) - most
    if over <= 0:
        return []
    known = items.all()
    order = sorted(range(len(known)), key=lambda place: (importance_of(known[place]), place))
    return [Recalled(Item(known[place].id, ""), 0.0, f"more than {most}") for place in order[:over]]
