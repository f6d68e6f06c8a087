"""What is told of the system that is chosen in the gallery, and what can be done with it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.look import Look
from studio.ui.viewmodels.help.gallery_cards import GalleryCard, state_words

WIDE = 14
"""In wide gaps."""


class GalleryDetails(QScrollArea):
    """A system's name and paper, how it stands, what it does and claims; two buttons, where it is built."""

    copy_asked = Signal()
    reading_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedWidth(look.length("space.wide") * WIDE)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        body = QWidget(self)
        body.setProperty("surface", "panel")
        body.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        rows = QVBoxLayout(body)
        rows.setContentsMargins(*(look.length("space.large"),) * 4)
        rows.setSpacing(look.length("space.small"))
        self.title = self._label("heading", rows, body)
        self.paper = self._label("", rows, body, tone="muted")
        self.state = self._label("label", rows, body)
        self.copy_button = QPushButton(self.tr("Open a copy"), body)
        self.copy_button.setProperty("primary", True)
        self.copy_button.clicked.connect(self.copy_asked)
        self.read_button = push_button(self.tr("Read its page"), body, self.reading_asked)
        buttons = QHBoxLayout()
        buttons.addWidget(self.copy_button)
        buttons.addWidget(self.read_button)
        buttons.addStretch(1)
        rows.addLayout(buttons)
        self._parts: list[tuple[QLabel, QLabel]] = []
        for heading in (
            self.tr("What it does"),
            self.tr("What the paper found"),
            self.tr("What its run shows"),
            self.tr("Compared with"),
        ):
            title = self._label("section", rows, body)
            title.setText(heading)
            title.setContentsMargins(0, look.length("space.small"), 0, 0)
            self._parts.append((title, self._label("", rows, body)))
        rows.addStretch(1)
        self.setWidget(body)

    def show_card(self, card: GalleryCard | None) -> None:
        """Tell of a system; of none, nothing."""
        self.setVisible(card is not None)
        if card is None:
            return
        system, exhibit = card.entry.system, card.entry.exhibit
        self.title.setText(card.title)
        self.paper.setText(system.paper)
        self.state.setText(f"{system.id} · {state_words(card.entry)}")
        self.copy_button.setVisible(exhibit is not None)
        self.read_button.setVisible(exhibit is not None and (exhibit.folder / "README.md").is_file())
        others = [one.title for one in exhibit.record.baselines] if exhibit is not None else []
        shown = [one.says for one in exhibit.record.claims] if exhibit is not None else []
        told = (system.mechanism, system.claim, _listed(shown), _listed(others))
        for (title, words), text in zip(self._parts, told, strict=True):
            is_told = bool(text.strip("- "))
            words.setText(text.replace("->", "→"))
            title.setVisible(is_told)
            words.setVisible(is_told)

    def _label(self, kind: str, rows: QVBoxLayout, parent: QWidget, tone: str = "") -> QLabel:
        label = text_label("", parent, kind, tone, wraps=True, is_plain=True, is_selectable=True)
        rows.addWidget(label)
        return label


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"• {one}" for one in lines)
