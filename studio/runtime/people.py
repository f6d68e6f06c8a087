"""Who answers when a node asks a person."""

from collections.abc import Mapping
from typing import Protocol

from studio.errors import WaitingError
from studio.ids import StepId
from studio.sdk.context import Form


class People(Protocol):
    """Answers forms."""

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Wait for a person to fill `form`; raises `WaitingError` where nobody can be asked."""
        ...


class NoPeople:
    """Nobody is there to ask: the run ends and says who waits."""

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Raise `WaitingError`."""
        message = f"`{step}` waits for a person: {form.question}"
        raise WaitingError(message, hint="Run it in a terminal or in the window to answer.")
