"""What pages ask of tables: read at once where these are small, else while the window goes on."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject

from studio.app.experiments.desk import ExperimentDesk, counts_of, places_of
from studio.errors import StepwireError
from studio.experiments.trial_pages import Wanted
from studio.ui.window.background import Aside

if TYPE_CHECKING:
    from studio.ui.panels.experiments.page import ExperimentsPage

T = TypeVar("T")

FEW = 3_000
"""Rows of a table that are looked through at once; more are on a thread of their own."""


class TableReads(QObject):
    """Finds rows in the order that is wanted, and counts them by score; `tell` says what went wrong."""

    def __init__(self, tell: Callable[[str], None], parent: QObject) -> None:
        super().__init__(parent)
        self._tell = tell
        self._aside = Aside(self)
        self._asked = 0

    def order(self, page: "ExperimentsPage", wanted: Wanted) -> None:
        """Find the rows that are wanted; of several wishes, the last one counts."""
        desk = page.desk
        if desk is None:
            return
        self._asked += 1
        asked = self._asked

        def show(found: Sequence[int] | Exception) -> None:
            if asked != self._asked or page.desk is not desk:
                return
            if isinstance(found, Exception):
                self._tell(str(found))
            else:
                page.show_order(wanted, found)

        self._read(desk, lambda: places_of(desk.project, desk.name, wanted), show)

    def count(self, page: "ExperimentsPage", scorer: str) -> None:
        """Count the rows of each score, for the histograms."""
        desk = page.desk
        if desk is None:
            return

        def show(found: Mapping[str, Sequence[int]] | Exception) -> None:
            # what cannot be counted cannot be read either, which the order of rows says
            if page.desk is desk and not isinstance(found, Exception):
                page.show_counts(found)

        self._read(desk, lambda: counts_of(desk.project, desk.name, scorer), show)

    def _read(
        self, desk: ExperimentDesk, read: Callable[[], T], then: Callable[[T | Exception], None]
    ) -> None:
        if int(desk.about.get("rows", 0)) > FEW:
            self._aside.begin(read, then)
            return
        found: T | Exception
        try:
            found = read()
        except StepwireError as error:
            found = error
        then(found)
