"""What the kinds of memories are shown as: the columns of their items, and what an item is called."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import excerpt
from studio.sdk.items import Item

translate = QCoreApplication.translate

LONGEST = 300
"""Characters of a cell."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table of items; numbers stand on the right and are sorted as numbers."""

    title: str
    value: Callable[[Item], Any]
    share: int = 1

    def words(self, item: Item) -> str:
        """What stands in the cell of an item."""
        found = self.value(item)
        if isinstance(found, float):
            return f"{found:.2f}".rstrip("0").rstrip(".")
        return "" if found is None else excerpt(found, LONGEST)


def columns_of(kind: str) -> Sequence[Column]:
    """Give the columns for the items of a kind of memory."""
    match kind:
        case "memory.window" | "memory.summary":
            own = [_field("role", translate("memory", "Role")), _text(translate("memory", "Message"))]
        case "memory.notes":
            own = [
                Column(translate("memory", "Key"), lambda item: item.id, 3),
                _text(translate("memory", "Value")),
            ]
        case "memory.graph":
            own = [
                _field("subject", translate("memory", "Subject"), 3),
                _field("relation", translate("memory", "Relation"), 2),
                _field("object", translate("memory", "Object"), 3),
            ]
        case "memory.files":
            own = [
                Column(translate("memory", "Path"), lambda item: item.id, 4),
                Column(translate("memory", "Characters"), lambda item: len(item.text)),
                _text(translate("memory", "Content")),
            ]
        case "memory.stream":
            own = [
                _field("type", translate("memory", "Type"), 2),
                _field("importance", translate("memory", "Importance")),
                _text(translate("memory", "Memory")),
            ]
        case "memory.experience":
            own = [
                _field("action", translate("memory", "Action"), 4),
                _field("score", translate("memory", "Score")),
                _field("outcome", translate("memory", "Outcome"), 3),
                _text(translate("memory", "Situation")),
            ]
        case _:
            own = [_text(translate("memory", "Text"))]
    return [
        *own,
        Column(translate("memory", "By"), lambda item: item.by, 2),
        Column(translate("memory", "When"), lambda item: when(item.at), 2),
    ]


def when(at: str) -> str:
    """A moment of ISO 8601 by the clock of who reads it."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return at[:19].replace("T", " ")


def title_of_item(kind: str, item: Item) -> str:
    """Name an item in a few words."""
    return excerpt(name_of_item(kind, item) or item.text or item.id, 60)


def name_of_item(kind: str, item: Item) -> str:
    """The name under which an item is kept, where its kind has such names."""
    return item.id if kind in {"memory.notes", "memory.files"} else ""


def fields_of(kind: str) -> Sequence[str]:
    """Name what an item of a kind has beside its text, for somebody who writes one."""
    return {
        "memory.window": ("role",),
        "memory.summary": ("role",),
        "memory.notes": ("key",),
        "memory.graph": ("subject", "relation", "object"),
        "memory.files": ("path",),
        "memory.stream": ("type", "importance"),
        "memory.experience": ("action", "score", "outcome"),
    }.get(kind, ())


def _field(name: str, title: str, share: int = 2) -> Column:
    return Column(title, lambda item: item.data.get(name), share)


def _text(title: str) -> Column:
    return Column(title, lambda item: item.text, 9)
