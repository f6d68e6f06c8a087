"""What did something else in another run is marked on the canvas, near and far."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtGui import QImage

from studio.flow.records import Flow
from studio.ids import NodeId
from tests.ui.canvas.builders import chain
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]


@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_a_node_that_differs_has_a_mark_and_the_first_another(hand: Open, scale: float) -> None:
    h = hand(chain())
    h.view.board.camera = replace(h.view.board.camera, scale=scale)
    shots: list[QImage] = []
    for marked in ({}, {NodeId("writer"): False}, {NodeId("writer"): True, NodeId("gone"): False}, {}):
        h.view.mark_differing(marked)
        shots.append(h.view.grab().toImage())
    plain, differs, first, again = shots
    assert plain == again
    assert plain != differs
    assert differs != first
