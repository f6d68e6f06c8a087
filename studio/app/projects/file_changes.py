"""What was done to the files of a project, undone as edits are: what was, and what is instead."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import TypeAlias, cast

from studio.app.documents.journal_file import journal_folder
from studio.app.listeners import Listeners
from studio.errors import UsageError
from studio.workspace.files import SaveError, keep_version
from studio.workspace.private_folder import private_folder
from studio.workspace.stored_documents import Kept, Trouble
from studio.workspace.whole_file import write_whole

FILE = "deeds.json"
MOST_CHANGES = 30
MOST_CHARACTERS = 8_000_000
"""What is kept of deleted and changed files together; the oldest changes go."""
BY_FLOW = ("breakpoints.json", "chats.json", "inputs.json", "pins.json")
"""Documents of the private folder that have an entry for each flow, by its name."""

Swap: TypeAlias = tuple[str | None, str | None]
"""What a file says before and after; None where there is none."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One thing that is done to files, by their path in the project. `renamed` is old and new name."""

    label: str
    files: Mapping[str, Swap]
    renamed: tuple[str, str] | None = None
    at: float = field(default_factory=time.time)

    def inverted(self) -> "FileChange":
        """What takes it back."""
        files = {name: (after, before) for name, (before, after) in self.files.items()}
        renamed = (self.renamed[1], self.renamed[0]) if self.renamed is not None else None
        return FileChange(self.label, files, renamed, self.at)

    @property
    def added(self) -> Sequence[str]:
        """The files that are there afterwards, and were not before."""
        return [name for name, (before, after) in self.files.items() if before is None and after is not None]

    @property
    def removed(self) -> Sequence[str]:
        """The files that are gone afterwards."""
        return [name for name, (before, after) in self.files.items() if before is not None and after is None]


class FileChanges:
    """The changes in one project, also those of earlier sessions; undo and redo are changes, inverted."""

    def __init__(self, root: Path, on_trouble: Trouble | None = None) -> None:
        self.root = root
        self._kept = Kept(private_folder(root) / FILE, on_trouble)
        self._beginning: Listeners[FileChange] = Listeners()
        self._changed: Listeners[FileChange] = Listeners()
        self._steps: list[FileChange] = []
        self._place = 0
        self._settled = (-1, 0.0)
        self._stamp: tuple[int, int] | None = None
        self._catch_up()

    @property
    def steps(self) -> Sequence[FileChange]:
        """Every change from the first: those that were done, then those that were taken back."""
        self._catch_up()
        return tuple(self._steps)

    @property
    def position(self) -> int:
        """How many of `steps` are done."""
        self._catch_up()
        return self._place

    @property
    def last_at(self) -> float:
        """When the last change was done, with all that followed from it; 0 where there is none."""
        self._catch_up()
        if self._place == self._settled[0]:
            return self._settled[1]
        return self._steps[self._place - 1].at if self._place else 0.0

    def on_beginning(self, listener: Callable[[FileChange], None]) -> Callable[[], None]:
        """Hear what is about to be done; who raises `UsageError` prevents it."""
        return self._beginning.subscribe(listener)

    def on_change(self, listener: Callable[[FileChange], None]) -> Callable[[], None]:
        """Hear what was done, undone and redone changes included; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def do(self, change: FileChange) -> None:
        """Do it. Raises `UsageError` where a file is not as the change takes it to be, `SaveError`."""
        self._catch_up()
        self._act(change, [*self._steps[: self._place], change], self._place + 1)

    def note(self, change: FileChange) -> None:
        """Remember what was done to the files already."""
        self._catch_up()
        self._keep([*self._steps[: self._place], change], self._place + 1)
        self._changed.tell(change)
        self._settled = self._place, time.time()

    def jump(self, position: int) -> None:
        """Undo or redo one change after another until so many are done; stops where one raises."""
        while 0 <= position <= len(self._steps) and position != self._place:
            if position < self._place:
                self._act(self._steps[self._place - 1].inverted(), self._steps, self._place - 1)
            else:
                self._act(self._steps[self._place], self._steps, self._place + 1)

    def refusal(self, position: int) -> str:
        """Why the files do not allow the next change on the way to `position`; empty where they do."""
        try:
            if position < self._place:
                self._check(self._steps[self._place - 1].inverted())
            elif self._place < len(self._steps):
                self._check(self._steps[self._place])
        except UsageError as error:
            return error.message
        return ""

    def _act(self, change: FileChange, steps: list[FileChange], place: int) -> None:
        self._check(change)
        self._beginning.tell(change)
        before, is_done = (self._steps, self._place), place > self._place
        self._keep(steps, place)  # first of all: what a file said is kept before it goes
        try:
            self._write(change)
        except OSError as error:
            self._keep(*before)
            reason = (error.strerror or str(error)).lower()
            raise SaveError(f"`{change.label}` failed: {reason}.") from error
        self._move_private(change)
        self._changed.tell(change)
        self._settled = (self._place, time.time()) if is_done else (-1, 0.0)

    def _check(self, change: FileChange) -> None:
        for name, (before, _) in change.files.items():
            if not _is_inside(self.root, name):
                raise UsageError(f"`{name}` is not a place for a flow of this project.")
            if self._text(name) != before:
                was = "already exists" if before is None else "has changed since"
                raise UsageError(
                    f"`{name}` {was}, so this can't be done: {change.label}.",
                    hint="Nothing was changed; save or move that file first.",
                )

    def _text(self, name: str) -> str | None:
        try:
            return (self.root / name).read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"`{name}` could not be read.") from error

    def _write(self, change: FileChange) -> None:
        """Write all files, and remove what goes; where the disk refuses, all are as they were."""
        done: list[str] = []
        try:
            for name, (_, after) in sorted(change.files.items(), key=lambda one: one[1][1] is None):
                done.append(name)
                keep_version(self.root / name, (after or "").encode())
                self._put(name, after)
        except OSError:
            for name in done:
                with suppress(OSError):
                    self._put(name, change.files[name][0])
            raise

    def _put(self, name: str, text: str | None) -> None:
        path = self.root / name
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)  # the first experiment of a project
            write_whole(path, text.encode())

    def _move_private(self, change: FileChange) -> None:
        """Have what is kept of a flow follow its file: a journal and breakpoints are of a name."""
        private = private_folder(self.root)
        for name in change.removed if change.renamed is None else ():
            _move(journal_folder(self.root, name), _parked(self.root, name, change))
        for name in change.added:
            _clear(journal_folder(self.root, name))
        for name in change.added if change.renamed is None else ():
            _move(_parked(self.root, name, change), journal_folder(self.root, name))
        if change.renamed is not None:
            old, new = change.renamed
            _move(journal_folder(self.root, old), journal_folder(self.root, new))
            for file in BY_FLOW:
                kept = Kept(private / file)
                document = kept.read()
                if old in document:
                    document[new] = document.pop(old)
                    kept.write(document)

    def _catch_up(self) -> None:
        """Know what another window of the project did: its list is this one's too."""
        stamp = _stamp(self._kept.path)
        if stamp is None or stamp == self._stamp:
            return
        document = self._kept.read()
        self._steps = _read(document.get("deeds"))
        place = document.get("done")
        self._place = min(place, len(self._steps)) if isinstance(place, int) and place >= 0 else 0
        self._settled, self._stamp = (-1, 0.0), stamp

    def _keep(self, steps: Sequence[FileChange], place: int) -> None:
        shown = list(steps)
        while len(shown) > 1 and (len(shown) > MOST_CHANGES or _size(shown) > MOST_CHARACTERS):
            forgotten = shown.pop(0)
            for name in forgotten.files:  # nothing brings that flow back any more
                rmtree(_parked(self.root, name, forgotten), ignore_errors=True)
            place = max(0, place - 1)
        self._steps, self._place = shown, place
        if self._kept.write({"done": place, "deeds": [_written(change) for change in shown]}):
            self._stamp = _stamp(self._kept.path)


def _is_inside(root: Path, name: str) -> bool:
    """Whether a change may be about this file: the list lies in a folder that others may have sent."""
    if "\0" in name or any(part.startswith(".") for part in Path(name).parts):
        return False
    return (root / name).parent.resolve().is_relative_to(root.resolve())


def _stamp(path: Path) -> tuple[int, int] | None:
    """What tells that a file was written anew; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _parked(root: Path, name: str, change: FileChange) -> Path:
    """Where the journal of a deleted flow waits for it to come back."""
    folder = journal_folder(root, name)
    return folder.with_name(f"{folder.name}~{round(change.at * 1000)}")


def _move(source: Path, target: Path) -> None:
    """A journal is a comfort: where it can't follow, its flow goes without."""
    with suppress(OSError):
        if source.is_dir():
            source.rename(target)


def _clear(folder: Path) -> None:
    """Put the journal aside of a flow that had this name and went without the studio."""
    with suppress(OSError):
        if folder.is_dir():
            folder.rename(folder.with_name(f"{folder.name}~{time.time_ns()}"))


def _size(changes: Sequence[FileChange]) -> int:
    return sum(len(text) for change in changes for swap in change.files.values() for text in swap if text)


def _written(change: FileChange) -> dict[str, object]:
    files = {name: list(swap) for name, swap in change.files.items()}
    return {"label": change.label, "at": change.at, "files": files, "renamed": change.renamed}


def _read(plain: object) -> list[FileChange]:
    """The changes that were written down; none where any of them is not as this studio writes it."""
    try:
        return [
            FileChange(
                str(one["label"]),
                {name: _swap(swap) for name, swap in cast("dict[str, object]", one["files"]).items()},
                _pair(one["renamed"]),
                float(cast("float", one["at"])),
            )
            for one in cast("list[dict[str, object]]", plain or [])
        ]
    except (KeyError, TypeError, ValueError, AttributeError):
        return []


def _swap(plain: object) -> Swap:
    before, after = cast("list[object]", plain)
    if not isinstance(before, str | None) or not isinstance(after, str | None):
        raise TypeError(json.dumps(plain))
    return before, after


def _pair(plain: object) -> tuple[str, str] | None:
    if plain is None:
        return None
    old, new = cast("list[object]", plain)
    return str(old), str(new)
