"""Notes, triples and files in runs: in maps, in replays, and in forks."""

import json
from pathlib import Path
from typing import Any

from studio.ids import StepId
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.takeover import forked, replayed
from studio.trace.differences.compare import first_difference
from studio.trace.events.memories import MemoryRead, MemoryWritten
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

OUT = "io.flow_output"


def put(*texts: str, **fields: object) -> tuple[str, dict[str, object], dict[str, object]]:
    """A step that remembers."""
    return "memory.remember", {}, {"texts": list(texts), "fields": fields}


def look(query: str = "", **fields: object) -> tuple[str, dict[str, object], dict[str, object]]:
    """A step that recalls."""
    return "memory.recall", {}, {"query": query, "fields": fields}


def of_memories(ran: Ran, kind: type[MemoryRead | MemoryWritten]) -> list[tuple[str, str]]:
    """Which steps looked into memories and what for, or changed which items."""
    return [
        (str(entry.step), event.query if isinstance(event, MemoryRead) else str(event.item.data["id"]))
        for entry in ran.entries
        if isinstance(event := entry.event, kind)
    ]


IN_A_MAP: dict[str, Any] = {
    "board": ("memory.notes", {"permissions": ["puts: write shared", "asks: read *"]}),
    "birds": ("value.json", {"value": ["owl", "tit", "wren"]}),
    "each": ("control.for_each", {"at_once": 3}),
    "puts": ("memory.remember", {}, {"fields": {"key": "shared"}}),
    "sees": ("memory.recall", {}, {"query": "a bird"}),
    "all": "control.collect",
    "asks": ("memory.recall", {}, {"fields": {"key": "shared"}}),
    "out": OUT,
    "in_items": OUT,
}
MAP_WIRES = [
    "birds.value -> each.items",
    "each.item -> puts.texts[0]",
    "board.memory -> puts.memory",
    "board.memory -> sees.memory",
    "board.memory -> asks.memory",
    "puts.then -> sees.after",
    "sees.items -> all.value",
    "all.values -> in_items.value",
    "all.then -> asks.after",
    "asks.text -> out.value",
]


async def test_of_items_that_write_one_note_the_last_in_their_order_stays_and_permissions_hold() -> None:
    flow = flow_of(IN_A_MAP, MAP_WIRES)
    ran = await run(flow)
    assert ran.outputs["out"] == "wren"
    assert ran.outputs["in_items"] == [[], [], []]
    assert [step for step, _ in of_memories(ran, MemoryWritten)] == [f"each.{n}/puts" for n in range(3)]
    again = await run(flow, past=replayed(ran.entries, flow, REGISTRY))
    assert first_difference(ran.entries, again.entries) is None


async def test_what_a_node_may_not_write_fails_its_step_in_words() -> None:
    nodes: dict[str, Any] = {
        "board": ("memory.notes", {"permissions": ["asks: read *"]}),
        "asks": ("memory.remember", {}, {"texts": ["x"], "fields": {"key": "a"}}, {"on_error": "output"}),
        "out": OUT,
    }
    ran = await run(flow_of(nodes, ["board.memory -> asks.memory", "asks.error -> out.value"]))
    assert ran.outputs["out"]["message"] == "`asks` may read the note `a`, but not change it."
    assert of_memories(ran, MemoryWritten) == []


DRAWN: dict[str, Any] = {
    "graph": ("memory.graph", {"triples": "drawn"}),
    "puts": put("Ada wrote the Notes."),
    "more": put("She met Babbage."),
    "asks": look("What of Ada?"),
    "out": OUT,
}
DRAWN_WIRES = [
    "graph.memory -> puts.memory",
    "graph.memory -> more.memory",
    "graph.memory -> asks.memory",
    "puts.then -> more.after",
    "more.then -> asks.after",
    "asks.items -> out.value",
]


async def test_a_replay_draws_the_same_triples_unasked(tmp_path: Path) -> None:
    triples = (["Ada", "wrote", "the Notes"], ["Ada", "met", "Babbage"])
    names = ("subject", "relation", "object")
    rules = [
        {"when": {"last": said}, "reply": {"triples": [dict(zip(names, one, strict=True))]}}
        for said, one in zip(("wrote", "met"), triples, strict=True)
    ]
    answers = tmp_path / "answers.yaml"
    answers.write_text(json.dumps({"rules": rules}), "utf-8")
    flow = flow_of(DRAWN, DRAWN_WIRES)
    ran = await run(flow, script=answers)
    assert [one["text"] for one in ran.outputs["out"]] == ["Ada met Babbage", "Ada wrote the Notes"]
    assert ran.outputs["out"][0]["why"] == "Ada –met→ Babbage"
    again = await run(flow, past=replayed(ran.entries, flow, REGISTRY))
    assert again.outputs == ran.outputs
    assert again.state.tokens == 0
    assert of_memories(again, MemoryRead) == of_memories(ran, MemoryRead)


def rows_of_files(second: str) -> dict[str, Any]:
    """Files that are written one after the other, and all of them."""
    return {
        "files": "memory.files",
        "puts": put("One.", path="a/1.txt"),
        "more": put(second, path="a/2.txt"),
        "asks": look(path="a"),
        "out": OUT,
    }


async def test_a_fork_sees_the_files_as_they_were_at_its_step() -> None:
    wires = [wire.replace("graph", "files") for wire in DRAWN_WIRES]
    ran = await run(flow_of(rows_of_files("Two."), wires))
    assert [one["text"] for one in ran.outputs["out"]] == ["Two.", "One."]
    flow = flow_of(rows_of_files("Three."), wires)
    past = forked(ran.entries, flow, REGISTRY, [Root(StepId("more"))])
    again = await run(flow, past=past)
    assert set(past.kept) == {"puts"}
    assert [one["text"] for one in again.outputs["out"]] == ["Three.", "One."]
