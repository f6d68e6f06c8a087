"""Bounds of nodes that run code in the sandbox."""

from typing import Annotated, TypeAlias

from studio.sdk import Setting

CodeSeconds: TypeAlias = Annotated[
    float,
    Setting(
        "Timeout, s", editor="number", minimum=0.01, maximum=600, help="Running time, not counting waits"
    ),
]
"""How long code may run, without what it waits for."""

CodeMemory: TypeAlias = Annotated[int, Setting("Max. memory, MiB", minimum=32, maximum=2048)]
"""How much memory code may take."""
