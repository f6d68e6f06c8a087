"""Undo across restarts: what happens to an open flow is written down, and found again by the next window."""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from studio.app.documents.history import Done, History, Move, Snapshot, Step
from studio.app.documents.journal_file import JournalFile, left_journals
from studio.app.documents.journal_writer import JournalWriter
from studio.errors import StepwireError
from studio.flow.change import difference
from studio.flow.files.codec import dumps
from studio.flow.records import Flow
from studio.workspace.stored_documents import KeptError, Trouble


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a journal gave back beyond steps that can be undone; all false where there was nothing."""

    edits: bool = False
    """Edits that were never saved are there again."""
    changed_on_disk: bool = False
    """Somebody else changed the file meanwhile: of these edits and that file, one is to be chosen."""
    foreign: bool = False
    """Somebody else changed the file while all was saved: that is a step now, which can be undone."""
    damaged: bool = False
    """A part of the journal could not be read; what came after it is gone."""


class Journal:
    """Writes down what happens to a history, as long as it is open."""

    def __init__(
        self,
        history: History,
        folder: Path,
        writer: JournalWriter,
        on_trouble: Trouble | None = None,
        text: str = "",
        *,
        is_new: bool = False,
    ) -> None:
        """Bring back what an earlier window left in `folder`, and go on from there.

        `text` is what the file says that the history's flow was read from, where that is known. What was left
        is another flow's where the file `is_new`.
        """
        self._history = history
        self._writer = writer
        self._on_trouble = on_trouble
        self._lock = Lock()
        self._moves: list[Move] = []
        self._after: Snapshot | None = None
        self._lowest = history.position
        self._trouble: StepwireError | None = None
        self._has_complained = False
        taken = (JournalFile(folder), Recovered()) if is_new else _taken(history, folder, text)
        self._file, self.recovered = taken
        self._end = history.on_move(self._hear)
        if is_new or self.recovered.damaged or self.recovered.foreign:
            self._file.forget()
            self._write_anew()

    @property
    def is_kept(self) -> bool:
        """Whether all that happened is on the disk, so that another window finds it there; waits for that."""
        self.flush()
        return self._trouble is None

    def flush(self) -> None:
        """Wait until all that happened is on the disk."""
        self._writer.flush()
        self._complain()

    def move_to(self, folder: Path) -> None:
        """Be the journal of another file, in which the flow was saved just now."""
        self.flush()
        self._file.remove()
        self._file = JournalFile(folder)
        self._write_anew()

    def close(self) -> None:
        """Leave it to the next window."""
        self._end()
        if self._trouble is not None:
            self._writer.ask(id(self), self._write, self._sync)
        self.flush()
        self._file.let_go()

    def _write_anew(self) -> None:
        self._after = self._history.snapshot
        self._writer.ask(id(self), self._write, self._sync)

    def _hear(self, move: Move) -> None:
        with self._lock:
            self._lowest = (
                min(self._lowest, self._history.position) if self._moves else self._history.position
            )
            self._moves.append(move)
            self._after = self._history.snapshot
        self._writer.ask(id(self), self._write, self._sync)
        self._complain()

    def _write(self) -> None:
        """On the writer's thread."""
        with self._lock:
            moves, self._moves = self._moves, []
            after, lowest = self._after, self._lowest
        if after is None:
            return
        try:
            self._file.write(_shortened(moves), after, lowest)
        except Exception as error:  # noqa: BLE001  # whatever it is, a person has to hear that nothing is kept
            self._trouble = KeptError(
                f"The edit history could not be written: {_reason(error)}",
                hint="Undo still works, but unsaved edits are lost if the window crashes.",
            )
        else:
            self._trouble = None
            self._has_complained = False

    def _sync(self) -> None:
        """On a thread of its own."""
        with suppress(
            OSError
        ):  # what is not there any more, or can't be synced, has been written all the same
            self._file.sync()

    def _complain(self) -> None:
        trouble = self._trouble
        if trouble is not None and self._on_trouble is not None and not self._has_complained:
            self._has_complained = True
            self._on_trouble(trouble)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return error.message if isinstance(error, StepwireError) else repr(error)


def _shortened(moves: list[Move]) -> list[Move]:
    """Squash what was merged into the step before it anyway: typing is one step."""
    short: list[Move] = []
    for move in moves:
        last = short[-1] if short else None
        if isinstance(move, Done) and move.merged and isinstance(last, Done):
            squashed = last.step.change.then(move.step.change)
            if not squashed.is_empty:
                short[-1] = Done(Step(squashed, last.step.at), last.merged)
                continue
        short.append(move)
    return short


def _taken(history: History, folder: Path, text: str) -> tuple[JournalFile, Recovered]:
    """Have the history be what the best of the journals says that nobody holds."""
    found = list(left_journals(folder, (text, history.flow) if text else None))
    whole = [one for one in found if one is not None]
    if not whole:
        return JournalFile(folder), Recovered(damaged=bool(found))
    whole.sort(key=lambda one: (one.has_unsaved, one.modified))
    chosen = whole.pop()
    for other in whole:
        if other.has_unsaved:
            other.file.let_go()
        else:
            other.file.remove()
    recovered, is_behind = _restored(history, chosen.snapshot, text)
    if is_behind:
        chosen.file.forget()
    if not chosen.is_whole:
        chosen.file.copy_aside()
    damaged = not chosen.is_whole or len(whole) + 1 < len(found)
    return chosen.file, replace(recovered, damaged=damaged)


def _restored(history: History, left: Snapshot, text: str) -> tuple[Recovered, bool]:
    """Join what was left with what is on disk now; tells too whether the journal knows less of the file."""
    disk = history.flow
    if _are_alike(left.flow, disk, text):
        is_saved = left.saved is left.flow or _are_alike(left.saved, disk, text)
        history.restore(Snapshot(disk, disk, left.done, left.undone))
        return Recovered(), not is_saved
    if _are_alike(left.saved, disk, text):
        history.restore(Snapshot(left.flow, disk, left.done, left.undone))
        return Recovered(edits=True), False
    if _are_alike(left.flow, left.saved):
        history.restore(Snapshot(left.flow, left.flow, left.done))
        history.do(difference(left.flow, disk, "Changed on disk"))
        history.mark_saved()
        return Recovered(foreign=True), True
    history.restore(left)
    return Recovered(edits=True, changed_on_disk=True), False


def _are_alike(one: Flow, other: Flow, text: str = "") -> bool:
    """Whether two flows are saved as the same text, which is `text` of the other one where that is known."""
    if one is other or (text and dumps(one) == text):
        return True
    change = difference(one, other, "")
    nothing = Flow()
    return change.is_empty or dumps(change.applied_to(nothing)) == dumps(
        change.inverted().applied_to(nothing)
    )
