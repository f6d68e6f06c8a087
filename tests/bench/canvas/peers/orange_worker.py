"""The graph in Orange canvas core's editor, with its defaults; loops are allowed by `--unchecked`."""

import os
import sys
from pathlib import Path

os.environ["QT_API"] = "pyqt6"
sys.path.insert(0, str(Path(__file__).parents[1]))
from graphs import PORTS, grid
from measuring import HEIGHT, WIDTH, measure
from orangecanvas.document.schemeedit import SchemeEditWidget
from orangecanvas.registry import (
    CategoryDescription,
    InputSignal,
    OutputSignal,
    WidgetDescription,
    WidgetRegistry,
)
from orangecanvas.scheme import Scheme, SchemeLink, SchemeNode
from PyQt6.QtCore import QPoint
from PyQt6.QtWidgets import QApplication

ROOM = 4000
"""Scene units around the graph that can be scrolled to: else there is nothing to pan when all is seen."""


class Editor:
    """One workflow in its editor."""

    def __init__(self, count: int) -> None:
        description = WidgetDescription(
            name="Node",
            id="bench.node",
            category="bench",
            qualified_name="json.Node",
            inputs=[InputSignal(f"in {place}", "builtins.str", f"in {place}") for place in range(PORTS)],
            outputs=[OutputSignal(f"out {place}", "builtins.str") for place in range(PORTS)],
        )
        registry = WidgetRegistry()
        registry.register_category(CategoryDescription("bench"))
        registry.register_widget(description)
        graph = grid(count)
        scheme = Scheme()
        if "--unchecked" in sys.argv:
            scheme.set_loop_flags(Scheme.AllowLoops)
        nodes = [
            SchemeNode(description, title=f"Node {row}", position=place)
            for row, place in enumerate(graph.places)
        ]
        for node in nodes:
            scheme.add_node(node)
        for source, out, target, into in graph.wires:
            scheme.add_link(SchemeLink(nodes[source], f"out {out}", nodes[target], f"in {into}"))
        self._editor = SchemeEditWidget()
        self._editor.setRegistry(registry)
        self._editor.resize(WIDTH, HEIGHT)
        self._editor.setScheme(scheme)
        self._editor.show()
        self._view, self._scene = self._editor.view(), self._editor.scene()
        self._nodes = [self._scene.item_for_node(node) for node in nodes]
        self.canvas = self._view.viewport()

    def whole(self) -> None:
        """Look at the whole graph."""
        bounds = self._scene.itemsBoundingRect()
        self._scene.setSceneRect(bounds.adjusted(-ROOM, -ROOM, ROOM, ROOM))
        scale = min(WIDTH / bounds.width(), HEIGHT / bounds.height()) * 0.95
        self._view.resetTransform()
        self._view.scale(scale, scale)
        self._view.centerOn(bounds.center())

    def full_size(self) -> None:
        """Look at the middle, at 100 %."""
        self._view.resetTransform()
        self._view.centerOn(self._scene.itemsBoundingRect().center())

    def repaint(self) -> None:
        """Draw all that is seen."""
        self.canvas.repaint()

    def pan(self, dx: int, dy: int) -> None:
        """What its hand and its wheel do."""
        for bar, by in ((self._view.horizontalScrollBar(), dx), (self._view.verticalScrollBar(), dy)):
            bar.setValue(bar.value() - by)

    def select_around_middle(self, count: int) -> QPoint:
        """Select nodes."""
        middle = self._view.mapToScene(self.canvas.rect().center())
        near = sorted(self._nodes, key=lambda item: (item.pos() - middle).manhattanLength())
        self._scene.clearSelection()
        for item in near[:count]:
            item.setSelected(True)
        return self._view.mapFromScene(near[0].pos())


if __name__ == "__main__":
    QApplication([])
    measure(Editor)
