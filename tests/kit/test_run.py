import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from stepwire_kit import Tools, fork, load, replay, run, run_sync
from studio.__main__ import main
from studio.errors import FlowProblemsError, UsageError
from studio.ids import StepId
from studio.llm.client import Caller, ChatAnswer, ChatRequest, Message
from studio.store.reader import RunStore
from studio.trace.differences.compare import first_difference
from studio.trace.events import Entry, RunCancelled
from tests.app.flows import SCRIPT, SLOW_SCRIPT, chain
from tests.app.written_projects import write_project
from tests.kit.flows import WITH_DICE, dice, flow_of
from tests.trusted import HERE


def tools() -> Tools:
    return Tools(is_offline=True, environ=HERE)


class Upper:
    """A client that shouts back what it was asked, and counts."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        del on_text, caller
        said = str(request.messages[-1].content)
        self.asked[said] += 1
        await asyncio.sleep(0)
        return ChatAnswer(Message("assistant", said.upper()))

    async def close(self) -> None:
        raise AssertionError("whoever made the client closes it")


def test_a_flow_runs_from_a_project_folder_and_gives_its_outputs(tmp_path: Path) -> None:
    root = write_project(tmp_path / "trial", flow=chain(), script=SCRIPT)
    result = run_sync(root, {"question": "Why?"}, tools())
    assert (result.error, result.outputs) == (None, {"answer": "You asked: Why?"})
    assert result.state.outputs["answer"].data == "You asked: Why?"


def test_a_flow_runs_without_any_folder_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_sync(flow_of(chain()), {"question": "Why?"}, Tools(Upper(), environ=HERE))
    assert result.outputs == {"answer": "WHY?"}
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_run_is_refused_before_anything_happens() -> None:
    seen: list[Entry] = []
    with pytest.raises(UsageError, match="no input `colour`"):
        run_sync(flow_of(chain()), {"colour": "red"}, Tools(Upper(), environ=HERE), watch=seen.extend)
    with pytest.raises(FlowProblemsError):
        load(flow_of(chain(kind="llm.nothing")))
    assert seen == []


async def test_a_hundred_runs_at_once_share_one_prepared_flow_and_equal_those_alone() -> None:
    prepared, client = load(flow_of(chain())), Upper()
    questions = [f"question {number}" for number in range(100)]
    given = Tools(client, environ=HERE)
    together = await asyncio.gather(*(run(prepared, {"question": one}, given) for one in questions))
    assert [one.outputs["answer"] for one in together] == [one.upper() for one in questions]
    assert set(client.asked.values()) == {1}
    assert len({one.run for one in together}) == len(questions)
    alone = await run(prepared, {"question": questions[7]}, given)
    assert told(together[7].entries) == told(alone.entries)


def told(entries: Sequence[Entry]) -> list[object]:
    """What happened, without the names and times that are each run's own."""
    return [(one.number, one.step, one.parent, one.event.kind) for one in entries]


async def test_a_cancelled_run_ends_and_says_so(tmp_path: Path) -> None:
    root = write_project(tmp_path / "trial", flow=chain(), script=SLOW_SCRIPT)
    seen: list[Entry] = []
    asked = asyncio.Event()

    def watch(entries: Sequence[Entry]) -> None:
        seen.extend(entries)
        if any(one.event.kind == "chat_requested" for one in entries):
            asked.set()

    task = asyncio.create_task(run(root, {"question": "Why?"}, tools(), watch=watch))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert isinstance(seen[-1].event, RunCancelled)


def test_a_stored_run_can_be_read_again_as_it_was_told(tmp_path: Path) -> None:
    given = Tools(Upper(), environ=HERE, store=tmp_path / "runs")
    result = run_sync(flow_of(chain()), {"question": "Why?"}, given)
    assert list(RunStore(tmp_path / "runs").entries(result.run)) == list(result.entries)


def test_a_limit_ends_the_run_with_its_exit_code() -> None:
    result = run_sync(flow_of(chain()), {"question": "Why?"}, Tools(Upper(), {"calls": 0.5}, environ=HERE))
    assert result.error is not None
    assert result.error.exit_code == 3


def test_a_question_is_answered_beforehand_or_ends_the_run() -> None:
    asking = flow_of(
        {
            **chain(),
            "nodes": {
                "ask": {"kind": "human.ask", "inputs": {"question": "Whom?"}},
                "answer": {"kind": "io.flow_output"},
            },
            "wires": ["ask.answer -> answer.value"],
        }
    )
    nobody = run_sync(asking, None, Tools(environ=HERE))
    assert nobody.error is not None
    assert nobody.error.exit_code == 4
    answered = run_sync(asking, None, Tools(answers={StepId("ask"): "Ada"}, environ=HERE))
    assert answered.outputs == {"answer": "Ada"}


def test_a_seed_makes_chance_repeatable_and_another_one_makes_it_other() -> None:
    flow = load(dice(), nodes=WITH_DICE)
    thrown = [run_sync(flow, None, Tools(environ=HERE, seed=seed)).outputs for seed in (1, 1, 2)]
    assert thrown[0] == thrown[1] != thrown[2]


@pytest.mark.process
def test_a_bare_process_runs_a_flow_with_qt_refused_and_without_what_no_run_needs(tmp_path: Path) -> None:
    root = write_project(tmp_path / "trial", flow=chain(), script=SCRIPT)
    code = (
        "import sys; from stepwire_kit import Tools, run_sync\n"
        f"result = run_sync({str(root)!r}, {{'question': 'Why?'}}, Tools(is_offline=True, environ={{}}))\n"
        "late = ('studio.ui', 'studio.past', 'studio.store.reader', 'studio.store.run_files.writer')\n"
        "assert not [one for one in sys.modules if one.startswith(late)]\n"
        "print(result.outputs['answer'])"
    )
    here = Path(__file__).parents[2]
    path = f"{here / 'tests' / 'without_qt'}:{here}"
    ran = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env={"PYTHONPATH": path}
    )
    assert ran.stdout == "You asked: Why?\n"


async def test_a_replay_of_entries_buys_nothing_and_gives_the_same() -> None:
    client = Upper()
    first = await run(flow_of(chain()), {"question": "Why?"}, Tools(client, environ=HERE))
    again = await replay(first.entries, Tools(client, environ=HERE))
    assert (again.error, again.outputs) == (None, first.outputs)
    assert first_difference(first.entries, again.entries) is None
    assert client.asked == {"Why?": 1}


async def test_a_replay_of_half_a_run_ends_where_the_recording_does() -> None:
    client = Upper()
    first = await run(flow_of(chain()), {"question": "Why?"}, Tools(client, environ=HERE))
    unanswered = [one for one in first.entries if one.step.partition("#")[0] != "writer"]
    again = await replay(unanswered, Tools(client, environ=HERE))
    assert again.error is not None
    assert again.error.exit_code == 4
    assert client.asked == {"Why?": 1}


async def test_a_fork_with_another_input_asks_what_depends_on_it_alone() -> None:
    client = Upper()
    first = await run(flow_of(chain()), {"question": "Why?"}, Tools(client, environ=HERE))
    same = await fork(first.entries, Tools(client, environ=HERE), inputs={"question": "Why?"})
    other = await fork(first.entries, Tools(client, environ=HERE), inputs={"question": "How?"})
    assert (same.outputs, other.outputs) == (first.outputs, {"answer": "HOW?"})
    assert client.asked == {"Why?": 1, "How?": 1}


def test_the_command_line_records_the_same_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write_project(tmp_path / "trial", flow=chain(), script=SCRIPT)
    assert main(["run", str(root), "--offline", "--input", "question=Why?"]) == 0
    assert capsys.readouterr().out == "You asked: Why?\n"
    store = RunStore(root / ".stepwire")
    theirs = list(store.entries(store.runs()[0].run))
    ours = run_sync(root, {"question": "Why?"}, tools()).entries
    assert first_difference(theirs, ours) is None
    kinds = [[(one.step, one.event.kind) for one in entries] for entries in (theirs, ours)]
    assert kinds[0] == [one for one in kinds[1] if one[1] != "text_streamed"]  # kept until it is answered
