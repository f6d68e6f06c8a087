"""How a node's steps run: what an error does, how often it is tried, how long it may take."""

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from studio.flow.records import RunSettings
from studio.ui.editors.simple import ChoiceEditor, NumberEditor
from studio.ui.editors.structured import JsonEditor
from studio.ui.look import Look
from studio.ui.panels.inspector.form import Form

translate = QCoreApplication.translate


class RunForm(Form):
    """Edits a node's `RunSettings`, whole."""

    edited = Signal(object)
    visited = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, translate("RunForm", "Run settings"), parent)
        self._settings = RunSettings()
        choices = [
            ("fail", self.tr("the run fails")),
            ("output", self.tr("an output carries the error")),
            ("default", self.tr("a default stands in")),
        ]
        self._row("on_error", self.tr("On error"), ChoiceEditor(self.tr("On error"), choices))
        self._row("default", self.tr("Default"), JsonEditor(look, self.tr("Default outputs"), optional=True))
        self._row(
            "retries", self.tr("Retries"), NumberEditor(self.tr("Retries"), whole=True, least=0, most=100)
        )
        limit = NumberEditor(
            self.tr("Time limit in seconds"), least=0.001, optional=True, hint=self.tr("none")
        )
        self._row("time_limit", self.tr("Time limit, s"), limit)
        self.show_settings(self._settings)

    def show_settings(self, settings: RunSettings) -> None:
        """Show these settings, telling no one."""
        self._settings = settings
        for field in self:
            field.editor.set_value(getattr(settings, field.name))
        self._fit()

    def _row(self, name: str, label: str, editor: ChoiceEditor | NumberEditor | JsonEditor) -> None:
        def edit(value: object) -> None:
            changed = self._settings.model_copy(update={name: value})
            self._settings = changed
            self._fit()
            self.edited.emit(changed)

        self.add(name, label, editor, edited=edit, visited=self.visited.emit, is_row=True)

    def _fit(self) -> None:
        """A default is asked for only where one stands in."""
        self.show_field("default", is_shown=self._settings.on_error == "default")
