"""What a tool node lends to an agent."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from studio.flow.records import Json
from studio.llm.client import ToolSpec


class Effect(StrEnum):
    """What calling something does to the world, which decides what a replay or a resume may do with it."""

    PURE = "pure"
    """Nothing; it may be computed again at any time."""
    PAID_READ = "paid_read"
    """It costs, but changes nothing; its answer is kept."""
    SIDE_EFFECT = "side_effect"
    """It changes something; it is never repeated unasked."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that an agent may call.

    `parameters` is a JSON Schema of type object; `run` is given the parsed arguments and answers in
    text. A `ToolError` raised by it is answered to the agent in words; any other error fails the step.
    What `runs_steps` does nothing but what its chats, calls, questions and flows do: a run that goes back to
    an earlier one runs it once more, and gives these what they were given.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    run: Callable[[Mapping[str, object]], Awaitable[str]]
    effect: Effect = Effect.PURE
    runs_steps: bool = False

    @property
    def spec(self) -> ToolSpec:
        """How the tool is offered to the language model."""
        return ToolSpec(self.name, self.description, self.parameters)


@dataclass(frozen=True, slots=True)
class LentFlow:
    """A flow as something to call with JSON: `parameters` says what it takes.

    `call` gives its outputs by name, without those that are absent; raises `ToolError` for arguments that do
    not fit, and `CalledFlowError` where the flow fails.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    effect: Effect
    call: Callable[[Mapping[str, object]], Awaitable[Mapping[str, Json]]]
