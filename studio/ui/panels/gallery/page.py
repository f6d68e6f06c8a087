"""The gallery: search, filters, cards, and beside them what is told of the chosen one."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QStackedLayout,
    QWidget,
)

from studio.app.gallery.systems import Entry, counted
from studio.sdk.registry import Registry
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.gallery.details import GalleryDetails
from studio.ui.panels.gallery.model import GalleryModel
from studio.ui.panels.gallery.painter import CardPainter
from studio.ui.panels.gallery.pictures import Pictures
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.short_label import ShortLabel
from studio.ui.viewmodels.help.gallery_cards import (
    Among,
    GalleryCard,
    among_title,
    cards_of,
    found_cards,
    mechanism_title,
    mechanisms_shown,
)

ABREAST = 2
"""Beside so many cards there has to be room for what is told of one."""

EDGE = 2
"""What a row of cards has to leave, or the view puts its last card on the next row."""


class GalleryPage(QWidget):
    """Offers published systems; what is asked of one is told with it, as an `Exhibit`."""

    copy_asked = Signal(object)
    reading_asked = Signal(object)
    left = Signal()

    def __init__(
        self,
        look: Look,
        registry: Registry,
        entries: Callable[[], Sequence[Entry]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.look, self._read = look, entries
        self._cards: Sequence[GalleryCard] | None = None
        self.setProperty("surface", "window")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.search = QLineEdit(self)
        self.mechanism, self.among = QComboBox(self), QComboBox(self)
        self.sum = ShortLabel(self)
        self.model = GalleryModel(self)
        self.view = QListView(self)
        self.back = QPushButton(self.tr("Welcome page"), self)
        self.details = GalleryDetails(look, self)
        self.nothing = EmptyState(look, "search", "", "", self)
        self.nothing.say(self.tr("No results"), self.tr("No system matches these words and filters."))
        self.nothing.offer(self.tr("Show everything that can be opened"), self._clear)
        self.pictures = Pictures(look, registry, self)
        self._make_view(self.pictures)
        self._make_filters()
        self._lay_out()
        self.details.copy_asked.connect(self._ask_copy)
        self.details.reading_asked.connect(self._ask_reading)
        self.details.show_card(None)

    @property
    def cards(self) -> Sequence[GalleryCard]:
        """All systems; they are read when they are first looked at."""
        if self._cards is None:
            entries = self._read()
            self._cards = cards_of(entries)
            self.sum.setText(self.tr("{all} systems: {sum}").format(all=len(entries), sum=counted(entries)))
            self._fill_mechanisms(self._cards)
        return self._cards

    def show_mechanism(self, mechanism: str = "") -> None:
        """Show what can be opened and has a mechanism; with none, all that can be opened."""
        self._clear()
        self.mechanism.setCurrentIndex(max(self.mechanism.findData(mechanism), 0))
        self.search.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the gallery, if it was not yet."""
        super().showEvent(event)
        if self._cards is None:
            self._filter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down goes from the search field to the cards; Enter on a card opens a copy; Escape leaves."""
        if watched is self.view and event.type() == QEvent.Type.Resize:
            self._fit_cards()
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        if watched is self.search and event.key() == Qt.Key.Key_Down and self.model.cards:
            self.view.setFocus()
            return True
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and not event.isAutoRepeat():
            self._ask_copy()
            return True
        if event.key() == Qt.Key.Key_Escape:
            if self.search.text():
                self.search.clear()
            else:
                self.left.emit()
            return True
        return super().eventFilter(watched, event)

    def _make_view(self, pictures: Pictures) -> None:
        view = self.view
        painter = self._painter = CardPainter(self.look, pictures, view)
        view.setModel(self.model)
        view.setItemDelegate(painter)
        view.setViewMode(QListView.ViewMode.IconMode)
        view.setResizeMode(QListView.ResizeMode.Adjust)
        view.setMovement(QListView.Movement.Static)
        view.setUniformItemSizes(True)
        view.setGridSize(painter.card_size)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setMouseTracking(True)
        view.setAccessibleName(self.tr("Systems"))
        view.setProperty("surface", "window")
        view.verticalScrollBar().setSingleStep(painter.card_size.height() // 4)
        view.verticalScrollBar().valueChanged.connect(pictures.hold)
        view.doubleClicked.connect(self._ask_copy)
        view.selectionModel().currentChanged.connect(self._show_details)
        view.installEventFilter(self)
        pictures.drawn.connect(self.model.tell_drawn)
        self.look.changed.connect(view.viewport().update)

    def _make_filters(self) -> None:
        self.search.setPlaceholderText(self.tr("Search systems, papers and mechanisms"))
        self.search.setAccessibleName(self.tr("Search the gallery"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.mechanism.setAccessibleName(self.tr("Mechanism"))
        self.mechanism.addItem(self.tr("All mechanisms"), "")
        self.among.setAccessibleName(self.tr("State"))
        for one in Among:
            self.among.addItem(among_title(one), one)
        for box in (self.mechanism, self.among):
            box.currentIndexChanged.connect(self._filter)

    def _lay_out(self) -> None:
        look = self.look
        wide, normal = look.length("space.wide"), look.length("space.normal")
        self._draw_back()
        self.back.setProperty("plain", True)
        self.back.clicked.connect(self.left)
        look.changed.connect(self._draw_back)
        title = QLabel(self.tr("Gallery"), self)
        title.setProperty("type", "title")
        self.sum.setProperty("tone", "muted")
        head = row_layout(spacing=normal)
        head.addWidget(title)
        head.addWidget(self.sum, 1)
        head.addWidget(self.back)
        filters = row_layout(spacing=look.length("space.small"))
        filters.addWidget(self.search, 1)
        filters.addWidget(self.mechanism)
        filters.addWidget(self.among)
        self._middle = QStackedLayout()
        self._middle.addWidget(self.view)
        self._middle.addWidget(self.nothing)
        left = column_layout(margins=(wide, wide, wide, 0), spacing=normal)
        left.addLayout(head)
        left.addLayout(filters)
        left.addLayout(self._middle, 1)
        sides = row_layout(self, 0, 0)
        sides.addLayout(left, 1)
        sides.addWidget(self.details)

    def minimumSizeHint(self) -> QSize:
        """The cards scroll."""
        return QSize(200, 160)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give a narrow page to the cards alone."""
        super().resizeEvent(event)
        self._show_details()

    def _fit_cards(self) -> None:
        room = self.view.maximumViewportSize().width() - self.view.verticalScrollBar().sizeHint().width()
        self._painter.fit(room - EDGE)
        self.view.setGridSize(self._painter.card_size)

    def _draw_back(self) -> None:
        self.back.setIcon(self.look.icon("chevron_left", "text.muted"))

    def _fill_mechanisms(self, cards: Sequence[GalleryCard]) -> None:
        for one, count in mechanisms_shown(cards):
            self.mechanism.addItem(f"{mechanism_title(one)} ({count})", one)

    def _filter(self) -> None:
        chosen = self._current()
        mechanism, among = str(self.mechanism.currentData()), Among(self.among.currentData())
        found = found_cards(self.cards, self.search.text(), mechanism, among)
        self.model.show_cards(found)
        self._middle.setCurrentWidget(self.view if found else self.nothing)
        if found:
            self.view.setCurrentIndex(self.model.index(found.index(chosen) if chosen in found else 0))
        self._show_details()

    def _clear(self) -> None:
        self.search.clear()
        self.mechanism.setCurrentIndex(0)
        self.among.setCurrentIndex(0)
        self._filter()

    def _current(self) -> GalleryCard | None:
        index = self.view.currentIndex()
        return self.model.cards[index.row()] if index.isValid() else None

    def _show_details(self) -> None:
        is_wide = self.width() >= self.details.width() + self._painter.smallest * ABREAST
        self.details.show_card(self._current() if is_wide else None)

    def _ask_copy(self) -> None:
        self._tell(self.copy_asked)

    def _ask_reading(self) -> None:
        self._tell(self.reading_asked)

    def _tell(self, signal: SignalInstance) -> None:
        card = self._current()
        if card is not None and card.entry.exhibit is not None:
            signal.emit(card.entry.exhibit)
