"""Edits of flows that nobody has open: opened for the edit, saved, and closed again."""

from collections.abc import Callable
from pathlib import Path

from studio.app.compose import Application
from studio.app.documents.session import Session
from studio.errors import UsageError


def borrowing(app: Application) -> Callable[[Path], tuple[Session, bool]]:
    """A function that gives the session of a file, and whether a person has it open.

    It raises `UsageError` for a flow that nobody has open and whose journal gives unsaved edits back: to save
    one more would save those too, unseen.
    """

    def borrow(path: Path) -> tuple[Session, bool]:
        known = next((one for one in app.sessions if one.path == path), None)
        if known is not None:
            return known, True
        session = app.open(path)
        if session.is_modified:
            app.close_session(session)
            raise UsageError(
                f"`{session.name}` has unsaved edits, which come back when it is opened.",
                hint="Open it, and save or discard them first.",
            )
        return session, False

    return borrow
