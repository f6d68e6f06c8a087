"""What is closed is gone: windows with their flows, and flows from windows that stay."""

import gc
import weakref
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from studio.ui.window.main_window import MainWindow
from tests.ui.window.windows import a_window, delete_now

MUCH = 500
"""Objects, fewer than a flow that is open has."""


def least_left(objects: Sequence[int]) -> int:
    """How many more objects there are after each round than before it, at least.

    What stays of each flow or window stays in every round. What is loaded once, with the first canvas that is
    fitted a moment after it was opened, comes in whichever round takes so long.
    """
    return min(after - before for before, after in pairwise(objects))


def parts(window: MainWindow) -> dict[str, "weakref.ref[Any]"]:
    """Know what belongs to the flow in front without keeping it."""
    flow = window.front
    assert flow is not None
    held = {"flow": flow, "canvas": flow.work.canvas, **flow.work.panels}
    return {name: weakref.ref(one) for name, one in held.items()}


def left_of(known: Mapping[str, "weakref.ref[Any]"]) -> list[str]:
    QApplication.processEvents()
    delete_now()
    gc.collect()
    return [name for name, one in known.items() if one() is not None]


def test_closed_windows_leave_nothing_behind(qapp: QApplication, tmp_path: Path) -> None:
    objects: list[int] = []
    for number in range(3):
        with a_window(qapp, tmp_path / str(number)) as window:
            known = {one.objectName(): weakref.ref(one) for one in window.docks.all}
            known |= {"window": weakref.ref(window), "bar": weakref.ref(window.top_bar)}
        del window
        assert left_of(known) == []
        objects.append(len(gc.get_objects()))
    assert least_left(objects) < MUCH  # a window is more than 2,000


def test_windows_closed_with_a_flow_open_leave_nothing_behind(
    qapp: QApplication, tmp_path: Path, project: Path
) -> None:
    objects: list[int] = []
    for number in range(3):
        with a_window(qapp, tmp_path / str(number)) as window:
            window.documents.open(project)
            known = parts(window)
            known |= {"window": weakref.ref(window), "session": weakref.ref(window.session)}
        del window
        assert left_of(known) == []
        objects.append(len(gc.get_objects()))
    assert least_left(objects) < MUCH


def test_closed_flows_leave_nothing_behind(window: MainWindow, project: Path) -> None:
    objects: list[int] = []
    for _ in range(3):
        window.documents.open(project)
        known = parts(window)
        window.documents.close_current()
        assert left_of(known) == []
        objects.append(len(gc.get_objects()))
    assert least_left(objects) < MUCH


def test_a_window_that_ends_leaves_another_one_its_look(qapp: QApplication, tmp_path: Path) -> None:
    """The window that the tests of a module share is as it was when one of its tests had a second one."""
    before = qapp.styleSheet()
    with a_window(qapp, tmp_path / "stays") as stays:
        sheet, height = qapp.styleSheet(), stays.top_bar.sizeHint().height()
        assert sheet != before
        with a_window(qapp, tmp_path / "ends"):
            pass
        assert qapp.styleSheet() == sheet
        assert stays.top_bar.sizeHint().height() == height
    assert qapp.styleSheet() == before
