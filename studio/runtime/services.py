"""What a run is given to work with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from studio.llm.client import ChatClient
from studio.runtime.gates.debug_gate import Gate, OpenGate
from studio.runtime.gates.fault_gate import NO_MEMORY_FAULTS, MemoryFaults
from studio.runtime.limits.budget import Budget
from studio.runtime.limits.cancellations import Stops
from studio.runtime.limits.pace import Breath
from studio.runtime.recorder import Recorder
from studio.runtime.replay.past import Past
from studio.runtime.resources.chance import Chance
from studio.runtime.resources.people import People
from studio.runtime.resources.permissions import Permissions
from studio.runtime.resources.request_images import Images, MemoryImages
from studio.runtime.state.run_memories import RunMemories
from studio.sdk.code import CodeBox
from studio.servers.records import Servers
from studio.web.request import Web


@dataclass(frozen=True, slots=True)
class Services:
    """What a run reaches; `chats` opens a chat profile by name (empty: the run's)."""

    recorder: Recorder
    chats: Callable[[str], ChatClient]
    people: People
    root: Path
    memories: RunMemories
    past: Past | None = None
    budget: Budget | None = None
    stops: Stops = field(default_factory=Stops)
    box: CodeBox | None = None
    web: Web | None = None
    servers: Servers | None = None
    permissions: Permissions = field(default_factory=lambda: Permissions(None))
    gate: Gate = field(default_factory=OpenGate)
    """Where the calls that steps make can be held."""
    images: Images = field(default_factory=MemoryImages)
    """Where the pictures that are sent are kept."""
    chance: Chance = field(default_factory=Chance)
    faults: MemoryFaults = NO_MEMORY_FAULTS
    """What goes wrong on purpose with what is found in memories."""
    breath: Breath = field(default_factory=Breath)
    """Where steps wait that begin too late in a turn of the event loop."""


@runtime_checkable
class KnowsAbilities(Protocol):
    """Something that opens chat profiles and knows what their endpoints can do."""

    def can(self, profile: str, capability: str, /) -> bool | None:
        """Tell whether a test found it able to do something; None where none told."""
        ...


@runtime_checkable
class FallsBack(Protocol):
    """Something that opens chat profiles and knows whom else to ask."""

    def fallback(self, profile: str, /) -> tuple[str, ...]:
        """Give the profiles to ask in turn where `profile` can't be reached or refuses."""
        ...
