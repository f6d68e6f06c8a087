"""The runs of the project, newest first, forks beneath their origin; choosing one shows it everywhere."""

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QStackedLayout, QWidget

from studio.ids import RunId
from studio.past.open_runs import ended_in_doubt
from studio.store.family import as_tree
from studio.store.indexes.search import Hit
from studio.store.summary import RunSummary
from studio.trace import figures
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.runs.found_places import FoundPlaces
from studio.ui.panels.runs.run_search import RunSearch
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.listing import Listing, ListRow
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.step_words import run_tone, run_word


class RunsPanel(QWidget):
    """Lists runs; `chosen` tells which one to show, `left` that none is to be shown any more.

    `menu_asked` tells the run that was pointed at, empty for none, and where on the screen.
    """

    chosen = Signal(str)
    menu_asked = Signal(str, QPoint)
    place_chosen = Signal(str, str, str)
    """A run, a step in it, and the word that was found there."""
    left = Signal()
    run_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: RunId | None = None
        self._runs: Sequence[RunSummary] = ()
        self._elsewhere: Mapping[RunId, str] = {}
        self._waiting: Collection[RunId] = ()
        self._found: Sequence[Hit] | None = None
        self.empty = EmptyState(
            look,
            "runs",
            self.tr("No runs yet"),
            self.tr("Every run is saved here, so that you can look at it again."),
            self,
        )
        self.empty.offer(self.tr("Run the flow"), self.run_asked.emit)
        page = QWidget(self)
        self.search = RunSearch(page)
        self.search.found.connect(self._show_found)
        self._nothing = text_label(self.tr("No finished run matches."), page, "small", "muted", wraps=True)
        self._nothing.hide()
        self.list = Listing(look, self.tr("Runs"), page)
        self.list.chosen.connect(self.chosen)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._ask_menu)
        self.places = FoundPlaces(look, page)
        self.places.opened.connect(self.place_chosen)
        self.search.left.connect(self.places.enter)
        self.places.hide()
        self._foot = QWidget(page)
        foot = row_layout(self._foot, 0)
        self._said = text_label("", self._foot, "small", "muted", wraps=True)
        leave = push_button(self.tr("Close"), self._foot, self.left)
        foot.addWidget(self._said, 1)
        foot.addWidget(leave)
        small = look.length("space.small")
        rows = column_layout(page, small)
        rows.addWidget(self.search)
        rows.addWidget(self._nothing)
        rows.addWidget(self.list, 1)
        rows.addWidget(self.places, 1)
        rows.addWidget(self._foot)
        self._foot.hide()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)

    def show_runs(
        self,
        runs: Sequence[RunSummary],
        elsewhere: Mapping[RunId, str] | None = None,
        waiting: Collection[RunId] = (),
    ) -> None:
        """List these runs; `elsewhere` has a word on those of other processes, `waiting` who asks here."""
        self._runs, self._elsewhere, self._waiting = runs, elsewhere or {}, waiting
        self._refresh()

    def summary(self, run: RunId) -> RunSummary | None:
        """What is listed of a run."""
        return next((one for one in self._runs if one.run == run), None)

    @property
    def elsewhere(self) -> RunId | None:
        """The newest run that goes on in another process and is not shown."""
        found = (run.run for run in self._runs if run.run in self._elsewhere and run.run != self._shown)
        return next(found, None)

    @property
    def pair(self) -> tuple[RunId, RunId] | None:
        """The two runs that are selected, the earlier first; None where it is another number."""
        chosen = [run for run in map(self.summary, map(RunId, self.list.chosen_keys())) if run is not None]
        if len(chosen) != 2:
            return None
        first, second = sorted(chosen, key=lambda run: run.started or 0.0)
        return first.run, second.run

    def show_shown(
        self,
        run: RunId | None,
        *,
        is_old: bool,
        is_other: bool = False,
        is_attached: bool = False,
        is_script: bool = False,
    ) -> None:
        """Mark the run that is shown, and offer to leave it where it is an old one, or another process's.

        With `is_other` it ran another flow than the one that is drawn, or this one before it was edited.
        """
        is_another, self._shown = run != self._shown, run
        said = self.tr("You are viewing an old run.")
        if is_attached:
            said = self.tr("This run is in another process; it goes on when you close it here.")
        elif is_other:
            said = self.tr("You are viewing an old run; the flow has changed since.")
        elif is_script:
            said = self.tr("You are viewing the run of a Python script.")
        self._said.setText(said)
        self._foot.setVisible(is_old or is_attached)
        self._refresh()
        if is_another:  # one run looks chosen, not the one before it as well
            keys = [row.key for row in self.list.rows]
            self.list.setCurrentRow(keys.index(run) if run in keys else -1)

    def _show_found(self, found: Sequence[Hit] | None) -> None:
        self._found = found
        if found is not None:
            is_mixed = len({run.flow_name for run in self._runs}) > 1
            titles = {
                run.run: f"{count_words.moment(run.started)} {run.flow_name if is_mixed else ''}".strip()
                for run in self._runs
            }
            self.places.show_hits([hit for hit in found if hit.run in titles], titles)
        self._refresh()

    def _refresh(self) -> None:
        self._stack.setCurrentIndex(1 if self._runs else 0)
        found = self._found
        self._nothing.setVisible(found is not None and not found)
        self.list.setVisible(found is None)
        self.places.setVisible(bool(found))
        are_mixed = len({run.flow_name for run in self._runs}) > 1
        tree = as_tree(self._runs)
        self.list.show_rows([self._row(run, depth, names_flow=are_mixed) for depth, run in tree])

    def _ask_menu(self, at: QPoint) -> None:
        item = self.list.itemAt(at)
        row = item.data(Qt.ItemDataRole.UserRole) if item is not None else None  # pyright: ignore[reportUnnecessaryComparison]
        run = row.key if isinstance(row, ListRow) else ""
        self.menu_asked.emit(run, self.list.viewport().mapToGlobal(at))

    def _row(self, run: RunSummary, depth: int, *, names_flow: bool) -> ListRow:
        is_told_of = run.status.is_final or run.run in self._elsewhere
        waits = run.run in self._waiting or (bool(run.asked) and is_told_of) or ended_in_doubt(run)
        word = self.tr("waiting for you") if waits else run_word(run.status)
        said = [word, *([self.tr("from a Python script")] if run.is_script else [])]
        if run.run in self._elsewhere:
            said.append(self._elsewhere[run.run])
        if run.worked is not None:
            said.append(figures.duration(run.worked))
        if run.made_up:
            said.append(self.tr("made-up answers"))
        if run.tokens:
            said.append(count_words.tokens(run.tokens))
        if run.cost:
            said.append(figures.cost(run.cost))
        changes = run.changes.splitlines()
        is_told_above = bool(
            depth and changes
        )  # a fork stands beneath its origin: what it changed tells more
        title = [
            count_words.moment(run.started),
            *([run.flow_name] if names_flow and not is_told_above else []),
        ]
        if changes:
            more = len(changes) - 1
            title.append(
                self.tr("{change} (+{more})").format(change=changes[0], more=more) if more else changes[0]
            )
        return ListRow(
            run.run,
            "  ".join(title),
            " · ".join(said),
            "state.held" if waits else f"state.{run_tone(run.status)}",
            "\n".join([run.flow_name, run.run, *changes]),
            is_current=run.run == self._shown,
            depth=depth,
        )
