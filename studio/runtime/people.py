"""Who answers when a node asks a person."""

import json
import shlex
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
    """Nobody is there to ask: the run ends and says who waits, and how `run` is then given an answer."""

    def __init__(self, run: str = "RUN") -> None:
        self._run = run

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Raise `WaitingError`."""
        message = f"`{step}` waits for a person: {form.question}"
        raise WaitingError(
            message,
            hint=f"Answer with `stepwire resume {self._run} --answer {_example(step, form)}`, "
            "in a terminal or in the window.",
        )


def _example(step: StepId, form: Form) -> str:
    """How an answer is written for a shell: the one field as it stands, several as an object."""
    fields = cast("Mapping[str, Mapping[str, Json]]", form.schema.get("properties", {}))
    given = {name: _filled(schema) for name, schema in fields.items()}
    value = next(iter(given.values()), "…") if len(given) < 2 else given
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shlex.quote(f"{step}={written}")


def _filled(schema: Mapping[str, Json]) -> Json:
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    kind = schema.get("type")
    return True if kind == "boolean" else 1 if kind in {"number", "integer"} else "…"
