"""Where to read more."""

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.front import Front
    from studio.ui.window.gallery import Gallery

translate = QCoreApplication.translate


class Window(Protocol):
    """What this asks of the window."""

    @property
    def acts(self) -> "Front":
        """Acts on the flow in front, and opens pages to read."""
        ...

    @property
    def gallery(self) -> "Gallery":
        """The page of published systems."""
        ...

    def show_welcome(self) -> None:
        """Show the welcome page."""
        ...


def help_commands() -> "list[Command[Window]]":
    """Where to read more."""
    return [
        Command(
            "help.guide",
            translate("actions", "Guide…"),
            "help",
            lambda window: window.acts.show_guide(),
            help=translate("actions", "How to draw, run and debug flows, page by page"),
        ),
        Command(
            "help.keyboard",
            translate("actions", "Keyboard…"),
            "help",
            lambda window: window.acts.show_keyboard(),
            "F1",
            help=translate("actions", "Every key of the window and the canvas, to read and to change"),
        ),
        Command(
            "help.legend",
            translate("actions", "Ports and marks…"),
            "help",
            lambda window: window.acts.show_legend(),
            help=translate("actions", "What the shapes on the canvas mean"),
        ),
        Command(
            "help.gallery",
            translate("actions", "Gallery"),
            "help",
            lambda window: window.gallery.show(),
            help=translate("actions", "Published agent systems as flows; open a copy of one"),
        ),
        Command(
            "help.welcome", translate("actions", "Welcome page"), "help", lambda window: window.show_welcome()
        ),
        Command(
            "help.about",
            translate("actions", "About Stepwire"),
            "help",
            lambda window: window.acts.show_about(),
            begins=True,
        ),
    ]
