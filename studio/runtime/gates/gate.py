"""What every step awaits before and after its work, and each of its calls; the open gate holds nothing."""

from collections.abc import Mapping
from typing import Protocol

from studio.runtime.gates.attention import EVERYBODY, NOBODY, Asked
from studio.runtime.gates.step_ref import StepRef
from studio.runtime.values import Resolved
from studio.trace.events import PolicyDecided


class Gate(Protocol):
    """Decides when a step may go on, and with which values."""

    @property
    def is_open(self) -> bool:
        """Whether just now it would hold and change nothing: steps then pass without being asked for."""
        ...

    def asked(self, flow: str = "") -> Asked:
        """Give the nodes whose steps have to ask, of a called flow or the run's own; it follows the gate."""
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

    async def failed(
        self, ref: StepRef, error: Exception, inputs: Mapping[str, Resolved], *, is_caught: bool
    ) -> dict[str, Resolved] | None:
        """Wait until the step's error may take its course; gives the outputs to use instead, if any."""
        ...

    async def decided(self, ref: StepRef, decision: PolicyDecided) -> None:
        """Wait until what was decided of something that a step wants may take effect."""
        ...


class OpenGate:
    """Holds nothing."""

    is_open = True

    def asked(self, flow: str = "") -> Asked:
        """No step has to ask, unless another gate made of this one is not open."""
        del flow
        return Asked(NOBODY if self.is_open else EVERYBODY)

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

    async def failed(
        self, ref: StepRef, error: Exception, inputs: Mapping[str, Resolved], *, is_caught: bool
    ) -> dict[str, Resolved] | None:
        """Let the error take its course."""
        del ref, error, inputs, is_caught
        return None

    async def decided(self, ref: StepRef, decision: PolicyDecided) -> None:
        """Let the decision take effect."""
        del ref, decision
