"""Which theme is in use: the user's choice, or the desktop's; changed while the window stands."""

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from studio.app.settings import Settings
from studio.ui.look import Look
from studio.ui.motion import reduce_motion
from studio.ui.theme.apply import SYSTEM, apply_theme, chosen_theme
from studio.ui.theme.tokens import theme_names

REDUCED = "reduced"
"""The setting under which nothing moves by itself."""


class Appearance(QObject):
    """Keeps `look`, the application's style and the setting in step."""

    def __init__(self, app: QApplication, settings: Settings, cache: Path | None = None) -> None:
        super().__init__(app)
        self._app, self._settings, self._cache = app, settings, cache
        reduce_motion(is_reduced=settings.text("motion") == REDUCED)
        theme = chosen_theme(app, self.choice)
        apply_theme(app, theme, cache)
        self.look = Look(theme, self)
        app.styleHints().colorSchemeChanged.connect(self._follow_system)

    @property
    def choice(self) -> str:
        """The name of the chosen theme, or `system`; a theme that is gone counts as none."""
        return self._settings.theme if self._settings.theme in theme_names() else SYSTEM

    def choose(self, name: str) -> None:
        """Use a theme from now on; `system` follows the desktop."""
        self._settings.theme = "" if name == SYSTEM else name
        self._apply()

    def choose_motion(self, choice: str) -> None:
        """Let things move by themselves, or `reduced`: show every change at once."""
        self._settings.set_text("motion", choice)
        reduce_motion(is_reduced=choice == REDUCED)

    def _follow_system(self) -> None:
        if self.choice == SYSTEM:
            self._apply()

    def _apply(self) -> None:
        theme = chosen_theme(self._app, self.choice)
        if theme.name != self.look.theme.name:
            apply_theme(self._app, theme, self._cache)
            self.look.use(theme)
