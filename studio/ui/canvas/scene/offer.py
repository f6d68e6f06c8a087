"""What the canvas proposes when a hand's edit was refused, or may have been meant otherwise."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """A sentence that says how things are, and one edit that changes it."""

    sentence: str
    choice: str
    """What the button says."""
    act: Callable[[], None]
    at: tuple[float, float]
    """The scene point that it is about."""
    other: tuple[str, Callable[[], None]] | None = None
    """Another edit that changes it, and what its button says."""
