"""The fields of one breakpoint or catch: under which condition, from which time on, and what it writes."""

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.app.documents.breakpoints import Breakpoint
from studio.ui.buttons import push_button
from studio.ui.editors.condition import ConditionEditor
from studio.ui.editors.editor import Editor
from studio.ui.editors.simple import FlagEditor, LineEditor, NumberEditor
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.viewmodels.words.breakpoint_advice import Advice


class BreakpointForm(QWidget):
    """Tells with `kept` what a person made of a breakpoint, once it can be so: with Enter, or on leaving."""

    kept = Signal(object)
    removed = Signal()
    entered = Signal()
    """Enter was pressed, and all that stands here is right."""

    def __init__(self, look: Look, one: Breakpoint, advice: Advice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._advice, self._one = look, advice, one
        self._rows = column_layout(self, 0, look.length("space.tight"))
        self._editors: list[Editor] = []
        self.text, self.is_pattern, self.tool, self.caught = self._fields_of_catch(one)
        self.condition = ConditionEditor(
            look, self.tr("Condition"), advice.in_condition, advice.condition, self
        )
        self.condition.field.setPlaceholderText(self.tr("always"))
        self._add(self.condition, self.tr("When"), one.condition)
        self.hits = NumberEditor(
            self.tr("From hit"),
            self,
            whole=True,
            least=1,
            optional=True,
            hint=self.tr("every hit"),
        )
        self._add(self.hits, self.tr("From hit number"), one.hits or None)
        self.log = ConditionEditor(look, self.tr("Action"), advice.in_log, advice.log, self)
        self.log.field.setPlaceholderText(self.tr("pause the run"))
        self._add(
            self.log, self.tr("Write a line to the log instead of pausing, with {values} in braces"), one.log
        )
        self._rows.addLayout(self._foot())
        self._rows.addStretch(1)
        self._judge()

    @property
    def value(self) -> Breakpoint:
        """The breakpoint as the fields have it, right or not."""
        number = self.hits.value()
        return replace(
            self._one,
            condition=self.condition.value().strip(),
            hits=int(number) if number is not None and number > 1 else 0,
            log=self.log.value().strip(),
            text=str(self.text.value()) if self.text is not None else self._one.text,
            is_pattern=self.is_pattern.value() if self.is_pattern is not None else self._one.is_pattern,
            tool=str(self.tool.value()).strip() if self.tool is not None else self._one.tool,
            caught=self.caught.value() if self.caught is not None else self._one.caught,
        )

    @property
    def refusal(self) -> str:
        """What is wrong with it first of all; empty when nothing is."""
        return next((one.message for one in self._editors if one.message), "")

    @property
    def is_completing(self) -> bool:
        """Whether Enter and Escape belong to a list of words just now."""
        return any(one.completing.is_open for one in (self.condition, self.log))

    def focus_first(self) -> None:
        """Put the keyboard into the field that is wanted first."""
        first = self.text if self.text is not None and not self.text.value() else self.condition
        first.setFocus(Qt.FocusReason.TabFocusReason)

    def keep(self) -> bool:
        """Tell what was made of it, if that is something else; whether what stands here is right."""
        self._judge()
        if self.refusal:
            return False
        if self.value != self._one:
            self._one = self.value
            self.kept.emit(self._one)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter keeps; what is left behind is kept as well."""
        if event.type() == QEvent.Type.FocusOut:
            self.keep()
        is_enter = isinstance(event, QKeyEvent) and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        if is_enter and not self.is_completing and event.type() == QEvent.Type.KeyPress:
            if self.keep():
                self.entered.emit()
            return True
        return super().eventFilter(watched, event)

    def _fields_of_catch(
        self, one: Breakpoint
    ) -> tuple[LineEditor | None, FlagEditor | None, LineEditor | None, FlagEditor | None]:
        """What is looked for: the fields that this kind of catch has."""
        text = is_pattern = tool = caught = None
        if one.on == "text":
            text = LineEditor(self.tr("Text"), self, hint=self.tr("what a request or answer contains"))
            is_pattern = FlagEditor(self.tr("Regular expression"), self)
            self._add(text, self.tr("Text"), one.text)
            self._add(is_pattern, "", one.is_pattern)
        if one.on == "tool":
            tool = LineEditor(self.tr("Tool"), self, hint=self.tr("any; * matches anything"))
            self._add(tool, self.tr("Tool name"), one.tool)
        if one.on == "error":
            caught = FlagEditor(self.tr("Also handled errors"), self)
            caught.field.setToolTip(
                self.tr("Errors handled by a retry, an error policy, a catch, or the calling step or tool.")
            )
            self._add(caught, "", one.caught)
        return text, is_pattern, tool, caught

    def _add(self, editor: Editor, label: str, value: object) -> None:
        if label:
            said = text_label(label, self, "label", "muted", wraps=True)
            said.setBuddy(editor)
            self._rows.addWidget(said)
        editor.set_value(value)
        editor.edited.connect(self._judge)
        for widget in (editor, *editor.findChildren(QWidget)):
            widget.installEventFilter(self)
        self._rows.addWidget(editor)
        self._editors.append(editor)

    def _foot(self) -> QHBoxLayout:
        foot = QHBoxLayout()
        hint = text_label(self.tr("Enter saves, Ctrl+Space suggests"), self, "small", "muted", wraps=True)
        foot.addWidget(hint, 1)
        self.remove_button = push_button(
            self.tr("Remove"), self, self.removed, tip=self.tr("Remove this breakpoint")
        )
        foot.addWidget(self.remove_button)
        return foot

    def _judge(self) -> None:
        """Say what is wrong, also with a word that is only begun."""
        for one in (self.condition, self.log):
            one.judge()
        if self.text is not None and self.is_pattern is not None:
            self.text.say(self._advice.text(str(self.text.value()), self.is_pattern.value()))
