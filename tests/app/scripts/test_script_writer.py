"""Scripts are written in a process of their own, the newest draft of each asker."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from studio import places
from studio.app.scripts.script_preview import Draft, Unwritten, Written
from studio.app.scripts.script_writer import LOST, ScriptWriter
from studio.flow.records import Flow, Node
from studio.ids import NodeId
from studio.workspace.problems import read_flow
from studio.workspace.project import Project

pytestmark = pytest.mark.process

LONG = 30.0


class Ears:
    """Waits for what is told on another thread."""

    def __init__(self) -> None:
        self.heard: list[Written | Unwritten] = []
        self._came = threading.Condition()

    def __call__(self, answer: Written | Unwritten) -> None:
        with self._came:
            self.heard.append(answer)
            self._came.notify()

    def wait(self, count: int) -> list[Written | Unwritten]:
        with self._came:
            assert self._came.wait_for(lambda: len(self.heard) >= count, timeout=LONG)
        return self.heard


@pytest.fixture
def writer() -> Iterator[ScriptWriter]:
    made = ScriptWriter()
    yield made
    made.close()


@pytest.fixture
def draft() -> Draft:
    path: Path = places.projects() / "side_by_side" / "flow.json"
    return Draft(read_flow(path).flow, Project.open(path))


def test_the_newest_draft_of_each_asker_is_written(writer: ScriptWriter, draft: Draft) -> None:
    ears, others = Ears(), Ears()
    writer.ask("a", draft, ears)
    for name in ("second", "third", "last"):
        writer.ask("a", replace(draft, flow=replace(draft.flow, name=name)), ears)
    writer.ask("b", replace(draft, flow=Flow("Odd", nodes={NodeId("x"): Node(kind="no.kind")})), others)
    (told,) = others.wait(1)
    assert isinstance(told, Unwritten)
    assert told.node == "x"
    assert 1 <= len(ears.heard) <= 2, "what was overtaken is not written"
    last = ears.heard[-1]
    assert isinstance(last, Written)
    assert '"""last.' in last.text
    assert last.spans.stretches


def test_a_process_that_ends_is_told_and_started_again(writer: ScriptWriter, draft: Draft) -> None:
    ears = Ears()
    writer.ask("a", draft, ears)
    ears.wait(1)
    process = writer._process
    assert process is not None
    process.kill()
    process.wait()
    writer.ask("a", draft, ears)
    writer.ask("a", draft, ears)
    heard = ears.wait(2)
    assert heard[1] == LOST, "it is told"
    writer.ask("a", draft, ears)
    assert isinstance(ears.wait(3)[-1], Written)


def test_a_draft_that_cannot_be_handed_over_is_the_only_one_that_is_not_written(
    writer: ScriptWriter, draft: Draft
) -> None:
    ears, deep = Ears(), list[object]()
    for _ in range(5000):
        deep = [deep]
    node = Node(kind="text.text").model_copy(update={"settings": {"text": deep}})
    odd = Flow("Odd", nodes={NodeId("x"): node})
    writer.ask("a", replace(draft, flow=odd), ears)
    (told,) = ears.wait(1)
    assert isinstance(told, Unwritten)
    assert "RecursionError" in told.message
    writer.ask("a", draft, ears)
    assert isinstance(ears.wait(2)[-1], Written)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_who_fails_to_listen_does_not_keep_others_from_being_answered(
    writer: ScriptWriter, draft: Draft
) -> None:
    def fail(answer: Written | Unwritten) -> None:
        raise RuntimeError(type(answer).__name__)

    ears = Ears()
    writer.ask("a", draft, fail)
    writer.ask("b", draft, ears)
    assert isinstance(ears.wait(1)[-1], Written)


def test_a_writer_that_nobody_asked_starts_nothing_and_ends_at_once() -> None:
    made = ScriptWriter()
    assert made._thread is None
    made.close()


def test_a_script_that_takes_too_long_is_given_up(draft: Draft) -> None:
    writer, ears = ScriptWriter(patience=0.01), Ears()
    writer.ask("a", draft, ears)
    assert ears.wait(1) == [LOST]
    writer.close()
