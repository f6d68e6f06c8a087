"""What the runs of a script may use."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studio.flow.records import Json
from studio.ids import StepId
from studio.llm.client import ChatClient
from studio.llm.rate_limits.lines import Priority
from studio.llm.rate_limits.queue import ChatQueues
from studio.runtime.gates.faults import Fault
from studio.runtime.resources.people import People
from studio.sdk.code import CodeBox


@dataclass(frozen=True, slots=True)
class Tools:
    """Says what runs may use and whom they may ask; you make one and give it to `run`, `replay` or `fork`.

    Runs that are given the same one share the turns of its chats.

    `chat` names the chat profile, or is a client that answers in the place of every profile. `answers` has
    what people would be asked, by step; `people` answers the rest, without it a question ends the run.
    `store` is the folder that keeps the run as a file, as the `.stepwire` of a project; without one nothing
    is written. Keys and the user's own settings are those of `environ`. `seed` makes chance repeatable.
    """

    chat: str | ChatClient = ""
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    answers: Mapping[StepId, Json] = field(default_factory=dict[StepId, Json])
    people: People | None = None
    is_offline: bool = False
    priority: Priority = Priority.INTERACTIVE
    seed: int | None = None
    faults: Sequence[Fault | str] = ()
    """What goes wrong in a `run` on purpose, such as `fail critic` or `corrupt writer#chat rate=0.2`."""
    store: Path | None = None
    box: CodeBox | None = None
    """Where code of flows runs; without one each run has its own."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    queues: ChatQueues | None = None
    """The turns of chat profiles; those that this user's runs in all processes share, unless given."""

    @property
    def profile(self) -> str:
        """The chat profile that is named; empty where a client answers."""
        return self.chat if isinstance(self.chat, str) else ""

    @property
    def client(self) -> ChatClient | None:
        """What answers in the place of every profile."""
        return None if isinstance(self.chat, str) else self.chat
