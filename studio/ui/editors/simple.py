"""Editors of one value on one row: a line, a number, a switch, a choice."""

from collections.abc import Sequence

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from studio.ui.editors.editor import Editor, mouse_focus


class LineEditor(Editor):
    """One line of text."""

    def __init__(self, name: str, parent: QWidget | None = None, *, hint: str = "") -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(hint)
        self.hold(self.field, name)
        self.field.textEdited.connect(self._tell)

    def value(self) -> object:
        """The text."""
        return self.field.text()

    def show_value(self, value: object) -> None:
        """Show text, the cursor where it stood."""
        place = self.field.cursorPosition()
        self.field.setText("" if value is None else str(value))
        self.field.setCursorPosition(min(place, len(self.field.text())))


class NumberEditor(Editor):
    """A number, whole or not, within bounds; nothing at all where the setting allows none."""

    def __init__(
        self,
        name: str,
        parent: QWidget | None = None,
        *,
        whole: bool = False,
        least: float | None = None,
        most: float | None = None,
        optional: bool = False,
        hint: str = "",
    ) -> None:
        super().__init__(parent)
        self._whole, self._least, self._most, self._optional = whole, least, most, optional
        self._kept: float | None = None
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(hint)
        validator = QDoubleValidator(self)
        validator.setLocale(QLocale.c())
        self.field.setValidator(validator)
        self.hold(self.field, name)
        self.field.textEdited.connect(self._read)
        self.field.editingFinished.connect(self._tidy)

    def value(self) -> float | None:
        """The last number that fitted; None where nothing stands."""
        return self._kept

    def show_value(self, value: object) -> None:
        """Show a number; anything else as nothing."""
        self._kept = value if isinstance(value, int | float) and not isinstance(value, bool) else None
        self.field.setText(_written(self._kept))
        self.say("")

    def _read(self, text: str) -> None:
        reason = self._refusal(text)
        self.say(reason)
        if not reason:
            self._kept = _number(text)
            self._tell()

    def _refusal(self, text: str) -> str:
        if not text:
            return "" if self._optional else self.tr("Enter a number.")
        number = _number(text)
        if number is None:
            return self.tr("This is not a number.")
        if self._whole and not isinstance(number, int):
            return self.tr("Enter a whole number.")
        if self._least is not None and number < self._least:
            return self.tr("At least {least}.").format(least=_written(self._least))
        if self._most is not None and number > self._most:
            return self.tr("At most {most}.").format(most=_written(self._most))
        return ""

    def _tidy(self) -> None:
        """Go back to the last number that fitted when the keyboard leaves; what a form says of it stays."""
        if self._refusal(self.field.text()):
            self.field.setText(_written(self._kept))
            self.say("")


class FlagEditor(Editor):
    """Yes or no; its label stands beside it, not above."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QCheckBox(name, self)
        self.hold(self.field, name)
        self.field.toggled.connect(self._tell)

    def value(self) -> bool:
        """Whether it is ticked."""
        return self.field.isChecked()

    def show_value(self, value: object) -> None:
        """Tick it or not."""
        self.field.setChecked(bool(value))


class ChoiceEditor(Editor):
    """One of several values, each with the words that people read; unknown ones are kept and shown."""

    def __init__(
        self,
        name: str,
        choices: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
        *,
        free: bool = False,
    ) -> None:
        super().__init__(parent)
        self.field = QComboBox(self)
        self.field.setEditable(free)
        self.field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.field.setMinimumContentsLength(4)
        for value, words in choices:
            self.field.addItem(words, value)
        self.hold(self.field, name)
        mouse_focus(self.field)
        if free:
            self.field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            self.field.editTextChanged.connect(self._tell)
        else:
            self.field.currentIndexChanged.connect(self._tell)

    def offer(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer other values; the chosen one stays so where it is among them, else it is the first."""
        chosen = self.field.currentData()
        self._is_setting = True
        self.field.clear()
        for value, words in choices:
            self.field.addItem(words, value)
        self.field.setCurrentIndex(max(self.field.findData(chosen), 0))
        self._is_setting = False

    def value(self) -> object:
        """The chosen value."""
        if self.field.isEditable():
            text = self.field.currentText()
            index = self.field.findText(text, Qt.MatchFlag.MatchFixedString | Qt.MatchFlag.MatchCaseSensitive)
            return self.field.itemData(index) if index >= 0 else text
        return self.field.currentData()

    def show_value(self, value: object) -> None:
        """Choose a value; one that is not on the list joins it."""
        index = self.field.findData(value)
        if index < 0:
            self.field.addItem(str(value), value)
            index = self.field.count() - 1
        self.field.setCurrentIndex(index)
        if self.field.isEditable():
            self.field.setEditText(self.field.itemText(index))


def _number(text: str) -> float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _written(number: float | None) -> str:
    if number is None:
        return ""
    short = f"{number:g}"
    return short if isinstance(number, float) and float(short) == number else str(number)
