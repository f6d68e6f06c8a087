"""What was tried in which situations, how it came out, and what that says of the next time."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from studio.building_blocks.memories.capacity import check_size
from studio.building_blocks.memories.credible_bounds import lower_bound
from studio.building_blocks.memories.recall import NOTHING_FOUND, forget_found, within
from studio.llm.wire_names import sendable_name
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
    Tool,
    ToolError,
)

ASK: dict[str, object] = {
    "type": "object",
    "properties": {"situation": {"type": "string", "description": "The situation you are in"}},
    "required": ["situation"],
    "additionalProperties": False,
}
TELL: dict[str, object] = {
    "type": "object",
    "properties": {
        "situation": {"type": "string", "description": "The situation it was tried in"},
        "action": {"type": "string", "description": "What was done, in a few words, the same each time"},
        "score": {"type": "number", "minimum": 0, "maximum": 1, "description": "0: it failed, 1: it worked"},
        "outcome": {"type": "string", "description": "What came of it"},
    },
    "required": ["situation", "action", "score"],
    "additionalProperties": False,
}

LOOKED_AT = 30
"""So many of the most alike tries say which situations are meant."""


@dataclass(frozen=True, slots=True)
class Trials:
    """The settings of a memory of what was tried; keeps `limit` tries, and recalls `most` actions.

    Situations whose cosine is at least `alike` are counted together.
    A try has `longest` characters at most.
    """

    place: MemoryPlace
    most: int
    limit: int
    longest: int
    alike: float
    vectors_of: Callable[[Context, Sequence[str]], Awaitable[list[bytes]]]
    embedded_by: str
    probability: float = 0.95

    def memory(self) -> Memory:
        """What is lent."""
        said = f"What worked in situations like it; vectors by {self.embedded_by}."
        return Memory(self.place, self.recall, self.remember, self.forget, self.tools, description=said)

    async def remember(self, context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        """Put tries in, each with the situations like its own; forget the oldest that are too many."""
        for note in notes:
            check_size("The try", note.text, self.longest, note.fields)
        tried = [read_try(one) for one in notes]
        vectors = await self.vectors_of(context, [one.text for one in notes])
        kept, made = context.memory(self.place), list[Item]()
        for note, (action, score), vector in zip(notes, tried, vectors, strict=True):
            item_id = f"{context.random().getrandbits(48):012x}"
            search = partial(most_like, vector=vector, alike=self.alike)
            like = kept.read(f"a situation like {note.text}", search, purpose="upkeep")
            cluster: Json = like[0].item.data.get("cluster") if like else item_id
            data: dict[str, Json] = {**note.fields, "action": action, "score": score, "cluster": cluster}
            data["embedded_by"] = self.embedded_by
            time, by = context.now().isoformat(), note.by or context.node
            made.append(Item(item_id, note.text, data, time, by, vector))
            kept.put(made[-1])
        for one in kept.read("what is too much", partial(oldest, most=self.limit), purpose="upkeep"):
            kept.remove(one.item.id, "evicted")
        return made

    async def recall(self, context: Context, query: Query) -> Sequence[Recalled]:
        """Say what worked best in situations like the query's, by its lower bound."""
        [vector] = await self.vectors_of(context, [query.text])

        def search(items: Items) -> Sequence[Recalled]:
            """The best actions that there is room for."""
            found = best_actions(items, vector, self.alike, self.probability)
            return within(found[: query.most or self.most], query.tokens)

        return context.memory(self.place).read(query.text, search)

    async def forget(self, context: Context, query: Query) -> Sequence[Item]:
        """Take out the tries that are named, or those in situations like the query's."""
        return await forget_found(context, self.place, query, self.tries_in)

    async def tries_in(self, context: Context, query: Query) -> Sequence[Recalled]:
        """The tries in situations like the query's, one by one."""
        [vector] = await self.vectors_of(context, [query.text])

        def search(items: Items) -> Sequence[Recalled]:
            """Those that are like it."""
            most = query.most or self.limit
            found = items.nearest(vector, most) if vector else ()
            return [Recalled(one, cosine, likeness(cosine)) for one, cosine in found if cosine >= self.alike]

        return context.memory(self.place).read(query.text, search, purpose="upkeep")

    def tools(self, context: Context, by: str) -> Sequence[Tool]:
        """What lets an agent ask what worked, and tell how it came out."""

        async def ask(arguments: Mapping[str, object]) -> str:
            """Say what worked, a line for each action."""
            found = await self.recall(context, Query(str(arguments["situation"]), by=by))
            return "\n".join(f"- {one.item.text}" for one in found) or NOTHING_FOUND

        async def tell(arguments: Mapping[str, object]) -> str:
            """Remember how it came out."""
            fields = {name: str(arguments[name]) for name in ("action", "outcome") if name in arguments}
            score = arguments["score"]
            known: dict[str, Json] = {**fields, "score": score if isinstance(score, int | float) else None}
            await self.remember(context, [Note(str(arguments["situation"]), known, by)])
            return "It is remembered."

        name = self.place.name
        asks = sendable_name(f"what_worked_in_{name}")
        tells = sendable_name(f"note_outcome_in_{name}")
        return [
            Tool(
                asks, f"Look up in `{name}` what worked in situations like yours.", ASK, ask, runs_steps=True
            ),
            Tool(tells, f"Keep in `{name}` how something came out.", TELL, tell, runs_steps=True),
        ]


def read_try(note: Note) -> tuple[str, float]:
    """What was done, and how it came out from 0 to 1; raises `ToolError` for a note that does not say."""
    action = str(note.fields.get("action") or "").strip()
    score = note.fields.get("score")
    if not action or not isinstance(score, int | float) or not 0 <= score <= 1:
        message = "A trial needs the fields `action`, a text, and `score`, from 0 (failed) to 1 (worked)."
        raise ToolError(message, hint="Wire them to `fields`; the text is the situation.")
    return action, float(score)


def most_like(items: Items, vector: bytes, alike: float) -> list[Recalled]:
    """The situation that is most like it, if one is like it at all."""
    found = items.nearest(vector, 1) if vector else ()
    return [Recalled(one, cosine, likeness(cosine)) for one, cosine in found if cosine >= alike]


def best_actions(items: Items, vector: bytes, alike: float, probability: float) -> list[Recalled]:
    """What was done in situations like it, with its statistics; the highest lower bound first."""
    near = items.nearest(vector, LOOKED_AT) if vector else ()
    clusters: dict[str, float] = {}
    for one, cosine in near:
        if cosine >= alike:
            clusters.setdefault(str(one.data.get("cluster")), cosine)
    tries: dict[tuple[str, str], list[Item]] = {}
    for one in items.all() if clusters else ():
        cluster = one.data.get("cluster")
        if cluster in clusters:
            tries.setdefault((str(cluster), str(one.data["action"])), []).append(one)
    found = [told(made, clusters[cluster], probability) for (cluster, _), made in tries.items()]
    return sorted(found, key=lambda one: -one.score)


def told(tries: Sequence[Item], cosine: float, probability: float) -> Recalled:
    """What the tries of one action say, as the last of them with statistics."""
    scores = [float(one) for item in tries if isinstance(one := item.data["score"], int | float)]
    mean, bound, last = sum(scores) / len(scores), lower_bound(scores, probability), tries[-1]
    text = (
        f"{last.data['action']}: tried {len(tries)} times, mean {mean:.2f}, at least {bound:.2f} "
        f"(with {probability:.0%} probability). As in: {last.text}"
    )
    statistics: dict[str, Json] = {"tries": len(tries), "mean": round(mean, 6), "lower": round(bound, 6)}
    shown = replace(last, text=text, data={**last.data, "situation": last.text, **statistics})
    return Recalled(shown, bound, f"{likeness(cosine)}; {len(tries)} tries, mean {mean:.2f}")


def likeness(cosine: float) -> str:
    """How like the situations are."""
    return f"likeness {cosine:.2f}"


def oldest(items: Items, most: int) -> list[Recalled]:
    """Those that are to go where there are more than `most`."""
    over = len(items) - most
    return [Recalled(Item(one.id, "")) for one in items.all()[:over]] if over > 0 else []
