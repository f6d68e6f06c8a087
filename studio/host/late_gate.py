"""A gate that holds nothing until a window comes to the run: what nobody watches costs no more for it."""

from collections.abc import Callable, Mapping

from studio.runtime.gates.attention import Asked, Attention
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.gates.step_ref import StepRef
from studio.runtime.values import Resolved
from studio.trace.events import PolicyDecided


class LateGate:
    """Open, until `wake` puts a debug gate in its place; it stays, and is open once the window is gone."""

    def __init__(self, make: Callable[[Attention], DebugGate]) -> None:
        self._make = make
        self._attention = Attention()
        self._gate: DebugGate | None = None

    def wake(self) -> DebugGate:
        """Give the gate at which steps can be held from now on."""
        if self._gate is None:
            self._gate = self._make(self._attention)
        return self._gate

    @property
    def is_open(self) -> bool:
        """Whether no window has come, or there is nothing to hold for."""
        return self._gate is None or self._gate.is_open

    def asked(self, flow: str = "") -> Asked:
        """Give the nodes whose steps have to ask the window, once there is one."""
        return self._attention.of(flow)

    def held_seconds(self) -> float:
        """Seconds for which windows have held steps so far."""
        return self._gate.held_seconds() if self._gate is not None else 0.0

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Let the step start, when the window does."""
        return await self._gate.before(ref, inputs) if self._gate is not None else inputs

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Let the result be used, when the window does."""
        return await self._gate.after(ref, outputs) if self._gate is not None else outputs

    async def failed(
        self, ref: StepRef, error: Exception, inputs: Mapping[str, Resolved], *, is_caught: bool
    ) -> dict[str, Resolved] | None:
        """Let the error take its course, when the window does."""
        if self._gate is None:
            return None
        return await self._gate.failed(ref, error, inputs, is_caught=is_caught)

    async def decided(self, ref: StepRef, decision: PolicyDecided) -> None:
        """Let the decision take effect, when the window does."""
        if self._gate is not None:
            await self._gate.decided(ref, decision)
