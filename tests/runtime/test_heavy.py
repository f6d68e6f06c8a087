"""A function that works long without waiting keeps nobody else from working, nor a run from being stopped."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Annotated, Any

import pytest

from studio.ids import StepId
from studio.runtime.steps.threads import MOST_IDLE, on_a_thread
from studio.sdk import Context, In, Out, StepError, node
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.trace.events import StepFailed
from studio.trace.fold.state import RunStatus
from studio.workspace.catalog import builtin_registry
from tests.runtime import bench
from tests.runtime.bench import Ran, flow_of, run, until

PATIENCE = 10.0
AT_MOST = 0.2
"""Seconds that stopping a run may take."""

opened = threading.Event()
tried = threading.Event()
"""Set when a function has tried to use its context after its step was stopped."""


@node("test.heavy", title="Heavy", heavy=True)
def heavy(context: Context, x: Annotated[str, In("Given back")] = "") -> Annotated[str, Out("text", "x")]:
    """Work until somebody else has done something."""
    context.log("begun")
    if not opened.wait(PATIENCE):
        message = "nobody else could work"
        raise StepError(message)
    try:
        context.log("ended")
    finally:
        tried.set()
    return x


@node("test.open", title="Open")
async def open_it() -> Annotated[str, Out("text", "A word")]:
    """Let the heavy one end."""
    opened.set()
    return "open"


@node("test.fail_heavily", title="Fail", heavy=True)
def fail_heavily() -> Annotated[str, Out("text", "None")]:
    """Fail."""
    message = "too heavy"
    raise StepError(message)


@node("test.end", title="End", heavy=True)
def end() -> Annotated[str, Out("text", "None")]:
    """Ask for the next of nothing."""
    return next(iter(list[str]()))


@pytest.fixture(autouse=True)
def _more_nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    types = [node_type_of(one) for one in (heavy, open_it, fail_heavily, end)]
    monkeypatch.setattr(bench, "REGISTRY", Registry([*builtin_registry(), *types]))
    opened.clear()
    tried.clear()
    yield
    opened.set()


async def test_others_work_while_a_heavy_function_does() -> None:
    flow = flow_of({"a": ("test.heavy", {}, {"x": "heavy"}), "b": "test.open"}, [])
    ran = await run(flow)
    assert ran.state.status is RunStatus.FINISHED
    assert ran.state.steps[StepId("a")].outputs["text"].data == "heavy"
    assert ran.events("a") == ["step_ready", "step_started", "log_written", "log_written", "step_finished"]


async def test_the_error_of_a_heavy_function_is_its_steps() -> None:
    ran = await run(flow_of({"a": "test.fail_heavily"}, []))
    assert ran.state.status is RunStatus.FAILED
    assert ran.state.steps[StepId("a")].error == StepFailed("StepError", "too heavy")


async def test_a_run_is_stopped_while_a_heavy_function_works_on_and_says_no_more() -> None:
    ran = Ran()
    task = asyncio.create_task(run(flow_of({"a": "test.heavy"}, []), ran=ran))
    await until(lambda: "log_written" in {entry.event.kind for entry in ran.entries})
    began = time.monotonic()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < AT_MOST
    assert ran.events("a")[-1] == "step_cancelled"
    said = len(ran.entries)
    opened.set()
    await until(tried.is_set)
    assert len(ran.entries) == said


def test_a_stopped_function_asks_a_loop_that_turns_no_more_and_is_not_kept_waiting() -> None:
    async def stopped() -> None:
        ran = Ran()
        task = asyncio.create_task(run(flow_of({"a": "test.heavy"}, []), ran=ran))
        await until(lambda: "log_written" in {entry.event.kind for entry in ran.entries})
        task.cancel()
        await asyncio.wait([task])

    loop = asyncio.new_event_loop()
    loop.run_until_complete(stopped())
    opened.set()
    assert tried.wait(PATIENCE)
    loop.close()


async def test_however_many_heavy_functions_never_return_others_get_a_thread() -> None:
    hanging: dict[str, Any] = {f"a{number}": ("test.heavy", {}, {"x": "heavy"}) for number in range(80)}
    ran = Ran()
    task = asyncio.create_task(run(flow_of(hanging, []), ran=ran))
    await until(lambda: len(ran.steps("log_written")) == len(hanging))
    other = await run(flow_of({"a": "test.fail_heavily"}, []))
    assert other.state.steps[StepId("a")].error == StepFailed("StepError", "too heavy")
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert not opened.is_set()


async def test_a_heavy_function_that_asks_for_more_than_there_is_fails_as_others_do() -> None:
    ran = await asyncio.wait_for(run(flow_of({"a": "test.end"}, [])), PATIENCE)
    assert ran.state.steps[StepId("a")].error == StepFailed("StepError", "StopIteration")


async def test_short_calls_share_threads_and_leave_nothing_to_one_another() -> None:
    said: ContextVar[str] = ContextVar("said", default="")

    def call() -> tuple[int, str]:
        before = said.get()
        said.set("something")
        return threading.get_ident(), before

    found = [await on_a_thread(call) for _ in range(50)]
    assert len({thread for thread, _ in found}) <= MOST_IDLE
    assert {before for _, before in found} == {""}
