"""Tools and agents for tests of plans: code that counts how often it was asked, and who says what."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.sdk import Agent, Said, Tool, ToolError, Turn


@dataclass
class Asked:
    """A tool that computes its answer of one argument, and keeps what it was asked."""

    name: str
    compute: Callable[[Any], Any]
    argument: str = "state"
    asked: list[Any] = field(default_factory=list[Any])

    @property
    def tool(self) -> Tool:
        """What is lent."""

        async def run(arguments: Mapping[str, object]) -> str:
            self.asked.append(arguments[self.argument])
            made = self.compute(arguments[self.argument])
            if isinstance(made, Exception):
                raise ToolError(str(made))
            return made if isinstance(made, str) else json.dumps(made)

        parameters: dict[str, Any] = {
            "type": "object",
            "properties": {self.argument: {}},
            "required": [self.argument],
        }
        return Tool(self.name, "", parameters, run)


def answering(name: str, answers: Sequence[Any], heard: list[Turn] | None = None) -> Agent:
    """An agent that gives these answers in turn; a text as it is, anything else as JSON."""
    left = list(answers)

    async def work(turn: Turn) -> Said:
        if heard is not None:
            heard.append(turn)
        one = left.pop(0)
        if isinstance(one, Exception):
            raise one
        return Said(one if isinstance(one, str) else json.dumps(one), data=one)

    return Agent(name, work=work)
