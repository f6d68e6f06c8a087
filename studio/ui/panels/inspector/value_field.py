"""What a held step reads or gives, to be edited: text as text, parts one by one, everything as JSON."""

import json
from collections.abc import Callable, Sequence
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QToolButton, QWidget

from studio.flow.plain_text import pretty
from studio.flow.ports import PortType
from studio.flow.records import Json
from studio.trace.events.values import Shown
from studio.ui.editors.editor import Editor
from studio.ui.editors.highlight import CodeHighlighter
from studio.ui.editors.part_editors import json_refusal
from studio.ui.editors.parts import Schema, complaint_of, has_parts, part_editor, schema_like
from studio.ui.editors.prose import GrowingText
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.removal import take_out
from studio.ui.slots import of_flag
from studio.ui.theme.apply import mark

UNTYPED = ("any", "json")
"""Types whose values may be anything that JSON says, so that text may become something else."""


class HeldField(QWidget):
    """Something that a held step reads or gives, under its name."""

    changed = Signal()

    def __init__(
        self, look: Look, name: str, fits: Callable[[Json], str], before: object, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.name = name
        self._look = look
        self._head = QHBoxLayout()
        self._fits = fits
        self._before = before
        self.is_new = False
        """Whether it was not there before, and so counts as it stands."""
        self.nothing_button: QToolButton | None = None
        self._message = QLabel(self)
        self._message.setObjectName("problem")
        self._message.setProperty("type", "small")
        self._message.setProperty("tone", "failed")
        self._message.setWordWrap(True)
        self._message.hide()

    @property
    def texts(self) -> Sequence[QPlainTextEdit]:
        """Where it is typed."""
        raise NotImplementedError

    @property
    def value(self) -> object:
        """The value as it stands; raises `ValueError` where it is not JSON."""
        raise NotImplementedError

    @property
    def gives_nothing(self) -> bool:
        """Whether the output is to give nothing, whatever stands here."""
        return self.nothing_button is not None and self.nothing_button.isChecked()

    @property
    def is_edited(self) -> bool:
        """Whether the value differs from what the step had."""
        return not self.gives_nothing and self.refusal == "" and (self.is_new or self.value != self._before)

    @property
    def refusal(self) -> str:
        """Why it is not a value, in one sentence; empty where it is, or where it gives nothing."""
        if self.gives_nothing:
            return ""
        try:
            value = self.value
        except ValueError as error:
            return json_refusal(error)
        return self._fits(cast("Json", value)) if self.is_new or value != self._before else ""

    def offer_nothing(self) -> None:
        """Let a person have the output give nothing: what is wired to it does not happen."""
        words = self.tr("No value: steps that wait for it are skipped")
        button = icon_button(self._look, "close", words, self)
        button.setCheckable(True)
        button.setAccessibleName(self.tr("No value at {name}").format(name=self.name))
        button.toggled.connect(of_flag(lambda _: self._give_nothing()))
        self._head.addWidget(button)
        self.nothing_button = button

    def _give_nothing(self) -> None:
        for one in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if one is not self.nothing_button and not isinstance(one, QLabel):
                one.setEnabled(not self.gives_nothing)
        self._check()

    def _add_caption(self, type_: PortType | None) -> None:
        """Say what it is, over it."""
        self._head.setSpacing(self._look.length("space.tight"))
        caption = text_label(self.name, self, "label", "muted")
        self._head.addWidget(caption)
        if type_ is not None:
            kind = text_label(str(type_), self, "small", "muted")
            kind.setProperty("mono", True)
            self._head.addWidget(kind)
        self._head.addStretch(1)

    def _check(self) -> None:
        reason = self.refusal
        for text in self.texts:
            if bool(reason) != self._message.isVisible():
                mark(text, tone="failed" if reason else "held")
        self._message.setText(reason)
        self._message.setVisible(bool(reason))
        self.changed.emit()


class ValueField(HeldField):
    """One value of a port. What has parts can be edited part by part or as JSON; one follows the other.

    `schema` says what the arguments of a tool are; other values are edited as they are built.
    """

    def __init__(
        self,
        look: Look,
        name: str,
        shown: Shown,
        fits: Callable[[Json], str],
        parent: QWidget | None = None,
        *,
        type_: PortType | None = None,
        schema: Schema | None = None,
    ) -> None:
        super().__init__(look, name, fits, shown.data, parent)
        self._schema = schema
        self._is_text = isinstance(shown.data, str)
        self._is_following = False
        self.parts: Editor | None = None
        self._rows = column_layout(self, 0, look.length("space.tight"))
        self.text = GrowingText(look, self, least=2, most=10)
        self.text.setProperty("tone", "held")
        self.text.setAccessibleName(name)
        self._highlighter: CodeHighlighter | None = None
        self._add_caption(type_)
        self.views: Sequence[QToolButton] = ()
        self.views = self._views(type_, shown.data)
        self._rows.addLayout(self._head)
        self._rows.addWidget(self.text)
        self._rows.addWidget(self._message)
        self._show_as(is_text=self._is_text)
        self.text.setPlainText(pretty(shown.data))
        self.text.textChanged.connect(self._typed)
        if self.views and not self._is_text:
            self.show_parts()

    @property
    def texts(self) -> Sequence[QPlainTextEdit]:
        """Where it is typed."""
        return (self.text,)

    @property
    def value(self) -> object:
        """The value as it stands; raises `ValueError` where it is not JSON, or a part of it does not fit."""
        if self.parts is not None and (said := complaint_of(self.parts)):
            raise ValueError(said.removesuffix("."))
        text = self.text.toPlainText()
        return text if self._is_text else json.loads(text)

    def show_parts(self) -> None:
        """Show an object's fields, a list's elements, a number; text that is to be text as it stands."""
        if isinstance(self._before, str):
            self._show_as(is_text=True)
            self._check()
            return
        try:
            value = json.loads(self.text.toPlainText())
        except ValueError:
            self._tick(1)  # it has to be JSON before it has parts
            return
        self._drop_parts()
        schema = self._schema if self._schema is not None else schema_like(value)
        self.parts = part_editor(schema, self.name, value, self._look, self)
        self.parts.edited.connect(self._follow_parts)
        self.parts.complained.connect(self._check)
        self._rows.insertWidget(1, self.parts)
        self.text.hide()
        self._tick(0)
        self._check()

    def show_json(self) -> None:
        """Show the whole value as JSON."""
        if self._is_text:
            written = json.dumps(self.text.toPlainText(), ensure_ascii=False)
            self._show_as(is_text=False)
            self.text.setPlainText(written)
        self._drop_parts()
        self.text.show()
        self._tick(1)
        self._check()

    def _show_as(self, *, is_text: bool) -> None:
        if is_text and not self._is_text:
            try:
                found = json.loads(self.text.toPlainText())
            except ValueError:
                found = self.text.toPlainText()
            self._is_text = True
            self.text.setPlainText(pretty(found))
        self._is_text = is_text
        if is_text and self._highlighter is not None:
            self._highlighter.deleteLater()
            self._highlighter = None
        elif not is_text and self._highlighter is None:
            self._highlighter = CodeHighlighter(self.text.document(), self._look, "json")
        mark(self.text, mono=not is_text)
        self._tick(0 if is_text else 1)

    def _views(self, type_: PortType | None, data: object) -> Sequence[QToolButton]:
        """The buttons that choose how it is edited, where there is something to choose."""
        if isinstance(data, str):
            if type_ is None or type_.depth or type_.base not in UNTYPED:
                return ()
            words = self.tr("Text")
        elif self._schema is not None or has_parts(data, schema_like(data)):
            words = self.tr("Elements") if isinstance(data, list) else self.tr("Fields")
        elif isinstance(data, bool | int | float):
            words = self.tr("Value")
        else:
            return ()
        views = (self._view(words, self.show_parts), self._view(self.tr("JSON"), self.show_json))
        for view in views:
            self._head.addWidget(view)
        return views

    def _view(self, words: str, show: Callable[[], None]) -> QToolButton:
        button = QToolButton(self)
        button.setText(words)
        button.setCheckable(True)
        button.setProperty("plain", True)
        button.setAccessibleName(self.tr("{name} as {view}").format(name=self.name, view=words))
        button.clicked.connect(of_flag(lambda _: show()))
        return button

    def _tick(self, number: int) -> None:
        for place, view in enumerate(self.views):
            view.setChecked(place == number)

    def _follow_parts(self, value: object) -> None:
        self._is_following = True
        self.text.setPlainText(pretty(value) if not isinstance(value, str) else json.dumps(value))
        self._is_following = False
        self._check()

    def _typed(self) -> None:
        if self._is_following:
            return
        if self.parts is not None:  # written from outside: the parts follow what they can
            self._drop_parts()
            self.text.show()
            self._tick(1)
        self._check()

    def _drop_parts(self) -> None:
        if self.parts is not None:
            take_out(self._rows, self.parts)
            self.parts = None
