"""Settings of nodes that lend tools and agents, and of those that call."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field

from studio.sdk import In, Memory, Setting, Tool, lendable_name

ToolName: TypeAlias = Annotated[
    str, Setting("Name", help="Tool name, as the agent sees it"), AfterValidator(lendable_name)
]
"""What an agent sees a tool called."""

ToolPrefix: TypeAlias = Annotated[
    str, Setting("Prefix", help="Prepended to the names of its tools"), Field(pattern="^[a-zA-Z0-9_-]{0,40}$")
]
"""What stands before the names of the tools that a node lends."""

ToolDescription: TypeAlias = Annotated[
    str, Setting("Description", editor="text", help="Tool description for the agent")
]
"""What an agent is told of a tool."""

AgentTools: TypeAlias = Annotated[Sequence[Tool], In("Tools it can call")]
"""The tools that an agent can call."""

AgentMemory: TypeAlias = Annotated[Sequence[Memory], In("Its memory, under its name")]
"""The memories that an agent has."""

AgentName: TypeAlias = Annotated[
    str, Setting("Name", help="Letters, digits, `_` and `-`"), Field(pattern="^[a-zA-Z0-9_-]{1,48}$")
]
"""The name of an agent."""

AgentInstructions: TypeAlias = Annotated[str, Setting("Instructions", editor="text", help="Who the agent is")]
"""The system prompt of an agent."""

AgentTurns: TypeAlias = Annotated[int, Setting("Max. turns", minimum=1, maximum=100)]
"""How often an agent may ask its model in one call."""

CalledFlow: TypeAlias = Annotated[str, Setting("Flow", editor="flow", help="The flow of the project to run")]
"""A flow of the project that is called."""

CallDepth: TypeAlias = Annotated[
    int, Setting("Max. nesting", minimum=1, maximum=64, help="How deeply flows may call each other")
]
"""How deeply flows may call one another."""

PrivateNetworks: TypeAlias = Annotated[bool, Setting("Allow this machine and private networks")]
"""Whether this machine and its network may be reached."""
