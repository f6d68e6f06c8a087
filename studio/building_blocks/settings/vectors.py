"""Settings of nodes that compare texts by vectors.

They stand apart from those of language models: a script of an agent brings nothing that computes vectors.
"""

from typing import Annotated, TypeAlias

from studio.building_blocks.memories.embeddings import VectorMethod
from studio.sdk import Setting

VectorMaker: TypeAlias = Annotated[
    VectorMethod,
    Setting(
        "Vectors", help="embedded: computed locally, offline; profile: by the endpoint of a chat profile"
    ),
]
"""What makes the vectors of texts."""

VectorProfile: TypeAlias = Annotated[
    str,
    Setting("Chat profile", editor="profile", help="Empty: same as the run", matters_with="method=profile"),
]
"""The chat profile that makes vectors, where one does."""
