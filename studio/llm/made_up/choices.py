"""Ways through what a schema leaves open, and the end of all of them."""

from dataclasses import dataclass, field


class NoFitError(ValueError):
    """Nothing was made that fits a schema."""


@dataclass(slots=True)
class Choices:
    """One way through what a part leaves open, of which `number` is the name."""

    number: int
    taken: int = 0
    made: int = field(default=1)

    def pick(self, count: int) -> int:
        """Choose one of so many; the first number chooses the first everywhere."""
        if count < 2:
            return 0
        found = (self.number // self.made) % count
        self.made *= count
        return found
