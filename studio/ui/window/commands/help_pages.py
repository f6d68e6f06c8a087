"""Where to read more."""

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.front import Front
    from studio.ui.window.welcome.first_steps import FirstStepsGuide
    from studio.ui.window.welcome.gallery import Gallery

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

    @property
    def first_steps(self) -> "FirstStepsGuide":
        """Five things to do on the example."""
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
            words=translate("actions", "manual documentation tutorial read measure evaluate"),
        ),
        Command(
            "help.first_steps",
            translate("actions", "First steps"),
            "help",
            lambda window: window.first_steps.start(),
            help=translate("actions", "Five things to do on the example, ticked off as they are done"),
            words=translate("actions", "tutorial tour introduction start"),
        ),
        Command(
            "help.keyboard",
            translate("actions", "Keyboard…"),
            "help",
            lambda window: window.acts.show_keyboard(),
            "F1",
            help=translate("actions", "All shortcuts of the window and the canvas; change them here"),
            words=translate("actions", "shortcuts keys hotkeys bindings"),
        ),
        Command(
            "help.legend",
            translate("actions", "Legend…"),
            "help",
            lambda window: window.acts.show_legend(),
            help=translate("actions", "What the ports and marks on the canvas mean"),
            words=translate("actions", "symbols colours shapes meaning"),
        ),
        Command(
            "help.gallery",
            translate("actions", "Gallery"),
            "help",
            lambda window: window.gallery.show(),
            help=translate("actions", "Published agent systems as flows; open a copy of any of them"),
            words=translate("actions", "examples templates systems papers"),
        ),
        Command(
            "help.welcome",
            translate("actions", "Welcome page"),
            "help",
            lambda window: window.show_welcome(),
            words=translate("actions", "home start recent"),
        ),
        Command(
            "help.about",
            translate("actions", "About Stepwire"),
            "help",
            lambda window: window.acts.show_about(),
            begins=True,
            words=translate("actions", "version licence"),
        ),
    ]
