"""What a step hands over that calls a flow."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from studio.runtime.failures import Ending
from studio.runtime.frame import Frame
from studio.runtime.gate import Gate
from studio.runtime.plan import PlannedNode
from studio.runtime.services import Services
from studio.runtime.values import Resolved, Value


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt of a step at a flow; `services` and `gate` are those of the flow that calls."""

    node: PlannedNode
    frame: Frame
    inputs: Mapping[str, Value]
    attempt: int
    ending: Ending
    services: Services
    gate: Gate


CallFlow: TypeAlias = Callable[[Call], Awaitable[dict[str, Resolved]]]
"""Runs the flow; gives its outputs by name."""
