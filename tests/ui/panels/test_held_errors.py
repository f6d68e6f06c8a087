"""A step that is held because it failed: what it says, and what can be given in its error's place."""

import pytest
from pytestqt.qtbot import QtBot

from studio.errors import ValueTypeError
from studio.flow.records import Json
from studio.ids import StepId
from studio.runtime.gates.value_edits import outputs_of, type_at
from studio.sdk.values import from_plain
from studio.trace.events import PolicyDecided, StepHeld, StepStarted
from studio.ui.panels.inspector.held_box import HeldBox
from studio.ui.viewmodels.words.held_words import held_sentence, why_held
from studio.workspace.catalog import builtin_registry
from tests.ui.builders import a_flow, a_look, a_run

REGISTRY = builtin_registry()
HELD = StepId("rounds.2/critic")
CALL = StepId("rounds.2/critic#chat.1")
FAILED = StepHeld("after", "error", detail="Not today.", breakpoint="!error")


def failed_box(qtbot: QtBot, step: StepId) -> HeldBox:
    flow = a_flow()

    def check(held: StepId, port: str, plain: Json) -> str:
        kind = type_at(flow, REGISTRY, held, port, "after")
        assert kind is not None
        try:
            from_plain(plain, kind)
        except ValueTypeError as error:
            return error.message
        return ""

    box = HeldBox(a_look(), check)
    qtbot.addWidget(box)
    box.show_step(flow, a_run((step, StepStarted()), (step, FAILED)).state.steps[step], REGISTRY)
    box.resize(380, 700)
    box.show()
    return box


def test_a_failed_step_says_so_and_lets_its_outputs_be_given(qtbot: QtBot) -> None:
    box = failed_box(qtbot, HELD)
    assert "Not today." in box._title.text()
    assert box.answer_button.isVisible()
    assert box.edited() == {}
    box.answer_button.click()
    names = [field.name for field in box.fields]
    assert names == list(outputs_of(a_flow(), REGISTRY, HELD))
    qtbot.keyClicks(box.fields[0].texts[0], "Good.")
    assert box.edited() == {names[0]: "Good."}
    box.back_button.click()
    assert box.edited() == {}
    assert box.answer_button.isVisible()


def test_a_call_that_failed_lets_its_answer_be_given(qtbot: QtBot) -> None:
    box = failed_box(qtbot, CALL)
    box.answer_button.click()
    assert list(box.edited()) == ["answer"]


def test_an_error_that_takes_its_course_needs_nothing_typed(qtbot: QtBot) -> None:
    box = failed_box(qtbot, HELD)
    with qtbot.waitSignal(box.continued) as told:
        box.continue_button.click()
    assert told.args == [HELD, {}]


def test_a_decision_that_is_held_says_what_was_decided() -> None:
    step = StepId("birds#policy.1")
    decided = PolicyDecided("allow", "birds.py", "approved before")
    held = StepHeld("after", "policy", detail="allow: birds.py")
    state = a_run((step, decided), (step, held)).state.steps[step]
    said = held_sentence(a_flow(), state, has_values=False)
    assert said == "Paused before this takes effect: allow: birds.py (approved before)"


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (FAILED, "failed: Not today."),
        (StepHeld("before", "breakpoint"), "breakpoint"),
        (StepHeld("before", "breakpoint", detail="round > 2"), "breakpoint: round > 2"),
        (StepHeld("before", "condition", detail="no x"), "its condition cannot be evaluated: no x"),
    ],
)
def test_what_holds_a_step_is_said_in_words(held: StepHeld, said: str) -> None:
    assert why_held(a_run((HELD, held)).state.steps[HELD]) == said
