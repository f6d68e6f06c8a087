"""What counts as one of the first steps, and what is remembered of them."""

from pathlib import Path

import pytest

from studio.app.settings import Settings
from studio.flow.records import Flow, Node
from studio.ids import NodeId
from studio.trace.events import (
    InputsEdited,
    RunFailed,
    RunFinished,
    RunStarted,
    StepHeld,
    StepReleased,
    StepStarted,
)
from studio.trace.events.run import Origin
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunState, fold
from studio.ui.viewmodels.help.first_steps import FirstStep, FirstSteps, done_in, place_to_pause
from studio.ui.viewmodels.run.shown_run import Batch
from tests.trace.builders import numbered

NOTHING = set[FirstStep]()


def told(*happenings: object) -> tuple[Batch, RunState]:
    """What a run tells that went as far as these events."""
    if not any(isinstance(one, RunStarted) for one in happenings):
        happenings = (RunStarted("Draft", ""), *happenings)
    found = numbered(*happenings)  # type: ignore[arg-type]
    state = fold(found)
    return Batch(dict.fromkeys(one.step for one in found if one.step), found), state


@pytest.mark.parametrize(
    ("happenings", "done"),
    [
        ([], NOTHING),
        ([RunFinished({})], {FirstStep.RUN}),
        ([RunFailed("ChatError", "no")], NOTHING),
        ([("critic", StepHeld("before", "breakpoint", {}, breakpoint="critic"))], {FirstStep.PAUSE}),
        ([("critic", StepHeld("before", "step", {}))], NOTHING),
        (
            [
                ("critic", StepHeld("before", "step", {})),
                ("critic", InputsEdited({"prompt": Shown("a wren")})),
                ("critic", StepReleased()),
                ("critic", StepStarted({})),
            ],
            {FirstStep.EDIT},
        ),
        ([RunStarted("Draft", "", forked_from=Origin("r", "critic"))], {FirstStep.EDIT}),
        ([RunStarted("Draft", "", forked_from=Origin("r"))], NOTHING),
    ],
)
def test_a_run_that_was_started_here_tells_what_was_done(
    happenings: list[object], done: set[FirstStep]
) -> None:
    batch, state = told(*happenings)
    assert done_in(batch, state, None, is_own=True) == done
    assert done_in(batch, state, None, is_own=False) == set(), "somebody else did it"


def test_any_run_can_be_gone_back_in() -> None:
    _, state = told(RunFinished({}))
    assert done_in(Batch(is_moved=True), state, 0.3, is_own=False) == {FirstStep.BACK}
    assert done_in(Batch(is_moved=True), state, None, is_own=False) == set(), "it came back to the end"


def test_what_is_done_survives_a_restart_and_leads_to_the_next(tmp_path: Path) -> None:
    steps = FirstSteps(Settings(tmp_path))
    steps.open()
    heard: list[FirstStep | None] = []
    steps.on_change(lambda: heard.append(steps.next))
    steps.tick(FirstStep.RUN)
    steps.tick(FirstStep.RUN)
    steps.tick(FirstStep.PAUSE)
    assert heard == [FirstStep.RESULT, FirstStep.RESULT]
    again = FirstSteps(Settings(tmp_path))
    assert again.is_open
    assert again.done == {FirstStep.RUN, FirstStep.PAUSE}


def test_closed_for_good_they_note_nothing_until_they_are_asked_for(tmp_path: Path) -> None:
    steps = FirstSteps(Settings(tmp_path))
    steps.offer("field_notes")
    steps.tick(FirstStep.RUN)
    steps.close()
    steps.tick(FirstStep.BACK)
    again = FirstSteps(Settings(tmp_path))
    again.offer("field_notes")
    assert not again.is_open
    again.open()
    assert again.done == {FirstStep.RUN}


def test_those_who_did_all_begin_again(tmp_path: Path) -> None:
    steps = FirstSteps(Settings(tmp_path))
    steps.open()
    steps.tick(*FirstStep)
    assert steps.next is None
    steps.open()
    assert steps.next is FirstStep.RUN


def test_they_are_offered_to_newcomers_on_the_example_alone(tmp_path: Path) -> None:
    steps = FirstSteps(Settings(tmp_path))
    steps.offer("chapters")
    assert not steps.is_open
    steps.offer("field_notes")
    assert steps.is_open


def test_settings_from_before_there_were_first_steps_are_those_of_nobody_new(tmp_path: Path) -> None:
    (tmp_path / "field_notes").mkdir()
    before = f'{{"theme": "light", "recent": ["{tmp_path / "field_notes"}"], "window_state": "QUJD:QUJD"}}\n'
    (tmp_path / "settings.json").write_text(before, "utf-8")
    settings = Settings(tmp_path)
    steps = FirstSteps(settings)
    steps.offer("field_notes")
    assert not steps.is_open
    assert (settings.theme, settings.window_state) == ("light", "QUJD:QUJD")
    steps.open()
    assert Settings(tmp_path).recent == [tmp_path / "field_notes"]


@pytest.mark.parametrize(
    "kept", ['"yes"', '{"is_open": 1, "done": "run"}', '{"is_open": null, "done": [3, "wings"]}']
)
def test_what_nobody_can_have_kept_counts_for_nothing(tmp_path: Path, kept: str) -> None:
    (tmp_path / "settings.json").write_text(f'{{"first_steps": {kept}}}', "utf-8")
    steps = FirstSteps(Settings(tmp_path))
    assert not steps.is_open
    assert steps.done == set()


def test_a_pause_shows_most_where_somebody_speaks() -> None:
    nodes = {"answer": "io.flow_output", "critic": "llm.agent", "author": "llm.agent"}
    made = {NodeId(name): Node(kind=kind) for name, kind in nodes.items()}
    assert place_to_pause(Flow(nodes=made)) == "critic"
    del made[NodeId("critic")]
    assert place_to_pause(Flow(nodes=made)) == "author"
    del made[NodeId("author")]
    assert place_to_pause(Flow(nodes=made)) == "answer"
    assert place_to_pause(Flow()) is None
