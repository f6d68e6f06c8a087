"""What a step took from elsewhere than its wires: a person, an earlier run, a variable; who won a race."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from studio.trace import events

Side: TypeAlias = Literal["input", "output"]


@dataclass(frozen=True, slots=True)
class Origins:
    """All of it so far. `edited` has the ports whose values a person changed, `read` the variables read.

    `run` and `step` name where its answer, result or pinned value was given first; `winner` is the place of
    the wire that won the race.
    """

    edited: frozenset[tuple[Side, str]] = frozenset()
    run: str = ""
    step: str = ""
    winner: int | None = None
    read: tuple[events.StateRead, ...] = ()


NO_ORIGINS = Origins()
"""What nearly all steps have: one for all of them."""

OriginEvent: TypeAlias = (
    events.InputsEdited
    | events.OutputsEdited
    | events.AnswerReused
    | events.OutputsPinned
    | events.RaceDecided
    | events.StateRead
)


def with_event(before: Origins, event: OriginEvent) -> Origins:
    """Give the origins once this has happened."""
    edited, run, step, winner, read = before.edited, before.run, before.step, before.winner, before.read
    match event:
        case events.InputsEdited():
            edited |= _ports("input", event.values)
        case events.OutputsEdited():
            edited |= _ports("output", event.values)
        case events.AnswerReused():
            run, step = event.run, event.step
        case events.OutputsPinned():
            run, step = event.run, event.origin
        case events.RaceDecided():
            winner = event.index
        case events.StateRead():
            read = (*read, event)
    return Origins(edited, run, step, winner, read)


def _ports(side: Side, names: Iterable[str]) -> frozenset[tuple[Side, str]]:
    return frozenset((side, name) for name in names)
