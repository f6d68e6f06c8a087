"""Zooming smoothly at the pointer, and at once for whom motion disturbs."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from studio.flow.records import Flow
from studio.ui.canvas.hand.viewport import ZOOM_NOTCH
from studio.ui.motion import is_motion_reduced, reduce_motion
from tests.ui.canvas.builders import chain
from tests.ui.canvas.conftest import Hand
from tests.ui.canvas.strokes import CONTROL, wheel

Open = Callable[[Flow], Hand]


@pytest.fixture(autouse=True)
def motion(qapp: QApplication) -> Iterator[None]:
    assert qapp is not None
    reduce_motion(is_reduced=False)
    yield
    reduce_motion(is_reduced=False)


def test_a_notch_of_the_wheel_comes_nearer_step_by_step_about_the_pointer(hand: Open) -> None:
    h = hand(chain())
    glide = h.view.looking.gliding
    glide.animation.setDuration(100)
    at = QPointF(h.at("writer"))
    before = h.view.board.camera.to_scene(at.x(), at.y())
    wheel(h, at)
    assert glide.is_under_way
    seen: list[float] = []
    for time in (10, 30, 60, 100):
        glide.animation.setCurrentTime(time)
        seen.append(h.view.board.camera.scale)
        assert h.view.board.camera.to_scene(at.x(), at.y()) == pytest.approx(before, abs=1)
    assert seen == sorted(set(seen))
    assert 1 < seen[0] < seen[-1] == pytest.approx(ZOOM_NOTCH)
    assert not glide.is_under_way


def test_notches_that_follow_quickly_add_up(hand: Open) -> None:
    h = hand(chain())
    glide = h.view.looking.gliding
    glide.animation.setDuration(100)
    for _ in range(3):
        wheel(h, QPointF(300, 300))
        glide.animation.setCurrentTime(20)
    glide.animation.setCurrentTime(100)
    assert h.view.board.camera.scale == pytest.approx(ZOOM_NOTCH**3)


def test_with_reduced_motion_the_wheel_zooms_at_once(hand: Open) -> None:
    h = hand(chain())
    h.view.looking.gliding.animation.setDuration(100)
    reduce_motion(is_reduced=True)
    assert is_motion_reduced()
    wheel(h, QPointF(300, 300), keys=CONTROL)
    assert h.view.board.camera.scale == pytest.approx(ZOOM_NOTCH)
    assert not h.view.looking.gliding.is_under_way


def test_keys_zoom_about_the_middle(hand: Open) -> None:
    h = hand(chain())
    middle = h.view.rect().center()
    before = h.view.board.camera.to_scene(middle.x(), middle.y())
    h.key(Qt.Key.Key_Minus, CONTROL)
    assert h.view.board.camera.scale == pytest.approx(1 / ZOOM_NOTCH)
    assert h.view.board.camera.to_scene(middle.x(), middle.y()) == pytest.approx(before, abs=1)
    h.key(Qt.Key.Key_Plus, CONTROL)
    assert h.view.board.camera.scale == pytest.approx(1)


def test_looking_elsewhere_ends_the_zoom(hand: Open) -> None:
    h = hand(chain())
    glide = h.view.looking.gliding
    glide.animation.setDuration(100)
    wheel(h, QPointF(300, 300))
    h.key(Qt.Key.Key_Home)
    assert not glide.is_under_way
    fitted = h.view.board.camera
    glide.animation.setCurrentTime(100)
    assert h.view.board.camera == fitted
