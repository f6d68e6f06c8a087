"""What a node passes to its context without care does no harm to the file of its run."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any

import pytest

from studio.errors import StepError
from studio.ids import RunId
from studio.llm.client import ToolCall
from studio.runtime.gates.debug_gate import OpenGate
from studio.runtime.recorder import Recorder
from studio.runtime.resources.people import NoPeople
from studio.runtime.run import Outside, RunSpec, RunTools, execute
from studio.sdk import Context, Out, Setting, node
from studio.sdk.context import Form
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.sdk.tool import Tool
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry, Event, LogWritten, StepFailed, StepProgressed, ToolCalled
from studio.workspace.catalog import builtin_types
from tests.runtime.bench import flow_of

ANY: Any = object()


def _tool(answer: object) -> Callable[[Context], Awaitable[object]]:
    async def run(arguments: Any) -> Any:
        arguments["spoiled"] = True
        return answer

    async def call(context: Context) -> object:
        return await context.call(Tool("find", "", {}, run), ToolCall("1", "find", '{"for": "owls"}'))

    return call


async def _fail(_: Context) -> None:
    careless: Any = ValueError("oh")
    raise StepError(careless, hint=careless)


WAYS: dict[str, Callable[[Any], Any]] = {
    "a line that is a number": lambda context: context.log(5),
    "a line that is an object": lambda context: context.log({"a": ANY}),
    "progress in words": lambda context: context.progress("half", 1),
    "progress that is no number": lambda context: context.progress(float("nan"), 1),
    "progress with a number for a note": lambda context: context.progress(1, 2, 3),
    "a folder that is a path": lambda context: context.folder(Path()),
    "a variable that is called 5": lambda context: context.state.write(5, 1),
    "a question that is a list": lambda context: context.ask(Form(ANY, {})),
    "a tool that gives nothing": _tool(None),
    "a tool that gives an object": _tool({"found": 1}),
    "a tool that gives text": _tool("found"),
    "an error for a message": _fail,
}


@node("test.careless", title="Careless")
async def careless(
    context: Context, *, way: Annotated[str, Setting("Way")] = ""
) -> Annotated[str, Out("text")]:
    """Do as its way is."""
    given = WAYS[way](context)
    if asyncio.iscoroutine(given):
        await given
    return "done"


async def events_on_disk(tmp_path: Path, way: str, heard: list[Entry] | None = None) -> list[Event]:
    """Run the node, and read all that was stored of it."""
    published: list[Entry] = [] if heard is None else heard
    store = RunStore(tmp_path / ".stepwire")
    writer = RunWriter(store.new_run_path(RunId("a")), published.extend)
    registry = Registry((*builtin_types(), node_type_of(careless)))
    tools = RunTools(
        registry,
        Recorder(RunId("a"), writer),
        OpenGate(),
        lambda _: pytest.fail("no chats"),
        NoPeople(),
        Outside(tmp_path),
    )
    try:
        await execute(RunSpec(RunId("a"), flow_of({"n": ("test.careless", {"way": way})}, []), {}), tools)
    finally:
        writer.close()
    return [entry.event for entry in store.entries(RunId("a"))]


@pytest.mark.parametrize("way", WAYS)
async def test_a_run_can_be_read_to_its_end_whatever_its_nodes_pass_on(tmp_path: Path, way: str) -> None:
    found = await events_on_disk(tmp_path, way)
    assert found[-1].kind in {"run_finished", "run_failed"}
    assert {"step_finished", "step_failed"} & {event.kind for event in found}


async def test_what_can_be_said_is_said(tmp_path: Path) -> None:
    assert LogWritten("5") in await events_on_disk(tmp_path, "a line that is a number")


async def test_progress_with_a_number_for_a_note_is_told(tmp_path: Path) -> None:
    found = await events_on_disk(tmp_path, "progress with a number for a note")
    assert StepProgressed(1, 2, "3") in found


async def test_a_tool_that_changes_its_arguments_changes_them_only_for_itself(tmp_path: Path) -> None:
    heard: list[Entry] = []
    await events_on_disk(tmp_path, "a tool that gives text", heard)
    assert ToolCalled("find", {"for": "owls"}, "1", "pure") in [entry.event for entry in heard]


async def test_a_name_that_is_no_text_is_refused_in_words(tmp_path: Path) -> None:
    found = await events_on_disk(tmp_path, "a variable that is called 5")
    assert StepFailed("StepError", "The name of a variable must be text, not `5`.") in found
