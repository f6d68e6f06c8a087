"""Where to read more."""

from typing import TYPE_CHECKING, Protocol

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.front import Front
    from studio.ui.window.welcome.first_steps import FirstStepsGuide
    from studio.ui.window.welcome.gallery import Gallery

in_help = Menu("help")


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
        in_help(
            "help.guide",
            "Guide…",
            lambda w: w.acts.show_guide(),
            help="How to draw, run and debug flows, page by page",
            words="manual documentation tutorial read measure evaluate",
        ),
        in_help(
            "help.first_steps",
            "First steps",
            lambda w: w.first_steps.start(),
            help="Five things to do on the example, ticked off as they are done",
            words="tutorial tour introduction start",
        ),
        in_help(
            "help.keyboard",
            "Keyboard…",
            lambda w: w.acts.show_keyboard(),
            "F1",
            help="All shortcuts of the window and the canvas; change them here",
            words="shortcuts keys hotkeys bindings",
        ),
        in_help(
            "help.legend",
            "Legend…",
            lambda w: w.acts.show_legend(),
            help="What the ports and marks on the canvas mean",
            words="symbols colours shapes meaning",
        ),
        in_help(
            "help.gallery",
            "Gallery",
            lambda w: w.gallery.show(),
            help="Published agent systems as flows; open a copy of any of them",
            words="examples templates systems papers",
        ),
        in_help("help.welcome", "Welcome page", lambda w: w.show_welcome(), words="home start recent"),
        in_help(
            "help.about",
            "About Stepwire",
            lambda w: w.acts.show_about(),
            words="version licence",
            begins=True,
        ),
    ]
