"""What a held step reads or gives, to be edited: text as text, everything else as JSON."""

import json
from collections.abc import Callable, Sequence
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from studio.flow.plain_text import pretty
from studio.flow.records import Json
from studio.trace.events import Shown
from studio.ui.editors.highlight import CodeHighlighter
from studio.ui.editors.prose import GrowingText
from studio.ui.editors.structured import json_refusal
from studio.ui.look import Look
from studio.ui.theme.apply import mark


class HeldField(QWidget):
    """Something that a held step reads or gives, under its name."""

    changed = Signal()

    def __init__(
        self, name: str, fits: Callable[[Json], str], before: object, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.name = name
        self._fits = fits
        self._before = before
        self.is_new = False
        """Whether it was not there before, and so counts as it stands."""
        self._message = QLabel(self)
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
    def is_edited(self) -> bool:
        """Whether the value differs from what the step had."""
        return self.refusal == "" and (self.is_new or self.value != self._before)

    @property
    def refusal(self) -> str:
        """Why it is not a value, in one sentence; empty where it is."""
        try:
            value = self.value
        except ValueError as error:
            return json_refusal(error)
        return self._fits(cast("Json", value)) if self.is_new or value != self._before else ""

    def _check(self) -> None:
        reason = self.refusal
        for text in self.texts:
            if bool(reason) != self._message.isVisible():
                mark(text, tone="failed" if reason else "held")
        self._message.setText(reason)
        self._message.setVisible(bool(reason))
        self.changed.emit()


class ValueField(HeldField):
    """One value: text as text, everything else as JSON."""

    def __init__(
        self, look: Look, name: str, shown: Shown, fits: Callable[[Json], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(name, fits, shown.data, parent)
        self._is_text = isinstance(shown.data, str)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(look.length("space.tight"))
        caption = QLabel(name, self)
        caption.setProperty("type", "label")
        caption.setProperty("tone", "muted")
        self.text = GrowingText(look, self, least=2, most=10)
        self.text.setProperty("tone", "held")
        self.text.setAccessibleName(name)
        if not self._is_text:
            self.text.setProperty("mono", True)
            self._highlighter = CodeHighlighter(self.text.document(), look, "json")
        self.text.setPlainText(pretty(shown.data))
        caption.setBuddy(self.text)
        for widget in (caption, self.text, self._message):
            rows.addWidget(widget)
        self.text.textChanged.connect(self._check)

    @property
    def texts(self) -> Sequence[QPlainTextEdit]:
        """Where it is typed."""
        return (self.text,)

    @property
    def value(self) -> object:
        """The value as it stands; raises `ValueError` where it is not JSON."""
        text = self.text.toPlainText()
        return text if self._is_text else json.loads(text)
