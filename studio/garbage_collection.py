"""Garbage that refers to itself: looked for seldom while much is built that is none."""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

MANY = 20_000
"""Objects made, and not gone by themselves, after which the interpreter looks; by default it is 700."""


class _Seldom:
    """What the blocks ask for that are open now, and what held before the first of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._before = gc.get_threshold()
        self._asked: list[tuple[int, int]] = []

    def begin(self, asked: tuple[int, int]) -> None:
        with self._lock:
            if not self._asked:
                self._before = gc.get_threshold()
            self._asked.append(asked)
            self._set()

    def end(self, asked: tuple[int, int]) -> None:
        with self._lock:
            self._asked.remove(asked)
            self._set()

    def _set(self) -> None:
        young, middle, old = self._before
        if not young:  # it is switched off, and stays so
            return
        for made, looks in self._asked:
            young, old = max(young, made), max(old, looks)
        gc.set_threshold(young, middle, old)


_SELDOM = _Seldom()


@contextmanager
def seldom_collected(made: int = MANY, *, looks: int = 0) -> Generator[None]:
    """Let the interpreter look less often until the end of the block, and of all such blocks.

    It then looks at what is new after so many objects `made`, and at all that there is after so many `looks`
    at what is younger; where it is more patient anyway, it stays so. A step makes some forty objects that
    live for as long as it waits, a node that is read, checked and planned a hundred that live as long as its
    flow: to go through them again and again took a third of the time. Hardly any of them refers to itself.
    """
    asked = made, looks
    _SELDOM.begin(asked)
    try:
        yield
    finally:
        _SELDOM.end(asked)
