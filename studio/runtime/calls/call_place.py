"""Where a tool is being called: what the flows need of it that it runs, and what lends it does there.

The function of a tool is told its arguments and nothing else; the call under way stands in a context
variable, so that tools may be handed on, and wrapped into others.

A tool may run a flow, ask a chat or a person: all that stands inside the call, after the node that lends it:
`agent#tool.3/summary/critic`, `agent#tool.1/expert#chat.1`, with the call as parent and on the accounts of
all who call. What a lender reads in a call is in the labels of that call alone, and of several calls at once
each is made from what was read before them, whichever is answered first.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from studio.flow.records import Json
from studio.ids import NodeId, Scope, StepId
from studio.runtime.failures import Ending
from studio.runtime.limits.slots import Turns
from studio.runtime.services import Services
from studio.runtime.state.frame import Frame
from studio.runtime.state.step_memories import StepMemories
from studio.sdk.tool import LentFlow

Labels: TypeAlias = frozenset[str]


class Home:
    """The step for which tools are called, through however many of them."""

    __slots__ = ("_ending", "_lent", "_turns", "_under_way", "frame", "memories", "step")

    def __init__(
        self, step: StepId, frame: Frame, turns: Turns, memories: StepMemories, ending: Ending
    ) -> None:
        """Make it; `ending` knows the labels of what the step has read so far."""
        self.step = step
        self.memories = memories
        self.frame = frame
        self._ending = ending
        self._turns = turns
        self._under_way = 0
        self._lent: ExitStack | None = None

    def read(self) -> Labels:
        """Give the labels of what the step has read so far."""
        return self._ending.labels

    @contextmanager
    def waiting(self) -> Generator[None, None, None]:
        """Let others have the step's turn while flows that its tools run are under way."""
        if self._lent is None:
            self._lent = ExitStack()
        if not self._under_way:
            self._lent.enter_context(self._turns.lent())
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._lent.close()


@dataclass(slots=True)
class Place:
    """One call of a tool; `services` pays for what it does from the accounts of those who call it."""

    step: StepId
    home: Home
    services: Services
    lane: str
    """As `StepRef.lane`, for what is done in it."""
    given: Labels
    """Labels of all that its arguments may have been made from."""
    labels: Labels = frozenset()
    """Labels of what it has read so far."""
    chance: Random | None = None
    """What gives chances in it, once it was asked for some."""
    runs_steps: bool = False
    """Whether the tool is run once more in a replay, so that what it does outside has to be on record."""
    calls: dict[NodeId, dict[str, int]] = field(default_factory=dict[NodeId, dict[str, int]])

    @property
    def scope(self) -> Scope:
        """The scope of what is done in it."""
        return Scope(self.step)

    def calls_of(self, lender: NodeId) -> dict[str, int]:
        """How many calls of each kind a node that lends something has made in it."""
        return self.calls.setdefault(lender, {})


UNDER_WAY: ContextVar[Place | None] = ContextVar("the call of a tool", default=None)

LendFlow: TypeAlias = Callable[[str | Mapping[str, Json], int], LentFlow]
"""Gives a flow by its name, or one that is a value, to be called so many calls within calls at most."""
