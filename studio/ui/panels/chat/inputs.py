"""What a flow is given beside the message: told in a line, with the fields that change it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QWidget

from studio.ui.buttons import push_button
from studio.ui.editors.prose import TextEditor
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.inspector.form import Form
from studio.ui.panels.inspector.start_form import input_editor
from studio.ui.theme.apply import mark
from studio.workspace.inputs import InputField

HIGHEST = 12
"""How high the fields are at most, in wide gaps; more of them scroll."""


class OtherInputs(QWidget):
    """One line, and below it the fields once somebody wants to change one, or has to."""

    edited = Signal(str, object)
    """A flow input is to have this value."""

    def __init__(self, look: Look, root: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._root = look, root
        self._known: tuple[InputField, ...] = ()
        self.form: Form | None = None
        rows = column_layout(self, 0, look.length("space.small"))
        line = QHBoxLayout()
        self.words = text_label("", self, "label", wraps=True, is_plain=True)
        line.addWidget(self.words, 1)
        self.change = push_button(self.tr("Change"), self, tip=self.tr("Edit what else the flow is given"))
        self.change.setCheckable(True)
        self.change.toggled.connect(self._turn)
        line.addWidget(self.change)
        rows.addLayout(line)
        self._area = _Fields(look, self)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._area.hide()
        rows.addWidget(self._area)

    def show_inputs(
        self, fields: Sequence[InputField], values: Mapping[str, object], words: str, missing: Sequence[str]
    ) -> None:
        """Show what is given now; fields that have the keyboard keep what is being typed."""
        self.setVisible(bool(fields))
        needs = self.tr("Needed as well: {inputs}").format(inputs=", ".join(missing))
        self.words.setText(needs if missing else words or self.tr("Other inputs have their defaults"))
        mark(self.words, tone="held" if missing else "muted")
        shapes = [(one.node, one.label, one.type) for one in fields]
        if self.form is None or shapes != [(one.node, one.label, one.type) for one in self._known]:
            self._known = tuple(fields)
            self._make()
            self.change.setChecked(bool(missing))
        for one in self._known:
            editor = self.form[one.node] if self.form is not None else None
            if editor is not None and not editor.isAncestorOf(self.focusWidget() or self):
                editor.set_value(values.get(str(one.node)))

    def show_missing(self, names: Sequence[str]) -> None:
        """Open the fields, with the keyboard in the first that is missing."""
        self.change.setChecked(True)
        found = next((one for one in self._known if one.label in names), None)
        if found is not None and self.form is not None:
            self.form[found.node].setFocus()

    def fold(self) -> None:
        """Show the line alone."""
        self.change.setChecked(False)

    def _turn(self, is_open: bool) -> None:  # noqa: FBT001  # a slot
        self._area.setVisible(is_open)

    def _make(self) -> None:
        form = Form(self._look, parent=self._area)
        for one in self._known:
            editor = input_editor(one, self._look, self._root)
            if isinstance(editor, TextEditor):
                editor.field.lines(1, 4)
            edited = self._teller(str(one.node))
            form.add(one.node, one.label, editor, edited=edited, help_text=one.help)
        self.form = form
        self._area.setWidget(form)

    def _teller(self, node: str) -> Callable[[object], None]:
        def tell(value: object) -> None:
            self.edited.emit(node, value)

        return tell


class _Fields(QScrollArea):
    """As high as the form in it, as far as there is room."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._most = look.length("space.wide") * HIGHEST

    def sizeHint(self) -> QSize:
        """Show the whole form, up to a height."""
        form = self.widget()
        height = form.sizeHint().height() if form is not None else 0  # pyright: ignore[reportUnnecessaryComparison]
        return QSize(super().sizeHint().width(), min(height, self._most))

    def minimumSizeHint(self) -> QSize:
        """The same: what is above gives way."""
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow a form whose fields have grown."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
