"""What an endpoint can do: a button that asks it, and what is found, one line after the other."""

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from studio.app.profiles.profile_tests import BackgroundTest
from studio.flow.plain_text import quoted
from studio.llm.endpoints.probes import Finding, Verdict
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.workspace.abilities import Tested

LOOK = 50
"""Milliseconds between two looks at what was found."""

MARKS = {
    Verdict.YES: ("✓", "done"),
    Verdict.NO: ("✗", "failed"),
    Verdict.UNCLEAR: ("?", "held"),
    Verdict.UNTRIED: ("–", "muted"),
}


class ProfileFindings(QWidget):
    """Starts and cancels tests; `begin` makes the one for what is edited just now."""

    def __init__(
        self, look: Look, begin: Callable[[], BackgroundTest], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._begin = look, begin
        self._test: BackgroundTest | None = None
        self.findings: list[Finding] = []
        self.button = push_button(
            self.tr("Test connection"),
            self,
            self._press,
            tip=self.tr("Sends up to six tiny requests; your provider may charge for them"),
        )
        self.said = text_label("", self, "small", "muted", wraps=True)
        self._timer = QTimer(self, interval=LOOK)
        self._timer.timeout.connect(self._look_at_it)
        head = row_layout(spacing=look.length("space.normal"))
        head.addWidget(self.button)
        head.addWidget(self.said, 1)
        rows = column_layout(self, 0, look.length("space.normal"))
        rows.addLayout(head)
        self._list = QWidget(self)
        rows.addWidget(self._list)
        self._grid = self._fresh_grid()

    @property
    def is_testing(self) -> bool:
        """Whether a test goes on."""
        return self._test is not None

    def start(self) -> None:
        """Test what is edited just now, in the place of what was found before."""
        self.clear()
        self._test = self._begin()
        self.said.setText(self.tr("Testing…"))
        self.button.setText(self.tr("Cancel the test"))
        self._timer.start()

    def show_kept(self, tested: Tested | None) -> None:
        """Show what was found when this was tested last, if ever."""
        self.clear()
        if tested is not None:
            self.said.setText(self.tr("Tested on {date}").format(date=tested.date))
            for finding in tested.findings:
                self._show(finding)

    def clear(self) -> None:
        """End a test that goes on, and forget what was found."""
        self._end()
        self.said.setText("")
        self.findings = []
        old, self._list = self._list, QWidget(self)
        layout = self.layout()
        assert layout is not None  # noqa: S101  # it was given one at first
        layout.replaceWidget(old, self._list)
        old.deleteLater()
        self._grid = self._fresh_grid()

    def _press(self) -> None:
        if self._test is None:
            self.start()
        else:
            self._end()
            self.said.setText(self.tr("Cancelled."))

    def _end(self) -> None:
        self._timer.stop()
        test, self._test = self._test, None
        if test is not None:
            test.cancel()
        self.button.setText(self.tr("Test connection"))

    def _look_at_it(self) -> None:
        test = self._test
        if test is None:
            return
        is_over = test.is_over  # asked first: what comes between is taken still
        for finding in test.poll():
            self._show(finding)
        if is_over:
            self._end()
            self.said.setText(str(test.error) if test.error is not None else "")

    def _show(self, finding: Finding) -> None:
        self.findings.append(finding)
        row = self._grid.rowCount()
        mark, tone = MARKS[finding.verdict]
        name = finding.capability.value
        words = quoted(f"{finding.words} {finding.hint}".strip())
        for column, (text, text_tone) in enumerate(
            ((mark, tone), (name[:1].upper() + name[1:], "strong"), (words, "muted"))
        ):
            label = QLabel(text, self._list)
            label.setTextFormat(Qt.TextFormat.PlainText)  # what an endpoint says is shown, not obeyed
            label.setProperty("tone", text_tone)
            label.setWordWrap(column == 2)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setAccessibleName(finding.verdict.value if column == 0 else text)
            self._grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)

    def _fresh_grid(self) -> QGridLayout:
        grid = QGridLayout(self._list)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(self._look.length("space.normal"))
        grid.setVerticalSpacing(self._look.length("space.small"))
        grid.setColumnStretch(2, 1)
        return grid
