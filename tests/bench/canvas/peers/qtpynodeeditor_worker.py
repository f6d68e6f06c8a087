"""The graph in qtpynodeeditor, with its defaults; its check for cycles is switched off by `--unchecked`."""

import os
import sys
from pathlib import Path
from typing import ClassVar

os.environ["QT_API"] = "pyside6"
sys.path.insert(0, str(Path(__file__).parents[1]))
from graphs import PORTS, grid
from measuring import HEIGHT, WIDTH, measure
from PySide6.QtCore import QPoint, QPointF
from qtpynodeeditor import (
    DataModelRegistry,
    FlowScene,
    FlowView,
    NodeData,
    NodeDataModel,
    NodeDataType,
    PortType,
)


class BenchData(NodeData):
    """Text."""

    data_type = NodeDataType("text", "Text")


class BenchNode(NodeDataModel):
    """As many inputs as outputs."""

    name = "Node"
    caption = "Node"
    caption_visible = True
    num_ports: ClassVar = {PortType.input: PORTS, PortType.output: PORTS}
    data_type = BenchData.data_type


class Editor:
    """One graph in its view."""

    def __init__(self, count: int) -> None:
        registry = DataModelRegistry()
        registry.register_model(BenchNode, category="bench")
        self._scene = FlowScene(registry=registry)
        self._view = FlowView(self._scene)
        self._view.resize(WIDTH, HEIGHT)
        graph = grid(count)
        self._nodes = [self._scene.create_node(BenchNode) for _ in graph.places]
        for node, place in zip(self._nodes, graph.places, strict=True):
            node.graphics_object.setPos(QPointF(*place))
        checks = "--unchecked" not in sys.argv
        for source, out, target, into in graph.wires:
            self._scene.create_connection(
                self._nodes[source][PortType.output][out],
                self._nodes[target][PortType.input][into],
                check_cycles=checks,
            )
        self._view.show()
        self.canvas = self._view.viewport()

    def whole(self) -> None:
        """Look at the whole graph."""
        bounds = self._scene.itemsBoundingRect().adjusted(-50, -50, 50, 50)
        self._view.setSceneRect(bounds)
        scale = min(WIDTH / bounds.width(), HEIGHT / bounds.height())
        self._view.resetTransform()
        self._view.scale(scale, scale)

    def full_size(self) -> None:
        """Look at the middle, at 100 %."""
        middle = self._scene.itemsBoundingRect().center()
        self._view.resetTransform()
        self._view.centerOn(middle)

    def repaint(self) -> None:
        """Draw all that is seen."""
        self.canvas.repaint()

    def pan(self, dx: int, dy: int) -> None:
        """What its mouse handler does."""
        for bar, by in ((self._view.horizontalScrollBar(), dx), (self._view.verticalScrollBar(), dy)):
            bar.setValue(bar.value() - by)
        scale = self._view.transform().m11()
        self._view.setSceneRect(self._view.sceneRect().translated(-dx / scale, -dy / scale))

    def select_around_middle(self, count: int) -> QPoint:
        """Select nodes."""
        middle = self._view.mapToScene(self.canvas.rect().center())
        items = [node.graphics_object for node in self._nodes]
        near = sorted(items, key=lambda item: (item.pos() - middle).manhattanLength())
        self._scene.clearSelection()
        for item in near[:count]:
            item.setSelected(True)
        return self._view.mapFromScene(near[0].sceneBoundingRect().center())


if __name__ == "__main__":
    measure(Editor)
