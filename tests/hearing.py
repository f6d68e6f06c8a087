"""One audit hook for all that the tests watch: the interpreter tells of thousands of events in each test."""

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Heed = Callable[[str, Sequence[Any]], None]

_heeding: dict[str, Heed] = {}


def hear(events: Iterable[str], heed: Heed) -> None:
    """Have `heed` told of these events, with their arguments, before what they announce is done."""
    _heeding.update(dict.fromkeys(events, heed))


def _told(event: str, arguments: Sequence[Any]) -> None:
    heed = _heeding.get(event)
    if heed is not None:
        heed(event, arguments)


sys.addaudithook(_told)
