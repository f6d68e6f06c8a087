"""An approval as a card: the value as what it is, with what may be decided of it."""

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from studio.bounds.schemas import mismatch
from studio.building_blocks.answers.approvals import fields_of as needed_with
from studio.runtime.resources.typed_answers import part_of
from studio.trace.events import ApprovalAsked
from studio.trace.events.values import Shown
from studio.ui.buttons import push_button
from studio.ui.editors.editor import Editor, lead_to
from studio.ui.editors.prose import TextEditor
from studio.ui.look import Look
from studio.ui.panels.forms.fields import complain, fields_of
from studio.ui.panels.forms.nested_values import EntriesEditor, ObjectEditor, editor_of
from studio.ui.panels.forms.question import QuestionCard
from studio.ui.panels.inspector.form import Form
from studio.ui.panels.value_card import ValueCard
from studio.ui.panels.widgets.picture import FindsImages


class ApprovalCard(QuestionCard):
    """Shows a value; a person lets it pass, edits it and lets that pass, or rejects it with a reason."""

    def __init__(
        self,
        look: Look,
        who: str,
        asked: ApprovalAsked,
        parent: QWidget | None = None,
        images: FindsImages | None = None,
    ) -> None:
        super().__init__(look, who, asked, parent)
        self._parts = fields_of(self.schema)
        self._value: Any = self.schema["approval"].get("value")
        self.card = ValueCard(look, self.tr("Value"), Shown(self._value), self, images)
        self.rows.addWidget(self.card)
        self.editor: Editor | None = None
        self._fields = Form(look, parent=self)
        self._reason = TextEditor(look, self.tr("Reason"), self)
        self._reason.field.lines(1, 6)
        needs = "reason" in needed_with("reject", self.schema)
        self._fields.add(
            "reason",
            self.tr("Reason (needed to reject)") if needs else self.tr("Reason (optional)"),
            self._reason,
            edited=lambda _: self._reason.say(""),
        )
        self.rows.addWidget(self._fields)
        foot = QHBoxLayout()
        self.edit = QPushButton(self.tr("Edit"), self)
        self.edit.setCheckable(True)
        self.edit.setVisible("value" in self._parts)
        self.edit.toggled.connect(self._turn)
        foot.addWidget(self.edit)
        foot.addStretch(1)
        self.reject = push_button(self.tr("Reject"), self, lambda: self._decide("reject"))
        foot.addWidget(self.reject)
        self.approve = QPushButton(self.tr("Approve"), self)
        self.approve.setProperty("primary", True)
        self.approve.clicked.connect(lambda: self._decide("edit" if self.edit.isChecked() else "approve"))
        foot.addWidget(self.approve)
        self.rows.addLayout(foot)

    @property
    def reason(self) -> Editor:
        """Where a reason is typed."""
        return self._reason

    def focus_first(self) -> None:
        """Give the keyboard to where nothing is decided by a slip."""
        self._reason.setFocus()

    def _turn(self, is_edited: bool) -> None:  # noqa: FBT001  # a slot
        """Show the value to be edited, or as it was; what was typed is kept meanwhile."""
        if self.editor is None:
            part = self._parts["value"]
            self.editor = editor_of(
                self._look, part, self.schema, self.tr("Edited value"), self, is_required=True
            )
            self.editor.set_value(self._value)
            self.editor.edited.connect(self._look_at_edited)
            self.rows.insertWidget(self.rows.indexOf(self.card), self.editor)
            lead_to(self.editor, self._reason.field)
        self.editor.setVisible(is_edited)
        self.card.setVisible(not is_edited)
        self.edit.setText(self.tr("Undo edit") if is_edited else self.tr("Edit"))
        self.approve.setText(self.tr("Approve as edited") if is_edited else self.tr("Approve"))
        if is_edited:
            self.editor.setFocus()

    def _look_at_edited(self, _value: object) -> None:
        self._is_misfit()

    def _is_misfit(self) -> bool:
        """Whether the edited value cannot pass; says why."""
        if isinstance(self.editor, ObjectEditor | EntriesEditor):
            return self.editor.check() is not None
        part = part_of(self._parts["value"], self.schema)
        return self.editor is not None and complain(
            self.editor, part, self.tr("The value"), is_required=False
        )

    def _decide(self, decision: str) -> None:
        answer: dict[str, Any] = {"decision": decision}
        if decision == "edit" and self.editor is not None:
            if self._is_misfit():
                self.editor.setFocus()
                self.refused.emit(self.editor)
                return
            answer["value"] = self.editor.value()
        if reason := str(self._reason.value()).strip():
            answer["reason"] = reason
        elif "reason" in needed_with(decision, self.schema):
            self._reason.say(self.tr("Say why, so that it can be improved."))
            self._reason.setFocus()
            self.refused.emit(self._reason)
            return
        if problem := mismatch(answer, self.schema, self.tr("The answer")):
            (self.editor or self._reason).say(problem)
            return
        self.tell(answer)


def is_approval(asked: ApprovalAsked) -> bool:
    """Whether a question shows a value that is to be approved."""
    return isinstance(asked.schema.get("approval"), dict)
