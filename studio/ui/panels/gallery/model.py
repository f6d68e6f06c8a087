"""The cards of the gallery as rows of a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from studio.ui.viewmodels.help.gallery_cards import GalleryCard, state_words

Index = QModelIndex | QPersistentModelIndex


class GalleryModel(QAbstractListModel):
    """Holds the cards that are shown just now."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cards: Sequence[GalleryCard] = ()

    def show_cards(self, cards: Sequence[GalleryCard]) -> None:
        """Replace all cards."""
        self.beginResetModel()
        self.cards = tuple(cards)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """How many cards there are; a list has no children."""
        return 0 if parent is not None and parent.isValid() else len(self.cards)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The card itself, its title, and what is read aloud of it."""
        card = self.cards[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return card.title
            case Qt.ItemDataRole.ToolTipRole:
                return card.entry.system.paper
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{card.title}, {card.line}"
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return state_words(card.entry)
            case Qt.ItemDataRole.UserRole:
                return card
            case _:
                return None

    def tell_drawn(self, place: Path) -> None:
        """Have the card painted anew of what is opened there."""
        for row, card in enumerate(self.cards):
            if card.entry.exhibit is not None and card.entry.exhibit.place == place:
                self.dataChanged.emit(self.index(row), self.index(row))


def card_at(index: Index) -> GalleryCard:
    """The card of a row."""
    return cast("GalleryCard", index.data(Qt.ItemDataRole.UserRole))
