"""How an action is made in one call."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from studio.app.actions import Action
from studio.ui.window.run_controls import RunControls

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

Run = Callable[[], None]
Can = Callable[[], bool]


def make(
    name: str,
    title: str,
    group: str,
    run: Run,
    shortcut: str = "",
    can: Can | None = None,
    help_text: str = "",
) -> Action:
    """An action; without `can` it can always be done."""
    if can is None:
        return Action(name, title, group, run, shortcut, help_text)
    return Action(name, title, group, run, shortcut, help_text, can)


def on_controls(
    window: "MainWindow",
) -> tuple[Callable[[Callable[[RunControls], None]], Run], Callable[[Callable[[RunControls], bool]], Can]]:
    """Make two makers: of what acts on the run in front, and of what asks whether that is possible."""

    def on(act: Callable[[RunControls], None]) -> Run:
        return lambda: window.acts.with_controls(act)

    def can(ask: Callable[[RunControls], bool]) -> Can:
        return lambda: window.acts.asks_controls(ask)

    return on, can


def ignore(_: object) -> None:
    """Take what a call gives: an action gives nothing back."""
