"""What a served response is made of: bytes, pauses and cuts, in their order.

Being plain values, responses can be bent by faults and played by any transport.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Cut(StrEnum):
    """An end that comes too early."""

    RESET = "reset"
    """The connection is reset."""
    CLOSE = "close"
    """The connection is closed, as if the answer were over."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Seconds without a byte; a `paced` one scales with the pace of the endpoint."""

    seconds: float
    paced: bool = False


Piece = bytes | Pause | Cut


@dataclass(frozen=True, slots=True)
class Served:
    """A response: the head, and the pieces of the body. A cut before any byte comes before the head, too."""

    status: int
    pieces: Iterable[Piece]
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class CutOffError(Exception):
    """Raised while playing where the connection is to break; transports map it, nobody else sees it."""

    def __init__(self, cut: Cut) -> None:
        super().__init__(cut.value)
        self.cut = cut


async def play(pieces: Iterable[Piece], pace: float) -> AsyncIterator[bytes]:
    """Give the bytes in time; raises `CutOffError` at a cut."""
    for piece in pieces:
        if isinstance(piece, Pause):
            seconds = piece.seconds * pace if piece.paced else piece.seconds
            if seconds > 0:
                await asyncio.sleep(seconds)
        elif isinstance(piece, Cut):
            raise CutOffError(piece)
        else:
            yield piece
            # An endless body must not keep the loop from anything else, its cancellation included.
            await asyncio.sleep(0)
