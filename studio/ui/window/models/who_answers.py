"""Who answers where a flow's chat profile cannot: asked and used at once, in a dialog that blocks nothing."""

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget

from studio.app.profiles.local_endpoints import BackgroundSearch, LocalEndpoint, usual_places
from studio.app.profiles.new_profiles import add_profile, profile_of_endpoint, profile_with_key
from studio.errors import StepwireError, UsageError
from studio.flow.plain_text import quoted
from studio.ids import MADE_UP, PERSON
from studio.llm.client import ChatProfile
from studio.llm.presets import PRESETS, preset_of
from studio.ui.buttons import push_button
from studio.ui.editors.simple import ChoiceEditor, LineEditor
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.inspector.form import Form
from studio.ui.removal import empty
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets

POLLED = 60
"""Milliseconds between looks at what a search has found."""

KEYED = [one for one in PRESETS if one.key_env]
"""The endpoints that want a key."""


class WhoAnswers(QDialog):
    """Offers what needs nothing, endpoints of this machine, and a key; only what is pressed is done."""

    chosen = Signal(str)
    """The name of the chat profile to use from now on."""
    saved = Signal(object)
    """The project, with a profile that it did not have before."""

    def __init__(
        self,
        look: Look,
        project: Project,
        secrets: Secrets,
        why: str,
        parent: QWidget,
        search: Callable[[], BackgroundSearch] = BackgroundSearch,
    ) -> None:
        super().__init__(parent)
        self._look, self._project, self._secrets = look, project, secrets
        self.begin_search = search
        self._search: BackgroundSearch | None = None
        self.setWindowTitle(self.tr("What should answer?"))
        self.setMinimumWidth(look.length("space.wide") * 34)
        self._timer = QTimer(self)
        self._timer.setInterval(POLLED)
        self._timer.timeout.connect(self._look_at_search)
        large = look.length("space.large")
        self._rows = column_layout(self, large, look.length("space.wide"))
        said = text_label(quoted(why), self, tone="muted", wraps=True)
        said.setVisible(bool(why))
        self._rows.addWidget(said)
        self._rows.addLayout(self._offers())
        self.found = QWidget(self)
        self._found_rows = QGridLayout(self.found)
        self._found_rows.setContentsMargins(0, 0, 0, 0)
        self._found_rows.setColumnStretch(1, 1)
        self.found.hide()
        self._rows.addWidget(self.found)
        self.key_page = QWidget(self)
        self.form = Form(look, "", self.key_page)
        self._fill_key_page()
        self._rows.addWidget(self.key_page)
        self.trouble = text_label("", self, tone="failed", wraps=True)
        self.trouble.hide()
        self._rows.addWidget(self.trouble)
        self._rows.addStretch(1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        cancel = push_button(self.tr("Cancel"), self, self.reject)
        foot.addWidget(cancel)
        self._rows.addLayout(foot)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(button is self.make_up)
        self.make_up.setFocus()

    def done(self, result: int) -> None:
        """Close; a search that goes on is forgotten."""
        self._timer.stop()
        self._search = None
        super().done(result)

    def look_here(self) -> None:
        """Try the usual ports of this machine, in the background."""
        self._say("")
        self.key_page.hide()
        self.look_button.setEnabled(False)
        self._clear_found()
        self._found_rows.addWidget(
            text_label(self.tr("Searching…"), self, tone="muted", wraps=True), 0, 0, 1, 3
        )
        self.found.show()
        self._fit()
        self._search = self.begin_search()
        self._timer.start()

    def enter_key(self) -> None:
        """Show the fields of an endpoint that wants a key."""
        self._say("")
        self.found.hide()
        self.key_page.show()
        self._fit()
        self.form["key"].setFocus()

    def use_key(self) -> None:
        """Keep the key, and use the endpoint; says what is missing."""
        kind, url, llm, key = (self._text(name) for name in ("kind", "base_url", "llm", "key"))
        for name in ("key", "llm", "base_url"):
            self.form[name].say("")
        if not key:
            self.form["key"].say(self.tr("Enter the key."))
            self.form["key"].setFocus()
            return
        try:
            profile = profile_with_key(kind, url, llm)
        except UsageError as error:
            field = "llm" if not llm else "base_url"
            self.form[field].say(str(error))
            self.form[field].setFocus()
            return
        self._use(profile, key)

    def _offers(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(self._look.length("space.large"))
        grid.setVerticalSpacing(self._look.length("space.normal"))
        places = ", ".join(one.title for one in usual_places())
        self.make_up = self._offer(
            grid,
            self.tr("Made-up answers"),
            self.tr("Answers that fit the request, free, and marked as made up wherever they appear."),
            lambda: self._take(MADE_UP),
        )
        self.make_up.setProperty("primary", True)
        self.by_hand = self._offer(
            grid,
            self.tr("I answer"),
            self.tr("Each chat waits for you under Questions, with a form for its answer."),
            lambda: self._take(PERSON),
        )
        self.look_button = self._offer(
            grid,
            self.tr("Find local endpoints"),
            self.tr("Looks for {places}, on this machine only.").format(places=places),
            self.look_here,
        )
        self.key_button = self._offer(
            grid,
            self.tr("Enter a key"),
            self.tr("For OpenAI or another endpoint; saved in the keyring, never in the project."),
            self.enter_key,
        )
        return grid

    def _offer(self, grid: QGridLayout, words: str, about: str, act: Callable[[], None]) -> QPushButton:
        button = QPushButton(words, self)
        button.setAccessibleDescription(about)
        button.clicked.connect(act)
        row = grid.rowCount()
        grid.addWidget(button, row, 0)
        grid.addWidget(text_label(about, self, tone="muted", wraps=True), row, 1)
        return button

    def _fill_key_page(self) -> None:
        tr, first = self.tr, KEYED[0]
        key = LineEditor(tr("Key"))
        key.field.setEchoMode(QLineEdit.EchoMode.Password)
        kinds = [(one.kind, one.title) for one in KEYED]
        self._field("kind", tr("Endpoint"), ChoiceEditor(tr("Endpoint"), kinds), self._take_kind)
        self._field("base_url", tr("Base URL"), LineEditor(tr("Base URL")))
        self._field("llm", tr("Model"), LineEditor(tr("Model"), hint=first.llm))
        self._field("key", tr("Key"), key)
        self.form["base_url"].set_value(first.base_url)
        rows = column_layout(self.key_page, 0)
        rows.addWidget(self.form)
        self.use_button = QPushButton(tr("Use this endpoint"), self.key_page)
        self.use_button.setProperty("primary", True)
        self.use_button.clicked.connect(self.use_key)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.use_button)
        rows.addLayout(row)
        self.key_page.hide()

    def _field(
        self,
        name: str,
        label: str,
        editor: LineEditor | ChoiceEditor,
        heard: Callable[[], None] | None = None,
    ) -> None:
        self.form.add(name, label, editor, edited=lambda _: heard() if heard is not None else None)

    def _take_kind(self) -> None:
        preset = preset_of(self._text("kind"))
        self.form["base_url"].set_value(preset.base_url)
        editor = self.form["llm"]
        if isinstance(editor, LineEditor):
            editor.field.setPlaceholderText(preset.llm)

    def _text(self, name: str) -> str:
        return str(self.form[name].value() or "").strip()

    def _look_at_search(self) -> None:
        found = self._search.poll() if self._search is not None else None
        if found is None:
            return
        self._timer.stop()
        self._search = None
        self.look_button.setEnabled(True)
        self._clear_found()
        if not found:
            ports = ", ".join(f"{one.title} ({one.base_url})" for one in usual_places())
            said = self.tr("No endpoint answered on this machine. Tried: {ports}.").format(ports=ports)
            self._found_rows.addWidget(text_label(said, self, tone="muted", wraps=True), 0, 0, 1, 3)
        for row, one in enumerate(found):
            self._list_found(row, one)
        self._fit()

    def _fit(self) -> None:
        """Take as much room as what is shown needs."""
        self._rows.activate()
        self.adjustSize()

    def _list_found(self, row: int, found: LocalEndpoint) -> None:
        title = text_label(found.preset.title, self, tone="strong", wraps=True)
        title.setToolTip(found.preset.base_url)
        llms = QComboBox(self.found)
        llms.setAccessibleName(self.tr("Model of {name}").format(name=found.preset.title))
        llms.addItems(list(found.llms))
        use = QPushButton(self.tr("Use it"), self.found)
        use.setAccessibleName(self.tr("Use {name}").format(name=found.preset.title))
        use.clicked.connect(lambda: self._use(profile_of_endpoint(found, llms.currentText())))
        for column, one in enumerate((title, llms, use)):
            self._found_rows.addWidget(one, row, column)
        if row == 0:
            use.setFocus()

    def _clear_found(self) -> None:
        empty(self._found_rows)

    def _use(self, profile: ChatProfile, key: str = "") -> None:
        """Write a profile down and use it."""
        try:
            project, name = add_profile(self._project, profile, self._secrets, key)
        except StepwireError as error:
            self._say(str(error))
            return
        if project is not self._project:
            self.saved.emit(project)
        self._take(name)

    def _take(self, name: str) -> None:
        self.accept()
        self.chosen.emit(name)

    def _say(self, text: str) -> None:
        self.trouble.setText(text)
        self.trouble.setVisible(bool(text))
