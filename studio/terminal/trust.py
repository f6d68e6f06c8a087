"""The question at a terminal whether a project from elsewhere may execute what it has."""

from typing import TYPE_CHECKING

from studio.errors import UntrustedError

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from studio.workspace.trust import Executable

MOST_LINES = 30
"""Lines of one part that are shown with the question."""


def add_trust(parser: "ArgumentParser") -> None:
    """Declare how a project is approved where nobody can be asked."""
    parser.add_argument(
        "--trust",
        action="store_true",
        help="approve what the project executes as it is now, as `stepwire trust --approve` does",
    )


def is_approved(error: UntrustedError, *, is_meant: bool) -> bool:
    """Have it approved if that is meant, or the person at the terminal says so; tells whether it is."""
    from studio.workspace.trust import UnapprovedError

    if not isinstance(error, UnapprovedError):
        return False
    shown = (line for one in error.found for line in lines_of(one, error.changes(one), MOST_LINES))
    if not is_meant and not said_yes("\n".join([error.message, *shown])):
        return False
    error.approve()
    return True


def lines_of(one: "Executable", changes: str = "", most: int | None = None) -> list[str]:
    """Give what a person reads of a part: what it is, and what is approved of it, or how that changed."""
    text = f"changed since it was approved:\n{changes}" if changes else one.text
    lines = [f"    {line}" for line in text.splitlines()]
    more = len(lines) - (most or len(lines))
    if more > 0:
        lines = [*lines[:most], f"    … {more} more lines, which `stepwire trust` shows"]
    return [f"  {one.words}", *lines]


def said_yes(question: str, about: str = "trust") -> bool | None:
    """Ask the person at the terminal; None where none is there. `about` is what the question is called."""
    import asyncio

    from studio.ids import StepId
    from studio.runtime.resources.permissions import ALLOW
    from studio.sdk.context import Form
    from studio.terminal.people import TerminalPeople, terminal
    from studio.terminal.screen import prompt

    descriptor = terminal()
    if descriptor is None:
        return None
    people = TerminalPeople(prompt, descriptor)
    return asyncio.run(people.ask(StepId(about), Form(question, ALLOW))).get("allow") is True
