"""A value of any type, typed as people write it: text needs no quotes."""

import json

from PySide6.QtWidgets import QWidget

from studio.ui.editors.prose import TextEditor
from studio.ui.look import Look


class LooseEditor(TextEditor):
    """What reads as JSON is that value, everything else is text; text that reads as JSON is shown quoted."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self.field.setPlaceholderText(self.tr("Text, a number, or JSON"))

    def value(self) -> object:  # pyright: ignore[reportIncompatibleMethodOverride] - text is one of its values
        """The value; None where nothing stands."""
        text = self.field.toPlainText()
        return read_loosely(text) if text.strip() else None

    def show_value(self, value: object) -> None:
        """Show any plain JSON value."""
        self.field.put("" if value is None else written_loosely(value))


def read_loosely(text: str) -> object:
    """The JSON value that `text` is, or the text itself."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except ValueError:
        return text


def written_loosely(value: object) -> str:
    """A text that `read_loosely` reads as `value`."""
    if isinstance(value, str) and read_loosely(value) == value and value.strip():
        return value
    return json.dumps(value, indent=None if isinstance(value, str) else 2, ensure_ascii=False)


def _refuse(constant: str) -> object:
    raise ValueError(f"`{constant}` is not JSON")
