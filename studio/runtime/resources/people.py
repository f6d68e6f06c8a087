"""Who answers when a node asks a person."""

import json
import shlex
from collections.abc import Mapping
from typing import Protocol, cast

from studio.bounds.schemas import mismatch
from studio.errors import WaitingError
from studio.flow.records import Json
from studio.ids import StepId, step_id, step_parts
from studio.runtime.resources.typed_answers import choices_of
from studio.sdk.context import Form
from studio.servers.records import DECLINED, MAY_DECLINE

SHORT = 300
"""Characters up to which a question is told whole by an error."""


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
                answer = in_form(self._answers[name], form.schema)
                if problem := misfit_of(answer, form.schema):
                    message = f"The answer to `{name}` does not fit its form. {problem}"
                    raise WaitingError(message, hint=f"The question was: {in_short(form.question)}")
                return answer
        return await self._others.ask(step, form)


class NoPeople:
    """Nobody is there to ask: the run ends and says who waits, and how `run` is then given an answer."""

    def __init__(self, run: str = "RUN") -> None:
        self._run = run

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Raise `WaitingError`."""
        raise nobody_here(self._run, step, form)


def nobody_here(run: str, step: StepId, form: Form) -> WaitingError:
    """Make the error of a question that nobody is there to answer."""
    message = f"`{step}` waits for a person: {in_short(form.question)}"
    answer = example_answer(step, form)
    hint = f"Answer with `stepwire resume {run} --answer {answer}`, in a terminal or in the window."
    return WaitingError(message, hint=hint)


def in_short(question: str) -> str:
    """Give what is asked, of a long question without what is shown with it."""
    return question if len(question) <= SHORT else question.partition("\n")[0][:SHORT]


def in_form(given: Json, schema: Mapping[str, object]) -> Mapping[str, object]:
    """Give an answer as an object; a bare value fills the first field."""
    if isinstance(given, Mapping):
        return given
    return {next(iter(cast("Mapping[str, object]", schema.get("properties", {}))), "answer"): given}


def misfit_of(answer: Mapping[str, object], schema: Mapping[str, object]) -> str:
    """Say how an answer departs from its form; empty where it does not, and where it may be declined."""
    if schema.get(MAY_DECLINE) is True and answer.get(DECLINED) is True:
        return ""
    problem = mismatch(answer, schema)
    return problem[:1].upper() + problem[1:]


def example_answer(step: StepId, form: Form) -> str:
    """Write an answer for a shell: the one necessary field as it stands, several as an object."""
    fields = cast("Mapping[str, Mapping[str, Json]]", form.schema.get("properties", {}))
    needed = cast("list[str]", form.schema.get("required", [])) or list(fields)
    if form.schema.get("minProperties") == 1:  # any of them is an answer
        needed = needed[:1]
    given = {name: _filled(schema) for name, schema in fields.items() if name in needed}
    value = next(iter(given.values()), "…") if len(given) < 2 else given
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shlex.quote(f"{step}={written}")


def _filled(schema: Mapping[str, Json]) -> Json:
    if choices := choices_of(schema):
        return cast("Json", choices[0][0])
    kind = schema.get("type")
    return True if kind == "boolean" else 1 if kind in {"number", "integer"} else "…"
