"""A stream of events that is remembered, recalled and reflected upon."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from nodes.memory.stream.reflection import insights_from, questions_about, rated
from studio.building_blocks.memories.capacity import check_size
from studio.building_blocks.memories.embeddings import VectorMethod, made_by, vectors_of
from studio.building_blocks.memories.recall import forget_found, memory_tools, within
from studio.building_blocks.memories.stream_ranking import (
    REFLECTION,
    Weights,
    ranked,
    since_reflection,
    surplus,
)
from studio.errors import ChatError
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
    StepError,
    Tool,
)

NO_INSIGHT = "Nothing followed from the events so far."


@dataclass(frozen=True, slots=True)
class EventStream:
    """The settings of a stream; reflects where `reflects_at` is reached (0: never), keeps `limit` items.

    None has more than `longest` characters.
    """

    place: MemoryPlace
    weights: Weights
    most: int
    limit: int
    longest: int
    refreshes: bool = False
    reflects_at: float = 0.0
    questions: int = 3
    insights: int = 5
    method: VectorMethod = "embedded"
    profile: str = ""

    def memory(self) -> Memory:
        """What is lent."""
        said = f"By recency, importance and relevance; vectors by {made_by(self.method, self.profile)}."
        return Memory(self.place, self.recall, self.remember, self.forget, self.tools, description=said)

    async def remember(self, context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        """Rate and put events; forget what is too much, and reflect where it is time to."""
        for note in notes:
            check_size("The event", note.text, self.longest, note.fields)
        ratings = [rating_of(one) for one in notes]
        unrated = [one.text for one, given in zip(notes, ratings, strict=True) if given is None]
        found = iter(await rated(context, unrated, profile=self.profile) if unrated else ())
        made = await self.put(context, notes, [next(found) if one is None else one for one in ratings])
        kept = context.memory(self.place)
        for one in kept.read("what is too much", partial(surplus, most=self.limit), purpose="upkeep"):
            kept.remove(one.item.id, "evicted")
        if self.reflects_at:
            since = kept.read("importance since the last reflection", since_reflection, purpose="upkeep")
            if since and since[0].score >= self.reflects_at:
                try:
                    await self.reflect(context)
                except (ChatError, StepError) as error:
                    context.log(f"Nothing was reflected upon, and all is kept: {error}")
        return made

    async def put(self, context: Context, notes: Sequence[Note], ratings: Sequence[float]) -> list[Item]:
        """Put notes in, each as important as its rating says."""
        vectors = await vectors_of(context, [one.text for one in notes], self.method, self.profile)
        made: list[Item] = []
        for note, rating, vector in zip(notes, ratings, vectors, strict=True):
            data: dict[str, Json] = {"type": "event", **note.fields, "importance": rating}
            data["embedded_by"] = made_by(self.method, self.profile)
            item_id = f"{context.random().getrandbits(48):012x}"
            time, by = context.now().isoformat(), note.by or context.node
            made.append(Item(item_id, note.text, data, time, by, vector))
            context.memory(self.place).put(made[-1], "insight" if data["type"] == REFLECTION else "")
        return made

    async def reflect(self, context: Context) -> None:
        """Ask what follows from the latest events, and remember it with its evidence."""
        latest = context.memory(self.place).read("the latest to reflect on", latest_of, purpose="upkeep")
        texts = [one.item.text for one in latest]
        notes: list[Note] = []
        ratings: list[float] = []
        for question in await questions_about(context, texts, self.questions, profile=self.profile):
            known = await self.look(context, Query(question, max(self.most, 15)), is_upkeep=True)
            statements = [one.item for one in known]
            for one in await insights_from(
                context, question, statements, self.insights, profile=self.profile
            ):
                cited: dict[str, Json] = {"question": question, "evidence": [*one.evidence]}
                notes.append(Note(one.text[: self.longest], {"type": REFLECTION, **cited}))
                ratings.append(one.importance)
        # Without any, the same events would be reflected upon at each that comes.
        nothing = Note(NO_INSIGHT, {"type": REFLECTION, "evidence": []})
        await self.put(context, notes or [nothing], ratings or [1.0])

    async def look(self, context: Context, query: Query, *, is_upkeep: bool = False) -> Sequence[Recalled]:
        """Find what is recent, important and relevant."""
        [vector] = await vectors_of(context, [query.text], self.method, self.profile)
        now, sort = context.now().isoformat(), str(query.fields.get("type") or "")

        def search(items: Items) -> Sequence[Recalled]:
            """The best that there is room for."""
            return within(
                ranked(items, vector, now, self.weights, query.most or self.most, sort), query.tokens
            )

        purpose = "upkeep" if is_upkeep else "recall"
        return context.memory(self.place).read(query.text, search, purpose=purpose)

    async def recall(self, context: Context, query: Query) -> Sequence[Recalled]:
        """Find it, and note that it was recalled now, where that counts."""
        found = await self.look(context, query)
        for one in found if self.refreshes else ():
            context.memory(self.place).use(one.item.id, context.now().isoformat())
        return found

    async def forget(self, context: Context, query: Query) -> Sequence[Item]:
        """Take out what is named, all of one type, or what is nearest in meaning."""
        return await forget_found(context, self.place, query, self.meant)

    async def meant(self, context: Context, query: Query) -> Sequence[Recalled]:
        """Find what is meant by words: how recent or important something is says nothing of that."""
        [vector] = await vectors_of(context, [query.text], self.method, self.profile)
        sort = str(query.fields.get("type") or "")

        def search(items: Items) -> Sequence[Recalled]:
            """The nearest one, unless more are wanted; without words all of the type that is named."""
            if not vector:
                known = [one for one in items.all() if sort and one.data.get("type") == sort]
                return [Recalled(one) for one in known][: query.most or None]
            most = query.most or 1
            near = items.nearest(vector, len(items) if sort else most)
            found = [one for one in near if not sort or one[0].data.get("type") == sort]
            return [Recalled(one, cosine, f"relevance {cosine:.2f}") for one, cosine in found[:most]]

        return context.memory(self.place).read(query.text or sort, search, purpose="upkeep")

    def tools(self, context: Context, by: str) -> Sequence[Tool]:
        """What lets an agent look things up, and remember."""
        return memory_tools(context, by, self.place, self.recall, self.remember)


def rating_of(note: Note) -> float | None:
    """How important a note says that it is, kept between 1 and 10."""
    given = note.fields.get("importance")
    return min(10.0, max(1.0, float(given))) if isinstance(given, int | float) else None


def latest_of(items: Items) -> Sequence[Recalled]:
    """The latest hundred, the oldest first."""
    return [Recalled(one) for one in items.all()[-100:]]
