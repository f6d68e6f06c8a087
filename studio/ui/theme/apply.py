"""A theme on the whole application: style, palette, font and stylesheet."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from studio.ui.theme.fonts import font, load_fonts
from studio.ui.theme.icons import app_icon
from studio.ui.theme.stylesheet import render_stylesheet
from studio.ui.theme.tokens import Theme, load_theme

SYSTEM = "system"
"""The setting that follows the desktop's preference for light or dark."""

STYLED = "stepwire_styled"
"""The application's property that says that its style is chosen; a stylesheet hides which one it is."""

_ROLES = {
    QPalette.ColorRole.Window: "surface.panel",
    QPalette.ColorRole.WindowText: "text.normal",
    QPalette.ColorRole.Base: "surface.raised",
    QPalette.ColorRole.AlternateBase: "surface.panel",
    QPalette.ColorRole.Text: "text.normal",
    QPalette.ColorRole.PlaceholderText: "text.muted",
    QPalette.ColorRole.Button: "surface.raised",
    QPalette.ColorRole.ButtonText: "text.normal",
    QPalette.ColorRole.BrightText: "text.strong",
    QPalette.ColorRole.Highlight: "surface.selection",
    QPalette.ColorRole.HighlightedText: "text.strong",
    QPalette.ColorRole.Link: "accent.action",
    QPalette.ColorRole.LinkVisited: "accent.action",
    QPalette.ColorRole.ToolTipBase: "surface.raised",
    QPalette.ColorRole.ToolTipText: "text.normal",
    QPalette.ColorRole.Light: "surface.hover",
    QPalette.ColorRole.Midlight: "surface.hover",
    QPalette.ColorRole.Mid: "surface.line",
    QPalette.ColorRole.Dark: "surface.line",
    QPalette.ColorRole.Shadow: "surface.window",
    QPalette.ColorRole.Accent: "accent.action",
}
_DISABLED = (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText)


def chosen_theme(app: QApplication, setting: str = SYSTEM) -> Theme:
    """Read the theme of that name, or the one that the desktop prefers; raises `ThemeError`."""
    if setting != SYSTEM:
        return load_theme(setting)
    is_light = app.styleHints().colorScheme() is Qt.ColorScheme.Light
    return load_theme("light" if is_light else "dark")


def apply_theme(app: QApplication, theme: Theme, cache: Path | None = None) -> None:
    """Show the whole application in `theme`; may be called again at any time to change it.

    What stays as it was is not set again: each has Qt go through all widgets that there are.
    """
    load_fonts()
    if app.property(STYLED) is None:
        app.setStyle("Fusion")  # the one style that looks the same on every system and obeys the palette
        app.setProperty(STYLED, True)
    if app.font() != (wanted := font(theme)):
        app.setFont(wanted)
    if app.palette() != (colours := theme_palette(theme)):
        app.setPalette(colours)
    if app.styleSheet() != (sheet := render_stylesheet(theme, cache)):
        app.setStyleSheet(sheet)
    app.setWindowIcon(app_icon())


def theme_palette(theme: Theme) -> QPalette:
    """The colours that Qt falls back on where the stylesheet says nothing."""
    palette = QPalette()
    for role, name in _ROLES.items():
        palette.setColor(role, QColor(theme.color(name)))
    for role in _DISABLED:
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.color("text.disabled")))
    return palette


def mark(widget: QWidget, **properties: str | bool) -> None:
    """Set what the stylesheet goes by (`pill="held"`, `primary=True`); it looks again where that is new."""
    if all(widget.property(name) == value for name, value in properties.items()):
        return  # the stylesheet takes a millisecond
    for name, value in properties.items():
        widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
