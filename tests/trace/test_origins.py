"""What the fold keeps of where values of a step came from beside its wires."""

from studio.ids import StepId
from studio.trace.events import (
    AnswerReused,
    Event,
    InputsEdited,
    OutputsEdited,
    RaceDecided,
    StateRead,
    StepFinished,
    StepStarted,
)
from studio.trace.events.values import Shown
from studio.trace.fold.origins import Origins
from studio.trace.fold.state import fold
from tests.trace.builders import numbered


def _origins(*happened: Event) -> Origins:
    return fold(numbered(*(("critic", one) for one in happened))).steps[StepId("critic")].origins


def test_what_a_person_edited_is_known_by_side_and_port() -> None:
    found = _origins(
        InputsEdited({"prompt": Shown("b")}),
        StepStarted({"prompt": Shown("b"), "facts": Shown("x")}),
        OutputsEdited({"reply": Shown("c")}),
        StepFinished({"reply": Shown("c")}),
    )
    assert found.edited == {("input", "prompt"), ("output", "reply")}


def test_what_was_reused_names_the_run_and_step_that_gave_it_first() -> None:
    found = _origins(AnswerReused("earlier", "judge"), StepFinished({"reply": Shown("c")}))
    assert (found.run, found.step) == ("earlier", "judge")


def test_the_wire_that_won_a_race_and_the_variables_that_were_read_are_kept() -> None:
    read = StateRead("seen", Shown(2))
    found = _origins(RaceDecided("b.text", 1), read)
    assert (found.winner, found.read) == (1, (read,))
