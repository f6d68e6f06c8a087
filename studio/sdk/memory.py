"""What a memory node lends: a way to remember, to recall and to forget."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.flow.records import Json
from studio.sdk.context import Context
from studio.sdk.items import Item, MemoryPlace, Recalled
from studio.sdk.tool import Tool


@dataclass(frozen=True, slots=True)
class Query:
    """Asks a memory what it has on something; whoever calls `recall` or `forget` makes it.

    `most` items and about as many `tokens` at most (0: as many as the memory gives by itself); `by` says who
    asks (empty: the step's node), and `fields` what the kind of memory takes besides, such as a key.
    """

    text: str = ""
    most: int = 0
    tokens: int = 0
    by: str = ""
    fields: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Note:
    """Asks a memory to keep a text; whoever calls `remember` makes it.

    `fields` has what the kind of memory takes besides, such as a key.
    """

    text: str
    fields: Mapping[str, Json] = field(default_factory=dict[str, Json])
    by: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """Lends a memory to steps and agents, as functions that get the context of the step that uses it.

    A binding with `lends="memory"` yields it; recall, remember and forget nodes and agents call it.

    `recall` gives the best first, of a conversation the oldest first; `remember` gives what was put;
    `forget` takes out what the query finds, or the items with the ids in its field `ids`, and gives them.
    Of a conversation (`is_conversation`) each item is a message, told by its data's `role`: an agent goes on
    from it, and adds its own. `tools` has what an agent may call, for the agent of this name.
    With `by_owner` everybody has one of their own; the field `of` says whose is meant.
    They raise `ToolError` for what they do not permit.
    """

    place: MemoryPlace
    recall: Callable[[Context, Query], Awaitable[Sequence[Recalled]]]
    remember: Callable[[Context, Sequence[Note]], Awaitable[Sequence[Item]]]
    forget: Callable[[Context, Query], Awaitable[Sequence[Item]]]
    tools: Callable[[Context, str], Sequence[Tool]] = lambda _context, _by: ()
    is_conversation: bool = False
    by_owner: bool = False
    description: str = ""
