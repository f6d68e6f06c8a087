"""A sheet over the canvas with what passed last at the port or along the wire that is pointed at."""

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from studio.app.projects.images import ProjectImages
from studio.flow.plain_text import pretty
from studio.ids import StepId
from studio.ui.canvas.hand.tips import tip_for
from studio.ui.canvas.hits import Hit, Target
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.labels import text_label
from studio.ui.look import Look
from studio.ui.panels.widgets.picture import FindsImages, pictures_in
from studio.ui.viewmodels.messages.conversation import as_json
from studio.ui.viewmodels.run.passed_values import Passed, passed_along, passed_at
from studio.ui.window.workspace import Workspace

LONGEST = 700
"""Characters of a value that are shown: its beginning."""
MOST_LINES = 14
WIDE = 360
BESIDE = QPoint(18, 20)
"""From the pointer to the sheet, in points."""


class ValueSheet(QFrame):
    """One value: what it is, and its beginning."""

    def __init__(self, look: Look, passed: Passed, about: str, images: FindsImages, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(*(look.length("space.small"),) * 4)
        rows.setSpacing(look.length("space.tight"))
        rows.addWidget(text_label(passed.caption, self, "label", "normal", wraps=True, is_plain=True))
        if about:
            rows.addWidget(text_label(about, self, "label", "muted", wraps=True, is_plain=True))
        said = words_of(passed.value.data)
        whole = as_json(said) or said
        self.text = text_label(beginning(whole) or "–", self, "label", "strong", wraps=True, is_plain=True)
        self.text.setProperty("mono", not isinstance(passed.value.data, str) or whole != said)
        self.text.setFixedWidth(WIDE)
        rows.addWidget(self.text)
        for picture in pictures_in(passed.value.data, images, self)[:1]:
            rows.addWidget(picture)
        self.setAccessibleName(f"{passed.caption}\n{beginning(whole)}")
        self.adjustSize()


class ValueSheets(QObject):
    """Shows the sheet where a pointer rests, or where the keyboard stands once it was asked for there."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._work, self._canvas = workspace, workspace.canvas
        self._board = workspace.canvas.board
        self._images = ProjectImages(workspace.session.project)
        self.sheet: ValueSheet | None = None
        self._shown: Passed | None = None
        self._read: Callable[[], Passed | None] = _nothing
        self._about, self._at = "", QPoint()
        self._hit: Hit | None = None
        self._follows_keys = False
        self.endings: list[Callable[[], None]] = [
            workspace.shown.on_batch(lambda _: self._refresh()),
            self._board.keyboard.moved.subscribe(self._follow_keys),
            workspace.session.selection.on_change(lambda _: self._follow_keys()),
            self._board.value_asked.subscribe(self.turn),
        ]
        self._canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Come where the pointer rests, and go when it goes elsewhere or does something."""
        kind = event.type()
        if isinstance(event, QHelpEvent) and kind == QEvent.Type.ToolTip:
            return self._point_at(event.pos())
        if isinstance(event, QMouseEvent) and kind == QEvent.Type.MouseMove:
            self._leave(event.position().toPoint())
        elif kind in {
            QEvent.Type.MouseButtonPress,
            QEvent.Type.Wheel,
            QEvent.Type.Leave,
            QEvent.Type.FocusOut,
        }:
            self.hide()
        elif (
            isinstance(event, QKeyEvent)
            and kind == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
            and self.sheet is not None
        ):
            self.hide()
            return True
        return super().eventFilter(watched, event)

    def turn(self) -> None:
        """Show the value where the keyboard stands, and go along with it; again: no more."""
        self._follows_keys = not self._follows_keys
        if self._follows_keys:
            self._follow_keys()
            if self.sheet is None:
                self._follows_keys = False
                self._work.told.emit(self.tr("No value has passed here in the shown run."))
        else:
            self.hide()

    def hide(self) -> None:
        """Show nothing any more."""
        self._follows_keys = False
        self._clear()

    def _clear(self) -> None:
        if self.sheet is not None:
            self.sheet.hide()
            self.sheet.deleteLater()
        self.sheet, self._shown, self._hit, self._read = None, None, None, _nothing

    def _point_at(self, at: QPoint) -> bool:
        hit = self._board.hit(at.x(), at.y())
        self._clear()
        self._read, self._hit, self._about, self._at = self._reader(hit), hit, tip_for(self._board, hit), at
        self._refresh()
        if self.sheet is None:
            self._read = _nothing
        return self.sheet is not None

    def _leave(self, at: QPoint) -> None:
        if self.sheet is not None and self._hit is not None and self._board.hit(at.x(), at.y()) != self._hit:
            self._clear()

    def _follow_keys(self) -> None:
        if not self._follows_keys:
            return
        stand = self._board.keyboard.at(self._board.scene)
        self._clear()
        if stand is None:
            return
        self._read, self._about = self._stand_reader(stand), ""
        x, y = self._place(stand)
        self._at = QPoint(round(x), round(y))
        self._refresh()

    def _refresh(self) -> None:
        """Read the value again, which the run may have changed since."""
        passed = self._read()
        if passed == self._shown:
            return
        if self.sheet is not None:
            self.sheet.hide()
            self.sheet.deleteLater()
            self.sheet = None
        self._shown = passed
        if passed is not None:
            self.sheet = ValueSheet(self._work.look, passed, self._about, self._images, self._canvas)
            self.sheet.move(self._room(self.sheet))
            self.sheet.show()

    def _room(self, sheet: QWidget) -> QPoint:
        """A place for the sheet beside the point, inside the canvas."""
        place, size = self._at + BESIDE, sheet.sizeHint()
        if place.y() + size.height() > self._canvas.height():
            place.setY(self._at.y() - BESIDE.y() // 2 - size.height())
        right = self._canvas.width() - size.width() - 8
        return QPoint(max(8, min(place.x(), right)), max(8, place.y()))

    def _reader(self, hit: Hit) -> Callable[[], Passed | None]:
        work, spot, socket, wire = self._work, hit.spot, hit.socket, hit.wire
        if hit.target is Target.PORT and socket is not None and spot is not None:
            return lambda: passed_at(
                work.session.flow, work.shown, socket, self._chosen, is_output=spot.is_output
            )
        if wire is not None:
            return lambda: passed_along(work.session.flow, work.shown, wire, self._chosen)
        return _nothing

    def _stand_reader(self, stand: Stand) -> Callable[[], Passed | None]:
        work, socket, wire = self._work, stand.socket, stand.wire
        if wire is not None:
            return lambda: passed_along(work.session.flow, work.shown, wire, self._chosen)
        if socket is not None:
            return lambda: passed_at(
                work.session.flow, work.shown, socket, self._chosen, is_output=stand.is_output
            )
        return _nothing

    def _place(self, stand: Stand) -> tuple[float, float]:
        scene = self._board.scene
        port = stand.port
        spot = scene.spot(stand.node, port, is_output=stand.is_output) if port is not None else None
        rect = scene.rect(stand.node)
        x, y = (rect.x + spot.x, rect.y + spot.y) if spot is not None else (rect.x, rect.bottom)
        return self._board.camera.to_widget(x, y)

    @property
    def _chosen(self) -> StepId | None:
        return self._work.session.selection.now.step


def words_of(data: object) -> str:
    """A value as text: a message is what it says, and all else JSON that people can read."""
    if not isinstance(data, dict):
        return pretty(data)
    fields = cast("dict[str, object]", data)
    content = fields.get("content")
    return content if "role" in fields and isinstance(content, str) and content else pretty(fields)


def beginning(text: str) -> str:
    """The first lines of a text, with an ellipsis where there is more."""
    cut = "\n".join(text[:LONGEST].split("\n")[:MOST_LINES])
    return cut if cut == text else f"{cut.rstrip()} …"


def _nothing() -> None:
    """Read nothing."""
