"""Garbage that refers to itself: looked for seldom while runs go on."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

OFTEN = 20_000
"""Objects made, and not gone by themselves, after which the interpreter looks; by default it is 700."""

_before: list[tuple[int, int, int]] = []
"""What held before the first of the runs that go on, once for each of them."""


@contextmanager
def seldom_collected() -> Generator[None]:
    """Let the interpreter look less often until the end of the block, and of all such blocks.

    A step makes some forty objects that live for as long as it waits: with a thousand under way, to go
    through them again and again took a third of their time. Hardly any of them refers to itself.
    """
    first = _before[0] if _before else gc.get_threshold()
    _before.append(first)
    # Where it is switched off (0), it stays so.
    gc.set_threshold(max(OFTEN, first[0]) if first[0] else 0, *first[1:])
    try:
        yield
    finally:
        _before.pop()
        if not _before:
            gc.set_threshold(*first)
