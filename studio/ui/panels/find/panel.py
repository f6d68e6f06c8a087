"""Finding in all flows of a project, and replacing what is chosen there."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from studio.app.documents.find_replace import Found, FoundInFlow, Query, instead_of
from studio.errors import StepwireError
from studio.flow.plain_text import quoted
from studio.flow.records import Flow
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import row_layout
from studio.ui.look import Look
from studio.ui.panels.find.query_row import QueryRow
from studio.ui.slots import of_text
from studio.ui.theme.apply import mark
from studio.ui.viewmodels.words.found_words import excerpt, place_words

PAUSE = 250
"""Milliseconds without a key after which what was typed is looked for."""
HIT = Qt.ItemDataRole.UserRole


class ProjectFindPanel(QWidget):
    """Lists what was found, flow by flow, each hit with what would stand there instead."""

    asked = Signal(object)
    """A query; whoever hears it answers with `show_found`."""
    chosen = Signal(object, object)
    """A flow's path and the hit in it that is to be shown."""
    replace_asked = Signal(object, object, str)
    """Hits by the path of their flow, the query that found them, and what is to stand instead."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._query = Query("")
        self._found: Sequence[FoundInFlow] = ()
        self.row = QueryRow(look, self.tr("Find in the project"), self)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._pause.timeout.connect(self.search)
        self.row.asked.connect(self._pause.start)
        self.row.field.returnPressed.connect(self.search)
        self.instead = QLineEdit(self)
        self.instead.setPlaceholderText(self.tr("Replace with"))
        self.instead.setAccessibleName(self.tr("Replace with"))
        self.instead.textChanged.connect(of_text(lambda _: self._preview()))
        self.replace = push_button(self.tr("Replace"), self, self._replace)
        self.said = text_label("", self, wraps=True)
        mark(self.said, tone="muted")
        self.tree = QTreeWidget(self)
        self.tree.setColumnCount(3)
        self.tree.setHeaderLabels([self.tr("Where"), self.tr("Text"), self.tr("Replacement")])
        self.tree.setAccessibleName(self.tr("Results"))
        self.tree.setUniformRowHeights(True)
        self.tree.itemActivated.connect(self._open)
        self.tree.itemClicked.connect(self._open)
        self.tree.itemChanged.connect(self._count)
        self._lay_out(look)
        self._count()

    def _lay_out(self, look: Look) -> None:
        small = look.length("space.small")
        second = row_layout(spacing=small)
        second.addWidget(self.instead, 1)
        second.addWidget(self.replace)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(*(look.length("space.normal"),) * 4)
        rows.setSpacing(small)
        rows.addWidget(self.row)
        rows.addLayout(second)
        rows.addWidget(self.said)
        rows.addWidget(self.tree, 1)
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)

    def search(self) -> None:
        """Look for what stands in the field now."""
        self._pause.stop()
        self._query = self.row.query
        self.asked.emit(self._query)

    def show_found(self, found: Sequence[FoundInFlow], flows: Mapping[Path, Flow], trouble: str = "") -> None:
        """List the hits; `flows` has the flows in which they stand."""
        self._found = found
        self.tree.blockSignals(True)
        self.tree.clear()
        for one in found:
            parent = QTreeWidgetItem(self.tree, [f"{one.title} · {one.name}"])
            parent.setFlags(parent.flags() | Qt.ItemFlag.ItemIsAutoTristate | Qt.ItemFlag.ItemIsUserCheckable)
            parent.setFirstColumnSpanned(True)
            for hit in one.hits:
                self._add(parent, one.path, hit, flows[one.path])
            parent.setExpanded(True)
        self.tree.blockSignals(False)
        self._preview()
        places = sum(len(one.hits) for one in found)
        if trouble or not self._query.words:
            self.said.setText(quoted(trouble))
        elif not places:
            self.said.setText(self.tr("No results"))
        else:
            said = self.tr("{places} matches in {flows} flows")
            self.said.setText(said.format(places=places, flows=len(found)))
        mark(self.said, tone="failed" if trouble else "muted")

    def say(self, text: str) -> None:
        """Say what became of a replacement."""
        self.said.setText(quoted(text))

    @property
    def ticked(self) -> dict[Path, list[Found]]:
        """The hits that are to be replaced, by the path of their flow."""
        chosen: dict[Path, list[Found]] = {}
        for item in self._items():
            if item.checkState(0) == Qt.CheckState.Checked:
                path, hit = item.data(0, HIT)
                if hit.can_change:
                    chosen.setdefault(path, []).append(hit)
        return chosen

    def _add(self, parent: QTreeWidgetItem, path: Path, hit: Found, flow: Flow) -> None:
        item = QTreeWidgetItem(parent, [place_words(flow, hit), excerpt(hit)])
        item.setData(0, HIT, (path, hit))
        for column, text in enumerate((item.text(0), hit.text)):
            item.setToolTip(column, text)
        if hit.can_change:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(0, Qt.CheckState.Checked)

    def _items(self) -> list[QTreeWidgetItem]:
        tops = [self.tree.topLevelItem(row) for row in range(self.tree.topLevelItemCount())]
        items = [top.child(row) for top in tops if top is not None for row in range(top.childCount())]
        return [item for item in items if item is not None]

    def _preview(self) -> None:
        """Write beside each hit what would stand there."""
        words, known = self.instead.text(), dict[str, dict[int, str]]()
        self.tree.blockSignals(True)
        for item in self._items():
            hit: Found = item.data(0, HIT)[1]
            said = ""
            if words and hit.can_change:
                with suppress(StepwireError):  # half a group's name; `Replace` says so
                    if hit.text not in known:
                        known[hit.text] = instead_of(hit.text, self._query, words)
                    said = excerpt(hit, known[hit.text].get(hit.start, ""))
            item.setText(2, said)
        self.tree.blockSignals(False)
        self._count()

    def _count(self) -> None:
        places = sum(len(hits) for hits in self.ticked.values())
        self.replace.setEnabled(bool(places))
        self.replace.setText(
            self.tr("Replace {count}").format(count=places) if places else self.tr("Replace")
        )

    def _replace(self) -> None:
        self.replace_asked.emit(self.ticked, self._query, self.instead.text())

    def _open(self, item: QTreeWidgetItem) -> None:
        found = item.data(0, HIT)
        if found is not None:
            self.chosen.emit(*found)
