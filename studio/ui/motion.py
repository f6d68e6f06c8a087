"""Whether things may move by themselves: the choice of a person whom that disturbs."""

import sys

from PySide6.QtWidgets import QApplication, QStyle

_PROPERTY = "stepwire_reduced_motion"


def reduce_motion(*, is_reduced: bool) -> None:
    """Let everything in this application stand still, or move again."""
    app = QApplication.instance()
    if app is not None:
        app.setProperty(_PROPERTY, is_reduced)


def is_motion_reduced() -> bool:
    """Whether changes are to be shown at once: chosen in the View menu, or in a system that can tell."""
    app = QApplication.instance()
    if not isinstance(app, QApplication) or app.property(_PROPERTY):
        return True
    if sys.platform not in {"win32", "darwin"}:
        return (
            False  # elsewhere Qt's style tells what the desktop's theme is able to, not what a person chose
        )
    return app.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0
