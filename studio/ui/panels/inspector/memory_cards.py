"""What a step looked for in memories and found, why, and what it changed there."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import Any, cast

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from studio.app.memories.run_memories import recall_of
from studio.flow.plain_text import excerpt
from studio.ids import StepId
from studio.sdk.told_items import item_of
from studio.trace.events.memories import MemoryRead, MemoryWritten
from studio.trace.fold.steps import StepState
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.slots import of_text

translate = QCoreApplication.translate

LONGEST = 240
"""Characters of an item that are shown."""
MOST = 30
"""Items of one look into a memory that are shown."""

Ask = Callable[[str, str], None]
"""Shows an item, by its memory and its id."""


def memory_cards(look: Look, step: StepState, parent: QWidget, ask: Ask) -> "list[MemoryCard]":
    """Make a card for each look into a memory for somebody, and for each memory that was changed."""
    cards = [
        MemoryCard(look, _read_title(one), partial(_found, look, one), parent, ask)
        for one in step.recalled
        if one.purpose == "recall"
    ]
    changed: dict[str, list[MemoryWritten]] = {}
    for one in (write for write in step.remembered if write.operation != "use"):  # it was recalled
        changed.setdefault(one.memory, []).append(one)
    for memory, writes in changed.items():
        title = translate("memory", "Changed {memory}").format(memory=memory)
        cards.append(MemoryCard(look, title, partial(_changes, look, writes), parent, ask))
    return cards


def has_memories(step: StepState) -> tuple[int, int]:
    """Count what was read and written there, which only grows while the step goes on."""
    return len(step.recalled), len(step.remembered)


class MemoryCard(QFrame):
    """What was done with one memory; its `text` links the items."""

    def __init__(self, look: Look, title: str, html: Callable[[], str], parent: QWidget, ask: Ask) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        small = look.length("space.small")
        rows = column_layout(
            self, (small + look.length("space.tight"), small, small, small), look.length("space.tight")
        )
        caption = text_label(title, self, "label", "muted", wraps=True)
        self._html = html
        self.text = QLabel(html(), self)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setWordWrap(True)
        self.text.setAccessibleName(title)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.text.linkActivated.connect(of_text(lambda place: _go(place, ask)))
        rows.addWidget(caption)
        rows.addWidget(self.text)
        look.changed.connect(self._draw)

    def _draw(self) -> None:
        self.text.setText(self._html())


def _read_title(read: MemoryRead) -> str:
    many = len(read.found)
    words = (
        translate("memory", "Searched {memory} for “{query}”: {count} found")
        if read.query
        else translate("memory", "Searched {memory}: {count} found")
    )
    return words.format(memory=read.memory, query=excerpt(read.query, LONGEST), count=many)


def _found(look: Look, read: MemoryRead) -> str:
    lines: list[str] = []
    for shown in read.found[:MOST]:
        item = item_of(shown)
        plain = cast("dict[str, Any]", shown.data if isinstance(shown.data, dict) else {})
        recall = recall_of(StepId(""), read.query, plain)
        score = f"{recall.score:.2f}" if recall.score else ""
        said = " · ".join(filter(None, (score, escape(recall.why))))
        title = excerpt(item.text or item.id, LONGEST)
        lines.append(_line(look, _link(look, read.memory, item.id, title), said))
    return "".join(lines) + _rest(look, len(read.found))


def _changes(look: Look, writes: Sequence[MemoryWritten]) -> str:
    return "".join(_change(look, one) for one in writes[:MOST]) + _rest(look, len(writes))


def _change(look: Look, write: MemoryWritten) -> str:
    item = item_of(write.item)
    title = excerpt(item.text or item.id, LONGEST)
    is_put = write.operation == "put"
    what = translate("memory", "remembered") if is_put else translate("memory", "forgotten")
    said = " · ".join(filter(None, (what, escape(write.why))))
    return _line(look, _link(look, write.memory, item.id, title) if is_put else escape(title), said)


def _rest(look: Look, many: int) -> str:
    more = translate("memory", "… and {count} more").format(count=many - MOST)
    return _muted(look, more) if many > MOST else ""


def _line(look: Look, html: str, said: str) -> str:
    more = f"<br>{_muted(look, said)}" if said else ""
    return f"<p style='margin-top:0px; margin-bottom:6px'>{html}{more}</p>"


def _muted(look: Look, html: str) -> str:
    return f"<span style='color:{look.color('text.muted').name()}'>{html}</span>"


def _link(look: Look, memory: str, item: str, words: str) -> str:
    place = "/".join(bytes(QUrl.toPercentEncoding(one).data()).decode() for one in (memory, item))
    return f"<a href='{place}' style='color:{look.color('text.normal').name()}'>{escape(words)}</a>"


def _go(place: str, ask: Ask) -> None:
    memory, _, item = place.partition("/")
    ask(QUrl.fromPercentEncoding(memory.encode()), QUrl.fromPercentEncoding(item.encode()))
