"""The window's forks, replays and runs that go on, in a real host process."""

from pathlib import Path

import pytest

from studio.app.compose import Application
from studio.app.runs.live_run import LiveRun
from studio.errors import UsageError
from studio.flow import edits
from studio.flow.records import Point
from studio.host.protocol import RaiseLimit, ReleaseStep
from studio.ids import StepId
from studio.store.reader import RunStore
from studio.trace.fold.state import RunStatus
from tests.app.flows import SCRIPT, chain
from tests.app.pumping import meant, pump
from tests.app.stored import cut_before
from tests.app.written_projects import write_project

SLOW_ONCE = """
rules:
  - name: whatever
    reply: "{{ last }}+"
    delay: 0.2
"""


def bought(run: LiveRun) -> list[str]:
    return [step.id for step in run.state.steps.values() if step.request is not None and not step.is_reused]


def saving() -> dict[str, object]:
    """Describe a writer, and a file that its words are appended to."""
    flow = chain()
    nodes, wires = flow["nodes"], flow["wires"]
    assert isinstance(nodes, dict)
    assert isinstance(wires, list)
    nodes["save"] = {"kind": "io.write_file", "settings": {"path": "out.txt", "append": True}}
    nodes["after"] = {"kind": "llm.chat"}
    wires[:] = [
        "question.value -> writer.prompt",
        "writer.reply -> save.text",
        "save.then -> after.after[0]",
        "question.value -> after.prompt",
        "after.reply -> answer.value",
    ]
    return flow


def test_a_run_is_forked_on_the_flow_as_it_was_edited_since(application: Application, tmp_path: Path) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    first = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: first.is_over)
    node, added = edits.add_node(session.flow, "text.text", "Aside", Point(0, 400))
    session.history.do(added)
    same = application.runs.go_back(session, first.run, "fork")
    pump(application, lambda: same.is_over)
    assert (same.status, bought(same)) == (RunStatus.FINISHED, [])
    assert node in {step.node for step in same.state.steps.values()}
    other = application.runs.go_back(session, first.run, "fork", inputs={"question": "How?"})
    pump(application, lambda: other.is_over)
    assert other.state.outputs["answer"].data == "You asked: How?"
    assert bought(other) == ["writer#chat.1"]


def test_a_fork_is_held_at_its_step_and_reads_what_was_edited(
    application: Application, tmp_path: Path
) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    first = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: first.is_over)
    debugger = application.debugger(session)
    fork = application.runs.go_back(session, first.run, "fork", step="writer", hold=True)
    debugger.attach(fork)
    pump(application, lambda: bool(debugger.held))
    assert [one.id for one in debugger.held] == ["writer"]
    debugger.ask(ReleaseStep(meant(debugger), StepId("writer"), {"prompt": "Edited?"}))
    pump(application, lambda: fork.is_over)
    assert fork.state.outputs["answer"].data == "You asked: Edited?"


def test_a_replay_asks_nobody_and_shows_its_flow(application: Application, tmp_path: Path) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    first = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: first.is_over)
    replay = application.runs.go_back(session, first.run, "replay", is_live=False)
    pump(application, lambda: replay.is_over)
    assert (replay.status, replay.state.tokens) == (RunStatus.FINISHED, 0)
    assert replay.flow == session.flow
    assert replay.state.outputs == first.state.outputs


@pytest.mark.parametrize(("choice", "written"), [("repeated", "Why?+\nWhy?+\n"), ("happened", "Why?+\n")])
def test_a_killed_run_goes_on_and_a_person_says_what_became_of_its_effect(
    application: Application, tmp_path: Path, choice: str, written: str
) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=saving(), script=SLOW_ONCE))
    run = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: "after#chat.1" in run.state.steps)
    assert run._kill is not None  # pyright: ignore[reportPrivateUsage]
    run._kill()  # pyright: ignore[reportPrivateUsage]
    pump(application, lambda: run.is_over)
    cut_before(session.project.private, "save", "step_finished", run.run)
    again = application.runs.resume(session, run.run)
    with pytest.raises(UsageError, match="is already running"):
        application.runs.resume(session, run.run)
    pump(application, lambda: again.is_over and again.state.error is not None)
    assert again.state.error is not None
    assert (again.state.error.error, again.state.error.step) == ("InDoubtError", "save")
    chosen = {"save"}
    last = application.runs.resume(
        session,
        run.run,
        repeated=chosen if choice == "repeated" else (),
        happened=chosen if choice == "happened" else (),
    )
    pump(application, lambda: last.status is RunStatus.FINISHED)
    pump(application, lambda: last.is_over)
    assert (session.project.root / "out.txt").read_text("utf-8") == written
    assert last.state.outputs["answer"].data == "Why?+"
    assert last.state.run == run.run
    assert last.state.steps[StepId("writer")].tokens == run.state.steps[StepId("writer")].tokens


def test_a_run_that_reaches_a_limit_is_held_until_somebody_raises_it(
    application: Application, tmp_path: Path
) -> None:
    project = write_project(tmp_path / "trial", flow=saving(), script=SCRIPT, limits={"calls": 1})
    session = application.open(project)
    run = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: bool(run.state.reached))
    assert run.status is RunStatus.HELD
    assert RunStore(session.project.private).summary(run.run).status is RunStatus.HELD
    run.ask(RaiseLimit(run.run, "calls", 2))
    pump(application, lambda: run.is_over)
    assert run.status is RunStatus.FINISHED
    assert run.state.reached == {}
