"""What every step awaits before and after its work, and each of its calls; the open gate holds nothing."""

from typing import Protocol

from studio.runtime.step_ref import StepRef
from studio.runtime.values import Resolved


class Gate(Protocol):
    """Decides when a step may go on, and with which values."""

    @property
    def is_open(self) -> bool:
        """Whether just now it would hold and change nothing: steps then pass without being asked for."""
        ...

    def held_seconds(self) -> float:
        """Seconds for which steps have been held so far; no time limit counts them."""
        ...

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Wait until the step may start; gives the inputs to use."""
        ...

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Wait until the step's result may be used; gives the outputs to use."""
        ...


class OpenGate:
    """Holds nothing."""

    is_open = True

    def held_seconds(self) -> float:
        """Nothing is ever held."""
        return 0.0

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Let the step start."""
        del ref
        return inputs

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Let the result be used."""
        del ref
        return outputs
