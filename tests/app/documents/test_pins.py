"""Outputs that are pinned: where they are kept, and which runs take them."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from studio.app.compose import Application
from studio.app.documents.pins import PinnedOutputs
from studio.app.documents.session import Session
from studio.app.runs.live_run import LiveRun
from studio.app.scripts.verification import verify_text
from studio.errors import StepwireError, UsageError
from studio.flow import edits
from studio.ids import NodeId
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunStatus
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.flows import SCRIPT, SLOW_SCRIPT, chain
from tests.app.pumping import pump
from tests.app.written_projects import write_flow, write_project
from tests.trusted import HERE

WRITER = NodeId("writer")
LONGER: dict[str, object] = {
    **chain(),
    "nodes": {
        **chain()["nodes"],  # type: ignore[dict-item]
        "second": {"kind": "llm.chat", "title": "Second"},
    },
    "wires": [
        "question.value -> writer.prompt",
        "second.reply -> answer.value",
        "writer.reply -> second.prompt",
    ],
}


@pytest.fixture
def session(application: Application, tmp_path: Path) -> Session:
    return application.open(write_project(tmp_path / "trial", flow=LONGER, script=SCRIPT))


def _finish(application: Application, run: LiveRun) -> LiveRun:
    pump(application, lambda: run.is_over)
    assert run.refusal is None, run.refusal
    return run


def _run(application: Application, session: Session) -> LiveRun:
    return _finish(application, application.runs.start(session, {"question": "Why?"}))


def _requests(run: LiveRun) -> list[str]:
    return [str(name) for name, step in run.state.steps.items() if step.request is not None]


def _pinned(application: Application, session: Session) -> LiveRun:
    """Run once, and pin what the writer gave."""
    run = _run(application, session)
    session.pins.pin_step(run.run, run.state.steps[run.state.latest[WRITER]])
    return run


def test_a_run_of_the_window_takes_what_an_earlier_one_gave(
    application: Application, session: Session
) -> None:
    first = _pinned(application, session)
    second = _run(application, session)
    assert _requests(first) == ["writer#chat.1", "second#chat.1"]
    assert _requests(second) == ["second#chat.1"]
    assert second.state.outputs == first.state.outputs
    assert second.state.pins[WRITER].run == first.run


def test_pins_are_kept_beside_the_project_and_not_in_the_flow(
    application: Application, session: Session
) -> None:
    before = session.path.read_bytes()
    _pinned(application, session)
    session.save()
    assert b"pin" not in session.path.read_bytes().replace(before, b"")
    again = Session.open(session.path, builtin_registry())
    assert again.pins.all == session.pins.all
    assert again.pins.all[WRITER].values["reply"].data == "You asked: Why?"


def test_the_command_line_knows_nothing_of_pins(application: Application, session: Session) -> None:
    _pinned(application, session)
    project = Project.open(session.project.root)
    materials = prepare(
        project,
        session.flow,
        builtin_registry(),
        environ=HERE,
        inputs={"question": "Why?"},
        profile="scripted",
    )
    state = asyncio.run(run_here(materials))
    assert not state.pins
    assert not state.steps[state.latest[WRITER]].is_pinned


def test_an_edited_value_is_marked_as_a_persons_own(application: Application, session: Session) -> None:
    _pinned(application, session)
    session.pins.edit(WRITER, "reply", "Mine.")
    pin = session.pins.all[WRITER]
    assert pin.edited
    assert pin.values["reply"] == Shown("Mine.", ("user",))
    assert _run(application, session).state.outputs["answer"].data == "You asked: Mine."


def test_a_pin_that_does_not_fit_any_more_is_refused_before_anything_runs(
    application: Application, session: Session
) -> None:
    session.pins.edit(WRITER, "gone", "?")
    run = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: run.is_over)
    assert run.refusal is not None
    assert "no longer fits" in run.refusal.message
    assert not run.state.steps
    assert list(session.pins.misfits(session.flow, session.registry)) == [WRITER]


def test_a_fork_after_the_pin_is_gone_executes_the_node(application: Application, session: Session) -> None:
    _pinned(application, session)
    run = _run(application, session)
    session.pins.clear()
    again = _finish(application, application.runs.go_back(session, run.run, "fork", profile="scripted"))
    assert "writer#chat.1" in _requests(again)
    assert not again.state.steps[again.state.latest[WRITER]].is_pinned
    assert again.status is RunStatus.FINISHED


def test_a_fork_with_another_pin_does_again_what_depends_on_it(
    application: Application, session: Session
) -> None:
    run = _run(application, session)
    session.pins.edit(WRITER, "reply", "Mine.")
    again = _finish(application, application.runs.go_back(session, run.run, "fork", profile="scripted"))
    assert again.state.outputs["answer"].data == "You asked: Mine."


def test_a_replay_has_the_pins_of_its_run_though_they_are_gone(
    application: Application, session: Session
) -> None:
    session.pins.edit(WRITER, "reply", "Mine.")
    run = _run(application, session)
    session.pins.clear()
    again = _finish(application, application.runs.go_back(session, run.run, "replay", is_live=False))
    assert again.state.outputs == run.state.outputs
    assert again.state.steps[again.state.latest[WRITER]].is_pinned


def test_a_script_is_not_compared_with_a_run_that_had_pins(
    application: Application, session: Session
) -> None:
    session.pins.edit(WRITER, "reply", "Mine.")
    run = _run(application, session)
    with pytest.raises(UsageError, match="pinned"):
        verify_text("", run.run, session.project, session.flow, session.registry)


def test_a_pin_sleeps_with_its_removed_node_and_wakes_with_undo(session: Session) -> None:
    session.pins.edit(WRITER, "reply", "Mine.")
    session.history.do(edits.remove(session.flow, [WRITER]))
    assert not session.pins.all
    session.history.undo()
    assert list(session.pins.all) == [WRITER]


def test_a_pin_follows_its_node_to_a_new_id(session: Session) -> None:
    session.pins.edit(WRITER, "reply", "Mine.")
    session.history.do(edits.rename_node(session.flow, WRITER, NodeId("author")))
    assert list(session.pins.all) == [NodeId("author")]


@pytest.mark.parametrize("text", ["", "[]", '{"flow.json": 3}', '{"flow.json": {"writer": {"values": 4}}}'])
def test_a_damaged_file_of_pins_counts_as_none(session: Session, text: str) -> None:
    session.pins.edit(WRITER, "reply", "Mine.")
    (session.project.private / "pins.json").write_text(text, "utf-8")
    assert not PinnedOutputs(session.project, "flow.json").all


def test_a_step_that_failed_has_nothing_to_pin(application: Application, session: Session) -> None:
    run = _run(application, session)
    step = replace(run.state.steps[run.state.latest[WRITER]], outputs={})
    session.pins.pin_step(run.run, step)
    assert not session.pins.all


def test_a_run_that_goes_on_keeps_its_pins_though_they_are_gone(
    application: Application, tmp_path: Path
) -> None:
    root = write_project(tmp_path / "slow", flow=LONGER, script=SLOW_SCRIPT)
    session = application.open(root)
    session.pins.edit(WRITER, "reply", "Mine.")
    run = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: "second#chat.1" in run.state.steps)
    run.cancel()
    pump(application, lambda: run.is_over)
    session.pins.clear()
    (root / "scripts" / "answers.yaml").write_text(SCRIPT, "utf-8")
    again = application.runs.resume(session, run.run)
    pump(application, lambda: again.state.status is RunStatus.FINISHED)
    assert again.state.outputs["answer"].data == "You asked: Mine."
    assert "writer#chat.1" not in _requests(again)


def test_a_flow_that_is_saved_over_another_does_not_take_the_pins_of_that_one(session: Session) -> None:
    other = write_flow(session.path.with_name("other.json"), chain())
    Session.open(other, builtin_registry()).pins.edit(WRITER, "reply", "Theirs.")
    session.save_as(other)
    assert not Session.open(other, builtin_registry()).pins.all


def test_a_pin_that_no_file_can_say_is_taken_and_the_trouble_told(session: Session) -> None:
    troubles: list[StepwireError] = []
    pins = PinnedOutputs(session.project, session.name, troubles.append)
    pins.edit(WRITER, "reply", "half a \ud800 pair")
    assert WRITER in pins.all
    assert "could not be written" in troubles[0].message
