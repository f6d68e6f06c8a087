"""Edits typed into one field are one step of undo, from the moment the keyboard comes in."""

from studio.app.documents.history import History
from studio.flow.change import Change


class Visit:
    """Makes changes of a flow, and squashes those that one visit of one field makes."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._open = ""
        """The label under which the visited field's changes stand; empty before its first."""
        self._is_doing = False
        self.close = history.on_change(self._heard)
        """Stop listening to the history."""

    def begin(self) -> None:
        """Another field is visited: its first change is a step of its own."""
        self._open = ""

    def do(self, change: Change) -> None:
        """Make a change of the visited field."""
        if change.is_empty:
            return
        self._is_doing = True
        try:
            self._history.do(change.labelled(self._open or change.label), merge=bool(self._open))
        finally:
            self._is_doing = False
        self._open = self._open or change.label

    def _heard(self, _change: Change) -> None:
        if not self._is_doing:
            self._open = ""
