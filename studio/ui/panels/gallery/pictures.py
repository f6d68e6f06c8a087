"""Pictures of flows, drawn one at a time while nothing else is to be done: those that are looked at."""

from collections import OrderedDict
from pathlib import Path

from PySide6.QtCore import QObject, QSize, QTimer, Signal
from PySide6.QtGui import QPixmap

from studio.errors import StepwireError
from studio.sdk.registry import Registry
from studio.ui.look import Look
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry

KEPT = 96
"""How many pictures are kept at most: what a few screens show."""
REST = 120
"""Milliseconds without a turn of the wheel after which drawing goes on; a picture takes up to 40."""
FINENESS = 3
"""A flow is drawn so many times as large as its picture: cards then show titles large enough to be read."""


class Pictures(QObject):
    """Gives the picture of a flow, or of a project's main one, or nothing yet; `drawn` tells what came."""

    drawn = Signal(object)
    """The flow's file, or the project's folder."""

    def __init__(self, look: Look, registry: Registry, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look, self._registry = look, registry
        self._made: OrderedDict[Path, QPixmap] = OrderedDict()
        self._wanted: dict[Path, tuple[QSize, float]] = {}
        self._next = QTimer(self, interval=0)
        self._next.timeout.connect(self._draw_next)
        look.changed.connect(self.forget)

    @property
    def is_drawing(self) -> bool:
        """Whether there are pictures still to be drawn."""
        return self._next.isActive()

    def of(self, place: Path, size: QSize, ratio: float) -> QPixmap | None:
        """Give the picture if it is there in this size, else have it drawn when there is time."""
        found = self._made.get(place)
        if found is not None and found.size() == size * ratio:
            self._made.move_to_end(place)
            return found
        self._wanted[place] = size, ratio
        if not self._next.isActive():
            self._next.start()
        return found

    def hold(self) -> None:
        """Draw nothing for a moment: something moves that must not stutter."""
        self._next.setInterval(REST)  # which begins anew

    def forget(self) -> None:
        """Draw all anew, as in another theme."""
        self._made.clear()

    def _draw_next(self) -> None:
        self._next.setInterval(0)
        if not self._wanted:
            self._next.stop()
            return
        place = next(reversed(self._wanted))  # what came into sight last is looked at
        size, ratio = self._wanted.pop(place)
        self._made[place] = self._picture(place, size, ratio)
        while len(self._made) > KEPT:
            self._made.popitem(last=False)
        self.drawn.emit(place)

    def _picture(self, place: Path, size: QSize, ratio: float) -> QPixmap:
        pixels = size * ratio
        try:
            project = Project.open(place)
            flow = read_flow(project.main_flow).flow
        except StepwireError:  # the card says what it is without a picture too
            pixmap = QPixmap(pixels)
            pixmap.fill(self._look.color("surface.canvas"))
        else:
            from studio.ui.canvas.drawing.picture import thumbnail_of
            from studio.ui.viewmodels.flow.canvas_document import SessionDocument

            document = SessionDocument.of_flow(flow, project_registry(project, self._registry))
            image = thumbnail_of(document, self._look.theme, pixels, largest=pixels.width() * FINENESS)
            pixmap = QPixmap.fromImage(image)
        pixmap.setDevicePixelRatio(ratio)
        return pixmap
