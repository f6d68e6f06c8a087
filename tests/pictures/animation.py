"""Pictures as PNG of at most 255 colours; several are an animation of what changes from one to the next."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

Pixels = NDArray[np.uint32]
"""A colour for each place: red, green and blue, a byte each."""
Indices = NDArray[np.uint8]
"""A place in the palette for each place; 0 shows what was there before."""
SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLORS = 255
NEAR = 60
"""A colour has a place of its own if it is farther from all more frequent ones: squares of differences."""
_BY_PALETTE = 3
_OVER = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture, and for how many milliseconds it is seen."""

    image: QImage
    lasts: int


def write_pictures(frames: Sequence[Frame], path: Path) -> None:
    """Write an animation that begins again at its end; what knows no animations shows the first frame."""
    path.write_bytes(SIGNATURE + b"".join(_chunks(merged(frames))))


def merged(frames: Sequence[Frame]) -> list[Frame]:
    """Frames of which none is as the one before: that one lasts longer."""
    found: list[Frame] = []
    for one in frames:
        if found and found[-1].image == one.image:
            found[-1] = Frame(one.image, found[-1].lasts + one.lasts)
        else:
            found.append(one)
    return found


def _chunks(frames: Sequence[Frame]) -> Iterator[bytes]:
    size = frames[0].image.size()
    yield _chunk(b"IHDR", struct.pack(">IIBBBBB", size.width(), size.height(), 8, _BY_PALETTE, 0, 0, 0))
    pictures = [_pixels(one.image) for one in frames]
    known, counts = np.unique(np.concatenate([one.ravel() for one in pictures]), return_counts=True)
    palette = _palette(known[np.argsort(-counts, kind="stable")])
    if len(frames) > 1:
        yield _chunk(b"acTL", struct.pack(">II", len(frames), 0))
    yield _chunk(b"PLTE", b"\0\0\0" + b"".join(int(one).to_bytes(3, "big") for one in palette))
    yield _chunk(b"tRNS", b"\0")
    nearest = _nearest(known, palette)
    before: Indices | None = None
    order = 0
    for frame, pixels in zip(frames, pictures, strict=True):
        after = nearest[np.searchsorted(known, pixels)]
        left, top, part = _difference(before, after)
        if len(frames) > 1:
            place = (part.shape[1], part.shape[0], left, top)
            yield _chunk(b"fcTL", struct.pack(">IIIIIHHBB", order, *place, frame.lasts, 1000, 0, _OVER))
            order += 1
        data = zlib.compress(np.pad(part, ((0, 0), (1, 0))).tobytes(), 9)
        if before is None:
            yield _chunk(b"IDAT", data)
        else:
            yield _chunk(b"fdAT", struct.pack(">I", order) + data)
            order += 1
        before = after
    yield _chunk(b"IEND", b"")


def _palette(colors: Pixels) -> Pixels:
    """The most frequent of colours, given from the most frequent on, that are not too near to one another."""
    found: list[int] = []
    channels = np.empty((0, 3), np.int64)
    for color in colors:
        one = _channels(color)
        if not found or ((channels - one) ** 2).sum(axis=1).min() > NEAR:
            found.append(int(color))
            channels = np.vstack([channels, one])
            if len(found) == COLORS:
                break
    return np.array(found, np.uint32)


def _nearest(known: Pixels, palette: Pixels) -> Indices:
    """For each colour the place of the nearest one in a palette that begins at 1."""
    of_palette = _channels(palette)
    found = [((of_palette - one) ** 2).sum(axis=1).argmin() + 1 for one in _channels(known)]
    return np.array(found, np.uint8)


def _channels(colors: Pixels) -> NDArray[np.int64]:
    return np.stack([colors >> 16 & 255, colors >> 8 & 255, colors & 255], axis=-1).astype(np.int64)


def _difference(before: Indices | None, after: Indices) -> tuple[int, int, Indices]:
    """The part that is otherwise, in it nothing where it is not; at least one place."""
    if before is None:
        return 0, 0, after
    changed = before != after
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if not rows.size:
        return 0, 0, np.zeros((1, 1), np.uint8)
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    part = after[top:bottom, left:right].copy()
    part[~changed[top:bottom, left:right]] = 0
    return int(left), int(top), part


def _pixels(image: QImage) -> Pixels:
    found = image.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(found.constBits(), np.uint32).reshape(found.height(), -1)
    return rows[:, : found.width()] & 0xFFFFFF


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
