"""What the shapes on the canvas mean: ports, lists, order, marks of problems, drawn as they are there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QDialog, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from studio.flow.ports import ORDER, PortType
from studio.ids import PortName
from studio.ui.canvas.cards.break_marks import MIDDLE, draw_breakpoint
from studio.ui.canvas.cards.marks import SIDE, Sign, draw_mark
from studio.ui.canvas.cards.port_marks import draw_port
from studio.ui.canvas.document import BreakpointMark
from studio.ui.canvas.drawing.difference_marks import draw_difference
from studio.ui.canvas.scene.geometry import Side, Spot
from studio.ui.canvas.style import Style
from studio.ui.look import Look

translate = QCoreApplication.translate
_ICON = 24
_RATIO = 3.0
_SIZE = 1.5

Draw = Callable[[QPainter, Style], None]


@dataclass(frozen=True, slots=True)
class LegendRow:
    """A shape with its name and what it stands for."""

    group: str
    name: str
    meaning: str
    draw: Draw


def legend_rows() -> list[LegendRow]:
    """Every shape; call it when translations are installed."""
    values, lent, marks, breaks, compared = (
        translate("legend", "Values"),
        translate("legend", "Attached tools, memories and agents, in no order; dashed wires"),
        translate("legend", "Problem marks: click one to see what you can do"),
        translate(
            "legend",
            "Breakpoints; ringed where the run paused or just passed",
        ),
        translate("legend", "Comparison of two runs"),
    )
    said = {
        "text": translate("legend", "Text"),
        "number": translate("legend", "A number"),
        "flag": translate("legend", "Yes or no"),
        "json": translate("legend", "An object, a list, any JSON"),
        "message": translate("legend", "One message of a conversation"),
        "messages": translate("legend", "A whole conversation"),
        "file": translate("legend", "A file of the project"),
        "image": translate("legend", "A picture"),
        "any": translate("legend", "Any value"),
    }
    lends = {
        "tool": translate("legend", "A tool that an agent can use"),
        "memory": translate("legend", "Data kept between steps"),
        "agent": translate("legend", "An agent that other agents can call"),
        "chat": translate("legend", "Access to a model"),
        "environment": translate("legend", "Where tools work"),
    }
    signs = {
        Sign.ERROR: (translate("legend", "Error"), translate("legend", "The run cannot start")),
        Sign.OPEN: (
            translate("legend", "Not ready"),
            translate("legend", "A wire or a setting is missing"),
        ),
        Sign.WARNING: (translate("legend", "Warning"), translate("legend", "Probably a mistake")),
        Sign.ONCE: (
            translate("legend", "Runs once"),
            translate("legend", "Fed by a loop, but runs after the last round"),
        ),
    }
    held: dict[BreakpointMark, tuple[str, str]] = {
        "on": (translate("legend", "Breakpoint"), translate("legend", "The run pauses here")),
        "condition": (
            translate("legend", "With a condition"),
            translate("legend", "Pauses when it holds, or from a hit count on"),
        ),
        "log": (
            translate("legend", "Log point"),
            translate("legend", "Writes to the log and does not pause"),
        ),
        "catch": (
            translate("legend", "On an event"),
            translate("legend", "Pauses on errors, tool calls or message text"),
        ),
        "off": (translate("legend", "Disabled"), translate("legend", "Hollow, whatever its shape")),
    }
    a_list = translate("legend", "A second outline means a list; here, of text")
    order = translate("legend", "Order only; visible while wiring or on hover")
    return [
        *(LegendRow(values, name, meaning, _port(PortType(name))) for name, meaning in said.items()),
        LegendRow(values, "text[]", a_list, _port(PortType("text", 1))),
        LegendRow(values, "after, then", order, _port(ORDER)),
        *(LegendRow(lent, name, meaning, _port(PortType(name))) for name, meaning in lends.items()),
        *(LegendRow(marks, name, meaning, _sign(sign)) for sign, (name, meaning) in signs.items()),
        *(LegendRow(breaks, name, meaning, _break(mark)) for mark, (name, meaning) in held.items()),
        LegendRow(
            compared,
            translate("legend", "Did something else"),
            translate("legend", "Unlike the other run; filled: first difference"),
            _differing,
        ),
    ]


class LegendPage(QDialog):
    """A list to read; a full port is wired, a hollow one is not."""

    def __init__(self, look: Look, rows: Sequence[LegendRow], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Legend"))
        self.list = QTreeWidget(self)
        self.list.setHeaderHidden(True)
        self.list.setColumnCount(2)
        self.list.setIconSize(QSize(_ICON, _ICON))
        self.list.setAccessibleName(self.tr("Shapes on the canvas and what they mean"))
        style, groups = Style(look.theme), dict[str, QTreeWidgetItem]()
        for row in rows:
            if row.group not in groups:
                groups[row.group] = head = QTreeWidgetItem(self.list, [row.group])
                head.setFont(0, look.font("body", strong=True))
                head.setFirstColumnSpanned(True)
            item = QTreeWidgetItem(groups[row.group], [row.name, row.meaning])
            item.setIcon(0, QIcon(_picture(row.draw, style)))
        self.list.expandAll()
        self.list.resizeColumnToContents(0)
        page = QVBoxLayout(self)
        page.setContentsMargins(*(look.length("space.large"),) * 4)
        page.addWidget(self.list)
        wide = look.length("space.wide")
        self.resize(wide * 22, wide * 28)


def show_legend(look: Look, window: QWidget) -> LegendPage:
    """Open the page over a window."""
    page = LegendPage(look, legend_rows(), window)
    page.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    page.open()
    return page


def _picture(draw: Draw, style: Style) -> QPixmap:
    picture = QPixmap(round(_ICON * _RATIO), round(_ICON * _RATIO))
    picture.setDevicePixelRatio(_RATIO)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw(painter, style)
    painter.end()
    return picture


def _port(kind: PortType) -> Draw:
    spot = Spot(PortName(kind.base), kind, is_output=True, side=Side.RIGHT, x=0, y=0)

    def draw(painter: QPainter, style: Style) -> None:
        draw_port(painter, spot, QPointF(_ICON / 2, _ICON / 2), style, is_wired=False, size=_SIZE)

    return draw


def _break(mark: BreakpointMark) -> Draw:
    def draw(painter: QPainter, style: Style) -> None:
        painter.translate(QPointF(_ICON / 2, _ICON / 2) - MIDDLE)
        draw_breakpoint(painter, mark, style)

    return draw


def _sign(sign: Sign) -> Draw:
    def draw(painter: QPainter, style: Style) -> None:
        corner = (_ICON - SIDE) / 2
        draw_mark(painter, sign, QRectF(corner, corner, SIDE, SIDE), style)

    return draw


def _differing(painter: QPainter, style: Style) -> None:
    painter.translate(_ICON / 2, _ICON / 2)
    draw_difference(painter, style, is_first=False)
