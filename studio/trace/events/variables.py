"""What happens with the variables of a run, and when what the items of maps write takes effect."""

from typing import Literal

from studio.trace.events.values import Shown, frequent


@frequent
class StateRead:
    """The step read a run variable; `value` is None where nothing was written before."""

    name: str
    value: Shown | None = None
    kind: Literal["state_read"] = "state_read"


@frequent
class StateWritten:
    """The step changes a run variable, which takes effect when it finishes.

    `scope` is the item of a map at whose end it takes effect outside; empty where there is none.
    """

    name: str
    operation: Literal["set", "append", "add", "merge"]
    value: Shown
    scope: str = ""
    kind: Literal["state_written"] = "state_written"


@frequent
class StateMerged:
    """The item `scope` has ended; what was written in it takes effect, in the item `into` or for all."""

    scope: str
    into: str = ""
    kind: Literal["state_merged"] = "state_merged"
