"""Where to read more."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.canvas.commands.catalog import all_commands
from studio.ui.window.actions.making import make

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def _show_keyboard(window: "MainWindow") -> None:
    from studio.ui.window.keyboard_page import show_keyboard

    show_keyboard(window.look, window.app.actions, all_commands(), window)


def _show_legend(window: "MainWindow") -> None:
    from studio.ui.window.legend import show_legend

    show_legend(window.look, window)


def help_actions(window: "MainWindow") -> list[Action]:
    """Where to read more."""
    group = translate("actions", "Help")
    return [
        make(
            "help.keyboard",
            translate("actions", "Keyboard…"),
            group,
            lambda: _show_keyboard(window),
            "F1",
            help_text=translate("actions", "Every key of the window and the canvas"),
        ),
        make(
            "help.legend",
            translate("actions", "Ports and marks…"),
            group,
            lambda: _show_legend(window),
            help_text=translate("actions", "What the shapes on the canvas mean"),
        ),
        make(
            "help.gallery",
            translate("actions", "Gallery"),
            group,
            window.gallery.show,
            help_text=translate("actions", "Published agent systems as flows; open a copy of one"),
        ),
        make("help.welcome", translate("actions", "Welcome page"), group, window.show_welcome),
        make("help.about", translate("actions", "About Stepwire"), group, window.acts.show_about),
    ]
