"""The window's runs, in a real host process."""

import socket
from pathlib import Path

import pytest

from studio.app.compose import Application
from studio.app.runs.live_run import LiveRun
from studio.app.runs.live_runs import LiveRuns
from studio.errors import FlowProblemsError, StepwireError, UsageError, ValueTypeError
from studio.flow.edits import remove
from studio.flow.records import Flow
from studio.host.client import HostClient
from studio.host.protocol import AnswerForm, CancelRun, HoldRun, ReleaseStep, ResumeRun, StartRun, StepOn
from studio.ids import NodeId, RunId, StepId
from studio.store.reader import RunStore
from studio.trace.events import Entry, RunStarted
from studio.trace.fold.state import RunStatus, StepStatus
from studio.workspace.runs import prepare, run_here
from tests.app.flows import SCRIPT, SLOW_SCRIPT, chain
from tests.app.pumping import meant, pump
from tests.app.written_projects import write_project
from tests.trusted import HERE

WRITER = StepId("writer")


def _finish(application: Application, run: LiveRun) -> None:
    pump(application, lambda: run.is_over)


def test_a_run_is_seen_as_it_happens_and_found_again_in_the_store(
    application: Application, tmp_path: Path
) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    run = application.runs.start(session, {"question": "Why?"})
    seen: list[Entry] = []
    run.on_entries(seen.extend)
    _finish(application, run)
    assert run.status is RunStatus.FINISHED
    assert run.state.outputs["answer"].data == "You asked: Why?"
    assert [entry.number for entry in seen] == list(range(1, len(seen) + 1))
    old = application.runs.open_old(session.project.private, run.run)
    pump(application, lambda: old.status.is_final)
    assert old.state.outputs == run.state.outputs
    assert old.flow == session.flow
    assert session.input_fields()[0].value == "Why?"


@pytest.mark.parametrize("is_batch", [False, True])
def test_a_batch_is_started_as_such(application: Application, tmp_path: Path, *, is_batch: bool) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    ours, theirs = socket.socketpair()  # a host that never gets ready, so that what it is asked waits
    runs = LiveRuns(lambda: HostClient(None, ours))
    runs.start(session, {"question": "Why?"}, is_batch=is_batch)
    (asked,) = runs._hosts[0].waiting
    assert isinstance(asked, StartRun)
    assert asked.answering.priority == ("batch" if is_batch else "interactive")
    theirs.close()
    runs.close()


async def test_the_command_line_and_the_host_give_the_same_events(
    application: Application, tmp_path: Path
) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    run = application.runs.start(session, {"question": "Why?"})
    seen: list[Entry] = []
    run.on_entries(seen.extend)
    _finish(application, run)
    here: list[Entry] = []
    inputs = {"question": "Why?"}
    materials = prepare(session.project, session.flow, session.registry, environ=HERE, inputs=inputs)
    state = await run_here(materials, listener=lambda entries, _state: here.extend(entries))
    assert state.outputs == run.state.outputs
    assert [(one.step, one.event.kind) for one in here] == [(one.step, one.event.kind) for one in seen]


def test_a_held_step_reads_what_was_edited(application: Application, tmp_path: Path) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    debugger = application.debugger(session)
    debugger.breakpoints.cycle("writer")
    run = application.runs.start(session, {"question": "Why?"})
    debugger.attach(run)
    pump(application, lambda: bool(debugger.held))
    assert run.status is RunStatus.HELD
    assert debugger.held[0].id == WRITER
    assert debugger.check_edit(WRITER, "prompt", "fine") == ""
    with pytest.raises(ValueTypeError, match="prompt"):
        debugger.ask(ReleaseStep(meant(debugger), WRITER, {"prompt": 3}))
    debugger.ask(ReleaseStep(meant(debugger), WRITER, {"prompt": "Edited?"}))
    _finish(application, run)
    assert run.state.outputs["answer"].data == "You asked: Edited?"
    assert run.state.steps[WRITER].edited
    with pytest.raises(UsageError, match="no longer paused"):
        debugger.ask(ReleaseStep(meant(debugger), WRITER))


def test_breakpoints_set_during_a_run_and_steps_reach_it(application: Application, tmp_path: Path) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    debugger = application.debugger(session)
    run = application.runs.start(session, {"question": "Why?"}, hold_first=True)
    debugger.attach(run)
    pump(application, lambda: bool(debugger.held))
    assert debugger.held[0].step.node == "question"
    debugger.ask(StepOn(meant(debugger)))
    pump(application, lambda: [one.step.node for one in debugger.held] == ["writer"])
    debugger.breakpoints.cycle("answer")
    debugger.ask(ResumeRun(meant(debugger)))
    pump(application, lambda: [one.step.node for one in debugger.held] == ["answer"])
    debugger.ask(ResumeRun(meant(debugger)))
    _finish(application, run)
    assert run.status is RunStatus.FINISHED


def test_a_run_can_be_stopped(application: Application, tmp_path: Path) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SLOW_SCRIPT))
    run = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: WRITER in run.state.steps)
    run.cancel()
    _finish(application, run)
    assert run.status is RunStatus.CANCELLED
    assert run.state.steps[WRITER].status is StepStatus.CANCELLED


def test_a_run_is_stopped_as_soon_as_it_was_started(application: Application, tmp_path: Path) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SLOW_SCRIPT))
    run = application.runs.start(session, {"question": "Why?"})
    run.cancel()
    _finish(application, run)
    assert run.status is RunStatus.CANCELLED


def test_a_run_that_has_not_begun_is_stopped_at_once() -> None:
    """It may wait for the keyring, which asks the user."""
    asked: list[object] = []
    run = LiveRun(RunId("one"), Flow(), ask=asked.append)
    run.cancel()
    assert asked == [CancelRun(RunId("one"))]


def test_a_question_is_answered_from_the_window(application: Application, tmp_path: Path) -> None:
    flow = chain(kind="human.ask")
    flow["wires"] = ["question.value -> writer.question", "writer.answer -> answer.value"]
    session = application.open(write_project(tmp_path / "trial", flow=flow))
    run = application.runs.start(session, {"question": "Which hedge?"})
    pump(application, lambda: bool(run.state.waiting))
    (step,) = run.state.waiting
    assert run.state.waiting[step].question == "Which hedge?"
    run.ask(AnswerForm(run.run, step, {"answer": "The one by the pond."}))
    _finish(application, run)
    assert run.state.outputs["answer"].data == "The one by the pond."


def test_what_is_wrong_is_refused_before_a_host_is_asked(application: Application, tmp_path: Path) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    with pytest.raises(UsageError, match="`question` is missing"):
        application.runs.start(session, {})
    session.history.do(remove(session.flow, [NodeId("writer")]))
    with pytest.raises(FlowProblemsError):
        application.runs.start(session, {"question": "Why?"})
    assert application.runs.running == []


def test_a_missing_key_refuses_the_run_with_the_remedy_and_is_left_to_who_began_it(
    application: Application, tmp_path: Path
) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    told: list[StepwireError] = []
    end = application.on_notice(told.append)
    run = application.runs.start(session, {"question": "Why?"}, profile="openai")
    _finish(application, run)
    end()
    assert run.refusal is not None
    assert "OPENAI_MODEL" in f"{run.refusal.message} {run.refusal.hint}"
    assert run.refusal.error == "ProfileError", "by which it is offered who answers instead"
    assert told == []


def test_a_host_that_dies_interrupts_its_run_and_the_next_run_works(
    application: Application, tmp_path: Path
) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SLOW_SCRIPT))
    told: list[StepwireError] = []
    end = application.on_notice(told.append)
    run = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: WRITER in run.state.steps)
    assert run._kill is not None
    run._kill()
    _finish(application, run)
    end()
    assert run.status is RunStatus.INTERRUPTED
    assert run.state.inputs["question"].data == "Why?"
    assert any("interrupted" in one.message for one in told)
    assert RunStore(session.project.private).summary(run.run).status is RunStatus.INTERRUPTED
    other = application.open(write_project(tmp_path / "next", flow=chain(), script=SCRIPT))
    again = application.runs.start(other, {"question": "Still there?"})
    _finish(application, again)
    assert again.status is RunStatus.FINISHED


def test_stopping_twice_ends_the_host_of_a_run_that_hangs() -> None:
    asked: list[object] = []
    run = LiveRun(RunId("one"), Flow(), ask=asked.append, kill=lambda: asked.append("kill"))
    run.take([Entry(RunId("one"), 1, StepId(""), StepId(""), 0.0, RunStarted("One", ""))])
    run.cancel()
    run.cancel()
    assert asked == [CancelRun(RunId("one")), "kill"]


def test_what_is_asked_before_a_run_began_is_asked_once_it_has() -> None:
    asked: list[object] = []
    run = LiveRun(RunId("one"), Flow(), ask=asked.append)
    run.ask(HoldRun(run.run))
    assert asked == []
    run.take([Entry(RunId("one"), 1, StepId(""), StepId(""), 0.0, RunStarted("One", ""))])
    assert asked == [HoldRun(RunId("one"))]
    run.end()
    run.ask(ResumeRun(run.run))
    assert len(asked) == 1


def test_an_old_run_with_a_damaged_file_is_shown_as_far_as_it_can_be_read(
    application: Application, tmp_path: Path
) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    run = application.runs.start(session, {"question": "Why?"})
    _finish(application, run)
    old = application.runs.open_old(session.project.private, run.run)
    assert application.runs.is_busy
    path = RunStore(session.project.private).new_run_path(run.run)
    path.write_bytes(b"no database at all")
    told: list[StepwireError] = []
    end = application.on_notice(told.append)
    pump(application, lambda: not application.runs.is_busy)
    end()
    assert old.status is RunStatus.INTERRUPTED
    assert "damaged" in told[0].message


def test_two_runs_at_once_have_a_host_each(application: Application, tmp_path: Path) -> None:
    sessions = [
        application.open(write_project(tmp_path / name, flow=chain(), script=SCRIPT))
        for name in ("one", "two")
    ]
    runs = [application.runs.start(session, {"question": session.name}) for session in sessions]
    pump(application, lambda: all(run.is_over for run in runs))
    assert [run.status for run in runs] == [RunStatus.FINISHED] * 2


def test_a_path_is_opened_once_and_remembered(application: Application, tmp_path: Path) -> None:
    root = write_project(tmp_path / "trial", flow=chain())
    session = application.open(root)
    assert application.open(root / "flow.json") is session
    assert application.settings.recent[0] == root
    application.close_session(session)
    assert session not in application.sessions


def test_a_new_flow_is_made_and_never_over_another(application: Application, tmp_path: Path) -> None:
    session = application.create(tmp_path / "field_trip.json")
    assert session.flow.name == "Field trip"
    with pytest.raises(UsageError, match="already"):
        application.create(tmp_path / "field_trip.json")
