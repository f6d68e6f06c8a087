"""How an action is made in one call."""

from collections.abc import Callable

from studio.app.actions import Action

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


def ignore(_: object) -> None:
    """Take what a call gives: an action gives nothing back."""
