"""A node that misbehaves ends its step with a clear error, and the run in a defined state."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

import pytest

from studio.app.catalog import builtin_types
from studio.ids import RunId
from studio.runtime.gate import OpenGate
from studio.runtime.people import NoPeople
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.run import RunSpec, RunTools, execute
from studio.runtime.values import LARGEST
from studio.sdk import Out, Setting, node
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from tests.runtime.bench import Ran, flow_of

ENDLESS: list[object] = []
ENDLESS.append(ENDLESS)


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
async def hostile(*, way: Annotated[str, Setting("Way")] = "") -> Annotated[str, Out("text")]:
    """Do what a node should not."""
    match way:
        case "raises":
            raise ZeroDivisionError
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
    tools = RunTools(REGISTRY, recorder, OpenGate(), lambda _: pytest.fail("no chats"), NoPeople(), Path())
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
        ("a thing", "cannot be said in JSON"),
        ("endless", "nested"),
        ("deep", "nested"),
        ("not a number", "no number"),
        ("bytes", "cannot be said in JSON"),
        ("a generator", "cannot be said in JSON"),
    ],
)
async def test_what_json_cannot_say_leaves_no_node_whatever_its_type(way: str, words: str) -> None:
    assert_failed(await run_hostile("test.free", way), words)


async def test_a_node_that_hangs_ends_at_its_time_limit() -> None:
    assert_failed(await run_hostile("test.hostile", "hangs", time_limit=0.02), "time limit")


async def test_what_a_misbehaving_node_left_can_be_replaced_by_a_default() -> None:
    ran = await run_hostile("test.hostile", "a thing", on_error="default", default={"text": "instead"})
    assert ran.outputs == {"out": "instead"}
