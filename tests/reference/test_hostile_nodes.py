"""A node that misbehaves ends its step with a clear error, and the run in a defined state."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

import pytest

from studio.ids import RunId, StepId
from studio.runtime.gates.debug_gate import OpenGate
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.resources.people import NoPeople
from studio.runtime.run import Outside, RunSpec, RunTools, execute
from studio.runtime.values import LARGEST
from studio.sdk import Context, In, Out, Setting, node
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_types
from tests.runtime.bench import Ran, flow_of

ENDLESS: list[object] = []
ENDLESS.append(ENDLESS)


class SpeechlessError(Exception):
    """An error of which nothing can be said."""

    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__


class Odd:
    """What JSON has no words for."""

    def __repr__(self) -> str:
        raise RuntimeError


DEEP: list[object] = []
for _ in range(100_000):
    DEEP = [DEEP]


async def _yields() -> AsyncIterator[str]:
    yield "never asked for"


GIFTS: dict[str, Any] = {
    "a number": 7,
    "a thing": Odd(),
    "endless": ENDLESS,
    "deep": DEEP,
    "not a number": float("nan"),
    "bytes": b"\xff",
    "a generator": _yields(),
}


@node("test.hostile", title="Hostile")
async def hostile(  # noqa: C901, PLR0912  # one arm a way
    *, way: Annotated[str, Setting("Way")] = ""
) -> Annotated[str, Out("text")]:
    """Do what a node should not."""
    match way:
        case "raises":
            raise ZeroDivisionError
        case "leaves":
            sys.exit(3)
        case "leaves later":
            await asyncio.sleep(0)
            sys.exit(3)
        case "interrupts":
            await asyncio.sleep(0)
            raise KeyboardInterrupt
        case "closes itself":
            raise GeneratorExit
        case "stops itself":
            raise StopAsyncIteration
        case "is speechless":
            raise SpeechlessError
        case "groups its end":
            raise BaseExceptionGroup("two", [SystemExit(1), ValueError("one")])
        case "raises a group":
            raise ExceptionGroup("many", [ValueError("one"), ValueError("two")])
        case "hangs":
            await asyncio.Event().wait()
        case "cancels itself":
            raise asyncio.CancelledError
        case "is huge":
            return "x" * (LARGEST + 1)
        case _:
            return GIFTS[way]
    return ""


@node("test.free", title="Free")
async def free(*, way: Annotated[str, Setting("Way")] = "") -> Annotated[object, Out("thing")]:
    """Give anything at all, of which no type says what it should be."""
    return GIFTS[way]


REGISTRY = Registry((*builtin_types(), node_type_of(hostile), node_type_of(free)))


async def run_hostile(kind: str, way: str, **run: object) -> Ran:
    """Run one node that misbehaves."""
    flow = flow_of({"bad": (kind, {"way": way}, {}, run), "out": "io.flow_output"}, [WIRE[kind]])
    ran = Ran()
    recorder = Recorder(RunId("hostile"), MemorySink(ran.entries.append))
    tools = RunTools(
        REGISTRY, recorder, OpenGate(), lambda _: pytest.fail("no chats"), NoPeople(), Outside(Path())
    )
    ran.outcome = await asyncio.wait_for(execute(RunSpec(RunId("hostile"), flow, {}), tools), 20)
    return ran


WIRE = {"test.hostile": "bad.text -> out.value", "test.free": "bad.thing -> out.value"}


def assert_failed(ran: Ran, words: str) -> None:
    """The step has one end, the run says which step it was, and nothing else happened."""
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "bad"
    assert words in ran.outcome.error.message
    assert ran.events("bad")[-1] == "step_failed"
    assert ran.events("bad").count("step_failed") == 1
    assert ran.entries[-1].event.kind == "run_failed"
    assert ran.events("out") == []


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("raises", "ZeroDivisionError"),
        ("raises a group", "ValueError: one"),
        ("cancels itself", "was cancelled"),
        ("leaves", "SystemExit"),
        ("leaves later", "SystemExit"),
        ("interrupts", "KeyboardInterrupt"),
        ("closes itself", "GeneratorExit"),
        ("stops itself", "StopAsyncIteration"),
        ("is speechless", "SpeechlessError"),
        ("groups its end", "ValueError: one"),
        ("a number", "Expected `text`, got a number"),
        ("a thing", "Expected `text`, got `Odd`"),
        ("endless", "Expected `text`, got a list"),
        ("bytes", "Expected `text`"),
        ("a generator", "Expected `text`"),
        ("is huge", "larger than"),
    ],
)
async def test_what_a_node_should_not_do_fails_its_step(way: str, words: str) -> None:
    assert_failed(await run_hostile("test.hostile", way), words)


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("a thing", "cannot be written as JSON"),
        ("endless", "nested"),
        ("deep", "nested"),
        ("not a number", "not a JSON number"),
        ("bytes", "cannot be written as JSON"),
        ("a generator", "cannot be written as JSON"),
    ],
)
async def test_what_json_cannot_say_leaves_no_node_whatever_its_type(way: str, words: str) -> None:
    assert_failed(await run_hostile("test.free", way), words)


async def test_a_node_that_hangs_ends_at_its_time_limit() -> None:
    assert_failed(await run_hostile("test.hostile", "hangs", time_limit=0.02), "time limit")


async def test_what_a_misbehaving_node_left_can_be_replaced_by_a_default() -> None:
    ran = await run_hostile("test.hostile", "a thing", on_error="default", default={"text": "instead"})
    assert ran.outputs == {"out": "instead"}


GIVEN: list[object] = ["given"]


@node("test.vandal", title="Vandal")
def vandal(
    things: Annotated[Any, In("A list")], *, when: Annotated[str, Setting("When")] = "at once"
) -> Annotated[Any, Out("things")]:
    """Change what was given, which others read as well; or give it on, and change it when asked again."""
    if when == "at once":
        things.append("spoiled")
        things[0] = {"spoiled": True}
    GIVEN.append(things)
    return things


@node("test.list", title="List")
def a_list() -> Annotated[Any, Out("things")]:
    """Give a list with a list in it."""
    return [["inner"], {"deep": ["er"]}]


@node("test.late", title="Late")
def late(things: Annotated[Any, In("A list")]) -> Annotated[Any, Out("things")]:
    """Change what the first vandal kept."""
    kept: Any = GIVEN[-1]
    kept.append("spoiled late")
    kept[1]["deep"].append("spoiled late")
    return list(things)


@node("test.eraser", title="Eraser")
def eraser(*, words: Annotated[list[str], Setting("Words")] = []) -> Annotated[Any, Out("things")]:  # noqa: B006
    """Change a setting."""
    words.append("spoiled")
    return words


@node("test.reader", title="Reader")
def reader(context: Context) -> Annotated[Any, Out("things")]:
    """Change what was read in a run variable."""
    kept: Any = context.state.read("kept")
    kept[1]["deep"].append("spoiled")
    return kept


@node("test.parent", title="Parent")
async def parent(*, grace: Annotated[int, Setting("Turns")] = 3) -> Annotated[str, Out("text")]:
    """Leave tasks behind: one that ends, one that fails, one that never ends."""

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ZeroDivisionError

    LEFT.extend(
        [
            asyncio.ensure_future(asyncio.sleep(0)),
            asyncio.ensure_future(fail()),
            asyncio.ensure_future(_hang()),
        ]
    )
    for _ in range(grace):
        await asyncio.sleep(0)
    return "done"


async def _hang() -> None:
    await asyncio.get_running_loop().create_future()


LEFT: list[asyncio.Future[None]] = []
MORE = Registry((*REGISTRY, *(node_type_of(one) for one in (vandal, a_list, late, eraser, reader, parent))))


async def run_flow(nodes: dict[str, Any], wires: list[str]) -> Ran:
    """Run a flow of such nodes."""
    ran = Ran()
    recorder = Recorder(RunId("hostile"), MemorySink(ran.entries.append))
    tools = RunTools(
        MORE, recorder, OpenGate(), lambda _: pytest.fail("no chats"), NoPeople(), Outside(Path())
    )
    flow = flow_of(nodes, wires)
    ran.outcome = await asyncio.wait_for(execute(RunSpec(RunId("hostile"), flow, {}), tools), 20)
    return ran


WHOLE = [["inner"], {"deep": ["er"]}]


async def test_a_node_that_changes_what_it_was_given_changes_it_for_nobody_else() -> None:
    ran = await run_flow(
        {"a": "test.list", "bad": "test.vandal", "b": "io.flow_output", "c": "io.flow_output"},
        ["a.things -> bad.things", "bad.things -> c.value", "a.things -> b.value", "bad.then -> b.after"],
    )
    assert ran.outputs["b"] == WHOLE
    assert ran.state.steps[StepId("bad")].inputs["things"].data == WHOLE
    assert ran.state.steps[StepId("a")].outputs["things"].data == WHOLE


async def test_what_a_node_gave_stays_as_it_was_whoever_changes_it_later() -> None:
    ran = await run_flow(
        {
            "a": "test.list",
            "bad": ("test.vandal", {"when": "later"}),
            "late": "test.late",
            "b": "io.flow_output",
            "c": "io.flow_output",
        },
        [
            "a.things -> bad.things",
            "bad.things -> late.things",
            "bad.things -> b.value",
            "a.things -> c.value",
            "late.then -> b.after",
            "late.then -> c.after",
        ],
    )
    assert ran.outputs == {"b": WHOLE, "c": WHOLE}
    assert ran.state.steps[StepId("bad")].outputs["things"].data == WHOLE


async def test_a_node_that_changes_a_setting_finds_it_as_it_was_in_every_round_and_run() -> None:
    flow = {"bad": ("test.eraser", {"words": ["kept"]}), "b": "io.flow_output"}
    ran = [await run_flow(flow, ["bad.things -> b.value"]) for _ in range(2)]
    assert [one.outputs for one in ran] == [{"b": ["kept", "spoiled"]}] * 2
    looped = {
        "start": ("value.json", {"value": ["go"]}),
        "rounds": ("control.loop", {"max_rounds": 2}),
        "bad": ("test.eraser", {"words": ["kept"]}),
        "b": "io.flow_output",
    }
    wires = ["start.value -> rounds.start", "rounds.round -> bad.after", "bad.things -> rounds.again"]
    twice = await run_flow(looped, [*wires, "rounds.history -> b.value"])
    assert twice.outputs == {"b": [["kept", "spoiled"]] * 2}


async def test_a_node_that_changes_what_it_read_in_a_variable_changes_it_for_nobody_else() -> None:
    ran = await run_flow(
        {
            "a": "test.list",
            "set": ("value.state_set", {"name": "kept"}),
            "bad": "test.reader",
            "get": ("value.state_get", {"name": "kept"}),
            "b": "io.flow_output",
        },
        [
            "a.things -> set.value",
            "set.then -> bad.after",
            "bad.then -> get.after",
            "get.value -> b.value",
        ],
    )
    assert ran.outputs == {"b": WHOLE}
    assert ran.state.variables.known["kept"].data == WHOLE


async def test_tasks_that_a_node_leaves_behind_harm_nobody(
    recwarn: pytest.WarningsRecorder,
) -> None:
    ran = await run_flow({"bad": "test.parent", "out": "io.flow_output"}, ["bad.text -> out.value"])
    assert ran.outputs == {"out": "done"}
    assert not recwarn.list
    for one in LEFT:
        one.cancel()
    await asyncio.gather(*LEFT, return_exceptions=True)
