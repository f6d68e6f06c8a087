"""A memory that a node lends, for tests of the kinds of memory."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager

from studio.sdk import Json, Memory, Note
from studio.sdk.testing import ScriptedContext, open_binding


@asynccontextmanager
async def lent(
    thing: object, settings: Mapping[str, Json] | None = None, context: ScriptedContext | None = None
) -> AsyncIterator[Memory]:
    """Open what a binding lends, for as long as the context is open."""
    async with aclosing(open_binding(thing, settings or {}, context or ScriptedContext())) as lending:
        yield await anext(lending)


def talk(*texts: str) -> list[Note]:
    """What was said, by a person and the assistant in turn."""
    roles = ("user", "assistant")
    return [Note(text, {"role": roles[number % 2]}) for number, text in enumerate(texts)]
