"""The large values of a run as they are stored: each once, and one that grows as what it adds.

A value is a recipe: pieces copied from values stored before, and what is new between them, compressed. So a
list that is handed on from step to step, one longer each time, costs what was added, and a document costs
nothing where a prompt quotes it. All of it works on the bytes of JSON and knows nothing of their meaning.
"""

import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

REMEMBERED = 12
"""Values of the latest past in which a new one is looked for."""

REMEMBERED_BYTES = 8 * 2**20
"""What these may have together; a larger one is forgotten at once, so many runs may go on side by side."""

LONG = 1024
"""Bytes of a text, or of a piece, worth to be copied rather than written again."""

MOST_SEARCHED = 64 * 2**20
"""Bytes that are looked through for texts quoted inside others, in each gap: nobody waits longer for less."""

STRIDE = 64
"""After so many copies of copies the next refers to where they began, so that none is far to follow."""

DEEPEST = 192
"""Copies of copies at most; what would be deeper is written whole."""

_TEXT = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)

Part: TypeAlias = tuple[int, int, int] | int
"""A piece of an earlier value (its id, where, how long), or how many bytes of the new ones."""


class Recipe(NamedTuple):
    """A value as it is stored: `parts` in order, and all that is new, one after the other."""

    id: int
    digest: bytes
    parts: Sequence[Part]
    new: bytes
    is_packed: bool


@dataclass(slots=True, eq=False)
class _Known:
    id: int
    value: bytes
    depth: int = 0
    anchor: "_Known | None" = None
    """Where its row of copies of copies began; None for one that begins a row."""
    place_in_row: int = 0
    texts: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    """Long texts in it that were new: where, and what."""


class _Piece(NamedTuple):
    """What of a gap, from `begin` to `end`, stands in an earlier value, and where there."""

    begin: int
    end: int
    source: _Known
    where: int


class Shelf:
    """Turns values into recipes; `known` has those of a run that goes on, by digest."""

    def __init__(self, known: Mapping[bytes, int] | None = None) -> None:
        self._ids = dict(known or {})
        self._last = max(self._ids.values(), default=0)
        self._recent: list[_Known] = []
        self._new: list[Recipe] = []

    def place(self, value: bytes) -> int:
        """Give the id under which the value is found, the same for the same value."""
        digest = blake2b(value, digest_size=16).digest()
        found = self._ids.get(digest)
        if found is not None:
            return found
        self._last += 1
        self._ids[digest] = self._last
        base = self._base(value)
        parts: list[Part] = []
        new: list[bytes] = []
        known = _Known(self._last, value)
        if base is None:
            self._fill(known, 0, len(value), parts, new)
        else:
            source, head, tail, known.anchor = base
            known.place_in_row = source.place_in_row + 1 if known.anchor else 0
            self._copy(known, source, 0, head, parts)
            self._fill(known, head, len(value) - tail, parts, new)
            self._copy(known, source, len(source.value) - tail, tail, parts)
        body = b"".join(new)
        packed = zlib.compress(body, 1) if len(body) > 128 else body
        is_packed = len(packed) < len(body)
        self._new.append(Recipe(known.id, digest, parts, packed if is_packed else body, is_packed))
        self._remember(known)
        return known.id

    def take(self) -> list[Recipe]:
        """Give the recipes that are not stored yet."""
        taken, self._new = self._new, []
        return taken

    def _base(self, value: bytes) -> tuple[_Known, int, int, _Known | None] | None:
        """Find what shares most with a value at its beginning and end, if that is half of it.

        Gives how much each shares, and where the row of copies begins that the value goes on with.
        """
        best: tuple[_Known, int, int] | None = None
        most = max(len(value) // 2, LONG)
        for known in reversed(self._recent):
            if known.depth >= DEEPEST:
                continue
            head, tail = _shared(known.value, value)
            if head + tail >= most:
                best, most = (known, head, tail), head + tail + 1
        if best is None:
            return None
        source, head, tail = best
        if source.anchor is None or source.place_in_row < STRIDE:
            return source, head, tail, source.anchor or source
        return source.anchor, *_shared(source.anchor.value, value), None

    def _copy(self, known: _Known, source: _Known, start: int, length: int, parts: list[Part]) -> None:
        if length:
            parts.append((source.id, start, length))
            known.depth = max(known.depth, source.depth + 1)
            if source in self._recent:
                self._recent.remove(source)
                self._recent.append(source)

    def _fill(self, known: _Known, start: int, end: int, parts: list[Part], new: list[bytes]) -> None:
        """Write what is new, but for long texts that stand in recent values."""
        gap = known.value[start:end]
        at = 0
        for piece in self._quoted(known, gap, start) if len(gap) >= LONG else ():
            _write(gap[at : piece.begin], parts, new)
            self._copy(known, piece.source, piece.where, piece.end - piece.begin, parts)
            at = piece.end
        _write(gap[at:], parts, new)

    def _quoted(self, known: _Known, gap: bytes, start: int) -> list[_Piece]:
        """Find what of a gap stands in recent values: whole texts first, then what is quoted inside others.

        Notes in `known` the long texts that are new.
        """
        whole = {
            text: (source, where)
            for source in self._recent
            if source.depth < DEEPEST
            for where, text in source.texts
        }
        found: list[_Piece] = []
        for one in _TEXT.finditer(gap):
            text = one[1]
            if len(text) < LONG:
                continue
            if text in whole:
                found.append(_Piece(one.start(1), one.end(1), *whole[text]))
            else:
                known.texts.append((start + one.start(1), text))
        left = _between(found, len(gap))
        searched = 0
        for text in sorted(whole, key=len, reverse=True):
            searched += sum(end - begin for begin, end in left)
            if not left or searched > MOST_SEARCHED:
                break
            inside = [
                _Piece(at, at + len(text), *whole[text])
                for begin, end in left
                for at in _places(text, gap, begin, end)
            ]
            if inside:
                found = sorted([*found, *inside], key=lambda piece: piece.begin)
                left = _between(found, len(gap))
        return found

    def _remember(self, known: _Known) -> None:
        if len(known.value) > REMEMBERED_BYTES // 2:
            return
        self._recent.append(known)
        size = sum(len(one.value) for one in self._recent)
        while len(self._recent) > REMEMBERED or size > REMEMBERED_BYTES:
            size -= len(self._recent.pop(0).value)


def _write(piece: bytes, parts: list[Part], new: list[bytes]) -> None:
    if piece:
        parts.append(len(piece))
        new.append(piece)


def _between(found: Sequence[_Piece], length: int) -> list[tuple[int, int]]:
    """What is left between the pieces, as far as a long text has room in it."""
    begins = [0, *(piece.end for piece in found)]
    ends = [*(piece.begin for piece in found), length]
    return [(begin, end) for begin, end in zip(begins, ends, strict=True) if end - begin >= LONG]


def _places(text: bytes, gap: bytes, begin: int, end: int) -> Iterator[int]:
    """Where a text stands in a part of a gap, one after the other."""
    at = gap.find(text, begin, end)
    while at >= 0:
        yield at
        at = gap.find(text, at + len(text), end)


def _shared(one: bytes, other: bytes) -> tuple[int, int]:
    """Count the bytes with which both begin, and of the rest those with which both end."""
    shorter = min(len(one), len(other))
    head = _count(shorter, lambda start, end: one[start:end] == other[start:end])
    at_most = shorter - head
    first, second = len(one), len(other)
    tail = _count(
        at_most,
        lambda start, end: one[first - end : first - start] == other[second - end : second - start],
    )
    return head, tail


def _count(most: int, is_same: Callable[[int, int], bool]) -> int:
    """Find the first difference below `most`, by comparing longer and longer pieces, then shorter ones."""
    found, step = 0, 64
    while found < most:
        piece = min(step, most - found)
        if is_same(found, found + piece):
            found += piece
            step *= 2
        else:
            most = found + piece - 1
            step = max(1, piece // 2)
    return found
