"""What a run is to be given: the flow's inputs with their last values, and the chat profile."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from studio.errors import UsageError
from studio.flow.records import Json
from studio.ids import NodeId
from studio.runtime.gates.faults import Fault, fault_texts
from studio.ui.buttons import push_button
from studio.ui.editors.editor import Editor
from studio.ui.editors.make import literal_editor
from studio.ui.editors.part_editors import JsonEditor
from studio.ui.editors.prose import TextEditor
from studio.ui.editors.simple import ChoiceEditor, FlagEditor
from studio.ui.labels import text_label
from studio.ui.look import Look
from studio.ui.panels.inspector.form import Form
from studio.ui.removal import take_out
from studio.ui.viewmodels.words.count_words import profile_title
from studio.workspace.inputs import InputField

ADD = "\0add"
"""What is chosen to add another profile; no profile is called so."""


class StartForm(QScrollArea):
    """Stands in the inspector while no node is selected; Run takes what stands here."""

    run_asked = Signal()
    described = Signal(object)
    """Each letter of another description of the flow."""
    visited = Signal()
    given = Signal()
    """An input was typed, and none is known to be missing or wrong."""
    profile_chosen = Signal()
    profile_wanted = Signal()
    """Another chat profile is to be added."""

    def __init__(self, look: Look, parent: QWidget | None = None, *, root: Path | None = None) -> None:
        super().__init__(parent)
        self._look, self._root = look, root
        self._fields: tuple[InputField, ...] = ()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self._page = QWidget(self)
        self._rows = QVBoxLayout(self._page)
        self._rows.setContentsMargins(*(look.length("space.large"),) * 4)
        self._rows.setSpacing(look.length("space.wide"))
        self.about = TextEditor(look, self.tr("Description"), self._page)
        self.about.field.lines(2, 8)
        self.about.edited.connect(self.described)
        self.about.visited.connect(self.visited)
        self.about.field.setPlaceholderText(self.tr("What this flow is for"))
        self._base = text_label("", self._page, "label", "muted", wraps=True)
        self._base.hide()
        self._rows.addWidget(self._base)
        self._rows.addWidget(self.about)
        self.inputs: Form | None = None
        self.profile = Form(look, self.tr("Model"), self._page)
        self._chooser: ChoiceEditor | None = None
        self._default = self._last = ""
        self._batch: FlagEditor | None = None
        self._rows.addWidget(self.profile)
        self.faults = Form(look, "", self._page)
        self._goes_wrong = FlagEditor(self.tr("Inject faults"))
        self._fault_lines = TextEditor(look, self.tr("Faults"))
        self._fault_lines.field.lines(2, 8)
        self._fault_lines.field.setProperty("mono", True)
        example = "fail critic\ndelay search: 2\ncorrupt writer#chat.answer rate=0.2"
        self._fault_lines.field.setPlaceholderText(example)
        self.faults.add("is_faulty", "", self._goes_wrong, edited=lambda _: self._arrange_faults())
        about = self.tr(
            "One per line: what goes wrong (fail, delay, drop, replace, corrupt, truncate), and at which "
            "node, port or call. What stands there instead follows a colon."
        )
        self.faults.add(
            "faults",
            self.tr("Faults"),
            self._fault_lines,
            edited=lambda _: self._fault_lines.say(""),
            help_text=about,
        )
        self._arrange_faults()
        self._rows.addWidget(self.faults)
        foot = QHBoxLayout()
        self._hint = text_label("", self._page, "label", "muted", wraps=True)
        run = push_button(
            self.tr("Run"), self._page, self.run_asked, tip=self.tr("Run the flow with these inputs (F5)")
        )
        self.run_button = run
        foot.addWidget(self._hint, 1)
        foot.addWidget(run)
        self._rows.addLayout(foot)
        self._rows.addStretch(1)
        self.setWidget(self._page)

    def show_about(self, description: str, variant_of: str = "") -> None:
        """Show the flow's description, and the name of the file that it is a variant of."""
        self.about.set_value(description)
        words = self.tr("A variant of {name}: its file keeps only what differs and follows changes there.")
        self._base.setText(words.format(name=variant_of))
        self._base.setVisible(bool(variant_of))

    def show_profiles(self, names: Sequence[str], chosen: str) -> None:
        """Offer the chat profiles that this project has."""
        offered = [*((name, profile_title(name)) for name in names), (ADD, self.tr("Add…"))]
        if self._chooser is None:
            self._chooser = ChoiceEditor(self.tr("Chat profile"), offered)
            self.profile.add(
                "profile",
                self.tr("Chat profile"),
                self._chooser,
                edited=lambda _: self._turn(),
                visited=self.visited.emit,
            )
            self._batch = FlagEditor(self.tr("Low priority: other runs' calls go first"))
            self.profile.add("is_batch", "", self._batch)
        else:
            self._chooser.offer(offered)
        # What was made the project's default just now is used at once; else what was chosen here stays.
        if chosen and (chosen != self._default or self._chooser.value() not in names):
            self._chooser.set_value(chosen)
        self._default, self._last = chosen, str(self._chooser.value() or "")
        self.profile.setVisible(bool(names))

    def choose_profile(self, name: str) -> None:
        """Run with this chat profile from now on."""
        if self._chooser is not None:
            self._chooser.set_value(name)
            self._turn()

    def _turn(self) -> None:
        """Tell of another profile; where one is to be added, the one before stays."""
        assert self._chooser is not None  # noqa: S101  # it has just been turned
        if self._chooser.value() == ADD:
            self._chooser.set_value(self._last)
            self.profile_wanted.emit()
            return
        self._last = self.chosen_profile
        self.profile_chosen.emit()

    @property
    def is_batch(self) -> bool:
        """Whether the calls of other runs may go first, where a profile bears only so many."""
        return self._batch is not None and bool(self._batch.value())

    @property
    def chosen_profile(self) -> str:
        """The chat profile to run with; empty where there is none to choose."""
        return str(self._chooser.value() or "") if self._chooser is not None else ""

    def chosen_faults(self) -> Sequence[Fault] | None:
        """What is to go wrong in the run on purpose; None where a line is no fault, which is then said."""
        if not self._goes_wrong.value():
            return ()
        try:
            return fault_texts(self._fault_lines.value())
        except UsageError as error:
            self._fault_lines.say(str(error))
            self._fault_lines.setFocus()
            return None

    def _arrange_faults(self) -> None:
        self.faults.show_field("faults", is_shown=self._goes_wrong.value())

    def show_inputs(self, fields: Sequence[InputField]) -> None:
        """Offer a field for each flow input; those that stay keep what was typed."""
        shape = [(field.node, field.label, field.type, field.help, field.example) for field in fields]
        known = [(field.node, field.label, field.type, field.help, field.example) for field in self._fields]
        self._fields = tuple(fields)
        if shape == known and self.inputs is not None:
            return
        typed = self._typed()
        if self.inputs is not None:
            take_out(self._rows, self.inputs)
        self.inputs = Form(self._look, self.tr("Inputs") if fields else "", self._page)
        for field in fields:
            editor = input_editor(field, self._look, self._root)
            editor.set_value(typed.get(field.node, field.value))
            self.inputs.add(
                field.node,
                field.label,
                editor,
                edited=self._clear_of(editor),
                help_text=field.help,
            )
        self._rows.insertWidget(1, self.inputs)
        self._hint.setText("" if fields else self.tr("This flow has no inputs."))

    def values(self) -> dict[NodeId, Json] | None:
        """What the fields hold, for a run; None where something is missing or wrong, which is then said."""
        given: dict[NodeId, Json] = {}
        wrong: Editor | None = None
        for field in self._fields:
            editor = self._of(field)
            value = cast("Json", editor.value())
            reason = editor.message if isinstance(editor, JsonEditor) else ""
            if value is None or value == "":
                if field.is_required:
                    reason = self.tr("Enter a value.")
            else:
                try:
                    field.check(value)
                except UsageError as error:
                    reason = error.message
                given[field.node] = value
            editor.say(reason)
            if reason and wrong is None:
                wrong = editor
        if wrong is not None:
            wrong.setFocus()
            return None
        return given

    def value_of(self, field: InputField) -> Json:
        """What stands in one field, fit or not; what was given last where it is not shown."""
        is_shown = self.inputs is not None and any(one.node == field.node for one in self._fields)
        value = cast("Json", self._of(field).value()) if is_shown else field.value
        return None if value == "" else value

    def put(self, field: InputField, value: object) -> None:
        """Let a field that is shown hold a value."""
        if self.inputs is not None and any(one.node == field.node for one in self._fields):
            self._of(field).set_value(value)

    def _of(self, field: InputField) -> Editor:
        assert self.inputs is not None  # noqa: S101  # made together with the fields
        return self.inputs[field.node]

    def _typed(self) -> dict[str, object]:
        return {field.name: field.editor.value() for field in self.inputs} if self.inputs is not None else {}

    def _clear_of(self, editor: Editor) -> Callable[[object], None]:
        def clear(_: object) -> None:
            if not isinstance(editor, JsonEditor):
                editor.say("")
            if not any(field.editor.message for field in self.inputs or ()):
                self.given.emit()

        return clear


def input_editor(field: InputField, look: Look, root: Path | None = None) -> Editor:
    """Make what edits the value of a flow input."""
    editor = literal_editor(field.type, field.label, look, root=root)
    if editor is None:
        editor = JsonEditor(look, field.label, optional=True)
    if isinstance(editor, TextEditor) and isinstance(field.example, str):
        editor.field.setPlaceholderText(field.example)
    return editor
