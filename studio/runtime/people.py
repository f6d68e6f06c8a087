"""Who answers when a node asks a person."""

from collections.abc import Mapping
from typing import Protocol, cast

from studio.errors import WaitingError
from studio.flow.records import Json
from studio.ids import StepId, step_id, step_parts
from studio.sdk.context import Form


class People(Protocol):
    """Answers forms."""

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Wait for a person to fill `form`; raises `WaitingError` where nobody can be asked."""
        ...


class GivenAnswers:
    """Answers what was answered beforehand, by step, and passes the rest on."""

    def __init__(self, answers: Mapping[StepId, Json], others: People) -> None:
        self._answers = answers
        self._others = others

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Give the answer for the call or its node's step; a bare value fills the first field."""
        scope, node, _, _ = step_parts(step)
        for name in (step, step_id(scope, node)):
            if name in self._answers:
                given = self._answers[name]
                if isinstance(given, Mapping):
                    return given
                fields = cast("Mapping[str, object]", form.schema.get("properties", {}))
                return {next(iter(fields), "answer"): given}
        return await self._others.ask(step, form)


class NoPeople:
    """Nobody is there to ask: the run ends and says who waits."""

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Raise `WaitingError`."""
        message = f"`{step}` waits for a person: {form.question}"
        raise WaitingError(
            message,
            hint="Answer with `stepwire resume RUN --answer STEP=JSON`, in a terminal or in the window.",
        )
