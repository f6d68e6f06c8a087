r"""Graph: a memory of relations, as triples of subject, relation and object.

A triple is given in the fields `subject`, `relation` and `object`, several in `triples` (a list of lists), or
in words, one in a line: `Ada | wrote | the Notes`. Of other text a language model draws them, if *Triples*
says so; it is told which things are known already, so that one thing keeps one name. A triple of more
characters than there may be is refused.

Recalling starts at the things that the query names, or those in the field `entities`, and gives what is
connected with them within so many hops, the nearest first, with the path that leads there as the reason.
Where a query names nothing that is known whole, things are taken whose names share a word with it.

```json
{
  "remember": [
    {"text": "Ada Lovelace | wrote | the Notes\nthe Notes | describe | the Engine"},
    {"text": "", "fields": {"subject": "Babbage", "relation": "built", "object": "a mill"}}
  ],
  "recall": {"text": "What has Ada Lovelace to do with engines?"},
  "outputs": {"memory": ["Ada Lovelace wrote the Notes", "the Notes describe the Engine"]}
}
```
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from nodes.memory.graph.tools import graph_tools
from studio.building_blocks.answers.schema_answers import read_structured
from studio.building_blocks.memories.capacity import check_size, put_within
from studio.building_blocks.memories.triples import (
    PARTS,
    Triple,
    alike_in,
    connected,
    ends_of,
    entities_in,
    given_triples,
    has_parts,
    named_in,
    parts_of,
    read_triple,
    triples_in,
)
from studio.building_blocks.memories.word_search import found_by_words, latest, within
from studio.building_blocks.settings.memories import KeptIn, MemoryName
from studio.building_blocks.settings.tools import ToolPrefix
from studio.building_blocks.values.json_kinds import is_list
from studio.sdk import (
    ChatRequest,
    Context,
    Effect,
    Item,
    Items,
    Json,
    Memory,
    MemoryPlace,
    Message,
    Note,
    Query,
    Recalled,
    Setting,
    StepError,
    Tool,
    ToolError,
    Yields,
    binding,
)

DRAW = (
    "Draw what the text states as triples of subject, relation and object: short names of things, and a verb "
    "or preposition between. Write names in full, and no pronouns. Leave out what is only supposed or asked."
)
KNOWN = "Things that are known already; where the text means one of them, use just this name:\n{names}"
MOST_KNOWN = 60
"""Things of which the language model is told."""

NO_TRIPLES = "Ask a chat profile that answers in JSON, say it in the instructions, or give the triples."
MOST_HOPS = 6

TRIPLES: dict[str, object] = {
    "type": "object",
    "properties": {
        "triples": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "subject": {"type": "string"},
                    "relation": {"type": "string"},
                    "object": {"type": "string"},
                },
                "required": ["subject", "relation", "object"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["triples"],
    "additionalProperties": False,
}


@binding(
    "memory.graph",
    title="Graph",
    lends="memory",
    effect=Effect.PAID_READ,
    keywords=("entities", "relations", "triples", "knowledge", "facts", "network"),
)
async def graph(
    context: Context,
    *,
    name: MemoryName = "",
    keep: KeptIn = "run",
    triples: Annotated[
        Literal["given", "drawn"],
        Setting("Triples", help="Provided as they are, or extracted from text by a model"),
    ] = "given",
    instructions: Annotated[
        str, Setting("Instructions", editor="text", help="How to extract triples from text")
    ] = DRAW,
    hops: Annotated[
        int, Setting("Hops", minimum=1, maximum=MOST_HOPS, help="How far to follow relations")
    ] = 2,
    gives: Annotated[int, Setting("Triples recalled", minimum=1, maximum=1000)] = 12,
    most: Annotated[int, Setting("Max. triples", minimum=1, maximum=100_000)] = 20_000,
    longest: Annotated[int, Setting("Max. characters", minimum=1, help="Per triple")] = 20_000,
    profile: Annotated[
        str,
        Setting(
            "Chat profile", editor="profile", help="Empty: same as the run", matters_with="triples=drawn"
        ),
    ] = "",
    prefix: ToolPrefix = "",
) -> Yields[Memory]:
    """Lend the graph."""
    place = MemoryPlace(name or context.node, "memory.graph", keep)
    drawn = instructions if triples == "drawn" else ""
    kept = Graph(place, drawn, hops, gives, most, longest, profile, prefix)
    yield Memory(place, kept.recall, kept.remember, kept.forget, kept.tools, description=DESCRIPTION)


DESCRIPTION = "Things and how they are related, found by following relations from what a query names."


@dataclass(frozen=True)
class Graph:
    """The triples of one memory; with `instructions`, a language model draws them from text."""

    place: MemoryPlace
    instructions: str
    hops: int
    gives: int
    most: int
    longest: int
    profile: str
    prefix: str

    async def recall(self, context: Context, query: Query) -> Sequence[Recalled]:
        """Follow relations from the things that are named, or are in the field `entities`."""
        hops, most = hops_in(query.fields, self.hops), query.most or self.gives
        about = ", ".join(entities_in(query.fields)) or query.text

        def search(items: Items) -> Sequence[Recalled]:
            """Look for things, then for what they are connected with."""
            known = items.all()
            if not about.strip():
                return within(latest(known, "among the latest"), most, query.tokens)
            ends = ends_of(known)
            things = entities_in(query.fields) or named_in(query.text, ends) or alike_in(query.text, ends)
            found = within(connected(known, ends, things, hops, query.text), most, query.tokens)
            return found or within(found_by_words(known, query.text), most, query.tokens)

        return context.memory(self.place).read(f"what is related to: {about}", search)

    async def remember(self, context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        """Put triples in, each once; one that is there is put anew."""
        made: list[Item] = []
        for note in notes:
            by = note.by or context.node
            for triple in await self.triples_of(context, note):
                check_size("The triple", triple.text, self.longest)
                data: dict[str, Json] = {
                    "subject": triple.subject, "relation": triple.relation, "object": triple.object,
                }  # fmt: skip
                made.append(Item(triple.id, triple.text, data, context.now().isoformat(), by))
        put_within(context.memory(self.place), made, self.most, "triples")
        return made

    async def triples_of(self, context: Context, note: Note) -> Sequence[Triple]:
        """The triples that are given, or drawn; raises `ToolError` where there are none to be had."""
        found = given_triples(note.fields) or triples_in(note.text)
        if found or not note.text.strip():
            return found
        if not self.instructions:
            raise ToolError(
                "This is not a triple.",
                hint="Write `subject | relation | object`, or let a model extract triples from text.",
            )
        return await self.draw(context, note.text)

    async def draw(self, context: Context, text: str) -> Sequence[Triple]:
        """Let a language model draw the triples, with the names of what is known."""

        def search(items: Items) -> Sequence[Recalled]:
            """Triples with things that the text may mean."""
            known = items.all()
            ends = ends_of(known)
            things = [*named_in(text, ends), *alike_in(text, ends, MOST_KNOWN)]
            return within(connected(known, ends, things, 1, text), MOST_KNOWN, 0)

        found = context.memory(self.place).read(f"what is known of: {text}", search, purpose="upkeep")
        names = dict.fromkeys(name for one in found for name in parts_of(one.item)[::2])
        known = KNOWN.format(names="\n".join(f"- {name}" for name in list(names)[:MOST_KNOWN]))
        told = f"{self.instructions}\n\n{known}" if names else self.instructions
        request = ChatRequest((Message("system", told), Message("user", text)), response_schema=TRIPLES)
        answer = (await context.chat(request, profile=self.profile)).message
        try:
            data, _ = await read_structured(context, request, answer, profile=self.profile)
        except StepError as error:
            raise StepError(error.message, hint=NO_TRIPLES) from error
        return [read_triple(row) for row in data["triples"]]

    async def forget(self, context: Context, query: Query) -> Sequence[Item]:
        """Take out triples with these ids or parts, those of a line, or those of what the query names."""
        wanted = wanted_ids(query)
        kept = context.memory(self.place)

        def search(items: Items) -> Sequence[Recalled]:
            """Those with the ids, or with these parts, or next to what is named."""
            if wanted is not None:
                return [Recalled(one) for name in wanted if (one := items.get(name))]
            known = items.all()
            alike = [one for one in known if has_parts(one, query.fields)]
            if alike or not query.text.strip():
                return [Recalled(one) for one in alike][: query.most or None]
            ends = ends_of(known)
            return within(connected(known, ends, named_in(query.text, ends), 1, ""), query.most, 0)

        if wanted is None and not query.text.strip() and not any(query.fields.get(name) for name in PARTS):
            raise ToolError("Nothing to delete was named.", hint="Name a thing, or pass a triple.")
        found = kept.read(f"triples to forget: {query.text or query.fields}", search, purpose="upkeep")
        for one in found:
            kept.remove(one.item.id, "forgotten")
        return [one.item for one in found]

    def tools(self, context: Context, by: str) -> Sequence[Tool]:
        """What an agent may call."""
        memory = Memory(self.place, self.recall, self.remember, self.forget)
        return graph_tools(context, memory, by, self.prefix)


def hops_in(fields: Mapping[str, Json], otherwise: int) -> int:
    """How far to follow relations, where somebody says it."""
    given = fields.get("hops")
    return max(1, min(given, MOST_HOPS)) if isinstance(given, int) else otherwise


def wanted_ids(query: Query) -> Sequence[str] | None:
    """The ids of triples that are named one by one; None where they are to be looked for."""
    given = query.fields.get("ids")
    if is_list(given):
        return [str(one) for one in given]
    return [one.id for one in triples_in(query.text)] or None
