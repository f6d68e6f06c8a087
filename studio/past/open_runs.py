"""What of a project's runs waits for a person: read from the store, so that it outlives windows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from studio.errors import StoreError, UsageError
from studio.flow.records import Json
from studio.ids import RunId, StepId, step_id, step_parts
from studio.runtime.replay.past import IN_DOUBT
from studio.runtime.resources.people import in_form, misfit_of
from studio.store.reader import RunStore
from studio.store.summary import RunSummary
from studio.trace.events import ApprovalAsked, Entry
from studio.trace.fold.state import RunState, RunStatus
from studio.trace.fold.steps import StepStatus
from studio.trace.questions import OpenQuestions

AGAIN: Final = "again"
HAPPENED: Final = "happened"
"""What a person may answer for a step in doubt."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A question that nobody has answered; where `is_over`, its run ended, and an answer goes on with it.

    `begun` is when its run began, where that is known.
    """

    run: RunId
    flow_name: str
    step: StepId
    asked: ApprovalAsked
    since: float
    is_over: bool
    begun: float | None = None


def waiting_in(store: RunStore, runs: Iterable[RunSummary]) -> list[Waiting]:
    """Read the open questions of these runs, in their order; what can't be read is left out."""
    return [found for one in runs if one.asked and not one.damaged for found in _read(store, one)]


def ended_in_doubt(run: RunSummary) -> bool:
    """Whether a run ended because something outside may have happened already."""
    return run.status is RunStatus.FAILED and IN_DOUBT in run.error


def _read(store: RunStore, one: RunSummary) -> Iterator[Waiting]:
    for number in one.asked.split():
        try:
            found = list(islice(store.entries(one.run, int(number) - 1), 1))
        except StoreError:
            return
        for entry in found:
            if isinstance(entry.event, ApprovalAsked):
                name, is_over = one.flow_name, one.status.is_final
                yield Waiting(one.run, name, entry.step, entry.event, entry.time, is_over)


def open_questions(entries: Sequence[Entry]) -> dict[StepId, ApprovalAsked]:
    """Name what the entries of a run leave open."""
    questions = OpenQuestions()
    for entry in entries:
        questions.take(entry)
    places = set(questions.entries.values())
    return {
        entry.step: entry.event
        for entry in entries
        if entry.number in places and isinstance(entry.event, ApprovalAsked)
    }


def named_in_full(entries: Sequence[Entry], answers: Mapping[StepId, Json]) -> dict[StepId, Json]:
    """Give answers to a node by its name alone to the one question that it asks, in a round, item or call.

    Raises `UsageError` where several of its questions wait.
    """
    asking: dict[str, list[StepId]] = {}
    for step in open_questions(entries):
        scope, node, _, _ = step_parts(step)
        asking.setdefault(node, []).append(step_id(scope, node))
    full: dict[StepId, Json] = {}
    for name, answer in answers.items():
        meant = list(dict.fromkeys(asking.get(name, [])))
        if len(meant) > 1 and name not in meant:
            these = ", ".join(f"`{one}`" for one in meant)
            raise UsageError(
                f"`{name}` is asking in several places.", hint=f"Say which one you answer: {these}."
            )
        full[name if name in meant or not meant else meant[0]] = answer
    return full


def refuse_answers(entries: Sequence[Entry], answers: Mapping[StepId, Json]) -> None:
    """Raise `UsageError` where an answer does not fit the form of the question that waits for it."""
    for step, asked in open_questions(entries).items():
        scope, node, _, _ = step_parts(step)
        given = next((name for name in (step, step_id(scope, node)) if name in answers), None)
        if given is None:
            continue
        if problem := misfit_of(in_form(answers[given], asked.schema), asked.schema):
            raise UsageError(f"The answer to `{given}` does not fit. {problem}", hint=_wanted(asked))


def only_waits(state: RunState) -> bool:
    """Whether a run does nothing but wait for people: whoever leaves it then stops no work."""
    running = [step for step in state.steps.values() if step.status is StepStatus.RUNNING]
    around = {step.parent for step in running}
    return bool(state.waiting) and all(step.id in state.waiting or step.id in around for step in running)


def _wanted(asked: ApprovalAsked) -> str:
    question = asked.question.partition("\n")[0]
    return f"The question was: {question} `stepwire runs show` says what can be answered."
