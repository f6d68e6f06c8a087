"""The node types of tests of scripts: the library, those of the engine's tests, a memory of words."""

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any
from unittest.mock import patch

from studio.script import nodes as script_nodes
from studio.sdk import (
    Context,
    In,
    Items,
    Json,
    Keep,
    Memory,
    MemoryPlace,
    Note,
    Out,
    Query,
    Recalled,
    Setting,
    StepError,
    T,
    Tool,
    ToolError,
    Yields,
    binding,
    node,
)
from studio.sdk.node import NodeType, node_type_of, node_types_in
from studio.sdk.registry import Registry
from studio.sdk.testing import word_memory
from tests.reference.probes import PROBES
from tests.runtime.provider import lookup


@binding("test.words", title="A memory that finds by words", lends="memory")
async def lend_words(
    context: Context,
    *,
    name: Annotated[str, Setting("Name")] = "",
    keep: Annotated[Keep, Setting("Keep")] = "run",
) -> Yields[Memory]:
    """Lend it; its items are numbered."""
    place = MemoryPlace(name or context.node, "test.words", keep)

    yield word_memory(place.name, place)


@node("test.notes", title="Put notes into a memory")
async def put_notes(
    context: Context,
    memory: Annotated[Memory, In("The memory")],
    *,
    notes: Annotated[Json, Setting("Notes", editor="json")] = None,
) -> Annotated[float, Out("count")]:
    """Put `notes` into `memory`."""
    given: Any = notes or ()
    made = [Note(str(one["text"]), one.get("fields", {}), str(one.get("by", ""))) for one in given]
    return len(await memory.remember(context, made))


@node("test.query", title="Ask a memory")
async def ask_memory(
    context: Context,
    memory: Annotated[Memory, In("The memory")],
    *,
    query: Annotated[Json, Setting("Query", editor="json")] = None,
) -> Annotated[list[str], Out("texts")]:
    """Ask `memory`, and give the texts of what it finds."""
    said: Any = query or {}
    asked = Query(
        str(said.get("text", "")),
        int(said.get("most", 0)),
        int(said.get("tokens", 0)),
        str(said.get("by", "")),
        said.get("fields", {}),
    )
    return [one.item.text for one in await memory.recall(context, asked)]


@node("test.scribe", title="Writes and counts what is there")
async def scribe(
    one: Annotated[str, In("What is noted")],
    context: Context,
    memory: Annotated[Memory, In("The memory")],
    *,
    name: Annotated[str, Setting("Name")] = "",
    fails_on: Annotated[str, Setting("Fails on this, having written it")] = "",
    forgets: Annotated[str, Setting("What it takes out")] = "",
    seconds: Annotated[float, Setting("Seconds that it takes")] = 0,
) -> Annotated[str, Out("text")]:
    """Say what was there before, note what came, and say what is there now; how long that takes varies."""
    kept = context.memory(memory.place)
    before = kept.read("all", everything)
    await memory.remember(context, [Note(f"{one} of {name}")])
    if seconds:
        await context.sleep(seconds)
    if fails_on == one:
        raise StepError(f"{one} is not to be noted.")
    for found in kept.read(forgets, everything, purpose="upkeep") if forgets else ():
        if forgets in found.item.text:
            kept.remove(found.item.id, "forgotten")
    after = kept.read("all", everything)
    return f"{told(before)} -> {told(after)}"


@node("test.keeper", title="Remembers what passes")
async def keeper(
    value: Annotated[T, In("What passes")],
    context: Context,
    memory: Annotated[Memory, In("The memory")],
) -> Annotated[T, Out("value")]:
    """Note in `memory` that `value` passed, and how much had before."""
    before = context.memory(memory.place).read("all", everything)
    said = value if isinstance(value, str) else "something"
    await memory.remember(context, [Note(f"{said} after {len(before)}")])
    return value


@node("test.count", title="Counts")
async def count(most: Annotated[float, In("How far")]) -> Annotated[list[float], Out("numbers")]:
    """Give the numbers to `most`, which may not be 0."""
    if not most:
        raise StepError("There is nothing to count.")
    return [float(one) for one in range(1, int(most) + 1)]


@node("test.spell", title="Spells")
async def spell(most: Annotated[float, In("How far")]) -> Annotated[list[str], Out("words")]:
    """Give as many words, of which there must be one."""
    return [f"word {one:g}" for one in await count(most)]


@node("test.tell", title="Tells words")
async def tell(
    name: Annotated[str, In("Who tells them")], words: Annotated[list[str], In("The words")]
) -> Annotated[str, Out("text")]:
    """Say who tells what."""
    return f"{name}: {', '.join(words)}"


def everything(items: Items) -> Sequence[Recalled]:
    """All there is."""
    return [Recalled(one) for one in items.all()]


def told(found: Sequence[Recalled]) -> str:
    """Say what was found."""
    return ", ".join(f"{one.item.text} ({one.item.by})" for one in found)


@binding("test.lent", title="A tool of an example")
async def lent(
    *,
    name: Annotated[str, Setting("Name")] = "",
    argument: Annotated[str, Setting("Argument")] = "",
    answers: Annotated[str, Setting("Answer")] = "",
    fails: Annotated[str, Setting("What it fails with, if it does")] = "",
) -> Yields[Tool]:
    """Lend a tool that always says the same."""

    async def run(arguments: Mapping[str, object]) -> str:
        assert argument in arguments
        if fails:
            raise ToolError(fails)
        return answers

    parameters = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
    yield Tool(name, "", parameters, run)


MAY_GIVE_NOTHING = frozenset({"test.probe"})
"""Kinds whose function may give None at an output, though their annotation does not say so."""


def _said(kind: NodeType) -> NodeType:
    if kind.kind not in MAY_GIVE_NOTHING:
        return kind
    return replace(kind, outputs=tuple(replace(port, required=False) for port in kind.outputs))


KINDS = Registry(
    [*(_said(kind) for kind in PROBES), *node_types_in(sys.modules[__name__]), node_type_of(lookup)]
)
"""All of them."""


@contextmanager
def kinds_of(registry: Registry) -> Generator[None]:
    """Have scripts know the node types of a registry."""
    files: Mapping[str, NodeType] = {kind.kind: kind for kind in registry}
    with (
        patch.object(script_nodes, "builtin_files", lambda: files),
        patch("studio.script.written_flow.registry", lambda: registry),
    ):
        script_nodes.kinds_by_name.cache_clear()
        script_nodes.function_of.cache_clear()
        try:
            yield
        finally:
            script_nodes.kinds_by_name.cache_clear()
            script_nodes.function_of.cache_clear()
