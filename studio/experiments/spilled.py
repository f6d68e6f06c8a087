"""Many rows, kept on disk: a sequence that holds where each begins, and reads it when it is asked for."""

import json
import weakref
from array import array
from collections.abc import Callable, Iterator, Sequence
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Generic, TypeVar, overload

from studio.flow.records import Json

T = TypeVar("T")

HELD = 5_000
"""Rows that are held as they are; those after them go to disk."""


class SpilledRows(Sequence[T], Generic[T]):
    """Grows by `append`; the first `HELD` are held, the rest are in a file without a name until it is gone.

    `pack` gives a row as JSON, `unpack` makes it of that again.
    """

    def __init__(self, pack: Callable[[T], Json], unpack: Callable[[Json], T]) -> None:
        self._pack = pack
        self._unpack = unpack
        self._held: list[T] = []
        self._starts = array("Q")
        self._file: IO[bytes] | None = None
        self._end = 0
        self._turn = Lock()
        """A table may be shown while its trials run on another thread."""

    def append(self, row: T) -> None:
        """Put a row at the end."""
        if len(self._held) < HELD:
            self._held.append(row)
            return
        text = json.dumps(self._pack(row), ensure_ascii=False, separators=(",", ":"))
        data = text.encode("utf-8", "surrogatepass") + b"\n"
        with self._turn:
            if self._file is None:
                self._file = TemporaryFile("w+b")  # noqa: SIM115  # it is gone with this object
                weakref.finalize(self, self._file.close)
            self._file.seek(self._end)
            self._file.write(data)
            self._starts.append(self._end)
            self._end += len(data)

    def __len__(self) -> int:
        return len(self._held) + len(self._starts)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        at = place + len(self) if place < 0 else place
        if not 0 <= at < len(self):
            raise IndexError(place)
        if at < len(self._held):
            return self._held[at]
        assert self._file is not None  # noqa: S101  # rows beyond those held are there
        with self._turn:
            self._file.seek(self._starts[at - len(self._held)])
            line = self._file.readline()
        return self._unpack(json.loads(line.decode("utf-8", "surrogatepass")))

    def __iter__(self) -> Iterator[T]:
        return (self[place] for place in range(len(self)))
