"""What a tool node lends to an agent."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

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
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    run: Callable[[Mapping[str, object]], Awaitable[str]]
    effect: Effect = Effect.PURE

    @property
    def spec(self) -> ToolSpec:
        """How the tool is offered to the language model."""
        return ToolSpec(self.name, self.description, self.parameters)
