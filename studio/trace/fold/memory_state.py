"""What the memories of a run are, as its entries tell; part of the fold."""

import base64
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from studio.trace.events.memories import MemoryOpened, MemoryUnsaved, MemoryWritten
from studio.trace.events.values import Shown

MemoryEvent: TypeAlias = MemoryOpened | MemoryUnsaved


@dataclass(slots=True)
class MemoriesState:
    """Of each memory: as what it was `opened`, and what this run made of its items.

    `written` has, by memory and id, the last write that took effect for all, and `used` when that item was of
    use since. What the memory had besides is in the project, at the version as which it was opened. `unsaved`
    says why writes are in the run alone.
    """

    opened: dict[str, MemoryOpened] = field(default_factory=dict[str, MemoryOpened])
    written: dict[str, dict[str, MemoryWritten]] = field(
        default_factory=lambda: defaultdict[str, dict[str, MemoryWritten]](dict)
    )
    used: dict[str, dict[str, list[str]]] = field(
        default_factory=lambda: defaultdict[str, dict[str, list[str]]](dict)
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
        if write.operation == "use":
            self.used[write.memory].setdefault(name, []).append(used_at(write))
            return
        self.used[write.memory].pop(name, None)
        before = written.get(name)
        if before is not None and (before.operation, write.operation) == ("remove", "put"):
            del written[name]  # it begins to age anew
        written[name] = write


def item_id(item: Shown) -> str:
    """The id of an item, as events have it; empty in a damaged one."""
    data: Any = item.data
    return str(cast("dict[str, Any]", data).get("id", "")) if isinstance(data, dict) else ""


def used_at(write: MemoryWritten) -> str:
    """When an item was of use, as an event tells it."""
    data: Any = write.item.data
    return str(cast("dict[str, Any]", data).get("at", "")) if isinstance(data, dict) else ""


def data_after_use(data: Mapping[str, Any], at: str) -> dict[str, Any]:
    """The data of an item that was of use `at` a time: how often, and when last."""
    uses = data.get("uses")
    count = uses if isinstance(uses, int) else 0
    return {**data, "uses": count + 1, "used": max(str(data.get("used") or ""), at)}


def text_of_vector(vector: bytes) -> str:
    """Say a vector in an event."""
    return base64.b64encode(vector).decode()


def vector_of_text(text: str) -> bytes:
    """Read what `text_of_vector` said; nothing, where it is damaged."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""
