"""Messages that a held step reads or gives, or one of them, edited and put in order one by one."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPlainTextEdit, QWidget

from studio.flow.plain_text import pretty
from studio.flow.ports import PortType
from studio.flow.records import Json
from studio.trace.events.values import Plain
from studio.ui.editors.editor import mouse_focus
from studio.ui.editors.highlight import CodeHighlighter
from studio.ui.editors.prose import GrowingText
from studio.ui.editors.row_list import OrderedRows, RowWords
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
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
        rows = column_layout(self, 0, look.length("space.tight"))
        self.head = QHBoxLayout()
        role = str(plain.get("role", "user"))
        self._role = QComboBox(self)
        self._role.setAccessibleName(self.tr("Role"))
        self._role.addItems(ROLES)
        self._role.setCurrentText(role)
        self._role.setVisible(not is_answer)
        mouse_focus(self._role)
        self.call_id = QLineEdit(str(plain.get("tool_call_id") or ""), self)
        self.call_id.setProperty("mono", True)
        self.call_id.setPlaceholderText(self.tr("Call id"))
        self.call_id.setAccessibleName(self.tr("Id of the call it answers"))
        self.call_id.textEdited.connect(self._told)
        self.head.addWidget(self._role)
        self.head.addWidget(self.call_id, 1)
        self.head.addStretch(1)
        rows.addLayout(self.head)
        self.text = self._typed(str(plain.get("content") or ""))
        self.text.setAccessibleName(self.tr("Content"))
        rows.addWidget(self.text)
        self.calls: GrowingText | None = None
        if plain.get("tool_calls"):
            caption = text_label(self.tr("Tool calls"), self, "small", "muted")
            self.calls = self._typed(pretty(plain["tool_calls"]))
            self.calls.setProperty("mono", True)
            self.calls.setAccessibleName(self.tr("Tool calls"))
            self._highlighter = CodeHighlighter(self.calls.document(), look, "json")
            rows.addWidget(caption)
            rows.addWidget(self.calls)
        self._show_call()
        self._role.currentTextChanged.connect(self._choose_role)
        self.setFocusProxy(self.text)

    @property
    def texts(self) -> Sequence[QPlainTextEdit]:
        """Where it is typed."""
        return (self.text,) if self.calls is None else (self.text, self.calls)

    @property
    def value(self) -> dict[str, Plain]:
        """The message; raises `ValueError` where its calls are no JSON."""
        role = self._role.currentText()
        plain = {**self._plain, "role": role, "content": self.text.toPlainText()}
        if role == "tool":
            plain["tool_call_id"] = self.call_id.text()
        elif role != self._plain.get("role"):
            plain.pop("tool_call_id", None)
        if self.calls is not None:
            calls: Plain = json.loads(self.calls.toPlainText() or "[]")
            plain["tool_calls"] = calls
            if not calls:
                del plain["tool_calls"]
        return plain

    def _choose_role(self, _role: str) -> None:
        self._show_call()
        self.changed.emit()

    def _show_call(self) -> None:
        """Which call it answers belongs to a message of a tool, and to no other."""
        self.call_id.setVisible(self._role.currentText() == "tool")

    def _told(self, _text: str) -> None:
        self.changed.emit()

    def _typed(self, text: str) -> GrowingText:
        made = GrowingText(self._look, self, least=1, most=10)
        made.setProperty("tone", "held")
        made.setPlainText(text)
        made.textChanged.connect(self.changed)
        return made


class MessagesField(HeldField):
    """Messages in their order, or with `is_one` a single one; of an answer, who speaks is certain."""

    def __init__(
        self,
        look: Look,
        name: str,
        plain: Plain,
        fits: Callable[[Json], str],
        parent: QWidget | None = None,
        *,
        type_: PortType | None = None,
        is_one: bool = False,
        is_answer: bool = False,
    ) -> None:
        super().__init__(look, name, fits, plain, parent)
        self._is_one, self._is_answer = is_one or is_answer, is_answer
        rows = column_layout(self, 0, look.length("space.small"))
        if not is_answer:
            self._add_caption(type_)
            rows.addLayout(self._head)
        words = RowWords(
            self.tr("Move this message up"),
            self.tr("Move this message down"),
            self.tr("Remove this message"),
            self.tr("Add a message"),
        )
        self.ordered = OrderedRows(look, words, self._new, self)
        self.ordered.changed.connect(self._check)
        self.add_button = self.ordered.add_button
        if self._is_one:
            self._single = self._made(plain)
            rows.addWidget(self._single)
            self.ordered.hide()
        else:
            for one in cast("Sequence[Plain]", plain):
                made = self._made(one)
                self.ordered.put(made, made.head)
            rows.addWidget(self.ordered)
        rows.addWidget(self._message)

    @property
    def fields(self) -> Sequence[MessageField]:
        """The messages, from the first."""
        if self._is_one:
            return [self._single]
        return [cast("MessageField", one) for one in self.ordered.widgets]

    @property
    def texts(self) -> Sequence[QPlainTextEdit]:
        """Where it is typed."""
        return [text for field in self.fields for text in field.texts]

    @property
    def value(self) -> object:
        """The messages, or the one; raises `ValueError` where calls of tools are no JSON."""
        values = [field.value for field in self.fields]
        return values[0] if self._is_one else values

    def _new(self) -> QWidget:
        """The message that is added: the next to speak is as a rule the user."""
        return self._made({"role": "user", "content": ""})

    def _made(self, plain: Plain) -> MessageField:
        field = MessageField(self._look, cast("Mapping[str, Plain]", plain), self, is_answer=self._is_answer)
        field.changed.connect(self._check)
        return field
