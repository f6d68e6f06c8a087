"""What the memories of a run are, as its entries tell; part of the fold."""

import base64
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from studio.trace.events.memories import MemoryOpened, MemoryUnsaved, MemoryWritten
from studio.trace.events.values import Shown

MemoryEvent: TypeAlias = MemoryOpened | MemoryUnsaved


@dataclass(slots=True)
class MemoriesState:
    """Of each memory: as what it was `opened`, and what this run made of its items.

    `written` has, by memory and id, the last write that took effect for all; what the memory had besides is
    in the project, at the version as which it was opened. `unsaved` says why writes are in the run alone.
    """

    opened: dict[str, MemoryOpened] = field(default_factory=dict[str, MemoryOpened])
    written: dict[str, dict[str, MemoryWritten]] = field(
        default_factory=lambda: defaultdict[str, dict[str, MemoryWritten]](dict)
    )
    unsaved: list[MemoryUnsaved] = field(default_factory=list[MemoryUnsaved])

    def tell(self, event: MemoryEvent) -> None:
        """Take in what happened to a memory as a whole."""
        if isinstance(event, MemoryOpened):
            self.opened[event.memory] = event
        else:
            self.unsaved.append(event)

    def take(self, write: MemoryWritten) -> None:
        """Take in what takes effect for all."""
        written, name = self.written[write.memory], item_id(write.item)
        before = written.get(name)
        if before is not None and (before.operation, write.operation) == ("remove", "put"):
            del written[name]  # it begins to age anew
        written[name] = write


def item_id(item: Shown) -> str:
    """The id of an item, as events have it; empty in a damaged one."""
    data: Any = item.data
    return str(cast("dict[str, Any]", data).get("id", "")) if isinstance(data, dict) else ""


def text_of_vector(vector: bytes) -> str:
    """Say a vector in an event."""
    return base64.b64encode(vector).decode()


def vector_of_text(text: str) -> bytes:
    """Read what `text_of_vector` said; nothing, where it is damaged."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""
