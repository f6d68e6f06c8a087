"""Memories: what takes effect when, and for whom."""

from collections.abc import Mapping
from typing import Any

from studio.flow.records import Flow
from tests.export.equality import Row
from tests.runtime.bench import flow_of

OUT = "io.flow_output"
BIRDS = ["owl", "wren", "heron", "tit"]
GIVEN: dict[str, Any] = {"words": ("value.json", {"value": BIRDS})}


def mapped(at_once: int, failed: str = "drop", **scribe: Any) -> Flow:
    """Items that note themselves in a memory, and then a step that looks."""
    return flow_of(
        {
            **GIVEN,
            "birds": "test.words",
            "each": ("control.for_each", {"at_once": at_once}),
            "scribe": ("test.scribe", {"name": "each", **scribe}),
            "all": ("control.collect", {"failed": failed}),
            "last": ("test.scribe", {"name": "last"}, {"one": "robin"}),
            "out": OUT,
            "also": OUT,
        },
        [
            "words.value -> each.items",
            "each.item -> scribe.one",
            "birds.memory -> scribe.memory",
            "scribe.text -> all.value",
            "all.values -> out.value",
            "all.then -> last.after",
            "birds.memory -> last.memory",
            "last.text -> also.value",
        ],
    )


def row(*names: str, **settings: Any) -> Flow:
    """Steps that note something in a memory, one after the other."""
    nodes: dict[str, Any] = {"birds": "test.words"}
    wires: list[str] = []
    for place, name in enumerate(names):
        nodes[name] = ("test.scribe", {"name": name, **settings}, {"one": BIRDS[place]})
        nodes[f"out_{name}"] = OUT
        wires += [f"birds.memory -> {name}.memory", f"{name}.text -> out_{name}.value"]
        wires += [f"{names[place - 1]}.then -> {name}.after"] if place else []
    return flow_of(nodes, wires)


def evicting() -> Flow:
    """Notes of which items at once recall some, and the one goes that was of use least often."""
    nodes: dict[str, Any] = {
        **GIVEN,
        "board": ("memory.notes", {"most": 4, "evicts": "least used"}),
        "each": "control.for_each",
        "key": ("value.formula", {"formula": '{"key": word}'}),
        "put": ("memory.remember", {}, {"texts": ["sang"]}),
        "again": ("control.for_each", {}),
        "wanted": ("value.formula", {"formula": '{"key": word if word != "heron" else "owl"}'}),
        "look": "memory.recall",
        "all": "control.collect",
        "more": ("memory.remember", {}, {"texts": ["flew"], "fields": {"key": "swift"}}),
        "left": ("memory.recall", {"most": 9}),
        "out": OUT,
    }
    wires = ["words.value -> each.items", "each.item -> key.word", "key.value -> put.fields"]
    wires += ["put.items -> done.value", "done.then -> again.after", "words.value -> again.items"]
    wires += ["again.item -> wanted.word", "wanted.value -> look.fields", "look.items -> all.value"]
    wires += ["all.then -> more.after", "more.then -> left.after", "left.items -> out.value"]
    wires += [f"board.memory -> {name}.memory" for name in ("put", "look", "more", "left")]
    return flow_of({**nodes, "done": "control.collect"}, wires)


FLOWS = {
    "what is of use least often goes": evicting(),
    "steps after one another": row("one", "two", "three"),
    "what one of them forgets": row("one", "two", "three", forgets="wren"),
    "items at once, which see what was there before": mapped(8),
    "items in turn, which see one another": mapped(1),
    "an item that fails, and leaves nothing": mapped(8, fails_on="wren"),
    "one that fails in turn": mapped(1, fails_on="wren"),
    "a failing one that is kept": mapped(2, "keep", fails_on="heron"),
    "a failing one that ends the run": mapped(2, "fail", fails_on="heron"),
}


CALLED: Mapping[str, Flow] = {
    "nested.json": flow_of(
        {
            "birds": "test.words",
            "word": ("io.flow_input", {"type": "text"}),
            "scribe": ("test.scribe", {"name": "inner"}),
            "given": OUT,
        },
        ["birds.memory -> scribe.memory", "word.value -> scribe.one", "scribe.text -> given.value"],
    )
}


def kept() -> Flow:
    """A step that notes a word in a memory that lasts."""
    return flow_of(
        {
            "word": ("io.flow_input", {"type": "text"}),
            "birds": ("test.words", {"name": "Birds & co", "keep": "project"}),
            "one": ("test.scribe", {"name": "it", "forgets": "wren"}),
            "out": OUT,
        },
        ["birds.memory -> one.memory", "word.value -> one.one", "one.text -> out.value"],
    )


CALLING = flow_of(
    {
        "birds": "test.words",
        "one": ("test.scribe", {"name": "one"}, {"one": "owl"}),
        "two": ("control.subflow", {"flow": "nested.json"}, {"word": "wren"}),
        "three": ("control.subflow", {"flow": "nested.json"}, {"word": "tit"}),
        "out": OUT,
        "also": OUT,
    },
    [
        "birds.memory -> one.memory",
        "one.then -> two.after",
        "two.then -> three.after",
        "two.given -> out.value",
        "three.given -> also.value",
    ],
)
FAILING = flow_of(
    {
        "birds": "test.words",
        "one": ("test.scribe", {"fails_on": "owl"}, {"one": "owl"}, {"retries": 1, "on_error": "output"}),
        "two": ("test.scribe", {"name": "two"}, {"one": "wren"}),
        "out": OUT,
    },
    [
        "birds.memory -> one.memory",
        "birds.memory -> two.memory",
        "one.error -> two.after",
        "two.text -> out.value",
    ],
)
ROWS = {
    **{name: Row(flow) for name, flow in FLOWS.items()},
    "an attempt that failed": Row(FAILING),
    "that of a called flow is another than the caller's of the same name": Row(CALLING, flows=CALLED),
}
