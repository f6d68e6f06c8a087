"""The states of a machine, and the moves between them, as settings of a node."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import ConfigDict

from studio.errors import ExpressionError
from studio.sdk.expressions import compile_expression

FACTS = ("state", "text", "data", "visits", "steps", "failed")
"""What the rules of moves see."""


@dataclass(frozen=True, slots=True)
class MachineState:
    """A state: who works in it, by name (empty: the node's own chat), and what they are asked."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    name: str
    does: str = ""
    asks: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """A way from the state `at` (`*`: from any) to another, open while its rule holds; without one always.

    With `back` the data are again what they were when that state was last entered.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    at: str
    to: str
    when: str = ""
    back: bool = False


def named_states(states: tuple[MachineState, ...]) -> tuple[MachineState, ...]:
    """Validate: there is a state, and each has a name of its own; raises `ValueError`."""
    if not states:
        raise ValueError("there is no state")
    names = [one.name for one in states]
    for place, name in enumerate(names):
        if not name.strip() or name == "*" or name in names[:place]:
            raise ValueError(f"`{name}` cannot be the name of a state: each has one of its own")
    return states


def ruled_moves(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Validate the rules of moves; raises `ValueError`."""
    for one in moves:
        if one.when.strip():
            try:
                compile_expression(one.when, FACTS)
            except ExpressionError as error:
                raise ValueError(f"{one.at} to {one.to}: {error}") from error
    return moves


def lost_moves(states: Sequence[MachineState], moves: Sequence[Move]) -> list[str]:
    """The names of states that moves speak of, and that there are not."""
    known = {one.name for one in states}
    named = [name for one in moves for name in (one.at, one.to) if (name, one.at) != ("*", "*")]
    return [name for name in named if name not in known]
