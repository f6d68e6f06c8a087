"""What a project from elsewhere executes, reaches and writes, shown before it runs for the first time."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from studio.ui.buttons import push_button
from studio.ui.editors.code_text import CodeText
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.window.window_size import open_at
from studio.workspace.trust import Executable, UnapprovedError

MOST_LINES = 14
"""Lines of a text that are seen at once; the rest is scrolled to."""


WIDE = 84
"""Characters that a line has at most that is seen whole."""


class TrustDialog(QDialog):
    """Lists all that is not approved, each part with what it would execute; nothing is run meanwhile."""

    approved = Signal()

    def __init__(self, look: Look, error: UnapprovedError, parent: QWidget, *, runs_then: bool) -> None:
        """Show what is not approved; `runs_then` says whether the run begins once it is."""
        super().__init__(parent)
        self._look = look
        self.setWindowTitle(self.tr("Approve what this project executes?"))
        wide = look.length("space.wide")
        open_at(self, QSize(wide * 40, wide * 30))
        rows = column_layout(self, look.length("space.large"), look.length("space.normal"))
        said = self.tr(
            "{name} was not made on this computer. When it runs, it may do what is listed here. If any of it "
            "changes, you are asked again."
        ).format(name=f"“{error.project.name}”")
        rows.addWidget(text_label(said, self, wraps=True, is_plain=True))
        rows.addWidget(self._parts(error, error.found), 1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        self.cancel_button = push_button(self.tr("Cancel"), self, self.reject)
        words = self.tr("Approve and run") if runs_then else self.tr("Approve")
        self.approve_button = push_button(words, self, self.accept)
        self.approve_button.setProperty("primary", True)
        self.approve_button.setAutoDefault(False)
        self.cancel_button.setDefault(True)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.approve_button)
        rows.addLayout(buttons)
        self.accepted.connect(self.approved)

    def _parts(self, error: UnapprovedError, found: Sequence[Executable]) -> QScrollArea:
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = QWidget(area)
        rows = QVBoxLayout(inner)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(self._look.length("space.small"))
        for one in found:
            rows.addSpacing(self._look.length("space.normal") if rows.count() else 0)
            rows.addWidget(text_label(one.words, inner, "strong", wraps=True, is_plain=True))
            if changes := error.changes(one):
                was = self.tr("You approved it before; it has changed since:")
                rows.addWidget(text_label(was, inner, tone="held", wraps=True))
                rows.addWidget(self._text(one.words, changes, "diff", inner))
                continue
            for name, text in one.seen.items():
                rows.addWidget(text_label(name, inner, tone="muted", is_plain=True))
                is_code = "code" in one.accesses and "\n" in text
                rows.addWidget(self._text(name, text.strip("\n"), "python" if is_code else "text", inner))
        rows.addStretch(1)
        area.setWidget(inner)
        return area

    def _text(self, name: str, text: str, language: str, parent: QWidget) -> CodeText:
        field = CodeText(self._look, name, text, language, parent)
        lines = min(text.count("\n") + 1, MOST_LINES)
        lines += any(len(line) > WIDE for line in text.splitlines())  # for the bar beneath
        line, around = (
            field.fontMetrics().lineSpacing(),
            field.document().documentMargin() + field.frameWidth(),
        )
        field.setFixedHeight(int(line * (lines + 1) + 2 * around))
        return field
