"""The node types of the engine's tests as a script carries them: lifted, with the script's own classes.

They do what those of `tests/reference/probes.py` do, whose reckoning they import.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from studio.errors import StepError, ToolError
from studio.llm.client import ChatRequest, Message, ToolCall, message_to_json
from studio.sdk import Context, Effect, In, Json, Out, Setting, Tool, Yields, binding, node
from tests.reference.probes import WORLD, conduct, dawdle, elements, has_bad_luck, say, stumbles
from tests.runtime.provider import EXECUTED


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
) -> Annotated[str | None, Out("text")]:
    """Say what arrived; the engine's probe cannot say that it may give nothing."""
    await dawdle(turns)
    if seconds:
        await context.sleep(seconds)
    heard = say(name, *(as_plain(value) for value in (one, two, said, list(parts))))
    if stumbles(name, flaky):
        raise StepError("Not yet.")
    if has_bad_luck(heard, fails, "fails"):
        raise StepError(f"{name} does not like {heard}.")
    return None if has_bad_luck(heard, gives_nothing, "nothing") else heard


@node("test.scatter", title="Scatter")
async def scatter(
    one: Annotated[object, In("Needed")],
    *,
    most: Annotated[int, Setting("Elements at most")] = 3,
    turns: Annotated[int, Setting("Turns it lets others have")] = 0,
) -> Annotated[list[str], Out("texts")]:
    """Give a list of texts, now and then an empty one."""
    await dawdle(turns)
    return elements(as_plain(one), most)


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
    """Give a value of each type."""
    said = say("gifts", as_plain(one))
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
    return say(name, *(as_plain(value) for value in (text, number, flag, json, texts, message, last)))


@binding("test.lender", title="Lender")
async def lend(
    *,
    name: Annotated[str, Setting("Name")] = "",
    effect: Annotated[Literal["pure", "paid_read", "side_effect"], Setting("Effect")] = "pure",
    fails: Annotated[int, Setting("Fails, in percent of words")] = 0,
) -> Yields[Tool]:
    """Lend a tool that digests what it is given."""

    async def run(arguments: Mapping[str, object]) -> str:
        await dawdle(1)
        how = conduct(str(arguments["word"]), name, fails)
        if how != "answers":
            words = f"Not {arguments['word']}."
            raise ToolError(words) if how == "says no" else StepError(words)
        if effect == "side_effect":
            WORLD.get().changes.append(f"{name} {arguments['word']}")
        if effect == "paid_read":
            WORLD.get().bought.append(f"{name} {arguments['word']}")
        return say(name, arguments["word"])

    parameters = {"type": "object", "properties": {"word": {"type": "string"}}}
    yield Tool(name, "Digests a word.", parameters, run, Effect(effect))


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
    word = say(name, as_plain(one))
    for number in range(asks):
        request = ChatRequest((Message("user", f"{number} {word}"),))
        word = (await context.chat(request)).message.content
    words = [
        await context.call(tool, ToolCall(tool.name, tool.name, f'{{"word": "{word}"}}')) for tool in tools
    ]
    return say(word, *words)


@node("test.writer", title="Writer", effect=Effect.SIDE_EFFECT)
async def write(
    one: Annotated[object, In("Needed")],
    *,
    name: Annotated[str, Setting("Name")] = "",
) -> Annotated[str, Out("text")]:
    """Change the world."""
    WORLD.get().changes.append(f"{name} {say(as_plain(one))}")
    await dawdle(1)
    return say(name, as_plain(one))


def as_plain(value: Any) -> Any:
    """Write the messages in a value as JSON, for the studio does not know those of a script."""
    if isinstance(value, Message):
        return message_to_json(value)
    return [as_plain(one) for one in value] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]


@binding("test.lookup", title="A tool that changes the world")
async def lookup() -> Yields[Tool]:
    """Lend it."""

    async def look(arguments: Mapping[str, object]) -> str:
        EXECUTED.arguments.append(dict(arguments))
        return "a wren"

    parameters = {"type": "object", "properties": {"query": {"type": "string"}}}
    yield Tool("lookup", "Looks things up.", parameters, look, Effect.SIDE_EFFECT)


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
