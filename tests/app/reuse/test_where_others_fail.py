"""Three promises of going back that other engines break, each kept with a real store, process or endpoint."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from studio.app.documents.session import Session
from studio.app.reuse.fork_plan import plan_fork
from studio.ids import PortName, StepId
from studio.llm.scripted_answers.script_book import ScriptBook
from studio.llm.scripted_answers.server import serve
from studio.past.fork_wishes import Fork, Setting
from studio.past.forks import prepare_fork
from studio.past.replays import Terms, prepare_replay
from studio.past.resumption import prepare_resume
from studio.store.reader import RunStore
from studio.trace.events import entry_from_json
from studio.trace.fold.state import RunState, RunStatus
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.flows import SCRIPT, chain
from tests.app.stored import last_run
from tests.app.written_projects import write_flow, write_project
from tests.documents import document
from tests.trusted import HERE

REGISTRY = builtin_registry()


def asked(state: RunState) -> list[str]:
    """The chats and calls of tools that this run made itself."""
    return [step.id for step in state.steps.values() if step.call and not step.is_reused]


async def ran(root: Path) -> RunState:
    session = Session.open(root, REGISTRY)
    return await run_here(prepare(Project.open(root), session.flow, session.registry, environ=HERE))


INNER = document(
    "Inner",
    {
        "text": "io.flow_input",
        "first": "llm.chat",
        "second": "llm.chat",
        "third": "llm.chat",
        "aside": "llm.chat",
        "said": "io.flow_output",
        "other": "io.flow_output",
    },
    "aside.reply -> other.value",
    "first.reply -> second.prompt",
    "second.reply -> third.prompt",
    "text.value -> aside.prompt",
    "text.value -> first.prompt",
    "third.reply -> said.value",
)
OUTER = document(
    "Outer",
    {
        "word": {"kind": "io.flow_input", "settings": {"default": "owl"}},
        "before": "llm.chat",
        "call": {"kind": "control.subflow", "settings": {"flow": "inner.json"}},
        "beside": "llm.chat",
        "after": "llm.chat",
        "out": "io.flow_output",
    },
    "after.reply -> out.value",
    "before.reply -> call.text",
    "call.other -> beside.prompt",
    "call.said -> after.prompt",
    "word.value -> before.prompt",
)
PLUS = """
rules:
  - name: whatever
    reply: "{{ last }}+"
"""


async def test_running_again_from_a_step_inside_a_called_flow_runs_only_what_depends_on_it(
    tmp_path: Path,
) -> None:
    root = write_project(tmp_path / "trial", flow=OUTER, script=PLUS)
    write_flow(root / "inner.json", INNER)
    first = await ran(root)
    assert len(asked(first)) == 7
    edit = Setting(StepId("call/second"), PortName("prompt"), "jay")
    plan = plan_fork(last_run(root), REGISTRY, Fork(values=[edit]))
    new = await run_here(
        prepare_fork(last_run(root), REGISTRY, Fork(values=[edit]), Terms(HERE, is_live=True))
    )
    assert new.outputs["out"].data == "jay+++"
    assert asked(new) == ["call/second#chat.1", "call/third#chat.1", "after#chat.1"]
    # From outside the call is one step: who reads its other output runs again too, and is answered as before.
    assert set(plan.asked) == {*asked(new), "beside#chat.1"}


AGENT = document(
    "Three calls",
    {
        "agent": "llm.agent",
        "files": {"kind": "tools.files", "settings": {"folder": "data", "write": True}},
        "out": "io.flow_output",
        "question": {"kind": "io.flow_input", "settings": {"default": "Write three notes."}},
    },
    "agent.reply -> out.value",
    "files.tool -> agent.tools",
    "question.value -> agent.prompt",
)
THREE_NOTES = """
rules:
  - when: {turn: 0}
    tool_calls: [{name: write_file, arguments: {path: one.txt, text: "1"}}]
  - when: {turn: 1}
    tool_calls: [{name: write_file, arguments: {path: two.txt, text: "2"}}]
  - when: {turn: 2}
    delay: 30
    tool_calls: [{name: write_file, arguments: {path: three.txt, text: "3"}}]
  - reply: done
"""


@pytest.mark.process
async def test_a_resume_never_repeats_what_came_before_the_interruption_inside_an_agent(
    tmp_path: Path,
) -> None:
    root = write_project(tmp_path / "trial", flow=AGENT, script=THREE_NOTES)
    folder = root / "data"
    folder.mkdir()
    kill_after_answers(root, 2)
    assert sorted(one.name for one in folder.iterdir()) == ["one.txt", "two.txt"]
    for note in folder.iterdir():
        note.unlink()  # whoever writes them again is found out
    script = root / "scripts" / "answers.yaml"
    script.write_text(THREE_NOTES.replace("delay: 30", "delay: 0"), "utf-8")
    store, old = RunStore(root / ".stepwire"), last_run(root)
    assert store.summary(old.run).status is RunStatus.INTERRUPTED
    await run_here(prepare_resume(old, store, REGISTRY, Terms(HERE, is_live=True)))
    state = store.load(old.run)
    assert (state.status, state.outputs["out"].data) == (RunStatus.FINISHED, "done")
    assert [one.name for one in folder.iterdir()] == ["three.txt"]
    assert asked(state) == ["agent#chat.3", "agent#tool.3", "agent#chat.4"]


def kill_after_answers(root: Path, count: int) -> None:
    """Run in a process of its own, and kill it when so many calls of tools have been answered."""
    command = [sys.executable, "-m", "studio", "run", str(root), "--events"]
    with subprocess.Popen(  # noqa: S603  # our own interpreter, our own module
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            count -= entry_from_json(line).event.kind == "tool_answered"
            if not count:
                os.kill(process.pid, signal.SIGKILL)
                break
        process.stdout.read()  # it is over where nobody holds its output open


_forbidden = False


def _refuse(event: str, _arguments: object) -> None:
    if _forbidden and event in {"socket.__new__", "socket.connect", "socket.getaddrinfo"}:
        raise PermissionError(event)


sys.addaudithook(_refuse)


@contextmanager
def no_sockets() -> Iterator[None]:
    """Whoever opens a socket fails."""
    global _forbidden  # noqa: PLW0603  # a hook cannot be taken away again
    _forbidden = True
    try:
        yield
    finally:
        _forbidden = False


async def test_a_replay_opens_no_connection_where_the_run_had_one(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text(SCRIPT, "utf-8")
    server = await serve(ScriptBook.load(script))
    chat = {"default": "far", "profiles": {"far": {"base_url": server.base_url, "llm": "any"}}}
    root = write_project(tmp_path / "trial", flow=chain(default="Why?"), chat=chat)
    try:
        first = await ran(root)
    finally:
        await server.close()
    assert first.outputs["answer"].data == "You asked: Why?"
    old = last_run(root)
    with no_sockets():
        with pytest.raises(PermissionError):
            await asyncio.open_connection("127.0.0.1", server.port)
        again = await run_here(prepare_replay(old, REGISTRY, Terms(HERE)))
    assert (again.status, again.outputs) == (RunStatus.FINISHED, first.outputs)
    assert asked(again) == []
