"""Where chance in a run comes from: the system, or a seed."""

from collections import Counter
from random import Random
from secrets import randbits

from studio.ids import StepId

BITS = 48


class Chance:
    """Gives each step numbers of its own; of one `seed`, the same ones in every run."""

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed
        self._drawn: Counter[StepId] = Counter()

    def draw(self, step: StepId) -> int:
        """Give the next number of a step."""
        if self._seed is None:
            return randbits(BITS)
        self._drawn[step] += 1
        return Random(f"{self._seed} {step} {self._drawn[step]}").getrandbits(BITS)  # noqa: S311
