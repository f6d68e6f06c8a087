"""The servers of tests, and who listens to it."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from studio.errors import WaitingError
from studio.ids import StepId
from studio.sdk.context import Form
from studio.servers.grants import Grant
from studio.servers.records import Listening, ServerCommand

SCRIPT = Path(__file__).with_name("birds.py")
RUDE = Path(__file__).with_name("rude.py")
BIRDS = ServerCommand((sys.executable, str(SCRIPT)), ("BIRD_KEY",))
PLAIN_SCRIPT = Path(__file__).with_name("plain.py")
PLAIN = ServerCommand((sys.executable, str(PLAIN_SCRIPT)), ("BIRD_KEY",))
"""For what a run makes of a server: it starts in a tenth of the time."""
ENVIRON = {"BIRD_KEY": "two-wrens", "OTHER_KEY": "hidden"}


def rude(manners: str) -> ServerCommand:
    """A server that does not keep to the protocol."""
    return ServerCommand((sys.executable, str(RUDE), manners))


@dataclass
class Listener:
    """Keeps what a server says, and answers what it asks."""

    answer: Mapping[str, object] | None = None
    progressed: list[tuple[float, float, str]] = field(default_factory=list[tuple[float, float, str]])
    asked: list[str] = field(default_factory=list[str])
    noted: list[str] = field(default_factory=list[str])
    waited: list[tuple[float, float, str]] = field(default_factory=list[tuple[float, float, str]])
    """How long its start took, as often as that was told."""

    async def ask(self, question: str, _: Mapping[str, object]) -> Mapping[str, object]:
        self.asked.append(question)
        if self.answer is None:
            message = "Nobody is here."
            raise WaitingError(message)
        return self.answer

    @property
    def listening(self) -> Listening:
        return Listening(self.progress, self.ask, self.noted.append)

    def progress(self, done: float, total: float, note: str) -> None:
        told = self.waited if note.startswith("start") else self.progressed
        told.append((done, total, note))


class Allowed:
    """What somebody has allowed, in memory."""

    def __init__(self) -> None:
        self.allowed: list[Grant] = []

    def has(self, grant: Grant) -> bool:
        return grant in self.allowed

    def before(self, grant: Grant) -> Mapping[str, str] | None:
        return next((one.seen for one in reversed(self.allowed) if one.key == grant.key), None)

    def add(self, grant: Grant) -> None:
        self.allowed.append(grant)


@dataclass
class Person:
    """Says the same to whatever is asked."""

    answer: Mapping[str, object]
    forms: list[Form] = field(default_factory=list[Form])

    async def ask(self, _: StepId, form: Form) -> Mapping[str, object]:
        self.forms.append(form)
        return self.answer
