"""The settings of a check, as a case asks for it."""

from collections.abc import Mapping
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.experiments.cases.case_checks import AT_FAULT
from studio.flow.records import Json
from studio.sdk.node import NodeType
from studio.ui.editors.make import Surroundings, make_editor
from studio.ui.layouts import column_layout
from studio.ui.panels.inspector.form import Form
from studio.ui.panels.inspector.settings_form import plain_default

WAY = "by"
"""The setting of a check that says which of several ways is meant."""


class CheckForm(QWidget):
    """Edits the settings of a kind of check; those that fit are `settings`, and what does not is said."""

    edited = Signal()

    def __init__(self, kind: NodeType, around: Surroundings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self._specs = {spec.name: spec for spec in kind.settings if spec.name != AT_FAULT}
        self.form = Form(around.look, parent=self)
        rows = column_layout(self, 0)
        rows.addWidget(self.form)
        for name, spec in self._specs.items():
            self.form.add(
                name,
                spec.label,
                make_editor(spec, around),
                edited=self._tell,
                help_text=spec.help,
            )
            self.form[name].set_value(plain_default(spec))
        self._show_used()

    def settings(self) -> Mapping[str, Json]:
        """What differs from the defaults; raises `ValueError` in words where it does not fit."""
        found: dict[str, Json] = {}
        for name, spec in self._specs.items():
            value = cast("Json", self.form[name].value())
            if value == plain_default(spec):
                continue
            try:
                spec.read(value)
            except ValueError as error:
                message = f"{spec.label}: {error}"
                raise ValueError(message) from error
            found[name] = value
        return found

    def _tell(self, _: object) -> None:
        self._show_used()
        self.edited.emit()

    def _show_used(self) -> None:
        """Show the settings that the chosen way of comparing has a use for."""
        if WAY not in self._specs:
            return
        way = self.kind.complete_settings({WAY: cast("Json", self.form[WAY].value())})
        used = {spec.name for spec in self.kind.of_variant(way).settings}
        for name in self._specs:
            self.form.show_field(name, is_shown=name == WAY or name in used)
