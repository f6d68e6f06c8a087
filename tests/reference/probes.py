"""Node types for tests alone: what they do is decided by their inputs, so a run can be told beforehand."""

import asyncio
import zlib
from collections.abc import Sequence
from typing import Annotated

from studio.app.catalog import builtin_types
from studio.errors import StepError
from studio.sdk import In, Out, Setting, node
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.sdk.values import to_plain


def say(*things: object) -> str:
    """Digest the things in one short text, which ends in a digit that is as good as random."""
    digest = zlib.crc32(repr([to_plain(one) for one in things]).encode())
    return f"{digest % 1000:03}"


def has_bad_luck(said: str, percent: int, salt: str) -> bool:
    """Whether the text belongs to the unlucky `percent` of all texts."""
    return zlib.crc32(f"{salt}{said}".encode()) % 100 < percent


async def dawdle(turns: int) -> None:
    """Let others have that many turns."""
    for _ in range(turns):
        await asyncio.sleep(0)


def act(name: str, inputs: Sequence[object], fails: int, gives_nothing: int) -> str | None:
    """Concatenate the inputs with the name; some inputs make it fail, some give nothing."""
    said = say(name, *inputs)
    if has_bad_luck(said, fails, "fails"):
        raise StepError(f"{name} does not like {said}.")
    return None if has_bad_luck(said, gives_nothing, "nothing") else said


@node("test.probe", title="Probe")
async def probe(
    one: Annotated[object, In("Needed")],
    two: Annotated[object, In("Not needed")] = None,
    said: Annotated[str, In("A text, not needed")] = "",
    parts: Annotated[Sequence[object], In("A list, not needed")] = (),
    *,
    name: Annotated[str, Setting("Name")] = "",
    fails: Annotated[int, Setting("Fails, in percent of inputs")] = 0,
    gives_nothing: Annotated[int, Setting("Gives nothing, in percent of inputs")] = 0,
    turns: Annotated[int, Setting("Turns it lets others have")] = 0,
) -> Annotated[str, Out("text")]:
    """Say what arrived."""
    await dawdle(turns)
    # An output may be absent, which the declared type cannot say.
    return act(name, (one, two, said, list(parts)), fails, gives_nothing)  # type: ignore[return-value]


@node("test.scatter", title="Scatter")
async def scatter(
    one: Annotated[object, In("Needed")],
    *,
    most: Annotated[int, Setting("Elements at most")] = 3,
    turns: Annotated[int, Setting("Turns it lets others have")] = 0,
) -> Annotated[list[str], Out("texts")]:
    """Give a list of texts, now and then an empty one."""
    await dawdle(turns)
    return elements(one, most)


def elements(one: object, most: int) -> list[str]:
    """The list that `scatter` makes."""
    said = say("scatter", one)
    return [say(said, place) for place in range(int(said[-2:]) % (most + 1))]


PROBES = Registry((*builtin_types(), node_type_of(probe), node_type_of(scatter)))
"""The library, and the kinds of this file."""
