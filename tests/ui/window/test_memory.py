"""What is set apart from the collection of garbage, and for how long."""

import gc
import sys
import weakref
from collections.abc import Iterator

import pytest

from studio.ui.window.garbage import set_apart


class Ring:
    """Something that only the collector can take away."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def set_apart_again() -> Iterator[None]:
    """Leave what was collected by pytest apart, as it was: else each window looks through it for garbage."""
    yield
    gc.freeze()


def test_what_is_open_is_no_more_looked_at() -> None:
    set_apart(many=0)
    assert gc.get_freeze_count() > 0
    assert len(gc.get_objects()) < gc.get_freeze_count()


def test_what_was_set_apart_and_is_garbage_goes_the_next_time() -> None:
    ring = Ring()
    known = weakref.ref(ring)
    set_apart(many=0)
    del ring
    assert known() is not None
    set_apart(many=0)
    assert known() is None


def test_a_window_of_small_flows_is_not_looked_at_for_it() -> None:
    ring = Ring()
    known = weakref.ref(ring)
    gc.disable()
    try:
        del ring
        set_apart(many=sys.getallocatedblocks() * 2)
        assert known() is not None
        assert gc.get_freeze_count() == 0
    finally:
        gc.enable()
