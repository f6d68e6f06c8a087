"""Settings and inputs of nodes that lend or use a memory."""

from typing import Annotated, TypeAlias

from studio.building_blocks.memories.capacity import Eviction
from studio.sdk import In, Json, Keep, Setting

MemoryName: TypeAlias = Annotated[
    str, Setting("Name", help="Nodes with the same name share one memory; empty: its own")
]
"""The name by which several nodes share one memory."""

KeptFor: TypeAlias = Annotated[Keep, Setting("Kept for", help="For the run, or for the project")]
"""How long what is remembered lasts."""

KeptIn: TypeAlias = Annotated[Keep, Setting("Keep", help="For the run, or in a file of the project")]
"""Where what is remembered is kept."""

MaxRecalled: TypeAlias = Annotated[int, Setting("Max. recalled", minimum=1, maximum=1000)]
"""How many items are recalled at the most."""

ItemCharacters: TypeAlias = Annotated[int, Setting("Max. characters", minimum=1, help="Per item")]
"""How long an item may be."""

WhenFull: TypeAlias = Annotated[
    Eviction,
    Setting("When full", help="Refuse what is new, or remove the oldest, least used or least important item"),
]
"""What becomes of a memory that is full."""

MessageCharacters: TypeAlias = Annotated[int, Setting("Max. characters", minimum=200, help="Per message")]
"""How much of a message is remembered."""

RecalledTokens: TypeAlias = Annotated[int, Setting("Max. tokens", minimum=0, help="Approximate; 0: no limit")]
"""How long what is recalled may be, as estimated."""

ItemLimit: TypeAlias = Annotated[int, Setting("Max. items", minimum=0, help="0: the memory's own limit")]
"""How many items are found; none: as many as the memory gives."""

MemoryFields: TypeAlias = Annotated[dict[str, Json], In("Additional fields of this kind of memory")]
"""Fields of a kind of memory, beside the text."""
