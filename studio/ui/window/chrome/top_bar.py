"""The bar at the top: menus and title, what can be done to a run, and what the run has cost."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenuBar, QSizePolicy, QToolButton, QWidget

from studio.app.commands import Commands, Offer
from studio.trace import figures
from studio.trace.fold.idle import idle_words
from studio.trace.fold.state import RunState, RunStatus
from studio.ui.look import Look
from studio.ui.theme.apply import mark
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.step_words import run_said, waiting_since, waiting_word

ICONS: Mapping[str, str] = {
    "run.run": "run",
    "run.hold": "hold",
    "run.step": "step",
    "run.into": "step_into",
    "run.out": "step_out",
    "run.continue": "continue",
    "run.stop": "stop",
}
"""The commands that have a button, in their order, and its icon."""
LEVELS = 6
"""How many steps the bar takes from saying everything to the least: see `TopBar.show_level`."""


class TopBar(QWidget):
    """Left the menus and the run's buttons, then what is open, right the run's figures."""

    def __init__(
        self, look: Look, commands: Commands, menus: QMenuBar | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._commands = look, commands
        self.setObjectName("top_bar")
        self.setProperty("surface", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(
            look.length("size.button") + look.length("space.normal") * 2 - look.length("space.tight")
        )
        self._project, self._slash, self._flow = QLabel(self), QLabel("/", self), QLabel(self)
        self._project.setProperty("type", "strong")
        for label in (self._slash, self._flow):
            label.setProperty("tone", "muted")
        self._buttons = {name: self._button(commands[name]) for name in ICONS if name in commands}
        self._pill = QLabel(self)
        self._pill.setProperty("pill", "held")
        self._pill.setToolTip(self.tr("Answers come from the project's scripted answers, not from a model"))
        self._tokens, self._cost, self._clock = QLabel(self), QLabel(self), QLabel(self)
        self._tokens.setProperty("tone", "muted")
        self._cost.setProperty("type", "strong")
        self._level, self._widest, self._first = 0, 0, ""
        self._fitted: object = None
        self._lay_out(menus)
        self._end = commands.on_change(self.refresh)
        commands.keys.on_change(self._name_keys)
        self._name_keys()
        look.changed.connect(self.refresh)
        self.show_run(None, 0.0)
        self.refresh()

    def button(self, action: str) -> QToolButton:
        """The button of an action."""
        return self._buttons[action]

    def show_document(self, project: str, flow: str, *, is_modified: bool) -> None:
        """Name what is open; an unsaved flow has a dot."""
        self._project.setText(project)
        self._flow.setText(f"{flow} •" if is_modified else flow)
        self._flow.setToolTip(self.tr("Unsaved changes") if is_modified else "")
        for button in self._buttons.values():
            button.setVisible(bool(project))
        self._fit()  # which says whether there is room for the names

    def show_answers(self, words: str) -> None:
        """Say where answers come from, where it is not a language model; empty says nothing."""
        self._pill.setText(words)
        self._pill.setVisible(bool(words) and self._level < 5)
        self._fit()

    def show_run(self, state: RunState | None, now: float, *, is_read: bool = False) -> None:
        """Show what the run has cost, and how long it has run or been held, or that it `is_read` just now."""
        is_known = state is not None and state.started is not None
        for label in (self._cost, self._clock):
            label.setVisible(is_known)
        if state is None or state.started is None:
            self._tokens.clear()
            self._fit()
            return
        _put(self._tokens, count_words.tokens(state.tokens))
        _put(self._cost, figures.cost(state.cost, state.unpriced))
        told = "\n".join(count_words.used(name, use) for name, use in state.uses.items())
        for label in (self._tokens, self._cost):
            if label.toolTip() != told:
                label.setToolTip(told)
        said, tone = self._clock_words(state, now, is_read=is_read)
        _put(self._clock, said)
        idle = "\n".join(idle_words(state.idle))
        if self._clock.toolTip() != idle:
            self._clock.setToolTip(idle)
        if self._clock.property("tone") != tone:
            mark(self._clock, tone=tone)
        self._fit()

    def _clock_words(self, state: RunState, now: float, *, is_read: bool) -> tuple[str, str]:
        """Where a run stands, with how long it worked, or has been held or waited; and its tone."""
        word, tone = run_said(state)
        if is_read:
            return self.tr("reading…"), "muted"
        if state.status is RunStatus.HELD:
            since = waiting_since(state, now)  # at a limit no step of its own is held
            return (word if since is None else f"{word} {figures.clock(since)}"), tone
        if state.ended is not None:
            return f"{word} {figures.duration(state.worked() or 0.0)}", tone
        if state.waiting:
            since = state.idle.since if state.idle.since is not None else now
            return f"{waiting_word()} {figures.clock(max(now - since, 0.0))}", "held"
        return f"{word} {figures.clock(state.worked(now) or 0.0)}", tone

    def minimumSizeHint(self) -> QSize:
        """It leaves words out before it makes the window wider."""
        return QSize(self._look.length("space.wide") * 10, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say as much as there is room for."""
        super().resizeEvent(event)
        self._widest = 0
        self._fit()

    def refresh(self) -> None:
        """Let each button show whether its action is possible, and mark the one thing to do next."""
        enabled = {
            name: self._commands[name].is_enabled() for name in self._buttons if name in self._commands
        }
        first = next((name for name in ("run.continue", "run.run") if enabled.get(name)), "")
        for name, button in self._buttons.items():
            is_enabled = enabled.get(name, False)
            button.setEnabled(is_enabled)
            is_first = name == first
            if button.property("primary") != is_first:
                mark(button, primary=is_first, plain=not is_first)
            color = "accent.on_action" if is_first else "text.normal"
            button.setIcon(self._look.icon(ICONS[name], color))
        if first != self._first:
            self._first, self._widest = first, 0
        self._fit()

    def show_level(self, level: int) -> None:
        """Say everything (0), no flow's name (1), no tokens and no project (2), most buttons as icons (3).

        Then the one to press next as an icon (4), and nothing of who answers (5), which others say too.
        """
        self._level = level
        is_open = bool(self._project.text())
        for widget in (self._slash, self._flow):
            widget.setVisible(is_open and level < 1)
        self._project.setVisible(is_open and level < 2)
        self._tokens.setVisible(bool(self._tokens.text()) and level < 2)
        words, icon = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
        for name, button in self._buttons.items():
            button.setToolButtonStyle(words if level < (4 if name == self._first else 3) else icon)
        self._pill.setVisible(bool(self._pill.text()) and level < 5)

    @property
    def level(self) -> int:
        """How much is left out for want of room."""
        return self._level

    def _fit(self) -> None:
        """Leave out as little as possible; nothing is ever cut short. Figures that grow do not flicker."""
        names = [label.text() for label in (self._project, self._flow, self._pill)]
        figures_long = [len(label.text()) for label in (self._tokens, self._cost, self._clock)]
        key = (self.width(), self._first, names, figures_long, self._widest)
        if key == self._fitted:
            return
        self._fitted = key
        for level in range(LEVELS):
            self.show_level(level)
            for layout in (*self._parts, self._row):
                layout.invalidate()
            needed = self._row.sizeHint().width()
            if level == 0:
                self._widest = needed = max(self._widest, needed)
            if needed <= self.width():
                return

    def _button(self, offer: Offer) -> QToolButton:
        button = QToolButton(self)
        button.setText(offer.title)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        side = self._look.length("size.icon")
        button.setIconSize(QSize(side, side))
        button.setProperty("plain", True)
        button.setAccessibleName(offer.title)
        button.clicked.connect(lambda: self._commands.run(offer.id))
        return button

    def _name_keys(self) -> None:
        """Say in each button's tip which key does the same."""
        for name, button in self._buttons.items():
            offer = self._commands[name]
            tip = offer.command.help or offer.title
            button.setToolTip(f"{tip} ({offer.shortcut})" if offer.shortcut else tip)

    def _lay_out(self, menus: QMenuBar | None) -> None:
        small, large = self._look.length("space.small"), self._look.length("space.large")
        left, middle, names, right = self._parts = tuple(QHBoxLayout() for _ in range(4))
        names.setSpacing(small)
        if menus is not None:
            menus.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            left.addWidget(menus, alignment=Qt.AlignmentFlag.AlignVCenter)
            rest = menus.findChild(QToolButton, "qt_menubar_ext_button")
            if isinstance(rest, QToolButton):  # the menus for which there is no room; it has no picture here
                rest.setIcon(self._look.icon("more"))
        for label in (self._project, self._slash, self._flow):
            names.addWidget(label)
        names.addStretch(1)
        middle.setSpacing(self._look.length("space.tight"))
        for button in self._buttons.values():
            middle.addWidget(button)
        right.setSpacing(large)
        right.addStretch(1)
        for label in (self._pill, self._tokens, self._cost, self._clock):
            right.addWidget(label, alignment=Qt.AlignmentFlag.AlignVCenter)
        self._row = row = QHBoxLayout(self)
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)  # the window may be narrower
        row.setContentsMargins(small, 0, large, 0)
        row.setSpacing(large)
        row.addLayout(left)
        row.addLayout(middle)  # before all that changes its width: who clicks Step again hits Step again
        row.addLayout(names, 1)
        row.addLayout(right)


def _put(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)
