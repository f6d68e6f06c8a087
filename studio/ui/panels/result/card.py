"""One value that a run gave: its name, what it is, and what the run before gave there."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QToolButton, QVBoxLayout, QWidget

from studio.flow.plain_text import pretty
from studio.trace.events.calls import MADE_UP_LABEL
from studio.trace.events.values import Plain, Shown
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.messages.spoken_text import SpokenText
from studio.ui.panels.result.rendered_text import RenderedText
from studio.ui.panels.result.table import RowsTable
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.json_tree import JsonTree
from studio.ui.panels.widgets.picture import FindsImages, pictures_in
from studio.ui.panels.widgets.short_label import ShortLabel
from studio.ui.removal import empty, take_out
from studio.ui.viewmodels.messages.conversation import as_json
from studio.ui.viewmodels.run.results import Form, Given, columns_of, form_of

LONG = 12_000
"""Characters of a text that are shown at first."""
MOST_ROWS = 1_000

FindsFile = Callable[[str], Path | None]
"""Gives the file of the project that a text names."""


class ResultCard(QFrame):
    """Shows one value; signals tell what is asked of it."""

    origin_asked = Signal(object)
    """The `Spot` whose value is followed back."""
    file_asked = Signal(object)
    folder_asked = Signal(object)

    def __init__(
        self, look: Look, given: Given, images: FindsImages, find: FindsFile, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.given = given
        self._look, self._images, self._find = look, images, find
        self._is_raw = False
        self._before: Shown | None = None
        self.setProperty("card", True)
        small = look.length("space.small")
        self._rows = column_layout(
            self, (small + look.length("space.tight"), small, small, small), look.length("space.tight")
        )
        head = row_layout(spacing=0)
        self.heading = ShortLabel(given.name, self)
        self.heading.setProperty("type", "strong")
        self.heading.setToolTip(given.name)
        head.addWidget(self.heading, 1)
        self.mark = text_label(self.tr("made up"), self, "label", "held")
        self.mark.setToolTip(self.tr("Contains made-up answers; no model produced them"))
        self.mark.setVisible(MADE_UP_LABEL in given.shown.labels)
        head.addWidget(self.mark)
        self.before_button = push_button("", self, is_plain=True)
        self.before_button.setCheckable(True)
        self.before_button.clicked.connect(self._turn_before)
        self.before_button.hide()
        self.turn: QToolButton | None = None
        if self.form in {Form.MARKDOWN, Form.TABLE, Form.TREE}:
            self.turn = icon_button(look, "edit", self.tr("Source"), self)
            self.turn.setCheckable(True)
            self.turn.clicked.connect(self._turn_raw)
            head.addWidget(self.turn)
        self.origin = icon_button(
            look,
            "step_out",
            self.tr("Where does this come from?"),
            self,
            lambda: self.origin_asked.emit(self.given.spot),
        )
        self.origin.setVisible(given.spot is not None)
        head.addWidget(self.origin)
        self.copy = icon_button(
            look,
            "copy",
            self.tr("Copy"),
            self,
            lambda: QGuiApplication.clipboard().setText(pretty(given.shown.data)),
        )
        head.addWidget(self.copy)
        self._rows.addLayout(head)
        self._body = QVBoxLayout()
        self._rows.addLayout(self._body)
        self._rows.addWidget(self.before_button, alignment=Qt.AlignmentFlag.AlignLeft)
        self._other: QFrame | None = None
        self._show_body()

    @property
    def form(self) -> Form:
        """How the value is shown."""
        return form_of(self.given.shown.data, self._find)

    @property
    def text(self) -> str:
        """The value as it is copied."""
        return pretty(self.given.shown.data)

    def show_before(self, before: Shown | None, *, is_same: bool) -> None:
        """Offer what the run before gave here; None where it gave nothing."""
        self._before = before
        self.before_button.setVisible(before is not None)
        self.before_button.setEnabled(not is_same)
        self.before_button.setText(self.tr("Same as last run") if is_same else self.tr("Last run"))
        self.before_button.setToolTip("" if is_same else self.tr("Show the output of the previous run"))
        if before is None or is_same:
            self.before_button.setChecked(False)
        self._turn_before()

    def _turn_raw(self) -> None:
        self._is_raw = not self._is_raw
        self._show_body()

    def _turn_before(self) -> None:
        if self._other is not None:
            take_out(self._rows, self._other)
            self._other = None
        if self._before is None or not self.before_button.isChecked():
            return
        self._other = QFrame(self)
        self._other.setObjectName("last_run")
        rows = column_layout(
            self._other, (0, self._look.length("space.small"), 0, 0), self._look.length("space.tight")
        )
        for widget in self._shown_as(self._before.data, self._other):
            rows.addWidget(widget)
        self._rows.addWidget(self._other)

    def _show_body(self) -> None:
        empty(self._body)
        for widget in self._shown_as(self.given.shown.data, self):
            self._body.addWidget(widget)

    def _shown_as(self, data: Plain, parent: QWidget) -> list[QWidget]:
        """The widgets that show a value; as written where that is asked for."""
        form, name = form_of(data, self._find), self.given.name
        if self._is_raw:
            is_text = isinstance(data, str) and as_json(data) is None
            return self._text(pretty(data), parent, language="" if is_text else "json")
        if form is Form.FILES:
            paths = [data] if isinstance(data, str) else cast("list[str]", data)
            return [
                *pictures_in(data, self._images, parent),
                *(self._file_row(path, parent) for path in paths),
            ]
        if form is Form.TABLE:
            rows = cast("Sequence[Mapping[str, object]]", data)
            table: list[QWidget] = [RowsTable(self._look, name, rows[:MOST_ROWS], columns_of(rows), parent)]
            counted = self.tr("{count} rows").format(count=f"{len(rows):,}")
            if len(rows) > MOST_ROWS:
                counted = self.tr("{count} rows, first {shown} shown").format(
                    count=f"{len(rows):,}", shown=f"{MOST_ROWS:,}"
                )
            return [*table, text_label(counted, parent, "label", "muted")] if len(rows) > 1 else table
        if form is Form.TREE:
            written = as_json(data) if isinstance(data, str) else None
            tree = JsonTree(self._look, name, written or pretty(data), parent)
            return [tree, *pictures_in(data, self._images, parent)]
        if form is Form.MARKDOWN and isinstance(data, str) and len(data) <= LONG:
            rendered = RenderedText(self._look, name, parent)
            rendered.show_markdown(data)
            return [rendered]
        return self._text(pretty(data), parent)

    def _text(self, text: str, parent: QWidget, language: str = "") -> list[QWidget]:
        body = SpokenText(self._look, self.given.name, parent, language=language)
        body.grow(text[:LONG] or "–")
        if len(text) <= LONG:
            return [body]
        more = push_button(
            self.tr("Show all {count} characters").format(count=f"{len(text):,}"), parent, is_plain=True
        )
        more.clicked.connect(lambda: (body.grow(text), more.hide()))
        return [body, more]

    def _file_row(self, path: str, parent: QWidget) -> QWidget:
        row = QWidget(parent)
        line = row_layout(row, 0, self._look.length("space.small"))
        mark = QLabel(row)
        side = self._look.length("size.icon")
        mark.setPixmap(self._look.icon("file", "text.muted").pixmap(side, side))
        name = ShortLabel(path, row)
        name.setToolTip(path)
        show = push_button(
            self.tr("Show"),
            row,
            lambda: self.file_asked.emit(self._find(path)),
            tip=self.tr("Show the file in this window"),
        )
        folder = push_button(self.tr("Open folder"), row, lambda: self.folder_asked.emit(self._find(path)))
        for one, stretch in ((mark, 0), (name, 1), (show, 0), (folder, 0)):
            line.addWidget(one, stretch)
        return row
