"""What the canvas asks of the application, and what it is told about a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from studio.app.documents.history import History
from studio.app.documents.selection import Selection
from studio.flow.records import Flow, Library

KIND_MIME = "application/x-stepwire-kind"
"""A kind dragged from the library: its name as UTF-8."""

Status: TypeAlias = Literal[
    "", "ready", "running", "waiting", "held", "done", "failed", "skipped", "stopped", "in_python"
]
"""How a step stands; of a node that is plain Python in a script, `in_python`: its run has no step of it."""

BreakpointMark: TypeAlias = Literal[
    "on", "off", "condition", "condition off", "log", "log off", "catch", "catch off"
]
"""How a breakpoint is marked: plain, with a condition, one that only writes a line, one for what happens."""


@dataclass(frozen=True, slots=True)
class KindLook:
    """How a node type presents itself: on cards, in the library and in the search palette."""

    kind: str
    title: str
    category: str
    summary: str = ""
    keywords: Sequence[str] = ()
    group: str = ""
    """What people call the category, in the library and the palette alike."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Which of a node's steps is shown, in words, and whether there is one in an earlier or later round."""

    text: str
    earlier: bool
    later: bool


@dataclass(frozen=True, slots=True)
class NodeState:
    """What a node's shown step says just now; the canvas draws it and keeps none of its own."""

    status: Status = ""
    text: str = ""
    """Streaming text or the last output, a few lines."""
    duration: float | None = None
    """Seconds."""
    tokens: int = 0
    cost: float | None = None
    """US dollars."""
    round: str = ""
    """Which step of several is shown: `round 2`."""
    note: str = ""
    """Said instead of the figures; on an area, beside its title: `2 of at most 4`."""
    steps: Steps | None = None
    """Where there are several, and another one can be chosen."""
    is_made_up: bool = False
    """Whether answers that were made up are in what it gives."""


NO_STATE = NodeState()
"""What a node says that no run has reached."""


class CanvasDocument(Protocol):
    """One open flow and what belongs to it."""

    @property
    def history(self) -> History:
        """The flow, and the way to edit it."""
        ...

    @property
    def library(self) -> Library:
        """The ports of every node."""
        ...

    @property
    def selection(self) -> Selection:
        """What is selected, shared with every other part of the window."""
        ...

    def describe(self, kind: str) -> KindLook | None:
        """How `kind` presents itself; None when it is not installed."""
        ...

    def kinds(self) -> Sequence[KindLook]:
        """Every kind that can be added, and the ready parts."""
        ...

    def part(self, kind: str) -> Flow | None:
        """The flow that a ready part is made of; None for a kind of node."""
        ...
