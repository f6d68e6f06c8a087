"""What stands in the window while no flow is open: recent projects, where to begin, the gallery, examples."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio import places
from studio.errors import StepwireError
from studio.flow.records import Flow
from studio.sdk.registry import Registry
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.button_rows import Wrapping
from studio.ui.panels.widgets.listing import Listing, ListRow
from studio.ui.slots import of_text
from studio.ui.window.welcome.gallery_strip import GalleryStrip
from studio.ui.window.welcome.guide_strip import GuideStrip
from studio.ui.window.welcome.thumbnails import Thumbnails
from studio.workspace.files import load_flow
from studio.workspace.project import Project

ABREAST = 3
"""How many examples stand beside one another at most."""


class ExampleCard(QFrame):
    """An example: its picture, drawn from the flow itself, its name, and what it shows."""

    chosen = Signal()
    seen = Signal()
    """It is in sight without its picture."""

    def __init__(self, look: Look, name: str, flow: Flow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._name, self.flow = look, name, flow
        self.is_drawn = False
        self.setProperty("card", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(name)
        self.setAccessibleDescription(flow.description)
        wide = look.length("space.wide")
        self.picture = QLabel(self)
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.picture.setFixedSize(wide * 14, wide * 7)
        title = text_label(name, self, "strong")
        about = text_label(flow.description or flow.name, self, "label", "muted", wraps=True)
        about.setFixedWidth(wide * 14 - look.length("space.normal") * 2)
        rows = column_layout(self, (1, 1, 1, look.length("space.normal")), look.length("space.tight"))
        rows.addWidget(self.picture)
        for label in (title, about):
            label.setContentsMargins(look.length("space.normal"), 0, look.length("space.normal"), 0)
            rows.addWidget(label)
        about.setFixedWidth(wide * 14)
        rows.addStretch(1)

    def forget(self) -> None:
        """Have the picture drawn again where it is in sight: the theme is another one."""
        self.is_drawn = False
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell that a picture is wanted."""
        super().paintEvent(event)
        if not self.is_drawn:
            self.seen.emit()

    def draw(self, thumbnails: Thumbnails) -> None:
        """Show the flow's picture in the theme that is in use."""
        self.is_drawn = True
        size = self.picture.size() * self.devicePixelRatioF()
        image = thumbnails.picture(self._name, self.flow, self._look.theme, size)
        pixmap = QPixmap.fromImage(image)
        pixmap.setDevicePixelRatio(self.devicePixelRatioF())
        self.picture.setPixmap(pixmap)
        self.picture.setStyleSheet(
            f"background: {self._look.theme.color('surface.canvas')};"
            f" border-top-left-radius: {self._look.length('radius.field')}px;"
            f" border-top-right-radius: {self._look.length('radius.field')}px;"
        )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open it."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and Space open it."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.chosen.emit()
            return
        super().keyPressEvent(event)


class WelcomePage(QScrollArea):
    """Offers what can be opened."""

    opened = Signal(object)
    """The path of a project or a flow."""
    new_asked = Signal()
    open_asked = Signal()
    gallery_asked = Signal(str)
    """With the mechanism that is looked for; empty for all."""

    def __init__(
        self,
        look: Look,
        registry: Registry,
        parent: QWidget | None = None,
        thumbnails: Thumbnails | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._thumbnails = Thumbnails(registry) if thumbnails is None else thumbnails
        self._drawing = QTimer(self, interval=0)
        self._drawing.timeout.connect(self._draw_one)
        self.setWidgetResizable(True)
        wide = look.length("space.wide")
        page = QWidget(self)
        page.setProperty("surface", "window")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QWidget(page)
        outer = QHBoxLayout(page)
        outer.addStretch(1)
        outer.addWidget(column, 100)  # as wide as it may be, and in the middle
        outer.addStretch(1)
        rows = column_layout(column, (wide, wide * 2, wide, wide * 2), look.length("space.large"))
        title = QLabel(self.tr("Stepwire"), column)
        title.setProperty("type", "title")
        said = text_label(
            self.tr("Draw a flow, step through its run, ship it as a Python script."), column, tone="muted"
        )
        rows.addWidget(title)
        rows.addWidget(said)
        buttons = QHBoxLayout()
        new, open_ = QPushButton(self.tr("New flow"), column), QPushButton(self.tr("Open project…"), column)
        new.setProperty("primary", True)
        new.clicked.connect(self.new_asked)
        open_.clicked.connect(self.open_asked)
        buttons.addWidget(new)
        buttons.addWidget(open_)
        buttons.addStretch(1)
        rows.addLayout(buttons)
        self._recent_title = text_label(self.tr("Recent"), column, "section")
        rows.addWidget(self._recent_title)
        self.recent = Listing(look, self.tr("Recent"), column)
        self.recent.setProperty("surface", "window")
        self.recent.chosen.connect(of_text(lambda key: self.opened.emit(Path(key))))
        rows.addWidget(self.recent)
        rows.addWidget(text_label(self.tr("Learn"), column, "section"))
        self.guide = GuideStrip(look, column)
        rows.addWidget(self.guide)
        rows.addWidget(text_label(self.tr("Gallery"), column, "section"))
        self.gallery = GalleryStrip(look, column)
        self.gallery.chosen.connect(self.gallery_asked)
        rows.addWidget(self.gallery)
        self._add_examples(rows, column)
        rows.addStretch(1)
        self.setWidget(page)
        look.changed.connect(self._forget_pictures)

    def _add_examples(self, rows: QVBoxLayout, column: QWidget) -> None:
        look, wide = self._look, self._look.length("space.wide")
        rows.addWidget(text_label(self.tr("Examples"), column, "section"))
        cards = Wrapping(spacing=look.length("space.large"))
        self.cards = self._examples(column)
        high = max((card.sizeHint().height() for card in self.cards), default=0)
        for card in self.cards:
            card.setMinimumHeight(high)  # in a line they end alike
            cards.addWidget(card)
        abreast = min(max(len(self.cards), 2), ABREAST)
        column.setMaximumWidth(wide * (14 * abreast + 2) + look.length("space.large") * abreast)
        rows.addLayout(cards)

    def show_recent(self, paths: Sequence[Path]) -> None:
        """List what was opened last."""
        shown = paths[:6]
        self.recent.show_rows([ListRow(str(path), path.name, str(path)) for path in shown])
        self.recent.setVisible(bool(shown))
        self._recent_title.setVisible(bool(shown))
        row = self._look.length("size.row") + self._look.length("space.large")
        self.recent.setFixedHeight(row * max(len(shown), 1) + self._look.length("space.tight"))

    def minimumSizeHint(self) -> QSize:
        """It scrolls."""
        return QSize(200, 160)

    def _examples(self, parent: QWidget) -> list[ExampleCard]:
        cards: list[ExampleCard] = []
        for folder in places.example_projects():
            try:
                project = Project.open(folder)
                flow = load_flow(project.main_flow).flow
            except StepwireError:
                continue
            card = ExampleCard(self._look, project.name, flow, parent)
            card.chosen.connect(lambda path=folder: self.opened.emit(path))
            card.seen.connect(self._drawing.start)
            cards.append(card)
        return cards

    def _forget_pictures(self) -> None:
        for card in self.cards:
            card.forget()

    def _draw_one(self) -> None:
        """Draw one picture that is in sight; the rest when the window has done what else it has to do."""
        for card in self.cards:
            if not card.is_drawn and not card.visibleRegion().isEmpty():
                card.draw(self._thumbnails)
                return
        self._drawing.stop()
