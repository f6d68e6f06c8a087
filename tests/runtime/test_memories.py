"""Memories in a run: who sees a write and when, what is saved, and what goes back to an earlier run."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from studio.ids import RunId, StepId
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.takeover import forked, replayed, resumed
from studio.runtime.state.run_memories import RunMemories
from studio.sdk.item_layers import PlainMemory, Write
from studio.sdk.items import Item, MemoryPlace
from studio.trace.differences.compare import first_difference
from studio.trace.events import MemoryOpened, MemoryRead, MemoryUnsaved, MemoryWritten
from studio.trace.events.run import Origin
from studio.trace.events.values import Shown
from studio.trace.redact import Redactor
from tests.runtime.bench import REGISTRY, Ran, flow_of, run


class Shelf:
    """Memories of a project that notes what it is asked; implements `MemoryStores`."""

    def __init__(self, *items: Item, refusal: str = "") -> None:
        self.items = items
        self.refusal = refusal
        self.opened: list[tuple[str, int | None]] = []
        self.saved: dict[str, list[tuple[str, str]]] = {}
        self.texts: list[str] = []
        self.threads: set[int] = set()

    def open(self, place: MemoryPlace, *, run: str, version: int | None = None) -> PlainMemory:
        del run
        self.opened.append((place.name, version))
        self.threads.add(threading.get_ident())
        shelf = self

        class OnShelf(PlainMemory):
            version = 7 if place.keep == "project" else 0

            def save(self, key: str, writes: Sequence[Write]) -> str:
                if not shelf.refusal:
                    shelf.saved[key] = [(one.operation, one.item.id) for one in writes]
                    shelf.texts += [one.item.text for one in writes]
                return shelf.refusal

        return OnShelf(self.items if place.keep == "project" else ())


def notes(keep: str = "run", **settings: object) -> tuple[str, dict[str, object]]:
    return "memory.notes", {"name": "board", "keep": keep, **settings}


def put(key: str, text: str) -> tuple[str, dict[str, object], dict[str, object]]:
    return "memory.remember", {}, {"texts": [text], "fields": {"key": key}}


def written(ran: Ran) -> dict[str, str]:
    """What the fold says that the run made of the memory."""
    return {
        key: str(write.item.data["text"])
        for key, write in ran.state.memories.written["board"].items()
        if write.operation == "put"
    }


def read_by(ran: Ran, step: str) -> list[str]:
    """The ids of what a step was given, in its last recall."""
    found = [one.event for one in ran.entries if one.step == step and isinstance(one.event, MemoryRead)]
    return [str(one.data["id"]) for one in found[-1].found]


TWO: Mapping[str, Any] = {
    "board": notes(),
    "put": put("plan", "go to the pond"),
    "ask": "memory.recall",
    "out": "io.flow_output",
}
TWO_WIRES = [
    "board.memory -> put.memory",
    "board.memory -> ask.memory",
    "put.then -> ask.after",
    "ask.text -> out.value",
]


def map_of(at_once: int, *extra: str, **nodes: object) -> tuple[Mapping[str, Any], list[str]]:
    """Three items that each remember what they are, having looked what is there."""
    made: dict[str, Any] = {
        "list": ("value.json", {"value": ["a", "b", "c"]}),
        "each": ("control.for_each", {"at_once": at_once}),
        "board": notes(),
        "look": "memory.recall",
        "put": "memory.remember",
        "ask": "memory.recall",
        "all": "control.collect",
        "kept": "io.flow_output",
        "out": "io.flow_output",
        **nodes,
    }
    wires = [
        "list.value -> each.items",
        "board.memory -> look.memory",
        "board.memory -> put.memory",
        "board.memory -> ask.memory",
        "each.item -> put.texts[0]",
        "each.index -> look.after",
        "look.then -> put.after",
        "look.text -> all.value",
        "all.values -> kept.value",
        "all.then -> ask.after",
        "ask.text -> out.value",
        *extra,
    ]
    return made, [one for one in wires if one.split(".")[0] in made]


async def test_what_one_step_remembers_another_recalls_that_comes_after_it() -> None:
    ran = await run(flow_of(TWO, TWO_WIRES))
    assert ran.outputs == {"out": "go to the pond"}
    assert written(ran) == {"plan": "go to the pond"}
    assert ran.events("put")[-2:] == ["memory_written", "step_finished"]
    assert ran.events("ask")[-2:] == ["memory_read", "step_finished"]
    [opened] = [one.event for one in ran.entries if isinstance(one.event, MemoryOpened)]
    assert (opened.memory, opened.sort, opened.keep) == ("board", "memory.notes", "run")


async def test_labels_go_into_a_memory_and_come_back(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("owl", "utf-8")
    nodes = {**TWO, "read": ("io.read_file", {"file": "a.txt"}), "put": "memory.remember"}
    ran = await run(flow_of(nodes, [*TWO_WIRES, "read.text -> put.texts[0]"]), root=tmp_path)
    assert ran.outputs == {"out": "owl"}
    assert "file" in ran.state.outputs["out"].labels


@pytest.mark.parametrize(("at_once", "seen"), [(3, [0, 0, 0]), (1, [0, 1, 2])])
async def test_items_at_once_see_what_was_there_before_them_and_items_in_turn_each_other(
    at_once: int, seen: list[int]
) -> None:
    ran = await run(flow_of(*map_of(at_once)))
    assert [len(read_by(ran, f"each.{n}/look")) for n in range(3)] == seen
    assert list(written(ran).values()) == ["a", "b", "c"]
    assert len(read_by(ran, "ask")) == 3


async def test_a_step_that_fails_leaves_nothing_behind() -> None:
    nodes: dict[str, Any] = {
        **TWO,
        "put": ("memory.remember", {}, {"texts": ["x"], "fields": {"key": 1}}, {"on_error": "output"}),
    }
    ran = await run(flow_of(nodes, TWO_WIRES))
    assert ran.outputs == {"out": ""}
    assert written(ran) == {}


async def test_a_replay_is_given_what_was_read_and_needs_no_memory() -> None:
    shelf = Shelf(Item("old", "an old note", {"key": "old"}))
    flow = flow_of({**TWO, "board": notes("project")}, TWO_WIRES)
    first = await run(flow, memories=shelf)
    assert set(read_by(first, "ask")) == {"plan", "old"}
    past = replayed(first.entries, flow, REGISTRY)
    empty = Shelf()
    again = await run(flow, memories=empty, past=past, forked_from=Origin("bench"))
    assert first_difference(first.entries, again.entries) is None
    assert again.outputs == first.outputs
    assert empty.saved == {}


async def test_what_took_effect_is_saved_under_the_step_that_wrote_it() -> None:
    shelf = Shelf()
    ran = await run(flow_of({**TWO, "board": notes("project")}, TWO_WIRES), memories=shelf)
    assert shelf.saved == {"bench/put": [("put", "plan")]}
    assert not [one for one in ran.entries if isinstance(one.event, MemoryUnsaved)]


async def test_a_memory_of_the_run_is_saved_nowhere() -> None:
    shelf = Shelf()
    await run(flow_of(TWO, TWO_WIRES), memories=shelf)
    assert shelf.saved == {}


async def test_what_cannot_be_saved_is_told_and_the_run_goes_on() -> None:
    shelf = Shelf(refusal="The disk is full.")
    ran = await run(flow_of({**TWO, "board": notes("project")}, TWO_WIRES), memories=shelf)
    assert ran.outputs == {"out": "go to the pond"}
    [unsaved] = [one.event for one in ran.entries if isinstance(one.event, MemoryUnsaved)]
    assert unsaved.reason.startswith("The disk is full.")
    assert ran.entries[-1].event.kind == "run_finished"
    assert written(ran) == {"plan": "go to the pond"}


async def test_a_fork_sees_the_memory_as_it_was_at_its_step_and_saves_nothing() -> None:
    nodes = {
        **TWO,
        "board": notes("project"),
        "later": put("plan", "stay at home"),
    }
    flow = flow_of(nodes, [*TWO_WIRES, "board.memory -> later.memory", "ask.then -> later.after"])
    shelf = Shelf(Item("old", "an old note", {"key": "old"}))
    first = await run(flow, memories=shelf)
    assert written(first) == {"plan": "stay at home"}
    past = forked(first.entries, flow, REGISTRY, [Root(StepId("ask"))], is_live=True)
    assert set(past.kept) == {"put"}
    after = Shelf(Item("old", "an old note", {"key": "old"}))
    fork = await run(flow, memories=after, past=past, forked_from=Origin("bench", "ask"))
    assert after.opened == [("board", 7)]
    assert set(read_by(fork, "ask")) == {"old", "plan"}
    assert fork.outputs == first.outputs
    assert after.saved == {}


async def test_what_read_a_memory_runs_again_when_what_it_read_is_written_anew() -> None:
    flow = flow_of(TWO, TWO_WIRES)
    first = await run(flow)
    past = forked(first.entries, flow, REGISTRY, [Root(StepId("put"))])
    assert "ask" not in past.kept


async def test_a_run_that_goes_on_has_what_it_remembered_and_saves_it_under_the_same_name() -> None:
    flow = flow_of({**TWO, "board": notes("project")}, TWO_WIRES)
    shelf = Shelf()
    first = await run(flow, memories=shelf)
    over = [one.step == "put" and one.event.kind == "step_finished" for one in first.entries]
    entries = first.entries[: over.index(True) + 1]
    past, _ = resumed(entries, flow, REGISTRY)
    again = Shelf()
    ran = await run(flow, memories=again, past=past, goes_on=True)
    assert ran.outputs == {"out": "go to the pond"}
    assert again.saved == shelf.saved
    assert again.opened == [("board", 7)]
    assert not [one for one in ran.entries if isinstance(one.event, MemoryOpened)]


async def test_two_kinds_of_memory_under_one_name_are_refused() -> None:
    nodes = {**TWO, "other": ("memory.window", {"name": "board"})}
    wires = [one for one in TWO_WIRES if one != "board.memory -> ask.memory"]
    flow = flow_of(nodes, [*wires, "other.memory -> ask.memory"])
    ran = await run(flow)
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert "`board` is `memory.notes`" in ran.outcome.error.message


async def test_what_an_item_wrote_that_failed_is_dropped() -> None:
    nodes, wires = map_of(
        3,
        "each.index -> odd.index",
        "put.then -> odd.after",
        "odd.value -> all.value",
        odd=("value.formula", {"formula": "1 / (index - 1)"}),
        all=("control.collect", {"failed": "drop"}),
    )
    wires.remove("look.text -> all.value")
    ran = await run(flow_of(nodes, wires))
    assert list(written(ran).values()) == ["a", "c"]
    assert len(read_by(ran, "ask")) == 2


async def test_a_replay_of_a_map_and_a_fork_of_one_item_keep_what_others_wrote() -> None:
    flow = flow_of(*map_of(3))
    first = await run(flow)
    again = await run(flow, past=replayed(first.entries, flow, REGISTRY), forked_from=Origin("bench"))
    assert first_difference(first.entries, again.entries) is None
    past = forked(first.entries, flow, REGISTRY, [Root(StepId("each.1/put"))], is_live=True)
    fork = await run(flow, past=past, forked_from=Origin("bench", "each.1/put"))
    assert "each.0/put" in past.kept
    assert list(written(fork).values()) == ["a", "b", "c"]
    assert len(read_by(fork, "ask")) == 3


async def test_nothing_is_saved_before_the_run_has_it_on_disk_and_then_without_keys() -> None:
    on_disk = asyncio.Event()

    class SlowSink(MemorySink):
        async def committed(self) -> None:
            await on_disk.wait()

    shelf, key = Shelf(), "sk-abcdefghijklmnop0123456789"
    recorder = Recorder(RunId("r"), SlowSink(lambda _: None), redact=Redactor().event)
    place = MemoryPlace("board", "memory.notes", "project")
    async with aclosing(RunMemories(shelf, recorder, RunId("r"))) as memories:
        await memories.open(place)
        written = MemoryWritten("board", "put", Shown({"id": "a", "text": f"The key is {key}."}))
        memories.save("put", [written])
        await asyncio.sleep(0)
        assert shelf.saved == {}
        on_disk.set()
    assert shelf.saved == {"r/put": [("put", "a")]}
    assert shelf.texts == ["The key is [hidden]."]


async def test_a_run_that_goes_on_reads_the_file_of_a_memory_on_a_thread_of_its_own() -> None:
    nodes = {**TWO, "board": notes("project")}
    stop = ("value.formula", {"formula": "1 / 0"})
    first = await run(flow_of({**nodes, "stop": stop}, [*TWO_WIRES, "ask.then -> stop.after"]))
    past, _ = resumed(first.entries, flow_of(nodes, TWO_WIRES), REGISTRY)
    shelf = Shelf()
    await run(flow_of(nodes, TWO_WIRES), past=past, memories=shelf, goes_on=True)
    assert shelf.opened == [("board", 0)]
    assert shelf.threads.isdisjoint({threading.get_ident()})


async def test_halves_of_characters_reach_no_memory() -> None:
    ran = await run(flow_of({**TWO, "put": put("plan", "a \ud83d")}, TWO_WIRES))
    assert written(ran) == {"plan": "a \ufffd"}
    assert ran.outputs == {"out": "a \ufffd"}


async def test_what_is_forgotten_and_remembered_again_is_the_youngest_in_the_trace_as_well() -> None:
    nodes: dict[str, Any] = {
        "board": notes(),
        "one": put("a", "owl"),
        "two": put("b", "wren"),
        "gone": ("memory.forget", {}, {"ids": ["a"]}),
        "again": put("a", "heron"),
        "out": "io.flow_output",
    }
    order = ["one", "two", "gone", "again"]
    wires = [f"board.memory -> {name}.memory" for name in order]
    wires += [f"{one}.then -> {other}.after" for one, other in pairwise(order)]
    ran = await run(flow_of(nodes, [*wires, "again.items -> out.value"]))
    assert written(ran) == {"b": "wren", "a": "heron"}
    assert list(written(ran)) == ["b", "a"]
