"""Items that a person writes: the ids that their kinds of memory give them, and their vectors."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from studio.building_blocks.memories.embeddings import embedded_vectors, made_by
from studio.building_blocks.memories.triples import read_triple
from studio.errors import ToolError, UsageError
from studio.flow.records import Json
from studio.sdk.items import Item

NAMED: Mapping[str, str] = {"memory.notes": "key", "memory.files": "path"}
"""The kinds whose items have a name of their own, which is their id, and what that is called."""
WITH_VECTORS = frozenset({"memory.vector", "memory.stream", "memory.experience"})
"""The kinds whose items are found by vectors."""

MOST_IMPORTANT = 10


def written_item(kind: str, before: Item | None, text: str, data: Mapping[str, Json], by: str) -> Item:
    """Make the item that somebody wrote, in the place of `before`; raises `UsageError`."""
    fields = dict(data)
    now = datetime.now().astimezone().isoformat()
    if kind in NAMED:
        name = str(fields.pop(NAMED[kind], "")).strip()
        if not name:
            raise UsageError(f"It has no {NAMED[kind]}.", hint=f"Give it a {NAMED[kind]}.")
        return Item(name, text, fields, now, by)
    if kind == "memory.graph":
        try:
            triple = read_triple(fields)
        except ToolError as error:
            raise UsageError(error.message, hint=error.hint) from error
        return Item(triple.id, triple.text, fields, now, by)
    item_id = before.id if before is not None else secrets.token_hex(6)
    if kind == "memory.experience":
        _check_try(fields)
        fields.setdefault("cluster", item_id)
    if kind == "memory.stream":
        _check_event(fields)
        fields.setdefault("type", "event")
    return Item(item_id, text, fields, before.at if before is not None else now, by)


def _check_try(fields: Mapping[str, Json]) -> None:
    score = fields.get("score")
    if not fields.get("action") or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise UsageError(
            "It does not say what was tried and how it turned out.",
            hint="Set an `action`, and a `score` from 0 (failed) to 1 (worked).",
        )


def _check_event(fields: Mapping[str, Json]) -> None:
    importance = fields.get("importance")
    if not isinstance(importance, int | float) or not 1 <= importance <= MOST_IMPORTANT:
        raise UsageError(
            "It does not say how important it is.", hint="Set an `importance`, a number from 1 to 10."
        )


def with_vectors(kind: str, items: Sequence[Item]) -> Sequence[Item]:
    """Give vectors to items that lack them, where their kind finds by vectors that are made here.

    Items whose vectors a chat profile makes stay without, and do not say that they have one: they are found
    by words until the next step that remembers something has it made.
    """
    if kind not in WITH_VECTORS:
        return items
    own = made_by("embedded")
    lacking = [one for one in items if not one.vector and one.data.get("embedded_by", own) == own]
    made = dict(
        zip([one.id for one in lacking], embedded_vectors([one.text for one in lacking]), strict=True)
    )
    return [_as_embedded(one, made.get(one.id, b""), own) for one in items]


def _as_embedded(item: Item, vector: bytes, by: str) -> Item:
    if item.vector:
        return item
    data = {name: value for name, value in item.data.items() if name != "embedded_by"}
    return replace(item, vector=vector, data={**data, "embedded_by": by} if vector else data)
