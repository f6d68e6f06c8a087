"""What tokens cost: the user's own prices, to be edited, and those that come with the studio, to be seen."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from studio.app.profiles.price_edits import PriceRow, read_rows, save_prices
from studio.errors import StepwireError, UsageError
from studio.flow.plain_text import quoted
from studio.llm.prices import Prices
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.window.window_size import open_at
from studio.workspace.prices import shipped_prices, user_file, user_prices

FIELDS = ("names", "input", "cached", "output")
DAY = len(FIELDS)
"""The column that says of which day a price is; it follows from the edits."""


class PriceTable(QDialog):
    """Own prices stand first, as they count; only *Save* writes them into the user's file."""

    def __init__(self, look: Look, environ: Mapping[str, str], today: date, parent: QWidget) -> None:
        super().__init__(parent)
        self._environ, self._today = environ, today
        self.setWindowTitle(self.tr("Model prices"))
        wide = look.length("space.wide")
        open_at(self, QSize(wide * 44, wide * 34))
        self._is_filling = False
        self.table = QTableWidget(0, len(FIELDS) + 1, self)
        self.table.setHorizontalHeaderLabels(
            [
                self.tr("Model"),
                self.tr("Input"),
                self.tr("Cached input"),
                self.tr("Output"),
                self.tr("As of"),
            ]
        )
        for column in range(1, DAY):
            head = self.table.horizontalHeaderItem(column)
            if head is not None:
                head.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.table.setAccessibleName(self.tr("Prices in US dollars per million tokens"))
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.itemChanged.connect(self._hear)
        self.table.itemSelectionChanged.connect(self._look_at_buttons)
        self.trouble = text_label("", self, tone="failed", wraps=True)
        self._lay_out(look)
        self._shipped = [PriceRow.of(one) for one in shipped_prices().entries]
        self.own: list[PriceRow] = []
        said = ""
        try:
            self.own = [PriceRow.of(one) for one in user_prices(environ).entries]
        except UsageError as error:
            said = f"{error} {self.tr('Fix the file first; saving here would replace it.')}"
        self._fill()
        self._say(said)
        self.save_button.setEnabled(not said)
        self.add_button.setEnabled(not said)

    def add(self) -> None:
        """Begin a price of one's own, from the selected one where that came with the studio."""
        place = self.table.currentRow() - len(self.own)
        row = replace(self._shipped[place], as_of="") if 0 <= place < len(self._shipped) else PriceRow()
        self.own.append(row)
        self._fill()
        self.table.setCurrentCell(len(self.own) - 1, 0 if not row.names else 1)
        self.table.editItem(self.table.currentItem())
        self._check()

    def remove(self) -> None:
        """Forget the selected price of one's own."""
        place = self.table.currentRow()
        if 0 <= place < len(self.own):
            del self.own[place]
            self._fill()
            self._check()

    def save(self) -> None:
        """Write the prices down and close, unless one is wrong, which is then said."""
        prices = self._check()
        if prices is None:
            return
        try:
            save_prices(prices, self._environ)
        except StepwireError as error:
            self._say(str(error))
            return
        self.accept()

    def _hear(self, item: QTableWidgetItem) -> None:
        if self._is_filling or item.row() >= len(self.own) or item.column() >= DAY:
            return
        changed = replace(self.own[item.row()], as_of="", **{FIELDS[item.column()]: item.text()})
        self.own[item.row()] = changed
        self._is_filling = True
        day = self.table.item(item.row(), DAY)
        if day is not None:
            day.setText(self._today.isoformat())
        self._is_filling = False
        self._check()

    def _check(self) -> Prices | None:
        """Say what is wrong with what is typed; gives the prices where nothing is."""
        try:
            prices = read_rows(self.own, self._today)
        except UsageError as error:
            self._say(str(error))
            self.save_button.setEnabled(False)
            return None
        self._say("")
        self.save_button.setEnabled(True)
        return prices

    def _say(self, text: str) -> None:
        self.trouble.setText(quoted(text))
        self.trouble.setVisible(bool(text))

    def _fill(self) -> None:
        self._is_filling = True
        rows = [*self.own, *self._shipped]
        self.table.setRowCount(len(rows))
        for place, row in enumerate(rows):
            is_own = place < len(self.own)
            texts = [getattr(row, name) for name in FIELDS]
            for column, text in enumerate([*texts, row.as_of or (self._today.isoformat() if is_own else "")]):
                item = QTableWidgetItem(text)
                if 0 < column < DAY:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
                item.setFlags(flags | Qt.ItemFlag.ItemIsEditable if is_own and column < DAY else flags)
                item.setToolTip(
                    "" if is_own else self.tr("Comes with Stepwire; your own prices take precedence")
                )
                self.table.setItem(place, column, item)
        self._is_filling = False
        self._look_at_buttons()

    def _look_at_buttons(self) -> None:
        place = self.table.currentRow()
        self.remove_button.setEnabled(0 <= place < len(self.own))
        is_shipped = place >= len(self.own)
        self.add_button.setText(self.tr("Override this price") if is_shipped else self.tr("Add"))

    def _lay_out(self, look: Look) -> None:
        large, normal = look.length("space.large"), look.length("space.normal")
        about = text_label(
            self.tr(
                "US dollars per million tokens. Your own prices take precedence; * in a name "
                "matches anything. Models without a price show an unknown cost in runs."
            ),
            self,
            tone="muted",
            wraps=True,
        )
        place = text_label(
            self.tr("Your own prices are saved in {file}").format(file=user_file(self._environ)),
            self,
            "small",
            "muted",
            is_selectable=True,
        )
        self.add_button = push_button(self.tr("Add"), self, self.add)
        self.remove_button = push_button(self.tr("Remove"), self, self.remove)
        cancel = push_button(self.tr("Cancel"), self, self.reject)
        self.save_button = QPushButton(self.tr("Save"), self)
        self.save_button.setProperty("primary", True)
        self.save_button.clicked.connect(self.save)
        buttons = QHBoxLayout()
        for button in (self.add_button, self.remove_button, cancel, self.save_button):
            button.setAutoDefault(False)  # Enter in a cell saves nothing
            if button is cancel:
                buttons.addStretch(1)
            buttons.addWidget(button)
        whole = column_layout(self, large, normal)
        whole.addWidget(about)
        whole.addWidget(self.table, 1)
        whole.addWidget(self.trouble)
        whole.addWidget(place)
        whole.addLayout(buttons)
