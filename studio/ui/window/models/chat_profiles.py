"""The chat profiles of a project: added, edited, tried and removed, in a dialog that blocks nothing."""

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QStackedWidget, QWidget

from studio.app.measurements.problem_files import make_problems
from studio.app.profiles.profile_edits import DraftKeys, check_profiles, save_profiles
from studio.app.profiles.profile_tests import BackgroundTest
from studio.errors import StepwireError
from studio.flow.plain_text import quoted
from studio.llm.client import ChatProfile
from studio.llm.presets import PRESETS
from studio.llm.profiles import may_send, url_of
from studio.ui.buttons import push_button
from studio.ui.editors.simple import LineEditor
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.listing import Listing, ListRow
from studio.ui.slots import of_number
from studio.ui.window.models.profile_findings import ProfileFindings
from studio.ui.window.models.profile_form import Draft, ProfileForm
from studio.ui.window.window_size import open_at
from studio.workspace.abilities import Abilities
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets, SecretsError


class ChatProfiles(QDialog):
    """Edits drafts; only *Save* changes the project, the keyring and the user's settings."""

    saved = Signal(object)
    """The project as it is now."""

    def __init__(
        self, look: Look, project: Project, environ: Mapping[str, str], secrets: Secrets, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._project, self._environ, self._secrets = project, environ, secrets
        self.drafts = [self._draft_of(one) for one in project.profiles.values()]
        self._place = -1
        self.setWindowTitle(self.tr("Chat profiles of {name}").format(name=project.name))
        wide = look.length("space.wide")
        self._full = QSize(wide * 44, wide * 38)
        open_at(self, self._full if self.drafts else QSize(wide * 30, wide * 12))
        self.list = Listing(look, self.tr("Chat profiles"), self)
        self.list.currentRowChanged.connect(of_number(self._turn))
        self.form = ProfileForm(look, self, root=project.root)
        self.form.solvers.make_asked.connect(self.make_problems)
        self.form.edited.connect(self._hear)
        self.findings = ProfileFindings(look, self._begin_test, self)
        self.trouble = text_label("", self, tone="failed", wraps=True)
        self.trouble.hide()
        self._lay_out(look)
        self._list()
        self._turn(0 if self.drafts else -1)
        if not self.drafts:  # there is but one thing to do
            self.add_button.setFocus()

    def add(self) -> None:
        """Begin another profile, as OpenAI's usually are."""
        taken = {draft.profile.name for draft in self.drafts}
        name = next(one for one in self._names() if one not in taken)
        first = PRESETS[0]
        profile = ChatProfile(name, base_url=first.base_url, key_env=first.key_env, kind=first.kind)
        self.drafts.append(
            Draft(
                profile,
                is_allowed=self._may_send(profile),
                is_default=not self.drafts and not self._project.default_profile,
            )
        )
        if len(self.drafts) == 1:
            open_at(self, self._full)  # there was nothing to show before
        self._list()
        self._turn(len(self.drafts) - 1)
        name_field = self.form.fields["name"]
        name_field.setFocus()
        if isinstance(name_field, LineEditor):
            name_field.field.selectAll()

    def make_problems(self) -> None:
        """Write a file of problems for the shown solvers, and have it in their field."""
        try:
            self.form.solvers.take_problems(make_problems(self._project))
        except StepwireError as error:
            self._say(str(error))

    def remove(self) -> None:
        """Take the shown profile off the list; a key of it in the keyring stays, others may need it."""
        if self._place >= 0:
            del self.drafts[self._place]
            place, self._place = min(self._place, len(self.drafts) - 1), -1
            self._list()
            self._turn(place)

    def save(self) -> None:
        """Write all down and close, unless something is wrong, which is then said."""
        profiles = [draft.profile for draft in self.drafts]
        for place, said in check_profiles(self._project, profiles).items():
            self._turn(place)
            self._say(said)
            solvers = self.form.solvers
            if self.drafts[place].profile.provider == "simulated" and not solvers["problems"].value():
                solvers["problems"].say(self.tr("Choose a problem file, or create one."))
                solvers["problems"].setFocus()
            return
        try:
            for draft in self.drafts:
                self._keep_outside(draft)
            default = next((one.profile.name for one in self.drafts if one.is_default), "")
            if not default and self._project.default_profile not in self._project.profiles:
                default = self._project.default_profile  # one of those that are built in
            project = save_profiles(self._project, profiles, default)
        except StepwireError as error:
            self._say(str(error))
            return
        self.saved.emit(project)
        self.accept()

    def done(self, result: int) -> None:
        """Close; a test that goes on is given up."""
        self.findings.clear()
        super().done(result)

    def _draft_of(self, profile: ChatProfile) -> Draft:
        return Draft(profile, "", self._may_send(profile), profile.name == self._project.default_profile)

    def _may_send(self, profile: ChatProfile) -> bool:
        """Whether the key of a profile may go where the profile asks, without anything being allowed anew."""
        url = url_of(profile, self._environ)
        return may_send(profile.key_env, url, self._environ, self._secrets)

    def _keep_outside(self, draft: Draft) -> None:
        """Keep a typed key, and what the user allows, where the project can't reach."""
        one = draft.profile
        if one.provider != "openai" or not one.base_url:
            return
        if one.key_from == "keyring":
            if draft.key:
                self._secrets.keep(one.base_url, draft.key)
        elif draft.is_allowed and one.key_env and not self._may_send(one):
            self._secrets.trust(one.key_env, one.base_url)
        elif not draft.is_allowed and self._secrets.is_trusted(one.key_env, one.base_url):
            self._secrets.distrust(one.key_env, one.base_url)

    def _begin_test(self) -> BackgroundTest:
        draft = self.form.draft()
        one = draft.profile
        is_kept = one.key_from == "keyring"
        keys = DraftKeys(
            self._secrets,
            one.base_url,
            draft.key if is_kept else "",
            one.key_env if draft.is_allowed and not is_kept and one.base_url else "",
        )
        return BackgroundTest(one, self._project, self._environ, keys)

    def _turn(self, place: int) -> None:
        """Show the draft at a place, or that there is none."""
        if place != self._place or place < 0:
            self.findings.clear()
        self._place = place
        self._pages.setCurrentIndex(1 if place >= 0 else 0)
        for button, is_next in ((self.add_button, not self.drafts), (self.save_button, bool(self.drafts))):
            button.setProperty("primary", is_next)
            button.style().unpolish(button)
            button.style().polish(button)
        self._remove.setEnabled(place >= 0)
        self._say("")
        if place < 0:
            return
        if self.list.currentRow() != place:
            self.list.setCurrentRow(place)
        self.form.show_draft(self.drafts[place])
        if not self.findings.is_testing and not self.findings.findings:
            self._show_kept()
        self._look_at_keyring()

    def _hear(self) -> None:
        before, draft = self.drafts[self._place], self.form.draft()
        where = draft.profile.base_url, draft.profile.key_env
        if where != (before.profile.base_url, before.profile.key_env):
            # What was allowed for one address was not allowed for another.
            draft = replace(draft, is_allowed=self._may_send(draft.profile))
            self.form.fields["is_allowed"].set_value(draft.is_allowed)
        if draft.key and draft.profile.base_url != before.profile.base_url:
            draft = replace(draft, key="")
            self.form.fields["key"].set_value("")
            self.form.say("key", self.tr("Enter the key again: the saved one was for another base URL."))
        if draft.is_default and not before.is_default:
            self.drafts = [replace(one, is_default=False) for one in self.drafts]
        self.drafts[self._place] = draft
        self._show_kept()
        self._say("")
        self._list()
        if draft.profile.key_from != before.profile.key_from:
            self._look_at_keyring()

    def _show_kept(self) -> None:
        """Show what the last test of what is edited found."""
        profile = self.drafts[self._place].profile
        self.findings.show_kept(Abilities.of_user(self._environ).of(profile, self._environ))

    def _look_at_keyring(self) -> None:
        if self.drafts[self._place].profile.key_from == "keyring":
            try:
                self._secrets.check()
            except SecretsError as error:
                self.form.say("key", str(error))

    def _list(self) -> None:
        self.list.show_rows(
            [
                ListRow(
                    str(place),
                    draft.profile.name or self.tr("(no name)"),
                    self._detail(draft),
                    is_current=draft.is_default,
                )
                for place, draft in enumerate(self.drafts)
            ]
        )

    def _detail(self, draft: Draft) -> str:
        one = draft.profile
        own = {
            "scripted": self.tr("scripted answers"),
            "simulated": self.tr("simulated solvers"),
            "made-up": self.tr("made-up answers"),
            "person": self.tr("you answer"),
        }
        said = own.get(one.provider) or one.llm or one.base_url
        return self.tr("default · {said}").format(said=said) if draft.is_default else said

    def _names(self) -> list[str]:
        base = self.tr("profile")
        return [base, *(f"{base} {number}" for number in range(2, len(self.drafts) + 3))]

    def _say(self, text: str) -> None:
        self.trouble.setText(quoted(text))
        self.trouble.setVisible(bool(text))

    def _lay_out(self, look: Look) -> None:
        large, normal = look.length("space.large"), look.length("space.normal")
        add = self.add_button = QPushButton(self.tr("Add"), self)
        add.clicked.connect(self.add)
        self._remove = push_button(self.tr("Remove"), self, self.remove)
        left = column_layout(spacing=normal)
        left.addWidget(self.list, 1)
        row = QHBoxLayout()
        row.addWidget(add)
        row.addWidget(self._remove)
        left.addLayout(row)
        shown = QWidget(self)
        right = column_layout(shown, 0, normal)
        right.addWidget(self.form, 1)
        right.addWidget(self.findings)
        always = self.tr("“Made-up answers” and “I answer” are always available; add a profile for a model.")
        empty = text_label(
            self.tr("This project has no chat profiles of its own.") + " " + always,
            self,
            tone="muted",
            wraps=True,
        )
        empty.setMargin(large)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(empty)
        self._pages.addWidget(shown)
        both = row_layout(spacing=large)
        both.addLayout(left, 1)
        both.addWidget(self._pages, 2)
        whole = column_layout(self, large, normal)
        whole.addLayout(both, 1)
        whole.addWidget(self.trouble)
        whole.addLayout(self._buttons())

    def _buttons(self) -> QHBoxLayout:
        about = text_label(self.tr("Saved in project.json, without keys."), self, tone="muted")
        cancel = push_button(self.tr("Cancel"), self, self.reject)
        self.save_button = QPushButton(self.tr("Save"), self)
        self.save_button.setProperty("primary", True)
        self.save_button.clicked.connect(self.save)
        for button in (*self.findChildren(QPushButton),):
            button.setAutoDefault(False)  # Enter in a field saves nothing
        row = QHBoxLayout()
        row.addWidget(about, 1)
        row.addWidget(cancel)
        row.addWidget(self.save_button)
        return row
