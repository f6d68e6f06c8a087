r"""Notes: a memory of texts under keys, for agents to share.

What is remembered under a key takes the place of what stood there; without a key one is made. A key may have
parts, such as `draft/opening`. Recalling gives the note of a `key` (`*` in it stands for anything), or those
that say words of the query in their key or text, or else the latest.

Above *Max. notes* what is new is refused, or others make room for it, as *When full* says: the oldest, those
that were recalled longest ago or least often, or those of the least `importance`, a number in the fields of
what is remembered. None goes that the writer may not change. Which went, and why, stands in the run.

**Permissions.** Each line is a rule for an agent, by its name, or for a step or an agent without a name, by
the id of its node: `critic: read draft*`, `writer: write *`, `*: none secret*`. The first line that fits both
the name and the key decides, and what no line fits is not permitted; without any line all may do all. Who may
change a note may read it. An agent gets only the tools that it may use, what it may not see is left out of
what it finds, and what else is not permitted is refused in words.

```json
{
  "settings": {"permissions": ["critic: read draft*", "writer: write *"]},
  "remember": [
    {"text": "A dunnock sang in the hedge.", "fields": {"key": "draft/opening"}, "by": "writer"},
    {"text": "Ask Ada about the hedge.", "fields": {"key": "plan"}, "by": "writer"}
  ],
  "recall": {"text": "Who sang in the hedge?", "by": "critic"},
  "outputs": {"memory": ["A dunnock sang in the hedge."]}
}
```
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import AfterValidator

from nodes.memory.notes.access_rules import Permission, Rights, permission_lines, read_permissions
from nodes.memory.notes.tools import note_tools
from studio.building_blocks.memories.capacity import Eviction, note_uses, put_within
from studio.building_blocks.memories.word_search import found_by_words, latest, within
from studio.building_blocks.settings.memories import KeptIn, MemoryName, WhenFull
from studio.building_blocks.settings.tools import ToolPrefix
from studio.building_blocks.values.json_kinds import is_list
from studio.sdk import (
    Context,
    Item,
    Items,
    Json,
    Memory,
    MemoryPlace,
    Note,
    Query,
    Recalled,
    Setting,
    Tool,
    ToolError,
    Yields,
    binding,
)

LONGEST_KEY = 200
"""Characters of a key."""


@binding(
    "memory.notes",
    title="Notes",
    lends="memory",
    keywords=("blackboard", "key", "value", "scratchpad", "shared", "permissions"),
)
async def notes(
    context: Context,
    *,
    name: MemoryName = "",
    keep: KeptIn = "run",
    permissions: Annotated[
        tuple[str, ...],
        Setting(
            "Permissions",
            editor="list",
            help="One rule per line, such as critic: read draft*; empty: no restrictions",
        ),
        AfterValidator(permission_lines),
    ] = (),
    most: Annotated[int, Setting("Max. notes", minimum=1, maximum=100_000)] = 10_000,
    longest: Annotated[int, Setting("Max. characters", minimum=1, help="Per note")] = 20_000,
    gives: Annotated[int, Setting("Notes recalled", minimum=1, maximum=1000)] = 8,
    evicts: WhenFull = "refuse",
    prefix: ToolPrefix = "",
) -> Yields[Memory]:
    """Lend the notes."""
    place = MemoryPlace(name or context.node, "memory.notes", keep)
    kept = Notes(place, read_permissions(permissions), most, longest, gives, prefix, evicts)
    yield Memory(place, kept.recall, kept.remember, kept.forget, kept.tools, description=DESCRIPTION)


DESCRIPTION = "Notes under keys, found by key or by words."


@dataclass(frozen=True)
class Notes:
    """The notes of one memory, as its rules permit."""

    place: MemoryPlace
    permissions: Sequence[Permission]
    most: int
    longest: int
    gives: int
    prefix: str
    evicts: Eviction = "refuse"

    async def recall(self, context: Context, query: Query) -> Sequence[Recalled]:
        """Find notes by key, by words, or the latest."""
        rights = Rights(self.permissions, query.by or context.node)
        key = key_in(query.fields)
        if key and "*" not in key:
            rights.demand("read", key, "note")

        def search(items: Items) -> Sequence[Recalled]:
            """Look among those that may be read."""
            found = (one for one in matching(items, query.text, key) if rights.may_read(one.item.id))
            return within(found, query.most or self.gives, query.tokens)

        found = context.memory(self.place).read(asked(query.text, key), search)
        note_uses(context, self.place, found, self.evicts)
        return found

    async def remember(self, context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        """Write notes; a value that is no text is written as JSON."""
        made: list[Item] = []
        writers = [Rights(self.permissions, one.by or context.node) for one in notes]

        def may_go(item: Item) -> bool:
            """Whether all who write may change it."""
            return all(rights.may_write(item.id) for rights in writers)

        for note in notes:
            by = note.by or context.node
            key = key_in(note.fields) or f"note_{context.random().getrandbits(48):012x}"
            check_key(key)
            Rights(self.permissions, by).demand("write", key, "note")
            item = Item(key, *written(key, note), at=context.now().isoformat(), by=by)
            if len(item.text) > self.longest:
                raise ToolError(
                    f"The note `{key}` has {len(item.text):,} characters; {self.longest:,} fit.",
                    hint="Shorten it, or split it.",
                )
            made.append(item)
        put_within(context.memory(self.place), made, self.most, "notes", self.evicts, may_go)
        return made

    async def forget(self, context: Context, query: Query) -> Sequence[Item]:
        """Take out the notes of a key, of ids, or those that say words of the query."""
        rights = Rights(self.permissions, query.by or context.node)
        key = key_in(query.fields)
        ids = query.fields.get("ids")
        wanted = [str(one) for one in ids] if is_list(ids) else [key] if key else []
        if not wanted and not query.text.strip():
            raise ToolError("Nothing to delete was named.", hint="Pass a key, ids, or words.")
        for one in wanted:
            if "*" not in one:
                rights.demand("write", one, "note")

        def search(items: Items) -> Sequence[Recalled]:
            """Look among those that may be changed."""
            keys = wanted or [""]
            found = (one for key in keys for one in matching(items, query.text if not wanted else "", key))
            return within((one for one in found if rights.may_write(one.item.id)), query.most, 0)

        kept = context.memory(self.place)
        found = kept.read(asked(query.text, ", ".join(wanted)), search, purpose="upkeep")
        for one in found:
            kept.remove(one.item.id, "forgotten")
        return [one.item for one in found]

    def tools(self, context: Context, by: str) -> Sequence[Tool]:
        """What an agent may call, as far as its rights go."""
        rights = Rights(self.permissions, by)
        memory = Memory(self.place, self.recall, self.remember, self.forget)
        return note_tools(
            context, memory, rights.by, self.prefix, reads=rights.may_anywhere("read"),
            writes=rights.may_anywhere("write"), weighs=self.evicts == "least important",
        )  # fmt: skip


def matching(items: Items, text: str, key: str) -> Iterable[Recalled]:
    """The notes with a key, or one like it, that say words of the text if there is one; else the latest."""
    if key and "*" not in key:
        one = items.get(key)
        return [] if one is None else [Recalled(one, 1.0, f"its key is `{key}`")]
    folded, known = key.casefold(), items.all()
    if key:
        known = [one for one in known if fnmatchcase(one.id.casefold(), folded)]
    if text.strip():
        return found_by_words(known, text)
    return latest(known, f"its key is like `{key}`" if key else "among the latest")


def key_in(fields: Mapping[str, Json]) -> str:
    """The key that somebody gave; raises `ToolError` for one that is no text."""
    key = fields.get("key", "")
    if not isinstance(key, str):
        raise ToolError(f"A key must be text, not {json.dumps(key)[:80]}.")
    return key.strip()


def check_key(key: str) -> None:
    """Raise `ToolError` for a key under which nothing can be found again."""
    if len(key) > LONGEST_KEY or not key.isprintable() or set("*?[") & set(key):
        raise ToolError(
            f"`{key[:80]}` is no key.",
            hint=f"A key has at most {LONGEST_KEY} characters and contains no line break, `*`, `?` or `[`.",
        )


def written(key: str, note: Note) -> tuple[str, dict[str, Json]]:
    """The text and data of a note: its field `value`, if it has one, instead of its text."""
    value = note.fields.get("value", note.text)
    data: dict[str, Json] = {"key": key}
    data |= {"importance": note.fields["importance"]} if "importance" in note.fields else {}
    if isinstance(value, str):
        return value, data
    return json.dumps(value, ensure_ascii=False, indent=2), {**data, "is_json": True}


def asked(text: str, key: str) -> str:
    """What was looked for, in words."""
    about = f"notes about: {text}" if text.strip() else "the latest notes"
    return f"notes under {key}" + (f", about: {text}" if text.strip() else "") if key else about
