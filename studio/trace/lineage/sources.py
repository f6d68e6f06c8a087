"""What a value was made of, one step back: another value, or what it began with."""

from dataclasses import dataclass
from enum import StrEnum

from studio.trace.lineage.wire_sources import Spot


class Beginning(StrEnum):
    """What a value began with."""

    GIVEN = "given"
    """The run was given it."""
    TYPED = "typed"
    """It stands in the flow: at a port, or in the settings of a node."""
    CHAT = "chat"
    TOOL = "tool"
    PERSON = "person"
    """Somebody answered a question."""
    EDIT = "edit"
    """Somebody put it in the place of what was there."""
    PIN = "pin"
    NUMBER = "number"
    """The number of a round or an item."""
    READ = "read"
    """A step read it from a file, the web or wherever its labels say."""
    MEMORY = "memory"
    """It stood in a memory before the run."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Source:
    """One thing that a value was made of: a value further back, or a beginning.

    `detail` has the profile of a chat, the name of a tool, variable or memory, or the run and step of a pin.
    """

    spot: Spot
    beginning: Beginning | None = None
    detail: str = ""
