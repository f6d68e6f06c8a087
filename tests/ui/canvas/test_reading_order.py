"""The order in which a screen reader walks the nodes."""

from collections.abc import Callable

from PySide6.QtGui import QAccessible

from studio.flow.records import Flow
from studio.ids import NodeId
from studio.ui.canvas.accessible.canvas import AccessibleCanvas
from studio.ui.canvas.accessible.factory import make_canvas_accessible
from tests.ui.canvas.builders import notes_flow
from tests.ui.canvas.conftest import Hand


def test_nodes_are_read_as_the_wires_lead_and_not_by_their_ids(hand: Callable[[Flow], Hand]) -> None:
    make_canvas_accessible()
    canvas = QAccessible.queryAccessibleInterface(hand(notes_flow()).view)
    assert isinstance(canvas, AccessibleCanvas)
    assert canvas.tree.nodes_in(None)[:2] == ["question", "rounds"]
    assert canvas.tree.nodes_in(NodeId("rounds"))[0] == "writer"
