"""Edits of flows that nobody has open: opened for the edit, saved, and closed again."""

from collections.abc import Callable
from pathlib import Path

from studio.app.compose import Application
from studio.app.session import Session


def borrowing(app: Application) -> Callable[[Path], tuple[Session, bool]]:
    """A function that gives the session of a file, and whether a person has it open."""

    def borrow(path: Path) -> tuple[Session, bool]:
        known = next((one for one in app.sessions if one.path == path), None)
        return (known, True) if known is not None else (app.open(path), False)

    return borrow
