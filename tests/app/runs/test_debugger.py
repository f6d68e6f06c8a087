"""What a debugger asks of the hosts of several runs, and what it refuses to ask."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.app.documents.session import Session
from studio.app.runs.debugger import Debugger
from studio.app.runs.live_run import LiveRun
from studio.errors import UsageError, ValueTypeError
from studio.flow.files.codec import dumps
from studio.host.protocol import (
    Asked,
    CancelRun,
    DropStep,
    HoldRun,
    LetOthers,
    ReleaseStep,
    ResumeRun,
    RunTo,
    SendStep,
    SetBreakpoints,
    StepOn,
)
from studio.ids import RunId, StepId
from studio.runtime.gates.drops import NOTHING
from studio.trace.events import Entry, Event, RunStarted, StepHeld, StepReady, StepReleased
from studio.trace.events.values import Shown
from studio.workspace.catalog import builtin_registry
from tests.app.pumping import meant
from tests.app.written_projects import write_project
from tests.runtime.test_dropping import BRANCH

WAY, OUT, LONG = StepId("way"), StepId("out"), StepId("long")


class Played:
    """A run whose entries a test makes up, and what its host is asked."""

    def __init__(self, name: str) -> None:
        self.asked: list[Asked] = []
        self.live = LiveRun(RunId(name), BRANCH, ask=self.asked.append)
        self._number = 0
        self.tell("", RunStarted("Trial", dumps(BRANCH)))

    def tell(self, step: str, event: Event, time: float = 0.0) -> None:
        self._number += 1
        self.live.take([Entry(self.live.run, self._number, StepId(step), StepId(""), time, event)])

    def hold(self, step: StepId, phase: str = "before", time: float = 0.0, **values: object) -> None:
        shown = {name: Shown(value) for name, value in values.items()}
        self.tell(step, StepReady(), time)
        self.tell(step, StepHeld("before" if phase == "before" else "after", "step", shown), time)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session.open(write_project(tmp_path, flow=json.loads(dumps(BRANCH))), builtin_registry())
    yield made
    made.close()


@pytest.fixture
def debugger(session: Session) -> Iterator[Debugger]:
    made = Debugger(session)
    yield made
    made.close()


@pytest.fixture
def two(debugger: Debugger) -> tuple[Played, Played]:
    """Two runs that are held, the second one longer and in front."""
    first, second = Played("first"), Played("second")
    debugger.attach(first.live)
    debugger.attach(second.live)
    second.hold(WAY, time=1.0, value="wren")
    first.hold(OUT, time=2.0)
    first.hold(LONG, time=3.0, x="wren")
    return first, second


def test_held_steps_of_all_runs_are_known_with_their_runs(
    debugger: Debugger, two: tuple[Played, Played]
) -> None:
    first, second = two
    assert debugger.runs == [first.live, second.live]
    assert [(one.run, one.id) for one in debugger.held] == [
        (second.live, WAY),
        (first.live, OUT),
        (first.live, LONG),
    ]
    assert len({one.key for one in debugger.held}) == 3


def test_the_run_in_front_is_meant_unless_another_is_named(
    debugger: Debugger, two: tuple[Played, Played]
) -> None:
    first, second = two
    debugger.ask(ReleaseStep(meant(debugger), WAY))
    debugger.ask(ReleaseStep(first.live.run, OUT))
    debugger.show(first.live)
    debugger.ask(StepOn(meant(debugger)))
    assert second.asked == [ReleaseStep(RunId("second"), WAY)]
    assert first.asked == [ReleaseStep(RunId("first"), OUT), StepOn(RunId("first"), OUT)]


def test_a_run_that_is_over_gives_way_to_one_that_goes_on(
    debugger: Debugger, two: tuple[Played, Played]
) -> None:
    first, second = two
    second.live.end()
    assert debugger.run is first.live
    assert [one.id for one in debugger.held] == [OUT, LONG]
    debugger.show(second.live)
    assert debugger.run is first.live
    first.live.end()
    assert debugger.runs == []


def test_all_runs_are_held_go_on_and_end_at_once(debugger: Debugger, two: tuple[Played, Played]) -> None:
    debugger.hold_all()
    debugger.resume_all()
    debugger.cancel_all()
    for played in two:
        run = played.live.run
        assert played.asked == [HoldRun(run), ResumeRun(run), CancelRun(run)]


def test_a_detached_run_hears_of_no_breakpoint_until_it_is_attached_again(
    debugger: Debugger, session: Session, two: tuple[Played, Played]
) -> None:
    first, second = two
    run = RunId("second")
    debugger.detach()
    session.breakpoints.cycle("long")
    now = session.breakpoints.everywhere
    assert second.asked == [SetBreakpoints(run, ()), RunTo(run, "")]
    assert first.asked == [SetBreakpoints(RunId("first"), now)]
    assert debugger.is_detached(second.live)
    debugger.attach_again()
    assert second.asked[2:] == [SetBreakpoints(run, now)]
    debugger.detach()
    debugger.hold()
    assert second.asked[-2:] == [SetBreakpoints(run, now), HoldRun(run)]
    assert not debugger.is_detached(second.live)


def test_others_are_let_go_on_in_one_run_alone(debugger: Debugger, two: tuple[Played, Played]) -> None:
    first, second = two
    debugger.ask(LetOthers(meant(debugger), True))
    assert debugger.lets_others()
    assert not debugger.lets_others(first.live)
    assert second.asked == [LetOthers(RunId("second"), go_on=True)]
    assert first.asked == []


def test_the_cases_of_a_held_step_are_those_that_its_value_can_go_to(
    debugger: Debugger, two: tuple[Played, Played]
) -> None:
    first, second = two
    assert [port.name for port in debugger.cases(WAY)] == ["long", "short"]
    assert debugger.cases(LONG, run=first.live) == []
    debugger.ask(SendStep(meant(debugger), WAY, "short"))
    second.tell(WAY, StepReleased())
    second.hold(WAY, "after", long="wren")
    assert [port.name for port in debugger.cases(WAY)] == ["short"]
    with pytest.raises(UsageError, match="cannot be sent"):
        debugger.ask(SendStep(meant(debugger), WAY, "long"))
    assert second.asked == [SendStep(RunId("second"), WAY, "short")]


def test_an_output_that_gives_nothing_is_no_value_that_has_to_fit(
    debugger: Debugger, two: tuple[Played, Played]
) -> None:
    _, second = two
    second.tell(WAY, StepReleased())
    second.hold(WAY, "after", long="wren")
    debugger.ask(ReleaseStep(meant(debugger), WAY, {NOTHING: ["long"]}))
    assert second.asked == [ReleaseStep(RunId("second"), WAY, {NOTHING: ["long"]})]


def test_nothing_is_asked_about_what_is_not_held(debugger: Debugger, two: tuple[Played, Played]) -> None:
    first, second = two
    debugger.ask(DropStep(first.live.run, OUT))
    first.tell(OUT, StepReleased())
    for make in (DropStep, ReleaseStep, ResumeRun, StepOn):
        with pytest.raises(UsageError, match="no longer paused"):
            debugger.ask(make(first.live.run, OUT))
        with pytest.raises(UsageError, match="no longer paused"):
            debugger.ask(make(meant(debugger), OUT))
    assert (first.asked, second.asked) == ([DropStep(RunId("first"), OUT)], [])


def test_no_edit_is_sent_that_does_not_fit_its_port(debugger: Debugger, two: tuple[Played, Played]) -> None:
    first, second = two
    second.tell(WAY, StepReleased())
    second.hold(LONG, "after", text="wren is long")
    with pytest.raises(ValueTypeError, match="does not fit"):
        debugger.ask(ReleaseStep(meant(debugger), LONG, {"text": 7}))
    debugger.ask(ReleaseStep(meant(debugger), LONG, {"text": "owl"}))
    assert second.asked == [ReleaseStep(RunId("second"), LONG, {"text": "owl"})]
    assert debugger.check_edit(LONG, "x", "anything", run=first.live) == ""


def test_a_run_is_sent_to_a_place_as_long_as_one_goes_on(
    debugger: Debugger, two: tuple[Played, Played]
) -> None:
    first, second = two
    debugger.ask(RunTo(meant(debugger), "out"))
    debugger.ask(RunTo(first.live.run, "long"))
    assert (first.asked, second.asked) == ([RunTo(RunId("first"), "long")], [RunTo(RunId("second"), "out")])
    for played in two:
        played.live.end()
    with pytest.raises(UsageError, match="No running run can reach"):
        debugger.ask(RunTo(meant(debugger), "out"))
