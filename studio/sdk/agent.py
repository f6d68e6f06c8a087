"""What a node lends that lends an agent, and how it is given its turn."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from studio.llm.client import ChatAnswer, Effort, Message
from studio.sdk.memory import Memory
from studio.sdk.tool import Tool


class Stops(Protocol):
    """Decides when an agent stops, and says why (empty: it goes on).

    The loop of an agent's tools asks it after each answer and each call.
    """

    def heard(self, answer: ChatAnswer) -> str:
        """Look at an answer, before the tools that it calls are run."""
        ...

    def worked(self, called: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Look at the tools that were run, each with its answer; gives the reply, too, where it is one."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """Asks an agent to do something once: a `prompt`, behind what was said before.

    Teams and other steps make one and give it to `speak`.

    `role` is added to its instructions, `tools` to its tools; with `answer_schema` its reply is JSON of that
    schema. `speaker` is what it is called for once, where one agent plays several.
    """

    prompt: str
    history: Sequence[Message] = ()
    role: str = ""
    speaker: str = ""
    tools: Sequence[Tool] = ()
    answer_schema: Mapping[str, Any] | None = None
    stops: Stops | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """Holds what an agent said in its turn: the reply, the conversation, and `data` where JSON was asked for.

    An agent's `work` returns it; whoever gave the turn reads it.

    `ended` says why it stopped, as with an agent that is a step; `tokens` are those in and out of its chats.
    """

    reply: str
    messages: Sequence[Message] = ()
    ended: str = "answered"
    data: Any = None
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What each field of the schema has, by its port."""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Agent:
    """Describes an agent that a node lends: who it is, what it may call, and whom it may hand over to.

    A binding such as `team.member` yields it; agents and teams that it is wired to give it turns.

    `passes_to` has the names of others; empty: anybody. Its `memories` know it by its name. `work` lets it
    have a turn, which `speak` (`building_blocks/agents/turns.py`) makes a call that can be seen.
    """

    name: str
    description: str = ""
    instructions: str = ""
    tools: Sequence[Tool] = ()
    passes_to: Sequence[str] = ()
    temperature: float | None = None
    profile: str = ""
    memories: Sequence[Memory] = ()
    work: Callable[[Turn], Awaitable[Said]] | None = None
    effort: Effort = ""
