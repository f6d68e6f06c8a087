"""When a team is done: a rule over what happened so far, put together with `and`, `or` and `not`.

The rule sees `rounds` (whole ones), `turns`, `text` (what was said last), `speaker` (by whom), `speakers`
(all who spoke, in turn), `tokens` (in and out, of all), `seconds` (of work) and `handed_over` (to whom
the last speaker handed over; empty: to nobody).
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from studio.sdk import Context, Said
from studio.sdk.expressions import holds

FACTS = ("rounds", "turns", "text", "speaker", "speakers", "tokens", "seconds", "handed_over")
"""What the rule of a team sees; a team may have more."""

ENDS_HELP = f"Expression over {', '.join(FACTS)}; empty: never"


@dataclass(slots=True)
class Ending:
    """Counts what a team does, and asks its rule after each turn."""

    context: Context
    rule: str = ""
    rounds: int = 0
    turns: int = 0
    tokens: int = 0
    speakers: list[str] = field(default_factory=list[str])
    began: datetime | None = None

    def start(self) -> Self:
        """Count the time from now on, where there is a rule that may ask for it."""
        self.began = self.context.now(working=True) if self.rule else None
        return self

    def after(self, speaker: str, said: Said, *, handed_over: str = "", **more: Any) -> bool:
        """Count a turn; tells whether the rule holds now. `more` are facts of this kind of team."""
        self.turns += 1
        self.tokens += said.tokens
        self.speakers.append(speaker)
        facts = {
            "rounds": self.rounds,
            "turns": self.turns,
            "text": said.reply,
            "speaker": speaker,
            "speakers": [*self.speakers],
            "tokens": self.tokens,
            "seconds": self.elapsed(),
            "handed_over": handed_over,
            **more,
        }
        return holds(self.rule, facts)

    def elapsed(self) -> float:
        """The seconds for which the team has worked."""
        if self.began is None:
            return 0.0
        return (self.context.now(working=True) - self.began).total_seconds()
