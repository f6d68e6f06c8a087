"""Questions outlive the window that showed them, and are answered without paying again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.app.compose import Application, compose
from studio.app.documents.session import Session
from studio.app.runs.live_run import LiveRun
from studio.errors import UsageError
from studio.flow.records import Json
from studio.host.protocol import AnswerForm
from studio.ids import RunId, StepId
from studio.past.open_runs import Waiting, named_in_full, only_waits, refuse_answers, waiting_in
from studio.store.reader import RunStore
from studio.trace.events import ApprovalAsked, ChatRequested, Entry
from studio.trace.fold.state import RunStatus
from tests.app.approvals import approving
from tests.app.flows import SCRIPT
from tests.app.pumping import ENVIRON, pump
from tests.app.written_projects import write_project
from tests.forked_hosts import forked_host

pytestmark = pytest.mark.process

STEP = StepId("approve#ask.1")


def begin(application: Application, root: Path) -> tuple[Session, LiveRun]:
    session = application.open(write_project(root, flow=approving(), script=SCRIPT))
    run = application.runs.start(session, {})
    pump(application, lambda: bool(run.state.waiting))
    return session, run


def waiting(session: Session) -> list[Waiting]:
    store = RunStore(session.project.private)
    return waiting_in(store, store.runs())


def leave(application: Application, run: LiveRun) -> None:
    """A flow is closed; the window stays."""
    run.put_aside()
    pump(application, lambda: run.is_over)


def close(application: Application, _run: LiveRun) -> None:
    """The window is closed, or gone."""
    application.close()


def kill(application: Application, run: LiveRun) -> None:
    """The host dies, and nothing of it says a word any more."""
    assert run._kill is not None
    run._kill()
    pump(application, lambda: run.is_over)


@pytest.mark.parametrize("end", [leave, close, kill], ids=lambda one: one.__name__)
def test_a_question_waits_after_the_window_and_its_answer_goes_on_unpaid(
    end: Callable[[Application, LiveRun], None], tmp_path: Path
) -> None:
    before = compose(ENVIRON, tmp_path / "config", spawn=forked_host)
    session, run = begin(before, tmp_path / "trial")
    assert [one.is_over for one in waiting(session)] == [False]
    end(before, run)
    before.close()

    after = compose(ENVIRON, tmp_path / "config", spawn=forked_host)
    try:
        session = after.open(tmp_path / "trial")
        (found,) = waiting(session)
        assert (found.run, found.step, found.asked.question, found.is_over) == (
            run.run,
            STEP,
            "Send it?",
            True,
        )
        answer = {"decision": "edit", "value": "Because.", "reason": "Shorter."}
        again = after.runs.resume(session, found.run, answers={found.step: answer})
        pump(after, lambda: again.status is RunStatus.FINISHED)
        outputs = {name: shown.data for name, shown in again.state.outputs.items()}
        assert outputs == {"sent": "Because.", "why": "Shorter."}
        entries = list(RunStore(session.project.private).entries(found.run))
        assert sum(isinstance(one.event, ChatRequested) for one in entries) == 1
        assert waiting(session) == []
    finally:
        after.close()


def test_a_run_that_a_person_stopped_waits_for_nobody(application: Application, tmp_path: Path) -> None:
    session, run = begin(application, tmp_path / "trial")
    assert only_waits(run.state)
    run.cancel()
    pump(application, lambda: run.is_over)
    assert waiting(session) == []
    assert not only_waits(run.state)


def test_an_answer_that_does_not_fit_is_taken_by_nobody(application: Application, tmp_path: Path) -> None:
    session, run = begin(application, tmp_path / "trial")
    run.ask(AnswerForm(run.run, STEP, {"decision": "reject"}))  # without its reason
    run.ask(AnswerForm(run.run, STEP, {"decision": "reject", "reason": "No."}))
    pump(application, lambda: run.is_over)
    assert run.state.outputs["why"].data == "No."
    entries = list(RunStore(session.project.private).entries(run.run))
    asked = next(at for at, one in enumerate(entries) if one.event.kind == "approval_asked")
    misfits: list[Json] = ["perhaps", {"decision": "edit"}, 3]
    for given in misfits:
        with pytest.raises(UsageError, match="does not fit"):
            refuse_answers(entries[: asked + 1], {StepId("approve"): given})
    refuse_answers(entries[: asked + 1], {StepId("approve"): "approve", StepId("other"): 3})


def test_a_node_that_asks_in_a_round_is_answered_by_its_name_where_it_asks_once() -> None:
    def asking(*rounds: int) -> list[Entry]:
        steps = [StepId(f"rounds.{one}/approve#ask.1") for one in rounds]
        asked = ApprovalAsked("Send it?", {"type": "object", "properties": {"sure": {"type": "boolean"}}})
        return [
            Entry(RunId("run"), number, step, StepId(""), 0.0, asked)
            for number, step in enumerate(steps, start=1)
        ]

    assert named_in_full(asking(2), {StepId("approve"): True}) == {"rounds.2/approve": True}
    assert named_in_full(asking(2), {StepId("later"): True}) == {"later": True}
    with pytest.raises(UsageError, match="is asking in several places"):
        named_in_full(asking(1, 2), {StepId("approve"): True})
