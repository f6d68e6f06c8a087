"""The server of `birds.py`, and who listens to it."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from studio.errors import WaitingError
from studio.servers.records import Listening, ServerCommand

SCRIPT = Path(__file__).with_name("birds.py")
BIRDS = ServerCommand((sys.executable, str(SCRIPT)), ("BIRD_KEY",))
ENVIRON = {"BIRD_KEY": "two-wrens", "OTHER_KEY": "hidden"}


@dataclass
class Listener:
    """Keeps what a server says, and answers what it asks."""

    answer: Mapping[str, object] | None = None
    progressed: list[tuple[float, float, str]] = field(default_factory=list[tuple[float, float, str]])
    asked: list[str] = field(default_factory=list[str])

    async def ask(self, question: str, _: Mapping[str, object]) -> Mapping[str, object]:
        self.asked.append(question)
        if self.answer is None:
            message = "Nobody is here."
            raise WaitingError(message)
        return self.answer

    @property
    def listening(self) -> Listening:
        return Listening(lambda *said: self.progressed.append(said), self.ask)


class Allowed:
    """Commands that somebody has allowed."""

    def __init__(self) -> None:
        self.commands: list[ServerCommand] = []

    def has(self, server: ServerCommand) -> bool:
        return server in self.commands

    def add(self, server: ServerCommand) -> None:
        self.commands.append(server)
