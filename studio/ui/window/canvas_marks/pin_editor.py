"""A value to pin in the place of what a node would give."""

import json
from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from studio.runtime.values import USER
from studio.trace.events.values import Shown, Values
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.inspector.value_field import ValueField

NOTHING = Shown("")


class PinEditor(QDialog):
    """Asks for the values of a node's outputs; an empty one stays absent where it was so before."""

    def __init__(
        self,
        look: Look,
        title: str,
        known: Mapping[str, Shown | None],
        refuse: Callable[[Values], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Pin a value to {title}").format(title=title))
        self._known, self._refuse = known, refuse
        rows = column_layout(self, spacing=look.length("space.normal"))
        words = text_label(
            self.tr(
                "Runs started in this window use this value and skip the node. The flow, its "
                "script and runs from the command line are not affected."
            ),
            self,
            wraps=True,
        )
        rows.addWidget(words)
        self.fields: dict[str, ValueField] = {}
        for port, shown in known.items():
            field = ValueField(look, port, shown or NOTHING, lambda _: "", self)
            field.changed.connect(self._check)
            self.fields[port] = field
            rows.addWidget(field)
        self.reason = text_label("", self, tone="failed", wraps=True)
        rows.addWidget(self.reason)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.pin = self.buttons.addButton(self.tr("Pin"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        rows.addWidget(self.buttons)
        self.setMinimumWidth(look.length("space.large") * 28)
        self._check()

    def values(self) -> dict[str, Shown]:
        """What is typed, by output; raises `ValueError` for what is not JSON."""
        found: dict[str, Shown] = {}
        for port, field in self.fields.items():
            before, text = self._known[port], field.text.toPlainText()
            if before is not None:
                edited = field.value
                found[port] = before if edited == before.data else Shown(edited, tuple(sorted(USER)))
            elif text:
                found[port] = Shown(_read(text), tuple(sorted(USER)))
        return found

    def _check(self) -> None:
        try:
            values = self.values()
            reason = self._refuse(values) if values else self.tr("Enter a value.")
        except ValueError as error:
            reason = self.tr("This is not JSON: {reason}.").format(reason=error)
        self.reason.setText(reason)
        self.pin.setEnabled(not reason)


def _read(text: str) -> object:
    """A value that was not there before: JSON where it is, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
