"""How an action is made in one call."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from studio.app.actions import Action

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow
    from studio.ui.window.run_controls import RunControls
    from studio.ui.window.tabs import OpenFlow

T = TypeVar("T")
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
) -> "tuple[Callable[[Callable[[RunControls], None]], Run], Callable[[Callable[[RunControls], bool]], Can]]":
    """Make two makers: of what acts on the run in front, and of what asks whether that is possible."""

    def on(act: "Callable[[RunControls], None]") -> Run:
        return lambda: window.acts.with_controls(act)

    def can(ask: "Callable[[RunControls], bool]") -> Can:
        return lambda: window.acts.asks_controls(ask)

    return on, can


def on_front(
    window: "MainWindow", part: Callable[["OpenFlow"], T]
) -> tuple[Callable[[Callable[[T], None]], Run], Callable[[Callable[[T], bool]], Can]]:
    """Make two makers: of what acts on a part of the flow in front, and of what asks something of it."""

    def on(act: Callable[[T], None]) -> Run:
        def do() -> None:
            if window.front is not None:
                act(part(window.front))

        return do

    def can(ask: Callable[[T], bool]) -> Can:
        return lambda: window.front is not None and ask(part(window.front))

    return on, can


def ignore(_: object) -> None:
    """Take what a call gives: an action gives nothing back."""
