"""The search palette: type a few letters, press Enter, and the node stands where the pointer was."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QListView, QWidget

from studio.flow.records import Socket, Wire
from studio.ids import NodeId
from studio.ui.canvas.document import CanvasDocument, KindLook
from studio.ui.canvas.hand.fuzzy import ranked
from studio.ui.canvas.hand.kind_row import LOOK, ROW, KindRow
from studio.ui.canvas.hand.recent import RecentKinds
from studio.ui.canvas.hand.search_box import SearchBox
from studio.ui.canvas.style import Role, Style
from studio.ui.labels import text_label

WIDTH = 320
MOST_ROWS = 9
BEGINNING = ("io.flow_input", "llm.agent", "io.flow_output")
"""What a flow begins with: offered first on an empty canvas, before the ready parts."""


class KindPalette(SearchBox):
    """A field, the kinds that fit, and a line that says what the chosen one does."""

    chosen = Signal(str)

    def __init__(self, document: CanvasDocument, style: Style, parent: QWidget) -> None:
        super().__init__(parent, parent.tr("Add a node"))
        self._document = document
        self._offered: Sequence[KindLook] = ()
        self.recent = RecentKinds()
        """What is offered first."""
        self.scene_point = (0.0, 0.0)
        """Where the node is to stand."""
        self.end: tuple[Socket, bool] | Wire | NodeId | None = None
        """What the node is to be joined with: a loose wire's fixed end and whether that is an output, a whole
        wire that is to lead through it, or another node."""
        self.field.setAccessibleName(self.tr("Add a node"))
        self.found = QListView(self)
        self.found.setModel(QStandardItemModel(self.found))
        self.found.setUniformItemSizes(True)
        self.found.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.found.selectionModel().currentChanged.connect(self._describe)
        self.line = text_label("", self, wraps=True)
        self.fill(self.found, self.tr("Node types"), self.field, self.found, self.line)
        self.restyle(style)

    def restyle(self, style: Style) -> None:
        """Wear another theme."""
        self._style = style
        self.found.setItemDelegate(KindRow(style, self.found))
        self.wear(style, self.found, self.line)
        self.line.setFont(style.fonts[Role.BODY])
        self.update()

    def open_at(
        self,
        at: QPoint,
        scene_point: tuple[float, float],
        kinds: Collection[str] | None = None,
        end: tuple[Socket, bool] | Wire | NodeId | None = None,
    ) -> None:
        """Show the palette at a widget point with the cursor in its field; `kinds` narrows what it offers."""
        self.scene_point, self.end = scene_point, end
        fitting = (look for look in self._document.kinds() if kinds is None or look.kind in kinds)
        parts = (look.kind for look in self._document.kinds() if self._document.part(look.kind) is not None)
        first = () if self._document.history.flow.nodes else (*BEGINNING, *parts)
        self._offered = self.recent.sorted(fitting, first)
        self.field.clear()
        self.search("")
        self.found.setFixedHeight(min(MOST_ROWS, max(1, len(self._offered))) * ROW)
        self.line.setFixedHeight(36)
        self.show_near(at - QPoint(24, 20), WIDTH)

    @property
    def offered(self) -> list[KindLook]:
        """The kinds in the list, best first."""
        listed = self.found.model()
        return [listed.index(row, 0).data(LOOK) for row in range(listed.rowCount())]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the raised ground and the hairline under the field."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._style.color("surface.edge"), 1))
        painter.setBrush(self._style.color("surface.panel"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(self._style.color("surface.line"))
        for y in (self.field.geometry().bottom() + 3, self.line.geometry().top() - 3):
            painter.drawLine(1, y, self.width() - 2, y)
        painter.end()

    def search(self, typed: str) -> None:
        """List the kinds that fit, best first."""
        listed = self.found.model()
        assert isinstance(listed, QStandardItemModel)  # noqa: S101 - set above
        listed.clear()
        for look in ranked(self._offered, typed):
            item = QStandardItem(look.title)
            item.setData(look, LOOK)
            item.setEditable(False)
            listed.appendRow(item)
        self.point_at(0)
        self._describe()

    def _describe(self) -> None:
        look = self.found.currentIndex().data(LOOK)
        if isinstance(look, KindLook):
            self.line.setText(look.summary or look.kind)
        elif self._offered:
            self.line.setText(self.tr("No match. Press Esc to close."))
        else:
            self.line.setText(self.tr("No node type fits this wire."))

    def choose(self) -> None:
        """Add a node of the kind that is pointed at."""
        look = self.found.currentIndex().data(LOOK)
        if not isinstance(look, KindLook):
            return
        self.hide()
        self.recent.use(look.kind)
        self.chosen.emit(look.kind)
