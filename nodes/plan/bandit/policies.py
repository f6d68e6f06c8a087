"""Choosing by what paid off: Thompson sampling, and linear upper confidence bounds (LinUCB).

Thompson (1933), with beta distributions begun at 1 and 1; Li, Chu, Langford and Schapire (2010) for LinUCB
with a line of its own for each arm.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from studio.building_blocks.values.json_kinds import is_list, is_number, is_object
from studio.sdk import Json, StepError


@dataclass(frozen=True, slots=True)
class Try:
    """What somebody chose, what it paid, from 0 to 1, and what was known of the case then."""

    arm: str
    reward: float
    features: Sequence[float] = ()


@dataclass(slots=True)
class Record:
    """How often an arm was tried, and what it paid in all."""

    tries: float = 0.0
    paid: float = 0.0
    chance: float = 0.0
    """What the choice went by: a draw, or a bound."""

    @property
    def mean(self) -> float | None:
        """What it paid on average."""
        return self.paid / self.tries if self.tries else None


def tries_in(kept: Json) -> list[Try]:
    """Read what a run variable keeps: a list of objects; raises `StepError` for anything else."""
    if kept is None:
        return []
    if not is_list(kept):
        raise StepError("Trials must be a list, each with `arm` and `reward`.")
    found: list[Try] = []
    for one in kept:
        reward = one.get("reward") if is_object(one) else None
        if not is_object(one) or not is_number(reward) or not 0 <= reward <= 1:
            raise StepError("Each trial needs an `arm` and a `reward` from 0 to 1.")
        features: Json = one.get("features")
        numbers = features if is_list(features) else []
        found.append(Try(str(one.get("arm")), float(reward), [float(x) for x in numbers if is_number(x)]))
    return found


def counted(arms: Sequence[str], tries: Sequence[Try]) -> dict[str, Record]:
    """What each arm paid; arms that are no longer there do not count."""
    records = {arm: Record() for arm in arms}
    for one in tries:
        if one.arm in records:
            records[one.arm].tries += 1
            records[one.arm].paid += one.reward
    return records


def thompson(records: Mapping[str, Record], chance: Random) -> str:
    """Draw for each arm a mean that its record allows; the highest draw is chosen."""
    for one in records.values():
        one.chance = chance.betavariate(1 + one.paid, 1 + one.tries - one.paid)
    return highest(records)


def lin_ucb(
    records: Mapping[str, Record], tries: Sequence[Try], features: Sequence[float], exploration: float
) -> str:
    """Choose the arm whose reward may be highest in this case, as a line through its features goes.

    Cases have these features and a constant one. Raises `StepError` where a try has another number of them.
    """
    case = [1.0, *features]
    for arm, one in records.items():
        line = Line(len(case))
        for made in tries:
            if made.arm == arm:
                if len(made.features) != len(features):
                    raise StepError(
                        f"This case has {len(features)} features, another one has {len(made.features)}."
                    )
                line.add([1.0, *made.features], made.reward)
        one.chance = line.bound(case, exploration)
    return highest(records)


def highest(records: Mapping[str, Record]) -> str:
    """The arm with the best chance; of equal ones the first."""
    return max(records, key=lambda arm: records[arm].chance)


@dataclass(slots=True)
class Line:
    """Ridge regression, one case after the other, by the inverse of its matrix (Sherman and Morrison)."""

    size: int
    inverse: list[list[float]] = field(default_factory=list[list[float]])
    paid: list[float] = field(default_factory=list[float])

    def __post_init__(self) -> None:
        """Begin without a case."""
        self.inverse = [[float(row == column) for column in range(self.size)] for row in range(self.size)]
        self.paid = [0.0] * self.size

    def add(self, case: Sequence[float], reward: float) -> None:
        """Learn from a case."""
        seen = [math.fsum(a * b for a, b in zip(row, case, strict=True)) for row in self.inverse]
        rest = 1 + math.fsum(a * b for a, b in zip(case, seen, strict=True))
        for row in range(self.size):
            for column in range(self.size):
                self.inverse[row][column] -= seen[row] * seen[column] / rest
        self.paid = [paid + reward * x for paid, x in zip(self.paid, case, strict=True)]

    def bound(self, case: Sequence[float], exploration: float) -> float:
        """So high may the reward of a case be."""
        seen = [math.fsum(a * b for a, b in zip(row, case, strict=True)) for row in self.inverse]
        mean = math.fsum(a * b for a, b in zip(seen, self.paid, strict=True))
        spread = math.fsum(a * b for a, b in zip(seen, case, strict=True))
        return mean + exploration * math.sqrt(max(spread, 0.0))
