"""What a tool node lends to an agent."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from studio.flow.records import Json
from studio.llm.client import ToolSpec
from studio.llm.wire_names import sendable_name
from studio.sdk.items import KeptItems, MemoryPlace

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def lendable_name(name: str) -> str:
    """Validate what agents are to call a tool; raises `ValueError` with a name that would do."""
    if NAME.fullmatch(name):
        return name
    said = f"`{name}` is not a tool name that models can call" if name else "a tool needs a name"
    instead = sendable_name(name.strip()) if name.strip() else "ask_expert"
    raise ValueError(f"{said}: write 1 to 64 of a-z, A-Z, 0-9, _ and -, such as `{instead}`")


class Effect(StrEnum):
    """Says what calling something does to the world; a node type, a tool or a flow declares it.

    Replays, forks and resumed runs go by it: what is pure is computed again, what was paid for is taken from
    the recording, and a side effect is not repeated unasked.
    """

    PURE = "pure"
    """Nothing; it may be computed again at any time."""
    PAID_READ = "paid_read"
    """It costs, but changes nothing; its answer is kept."""
    SIDE_EFFECT = "side_effect"
    """It changes something; it is never repeated unasked."""


def strongest(*effects: Effect) -> Effect:
    """Give the most that any of these does to the world, for a tool made of them; of none nothing."""
    return max(effects, key=[*Effect].index, default=Effect.PURE)


@dataclass(frozen=True, slots=True)
class Copies:
    """Lets a tool be tried in copies of the state that it works on; what an environment lends has it.

    `snapshot` is given `Context.memory` of a step, and gives the state as that step sees it. `run` does in a
    copy of such a state what the tool does, and gives what it answers and the state that it leaves; it raises
    what the tool raises. Neither changes the state itself.
    """

    snapshot: Callable[[Callable[[MemoryPlace], KeptItems]], Json]
    run: Callable[[Mapping[str, object], Json], Awaitable[tuple[str, Json]]]


@dataclass(frozen=True, slots=True)
class Tool:
    """Lends something that an agent may call. A binding yields it; the loop of the agent runs it.

    `parameters` is a JSON Schema of type object; `run` is given the parsed arguments and answers in
    text. A `ToolError` raised by it is answered to the agent in words; any other error fails the step.
    What `runs_steps` does nothing but what its chats, calls, questions and flows do: a run that goes back to
    an earlier one runs it once more, and gives these what they were given. `caller` is the argument that says
    who calls (empty: none does): whoever lets an agent have its turn gives it, and the agent is not asked.
    `of` is what it was made of (another tool, the `work` of an agent): the node that lent that lends it.
    Where it has `copies`, it can be tried without a change of what it works on.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    run: Callable[[Mapping[str, object]], Awaitable[str]]
    effect: Effect = Effect.PURE
    runs_steps: bool = False
    caller: str = ""
    of: object = None
    copies: Copies | None = None

    @property
    def spec(self) -> ToolSpec:
        """How the tool is offered to the language model."""
        return ToolSpec(self.name, self.description, self.parameters)


@dataclass(frozen=True, slots=True)
class LentFlow:
    """Makes a flow something to call with JSON: `parameters` says what it takes. `Context.flow` returns it.

    `call` gives its outputs by name, without those that are absent; raises `ToolError` for arguments that do
    not fit, and `CalledFlowError` where the flow fails.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    effect: Effect
    call: Callable[[Mapping[str, object]], Awaitable[Mapping[str, Json]]]
