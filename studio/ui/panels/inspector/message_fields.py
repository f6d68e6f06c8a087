"""The messages that a held chat is about to ask, or the one that it has said, to be edited one by one."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.flow.plain_text import pretty
from studio.flow.records import Json
from studio.trace.events import Plain
from studio.ui.editors.highlight import CodeHighlighter
from studio.ui.editors.prose import GrowingText
from studio.ui.look import Look
from studio.ui.panels.inspector.value_field import HeldField

ROLES = ("system", "user", "assistant", "tool")


class MessageField(QWidget):
    """One message: who speaks, what is said, and which tools are called."""

    changed = Signal()

    def __init__(
        self,
        look: Look,
        plain: Mapping[str, Plain],
        parent: QWidget | None = None,
        *,
        is_answer: bool = False,
    ) -> None:
        super().__init__(parent)
        self._look, self._plain = look, dict(plain)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(look.length("space.tight"))
        self.head = QHBoxLayout()
        role = str(plain.get("role", "user"))
        self._role = QComboBox(self)
        self._role.setAccessibleName(self.tr("Who speaks"))
        self._role.addItems(ROLES)
        self._role.setCurrentText(role)
        # Which call it answers belongs to a message of a tool, and to no other.
        self._role.setEnabled(role != "tool" and not is_answer)
        self._role.setVisible(not is_answer)
        self.head.addWidget(self._role)
        self.head.addStretch(1)
        rows.addLayout(self.head)
        self.text = self._typed(str(plain.get("content") or ""))
        self.text.setAccessibleName(self.tr("What is said"))
        rows.addWidget(self.text)
        self.calls: GrowingText | None = None
        if plain.get("tool_calls"):
            caption = QLabel(self.tr("Calls of tools"), self)
            caption.setProperty("type", "small")
            caption.setProperty("tone", "muted")
            self.calls = self._typed(pretty(plain["tool_calls"]))
            self.calls.setProperty("mono", True)
            self.calls.setAccessibleName(self.tr("Calls of tools"))
            self._highlighter = CodeHighlighter(self.calls.document(), look, "json")
            rows.addWidget(caption)
            rows.addWidget(self.calls)
        self._role.currentTextChanged.connect(self._told)

    @property
    def texts(self) -> Sequence[QPlainTextEdit]:
        """Where it is typed."""
        return (self.text,) if self.calls is None else (self.text, self.calls)

    @property
    def value(self) -> dict[str, Plain]:
        """The message; raises `ValueError` where its calls are no JSON."""
        plain = {**self._plain, "role": self._role.currentText(), "content": self.text.toPlainText()}
        if self.calls is not None:
            calls: Plain = json.loads(self.calls.toPlainText() or "[]")
            plain["tool_calls"] = calls
            if not calls:
                del plain["tool_calls"]
        return plain

    def _told(self, _role: str) -> None:
        self.changed.emit()

    def _typed(self, text: str) -> GrowingText:
        made = GrowingText(self._look, self, least=1, most=10)
        made.setProperty("tone", "held")
        made.setPlainText(text)
        made.textChanged.connect(self.changed)
        return made


class MessagesField(HeldField):
    """A held chat's messages, or with `is_answer` the one that it has said or is to have said."""

    def __init__(
        self,
        look: Look,
        name: str,
        plain: Plain,
        fits: Callable[[Json], str],
        parent: QWidget | None = None,
        *,
        is_answer: bool = False,
    ) -> None:
        super().__init__(name, fits, plain, parent)
        self._look, self._is_answer = look, is_answer
        self.fields: list[MessageField] = []
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(look.length("space.small"))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(look.length("space.normal"))
        rows.addLayout(self._rows)
        rows.addWidget(self._message)
        for one in (plain,) if is_answer else cast("Sequence[Plain]", plain):
            self._show(one)
        self.add_button = QPushButton(self.tr("Add a message"), self)
        self.add_button.setVisible(not is_answer)
        self.add_button.clicked.connect(self._add)
        rows.addWidget(self.add_button)

    @property
    def texts(self) -> Sequence[QPlainTextEdit]:
        """Where it is typed."""
        return [text for field in self.fields for text in field.texts]

    @property
    def value(self) -> object:
        """The messages, or the one; raises `ValueError` where calls of tools are no JSON."""
        values = [field.value for field in self.fields]
        return values[0] if self._is_answer else values

    def _show(self, plain: Plain) -> MessageField:
        field = MessageField(self._look, plain, self, is_answer=self._is_answer)
        self.fields.append(field)
        self._rows.addWidget(field)
        field.changed.connect(self._check)
        if not self._is_answer:
            remove = QToolButton(field)
            remove.setProperty("plain", True)
            remove.setIcon(self._look.icon("remove", "text.muted"))
            remove.setToolTip(self.tr("Leave this message out"))
            remove.setAccessibleName(self.tr("Leave this message out"))
            remove.clicked.connect(lambda: self._remove(field))
            field.head.addWidget(remove)
        return field

    def _add(self) -> None:
        field = self._show({"role": "user", "content": ""})
        field.text.setFocus()
        self._check()

    def _remove(self, field: MessageField) -> None:
        self.fields.remove(field)
        self._rows.removeWidget(field)
        field.hide()
        field.deleteLater()
        self._check()
