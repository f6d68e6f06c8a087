"""The graph in NodeGraphQt, with its defaults; its check for cycles is switched off by `--unchecked`."""

import os
import sys
from pathlib import Path

os.environ["QT_PREFERRED_BINDING"] = "PySide6"
sys.path.insert(0, str(Path(__file__).parents[1]))
from graphs import PORTS, grid
from measuring import HEIGHT, WIDTH, measure
from NodeGraphQt import BaseNode, NodeGraph
from PySide6.QtCore import QPoint


class BenchNode(BaseNode):
    """As many inputs as outputs."""

    __identifier__ = "bench"
    NODE_NAME = "Node"

    def __init__(self) -> None:
        super().__init__()
        for place in range(PORTS):
            self.add_input(f"in {place}")
            self.add_output(f"out {place}")


class Editor:
    """One graph in its viewer."""

    def __init__(self, count: int) -> None:
        self._graph = NodeGraph()
        if "--unchecked" in sys.argv:
            self._graph.set_acyclic(False)
        self._graph.register_node(BenchNode)
        self._viewer = self._graph.viewer()
        self._graph.widget.resize(WIDTH, HEIGHT)
        graph = grid(count)
        self._nodes = [
            self._graph.create_node(
                "bench.BenchNode", name=f"Node {row}", pos=place, push_undo=False, selected=False
            )
            for row, place in enumerate(graph.places)
        ]
        for source, out, target, into in graph.wires:
            self._nodes[source].output(out).connect_to(self._nodes[target].input(into), push_undo=False)
        self._graph.widget.show()
        self.canvas = self._viewer.viewport()

    def whole(self) -> None:
        """Look at the whole graph."""
        self._graph.clear_selection()
        self._graph.select_all()
        self._graph.fit_to_selection()
        self._graph.clear_selection()

    def full_size(self) -> None:
        """Look at the middle, at 100 %."""
        self._graph.reset_zoom()
        middle = self._nodes[len(self._nodes) // 2 + round(len(self._nodes) ** 0.5 / 2)]
        self._graph.center_on([middle])

    def repaint(self) -> None:
        """Draw all that is seen."""
        self.canvas.repaint()

    def pan(self, dx: int, dy: int) -> None:
        """What its mouse handler does."""
        scale = self._viewer.transform().m11()
        self._viewer._set_viewer_pan(-dx / scale, -dy / scale)

    def select_around_middle(self, count: int) -> QPoint:
        """Select nodes."""
        middle = self._viewer.mapToScene(self.canvas.rect().center())
        near = sorted(
            self._nodes,
            key=lambda node: (node.pos()[0] - middle.x()) ** 2 + (node.pos()[1] - middle.y()) ** 2,
        )
        self._graph.clear_selection()
        for node in near[:count]:
            node.set_selected(True)
        x, y = near[0].pos()
        return self._viewer.mapFromScene(x + 40, y + 12)


if __name__ == "__main__":
    measure(Editor)
