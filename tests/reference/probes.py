"""Node types for tests alone: what they do is decided by their inputs, so a run can be told beforehand."""

import asyncio
import zlib
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Annotated, Literal
from weakref import WeakKeyDictionary

from studio.errors import StepError
from studio.llm.client import ChatRequest, Message, ToolCall
from studio.sdk import Context, Effect, In, Json, Out, Setting, Tool, ToolError, Yields, binding, node
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.sdk.values import to_plain
from studio.workspace.catalog import builtin_types


def say(*things: object) -> str:
    """Digest the things in one short text, which ends in a digit that is as good as random."""
    digest = zlib.crc32(repr([to_plain(one) for one in things]).encode())
    return f"{digest % 1000:03}"


def has_bad_luck(said: str, percent: int, salt: str) -> bool:
    """Whether the text belongs to the unlucky `percent` of all texts."""
    return zlib.crc32(f"{salt}{said}".encode()) % 100 < percent


@dataclass
class World:
    """What runs do to the world outside, and what they buy of it."""

    changes: list[str] = field(default_factory=list[str])
    bought: list[str] = field(default_factory=list[str])
    """The steps whose chats were answered."""


WORLD: ContextVar[World] = ContextVar("WORLD")
"""The world of the run that is going on."""

_tries: WeakKeyDictionary[asyncio.Task[object], dict[str, int]] = WeakKeyDictionary()


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


def stumbles(name: str, flaky: int) -> bool:
    """Whether this attempt fails, as so many do, one after the other, before all goes well."""
    task = asyncio.current_task()
    assert task is not None
    tries = _tries.setdefault(task, {})
    tries[name] = tries.get(name, 0) + 1
    if tries[name] <= flaky:
        return True
    del tries[name]
    return False


@node("test.probe", title="Probe")
async def probe(
    one: Annotated[object, In("Needed")],
    context: Context,
    two: Annotated[object, In("Not needed")] = None,
    said: Annotated[str, In("A text, not needed")] = "",
    parts: Annotated[Sequence[object], In("A list, not needed")] = (),
    *,
    name: Annotated[str, Setting("Name")] = "",
    fails: Annotated[int, Setting("Fails, in percent of inputs")] = 0,
    gives_nothing: Annotated[int, Setting("Gives nothing, in percent of inputs")] = 0,
    flaky: Annotated[int, Setting("Attempts that fail before one goes well")] = 0,
    turns: Annotated[int, Setting("Turns it lets others have")] = 0,
    seconds: Annotated[float, Setting("Seconds that it takes")] = 0,
) -> Annotated[str, Out("text")]:
    """Say what arrived."""
    await dawdle(turns)
    if seconds:
        await context.sleep(seconds)
    if stumbles(name, flaky):
        raise StepError("Not yet.")
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


@dataclass(frozen=True)
class Gifts:
    """One value of each type."""

    text: Annotated[str, Out("text")]
    number: Annotated[float, Out("number")]
    flag: Annotated[bool, Out("flag")]
    json: Annotated[Json, Out("json")]
    thing: Annotated[object, Out("thing")]
    texts: Annotated[list[str], Out("texts")]
    numbers: Annotated[list[float], Out("numbers")]
    message: Annotated[Message, Out("message")]


@node("test.giver", title="Giver")
def give(one: Annotated[object, In("Needed")]) -> Gifts:
    """Give a value of each type; what nobody knows the type of may be a text, a number, a list, a message."""
    return gifts(one)


def gifts(one: object) -> Gifts:
    """What `give` gives."""
    said = say("gifts", one)
    number = int(said)
    unknown: list[Json] = [said, number, [said, "more"], {"role": "user", "content": said}]
    odd = unknown[number % 4]
    return Gifts(
        said, number, number % 2 == 0, odd, odd, [said, "more"], [number, 0.5], Message("user", said)
    )


@node("test.taker", title="Taker")
def take(
    text: Annotated[str, In("Not needed")] = "",
    number: Annotated[float, In("Not needed")] = 0,
    flag: Annotated[bool, In("Not needed")] = False,  # noqa: FBT002  # it is a port
    json: Annotated[Json, In("Not needed")] = None,
    texts: Annotated[list[str], In("Not needed")] = [],  # noqa: B006  # read, never written
    message: Annotated[Message, In("Not needed")] = Message("user"),  # noqa: B008  # as above
    last: Annotated[object, In("Not needed")] = None,
    *,
    name: Annotated[str, Setting("Name")] = "",
) -> Annotated[str, Out("text")]:
    """Say what arrived, type by type."""
    return say(name, text, number, flag, json, texts, message, last)


@binding("test.lender", title="Lender")
async def lend(
    *,
    name: Annotated[str, Setting("Name")] = "",
    effect: Annotated[Literal["pure", "paid_read", "side_effect"], Setting("Effect")] = "pure",
    fails: Annotated[int, Setting("Fails, in percent of words")] = 0,
) -> Yields[Tool]:
    """Lend a tool that digests what it is given."""

    async def run(arguments: Mapping[str, object]) -> str:
        await asyncio.sleep(0)
        how = conduct(str(arguments["word"]), name, fails)
        if how != "answers":
            words = f"Not {arguments['word']}."
            raise ToolError(words) if how == "says no" else StepError(words)
        match effect:
            case "side_effect":
                WORLD.get().changes.append(f"{name} {arguments['word']}")
            case "paid_read":
                WORLD.get().bought.append(f"{name} {arguments['word']}")
            case _:
                pass
        return say(name, arguments["word"])

    parameters = {"type": "object", "properties": {"word": {"type": "string"}}}
    yield Tool(name, "Digests a word.", parameters, run, Effect(effect))


def conduct(word: str, name: str, fails: int) -> Literal["answers", "says no", "breaks"]:
    """What a lent tool does about a word; an unlucky word may break it, or only be refused."""
    if not has_bad_luck(word, fails, name):
        return "answers"
    return "says no" if has_bad_luck(word, 60, f"no {name}") else "breaks"


@node("test.asker", title="Asker", effect=Effect.PAID_READ)
async def ask(
    one: Annotated[object, In("Needed")],
    context: Context,
    tools: Annotated[Sequence[Tool], In("What it may use")] = (),
    *,
    name: Annotated[str, Setting("Name")] = "",
    asks: Annotated[int, Setting("Questions")] = 1,
) -> Annotated[str, Out("text")]:
    """Ask a chat some questions one after the other, and then give each tool the last answer."""
    word = say(name, one)
    for number in range(asks):
        request = ChatRequest((Message("user", f"{number} {word}"),))
        word = (await context.chat(request)).message.content
    words = [
        await context.call(tool, ToolCall(tool.name, tool.name, f'{{"word": "{word}"}}')) for tool in tools
    ]
    return say(word, *words)


def replied(question: str) -> tuple[str, float]:
    """What the chat of the tests answers, and how many seconds that takes it."""
    word = say("replied", question)
    return word, 100.0 * (1 + int(word) % 97)


@node("test.writer", title="Writer", effect=Effect.SIDE_EFFECT)
async def write(
    one: Annotated[object, In("Needed")],
    *,
    name: Annotated[str, Setting("Name")] = "",
) -> Annotated[str, Out("text")]:
    """Change the world."""
    WORLD.get().changes.append(f"{name} {say(one)}")
    await asyncio.sleep(0)
    return say(name, one)


PROBES = Registry(
    (*builtin_types(), *(node_type_of(one) for one in (probe, scatter, give, take, lend, ask, write)))
)
"""The library, and the kinds of this file."""
