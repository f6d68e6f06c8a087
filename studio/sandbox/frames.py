"""Messages between a box's process and ours: four bytes of length, then JSON."""

from typing import IO, Any, Final

import orjson

LARGEST: Final = 64 * 2**20
"""Bytes of one message; the arguments and the result of a call are one each."""

LENGTH: Final = 4

Frame = dict[str, Any]


def to_bytes(frame: Frame) -> bytes:
    """Write a message; raises `ValueError` for one that is too large."""
    body = orjson.dumps(frame)
    if len(body) > LARGEST:
        message = f"a message of {len(body) >> 20} MiB; {LARGEST >> 20} are allowed"
        raise ValueError(message)
    return len(body).to_bytes(LENGTH, "big") + body


def read_frame(stream: IO[bytes]) -> Frame | None:
    """Read the next message, waiting for it; None at the end."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    length = int.from_bytes(head, "big")
    body = stream.read(length)
    return orjson.loads(body) if len(body) == length <= LARGEST else None
