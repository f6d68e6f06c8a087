"""How a node's steps run: what an error does, how often it is tried, how long it may take."""

from collections.abc import Collection, Mapping

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from studio.flow.ports import Structure
from studio.flow.records import RunSettings
from studio.ui.editors.part_editors import JsonEditor
from studio.ui.editors.simple import ChoiceEditor, NumberEditor
from studio.ui.look import Look
from studio.ui.panels.inspector.form import Form

translate = QCoreApplication.translate
LIMIT = "limit_"
"""The names of fields for budgets begin so."""

OF_AREAS: Mapping[Structure | None, Collection[str]] = {
    Structure.LOOP: ("on_error", "default", "time_limit"),
    Structure.FOR_EACH: ("time_limit",),
    Structure.COLLECT: ("on_error", "default"),
}
"""What a loop or map can follow, being no work of its own; every other node has all fields."""


class RunForm(Form):
    """Edits a node's `RunSettings`, whole."""

    edited = Signal(object)
    visited = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None, structure: Structure | None = None) -> None:
        super().__init__(look, translate("RunForm", "Run settings"), parent)
        self._followed = OF_AREAS.get(structure)
        self._settings = RunSettings()
        choices = [
            ("fail", self.tr("fail the run")),
            ("output", self.tr("pass the error to an output")),
            ("default", self.tr("use a default")),
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
        for name, words in (
            ("tokens", self.tr("Token limit")),
            ("cost", self.tr("Cost limit, $")),
            ("calls", self.tr("Call limit")),
            ("steps", self.tr("Step limit")),
        ):
            whole = name != "cost"
            self._row(
                f"{LIMIT}{name}",
                words,
                NumberEditor(
                    words, whole=whole, least=1 if whole else 0.0001, optional=True, hint=self.tr("none")
                ),
            )
        self.show_settings(self._settings)

    def show_settings(self, settings: RunSettings) -> None:
        """Show these settings, telling no one."""
        self._settings = settings
        for field in self:
            if field.name.startswith(LIMIT):
                field.editor.set_value(settings.limits.get(field.name.removeprefix(LIMIT)))
            else:
                field.editor.set_value(getattr(settings, field.name))
        self._fit()

    def _row(self, name: str, label: str, editor: ChoiceEditor | NumberEditor | JsonEditor) -> None:
        def edit(value: object) -> None:
            if name.startswith(LIMIT):
                limits = {**self._settings.limits, name.removeprefix(LIMIT): value}
                kept = {limit: amount for limit, amount in limits.items() if amount is not None}
                changed = self._settings.model_copy(update={"limits": kept})
            else:
                changed = self._settings.model_copy(update={name: value})
            self._settings = changed
            self._fit()
            self.edited.emit(changed)

        if self._followed is not None and name not in self._followed:
            return
        self.add(name, label, editor, edited=edit, visited=self.visited.emit, is_row=True)

    def _fit(self) -> None:
        """A default is asked for only where one stands in."""
        if self._followed is None or "default" in self._followed:
            self.show_field("default", is_shown=self._settings.on_error == "default")
