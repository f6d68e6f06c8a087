"""What a node lends that lends an agent."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.sdk.memory import Memory
from studio.sdk.tool import Tool


@dataclass(frozen=True, slots=True)
class Agent:
    """One who may take over a conversation: who it is, what it may call, and whom it may hand over to.

    `passes_to` has the names of others; empty: anybody. Its `memories` know it by its name.
    """

    name: str
    description: str = ""
    instructions: str = ""
    tools: Sequence[Tool] = ()
    passes_to: Sequence[str] = ()
    temperature: float | None = None
    profile: str = ""
    memories: Sequence[Memory] = ()
