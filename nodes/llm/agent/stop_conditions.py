"""When an agent stops before it has answered: conditions of which the first that holds does."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from studio.sdk import ChatAnswer, Context, StepError
from studio.sdk.expressions import holds


@dataclass(slots=True)
class Conditions:
    """What ends an agent: words that it says, tools that it called, what it has spent, a rule over all this.

    `cost` is in US dollars, as far as prices are known. The rule sees `turn`, `tokens`, `cost`, `seconds`,
    `text` (what was said last), `tools` (all that were called) and `answers` (of the tools of this turn).
    """

    context: Context
    texts: Sequence[str] = ()
    tools: Sequence[str] = ()
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    rule: str = ""
    turn: int = 0
    spent: int = 0
    paid: float = 0.0
    called: list[str] = field(default_factory=list[str])
    said: str = ""
    began: datetime | None = None

    def start(self) -> Self:
        """Count the time from now on, where it counts."""
        self.began = self.context.now(working=True) if self.seconds is not None or self.rule else None
        return self

    def heard(self, answer: ChatAnswer) -> str:
        """Count an answer; gives what ends the agent, before it runs any tool."""
        self.turn += 1
        self.spent += answer.usage.total
        if answer.cost is None and self.cost is not None:
            message = "The cost of answers is unknown here, so a cost limit cannot be enforced."
            raise StepError(message, hint="Add a price for the model, or limit the tokens.")
        self.paid += answer.cost or 0.0
        self.said = answer.message.content
        if any(text in self.said for text in self.texts if text):
            return "text"
        if self.tokens is not None and self.spent >= self.tokens:
            return "tokens"
        if self.cost is not None and self.paid >= self.cost:
            return "cost"
        return "time" if self.seconds is not None and self.elapsed() >= self.seconds else ""

    def worked(self, called: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Count what was called; gives what ends the agent, and the answer of the tool that did."""
        self.called += [name for name, _ in called]
        for name, text in called:
            if name in self.tools:
                return "tool", text
        if self.seconds is not None and self.elapsed() >= self.seconds:
            return "time", ""
        facts = {
            "turn": self.turn,
            "tokens": self.spent,
            "cost": self.paid,
            "seconds": self.elapsed(),
            "text": self.said,
            "tools": self.called,
            "answers": [text for _, text in called],
        }
        return ("rule", "") if holds(self.rule, facts) else ("", "")

    def elapsed(self) -> float:
        """The seconds for which the agent has worked."""
        if self.began is None:
            return 0.0
        return (self.context.now(working=True) - self.began).total_seconds()
