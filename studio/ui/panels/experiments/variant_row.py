"""One variant in the form of an experiment: name, flow, chat profile, and what else is different in it."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from studio.app.experiments.choices import Changeable
from studio.app.experiments.drafts import ChangeDraft, VariantDraft
from studio.app.experiments.kept_words import edit_words
from studio.ui.buttons import push_button
from studio.ui.editors.editor import mouse_focus
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.experiments.choice_box import choice_box
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.slots import of_number, of_text
from studio.ui.viewmodels.experiments.new_variants import read_value

Finder = Callable[[str], Sequence[Changeable]]
"""Gives what can be changed in a flow, by its path in the project."""


class VariantRow(QFrame):
    """A card that gives a draft; `changeable` tells what a flow has to be changed.

    The level of a factor need not name a flow: its texts and settings are then those of `usual_flow`.
    """

    removed = Signal()
    renamed = Signal()

    def __init__(
        self,
        look: Look,
        draft: VariantDraft,
        flows: Sequence[str],
        profiles: Sequence[str],
        changeable: Finder,
        parent: QWidget,
        usual_flow: str = "",
    ) -> None:
        super().__init__(parent)
        self._look, self._changeable, self._was = look, changeable, draft.was
        self._usual_flow = usual_flow
        self._all: list[ChangeRow | ChangeDraft] = []
        """The differences in the order of the file, those that are not shown among them."""
        if not usual_flow:
            self.setProperty("card", "true")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.name = QLineEdit(draft.name, self)
        whose = self.tr("level") if usual_flow else self.tr("variant")
        self.name.setAccessibleName(self.tr("Name of the {level}").format(level=whose))
        self.name.setPlaceholderText(self.tr("Name"))
        self.name.textChanged.connect(of_text(lambda _: self.renamed.emit()))
        flow = self.tr("Flow of the {level}").format(level=whose)
        self.flow = choice_box(flow, draft.flow, flows, self, self.tr("Usual flow") if usual_flow else None)
        self.flow.setVisible(len(flows) > 1)
        chat = self.tr("Chat profile of the {level}").format(level=whose)
        self.profile = choice_box(chat, draft.chat, profiles, self, self.tr("Usual chat profile"))
        self._rows = column_layout()
        self.add_button = push_button(self.tr("Change a prompt or setting"), self, self.add_change)
        self.add_button.setIcon(look.icon("add"))
        words = ", ".join(edit_words(one.kept) for one in draft.changes if one.kept is not None)
        said = self.tr("Stays as it is: {what}.").format(what=words)
        self.kept = text_label(said, self, tone="muted", wraps=True, is_plain=True)
        self.kept.setVisible(bool(words))
        self.away = icon_button(
            look, "close", self.tr("Remove the {level}").format(level=whose), self, self.removed
        )
        head = QHBoxLayout()
        for widget, stretch in ((self.name, 3), (self.flow, 2), (self.profile, 2), (self.away, 0)):
            head.addWidget(widget, stretch)
        whole = column_layout(self)
        whole.addLayout(head)
        whole.addLayout(self._rows)
        whole.addWidget(self.kept)
        whole.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignLeft)
        for one in draft.changes:
            self._all.append(one) if one.kept is not None else self._add(one)
        self.flow.currentIndexChanged.connect(of_number(lambda _: self._follow_flow()))
        self._follow_flow()

    @property
    def changes(self) -> "list[ChangeRow]":
        """The differences that are shown."""
        return [one for one in self._all if isinstance(one, ChangeRow)]

    def draft(self) -> VariantDraft:
        """Give what was chosen."""
        changes = [one.draft() if isinstance(one, ChangeRow) else one for one in self._all]
        return VariantDraft(
            self.name.text(), self.flow.currentData(), self.profile.currentData(), changes, self._was
        )

    def add_change(self) -> None:
        """Add a difference: the first prompt or setting that is not changed yet, as the flow has it."""
        taken = {(one.node, one.setting) for one in (row.draft() for row in self.changes)}
        there = self._there()
        free = next((one for one in there if (one.node, one.setting) not in taken), None)
        if free is not None:
            self._add(ChangeDraft(free.node, free.setting, free.value, free.is_prompt))

    def _add(self, draft: ChangeDraft) -> None:
        row = ChangeRow(self._look, draft, self)
        row.offer(self._there())
        row.removed.connect(lambda: self._remove(row))
        self._all.append(row)
        self._rows.addWidget(row)

    def _remove(self, row: "ChangeRow") -> None:
        self._all.remove(row)
        row.hide()
        row.deleteLater()

    def _there(self) -> Sequence[Changeable]:
        """What can be changed."""
        return self._changeable(self.flow.currentData() or self._usual_flow)

    def _follow_flow(self) -> None:
        there = self._there()
        self.add_button.setEnabled(bool(there))
        for one in self.changes:
            one.offer(there)


class ChangeRow(QWidget):
    """One difference: which text or setting of which node, and what it is instead."""

    removed = Signal()

    def __init__(self, look: Look, draft: ChangeDraft, parent: QWidget) -> None:
        super().__init__(parent)
        self._draft = draft
        self.place = QComboBox(self)
        self.place.setAccessibleName(self.tr("What is different"))
        mouse_focus(self.place)
        self.text = QPlainTextEdit(self)
        self.text.setAccessibleName(self.tr("The other text"))
        self.text.setFixedHeight(look.length("space.wide") * 4)
        self.value = QLineEdit(self)
        self.value.setAccessibleName(self.tr("The other value"))
        away = icon_button(look, "close", self.tr("Remove the change"), self, self.removed)
        head = QHBoxLayout()
        head.addWidget(self.place, 1)
        head.addWidget(self.value, 1)
        head.addWidget(away)
        rows = column_layout(self, 0)
        rows.addLayout(head)
        rows.addWidget(self.text)
        self.place.currentIndexChanged.connect(of_number(lambda _: self._show_place()))

    def offer(self, there: Sequence[Changeable]) -> None:
        """Offer what a flow has; what is chosen stays, and says so where the flow has it not."""
        chosen = self.draft()
        self.place.blockSignals(True)
        self.place.clear()
        for one in there:
            self.place.addItem(f"{one.title}: {one.label}", one)
        at = next(
            (n for n, one in enumerate(there) if (one.node, one.setting) == (chosen.node, chosen.setting)), -1
        )
        if at < 0:
            words = self.tr("{node}: {setting} (not in this flow)")
            self.place.addItem(words.format(node=chosen.node, setting=chosen.setting), chosen)
            at = len(there)
        self.place.setCurrentIndex(at)
        self.place.blockSignals(False)
        self._show(chosen.value, is_prompt=chosen.is_prompt)

    def draft(self) -> ChangeDraft:
        """Give what was chosen; a value is read as the setting has it now."""
        found = self.place.currentData()
        if found is None:
            return self._draft
        typed = self.text.toPlainText() if self.text.isVisibleTo(self) else self.value.text()
        is_same = (found.node, found.setting) == (self._draft.node, self._draft.setting)
        if is_same and typed == str(self._draft.value):
            return self._draft
        is_prompt = self._draft.is_prompt if is_same else found.is_prompt
        value = typed if is_prompt else read_value(typed, found.value)
        return ChangeDraft(found.node, found.setting, value, is_prompt)

    def _show_place(self) -> None:
        found = self.place.currentData()
        if found is not None:
            self._show(found.value, is_prompt=found.is_prompt)

    def _show(self, value: object, *, is_prompt: bool) -> None:
        found = self.place.currentData()
        is_long = is_prompt or bool(getattr(found, "is_prompt", False))
        self.text.setVisible(is_long)
        self.value.setVisible(not is_long)
        self.text.setPlainText(str(value))
        self.value.setText(str(value))
