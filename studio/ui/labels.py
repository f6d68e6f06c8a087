"""Labels as they are made everywhere: words, the style of their type and tone, and how they are read."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget


def text_label(
    text: str,
    parent: QWidget | None,
    kind: str = "",
    tone: str = "",
    *,
    wraps: bool = False,
    is_plain: bool = False,
    is_selectable: bool = False,
) -> QLabel:
    """Make a label; `kind` and `tone` name styles of the theme.

    Pass `is_plain` wherever a file, a model or a server may have written the words: they are then never read
    as markup.
    """
    label = QLabel(text, parent) if parent is not None else QLabel(text)
    if is_plain:
        label.setTextFormat(Qt.TextFormat.PlainText)
    for name, value in (("type", kind), ("tone", tone)):
        if value:
            label.setProperty(name, value)
    label.setWordWrap(wraps)
    if is_selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
