"""The comparison of two runs: which steps did something else, how, and what both cost."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QStackedWidget,
    QTabWidget,
    QTextBrowser,
    QToolButton,
    QWidget,
)

from studio.flow.records import CallingLibrary, Flow, title_of
from studio.ids import NodeId, RunId, StepId, step_parts
from studio.trace.differences.comparison import (
    Compared,
    NodeFigures,
    Spent,
    StepPair,
    node_figures,
    seconds_of,
)
from studio.trace.fold.state import RunState
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.comparison.differences import DifferencePage, thing_name
from studio.ui.panels.comparison.figures import FigureRow, FiguresTable
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.listing import Listing, ListRow
from studio.ui.slots import of_flag, of_number, of_text
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.step_words import run_word

MOST = 2_000
"""Steps that are listed."""


class ComparisonPanel(QWidget):
    """Lists the steps of two runs, in their order; the chosen one is shown everywhere."""

    step_chosen = Signal(str)
    """A step of the run that is shown, as that run calls it."""
    run_asked = Signal(str)
    """This run of the two is to be shown."""
    compared = Signal()
    """Other runs are compared, or none any more."""
    pair_asked = Signal()
    close_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._flow, self._library = Flow(), None
        self.runs: tuple[RunState, RunState] | None = None
        self.pairs: Sequence[StepPair] = ()
        self._by_key: dict[str, StepPair] = {}
        self._shown: RunId | None = None
        self._page = DifferencePage(look)
        self.first: StepPair | None = None
        """Where the two went apart."""
        self.empty = EmptyState(
            look,
            "runs",
            self.tr("No runs to compare"),
            self.tr("Select two runs in the list, or compare the shown run with the one it was forked from."),
            self,
        )
        self.empty.offer(self.tr("Compare with the previous run"), self.pair_asked.emit)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._is_filled = False
        self.show_buttons: list[QToolButton] = []

    def _fill(self) -> None:
        """Make what two runs are shown by: most flows are closed before anybody compares their runs."""
        self._is_filled = True
        page = QWidget(self)
        self.summary = text_label("", page, "strong")
        self.summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.only_differing = QCheckBox(self.tr("Differences only"), page)
        self.only_differing.setChecked(True)
        self.only_differing.toggled.connect(of_flag(lambda _: self._list()))
        self.first_button = self._button(self.tr("First difference"), page, self.show_first)
        self.first_button.setToolTip(self.tr("The first step that did something else"))
        self.show_buttons = [
            self._button(title, page, lambda number=number: self._ask_run(number))
            for number, title in enumerate((self.tr("First run"), self.tr("Second run")))
        ]
        self.close_button = self._button("", page, self._close)
        self.close_button.setIcon(self._look.icon("close", "text.muted"))
        self.close_button.setToolTip(self.tr("Close the comparison"))
        self.close_button.setAccessibleName(self.tr("Close the comparison"))
        head = QHBoxLayout()
        head.addWidget(self.only_differing)
        head.addStretch(1)
        for button in (self.first_button, *self.show_buttons, self.close_button):
            head.addWidget(button)
        self.list = Listing(self._look, self.tr("Steps of both runs"), page)
        self.list.chosen.connect(of_text(self._choose))
        self.list.currentRowChanged.connect(of_number(lambda _: self._draw()))
        self.table = FiguresTable(self._look, page)
        self.pages = QTabWidget(page)
        self.pages.addTab(self._told(page), self.tr("Differences"))
        self.pages.addTab(self.table, self.tr("Time, tokens, cost"))
        splitter = QSplitter(Qt.Orientation.Horizontal, page)
        self.more = text_label("", page, "small", "muted")
        left = QWidget(page)
        rows = column_layout(left, 0)
        rows.addWidget(self.list, 1)
        rows.addWidget(self.more)
        splitter.addWidget(left)
        splitter.addWidget(self.pages)
        wide = self._look.length("space.wide")
        splitter.setSizes([wide * 14, wide * 34])
        small = self._look.length("space.small")
        whole = column_layout(page, small)
        whole.addWidget(self.summary)
        whole.addLayout(head)
        whole.addWidget(splitter, 1)
        self._stack.addWidget(page)
        self._look.changed.connect(self._draw)

    def _close(self) -> None:
        self.clear()
        self.close_asked.emit()

    def _told(self, page: QWidget) -> QWidget:
        """Make what tells of the chosen step, or that there is nothing to tell."""
        self.text = QTextBrowser(page)
        self.text.setOpenLinks(False)
        self.text.setAccessibleName(self.tr("Differences"))
        self.same = EmptyState(self._look, "done", self.tr("Both runs did the same"), "", page)
        """What stands there where no step differs."""
        self.same.offer(self.tr("Show all steps"), lambda: self.only_differing.setChecked(False))
        self._differences = QStackedWidget(page)
        for one in (self.text, self.same):
            self._differences.addWidget(one)
        return self._differences

    def _button(self, title: str, page: QWidget, act: Callable[[], None]) -> QToolButton:
        button = QToolButton(page)
        button.setText(title)
        button.clicked.connect(lambda: act())  # noqa: PLW0108  # the signal's own argument stops here
        return button

    def differing_in(self, run: RunId | None) -> dict[StepId, bool]:
        """The steps of one of the two runs that did something else; True for where they went apart."""
        if self.runs is None or run not in {one.run for one in self.runs}:
            return {}
        is_second = run == self.runs[1].run
        named = (
            (pair.other if is_second else pair.step if pair.first else StepId(""), pair)
            for pair in self.pairs
        )
        return {step: pair is self.first for step, pair in named if step and not pair.is_same}

    def compare(self, compared: Compared, flow: Flow, library: CallingLibrary | None = None) -> None:
        """Show two runs side by side; `flow` and `library` name their nodes."""
        if not self._is_filled:
            self._fill()
        self.runs, self._flow, self._library = compared.runs, flow, library
        self.pairs, self.first = compared.pairs, compared.apart
        self._by_key = {_key(pair): pair for pair in self.pairs}
        for button, run in zip(self.show_buttons, self.runs, strict=True):
            button.setToolTip(
                self.tr("Show the run of {moment}").format(moment=count_words.moment(run.started))
            )
        self.summary.setText(self._said())
        self.summary.setToolTip(self.summary.text())
        self.first_button.setEnabled(self.first is not None)
        self._stack.setCurrentIndex(1)
        self._show_figures()
        self.list.clearSelection()
        self._list()
        self.show_first()
        self.compared.emit()

    def clear(self) -> None:
        """Compare nothing any more."""
        self.runs, self.pairs, self.first = None, (), None
        self._by_key = {}
        if self._is_filled:
            self.list.show_rows([])
        self._stack.setCurrentIndex(0)
        self.compared.emit()

    def show_run(self, run: RunId | None) -> None:
        """Note which run is shown in the window: steps are chosen in that one."""
        self._shown = run
        for button, one in zip(self.show_buttons, self.runs or (), strict=False):
            button.setEnabled(one.run != run)

    def show_first(self) -> None:
        """Choose the step in which the two runs went apart."""
        if self.first is None:
            self._draw()
            return
        self._stand_at(_key(self.first))

    def go(self, way: int) -> None:
        """Choose the next step that differs (1), or the one before (-1)."""
        if self.runs is None:
            return
        keys = [row.key for row in self.list.rows if not self._by_key[row.key].is_same]
        if not keys:
            return
        now = self.list.current_key()
        at = keys.index(now) + way if now in keys else 0
        self._stand_at(keys[at % len(keys)])
        self._choose(keys[at % len(keys)])

    def _stand_at(self, key: str) -> None:
        keys = [row.key for row in self.list.rows]
        if key in keys:
            self.list.setCurrentRow(keys.index(key))
        self._draw()

    def _said(self) -> str:
        differing = sum(not pair.is_same for pair in self.pairs)
        if self.first is None:
            return self.tr("Both did the same.")
        said = self.tr("{count} of {all} steps differ.").format(count=differing, all=len(self.pairs))
        where = self.tr("First difference: “{step}” ({what}).")
        return f"{said} {where.format(step=self._title(self.first), what=self._differs(self.first))}"

    def _about(self) -> tuple[str, str]:
        """What each run was, above its side of the page."""
        first, second = self.runs or (RunState(), RunState())
        return self._one(self.tr("First run"), first), self._one(self.tr("Second run"), second)

    def _one(self, title: str, state: RunState) -> str:
        said = [count_words.moment(state.started), run_word(state.status)]
        changes = state.forked_from.changes if state.forked_from is not None else ()
        return "\n".join([f"{title}, {' · '.join(said)}", *changes])

    def _list(self) -> None:
        pairs = [pair for pair in self.pairs if not (pair.is_same and self.only_differing.isChecked())]
        rows = [
            ListRow(
                _key(pair),
                self._title(pair),
                self._detail(pair),
                "" if pair.is_same else "state.failed" if pair is self.first else "state.held",
                pair.step if pair.other in {"", pair.step} else f"{pair.step}\n{pair.other}",
                depth=len(step_parts(pair.step)[0].split("/")) if step_parts(pair.step)[0] else 0,
            )
            for pair in self._listed(pairs)
        ]
        more = len(pairs) - len(rows)
        self.more.setText(self.tr("{count} more not listed.").format(count=f"{more:,}"))
        self.more.setVisible(more > 0)
        self.list.show_rows(rows)
        if rows and not self.list.current_key():
            self.list.setCurrentRow(0)
        self._draw()

    def _listed(self, pairs: Sequence[StepPair]) -> Sequence[StepPair]:
        """Of very many, those from where the two went apart on."""
        if len(pairs) <= MOST:
            return pairs
        start = pairs.index(self.first) if self.first in pairs else 0
        start = max(min(start, len(pairs) - MOST), 0)
        return pairs[start : start + MOST]

    def _detail(self, pair: StepPair) -> str:
        if pair.is_same:
            return self.tr("the same")
        differs = self._differs(pair)
        return self.tr("first: {differs}").format(differs=differs) if pair is self.first else differs

    def _differs(self, pair: StepPair) -> str:
        if pair.first is None:
            return self.tr("only in the second run")
        if pair.second is None:
            return self.tr("only in the first run")
        return ", ".join(map(thing_name, pair.differing))

    def _title(self, pair: StepPair) -> str:
        """A step's name, and for what it asked which chat or tool this was."""
        title = count_words.step_title(self._flow, pair.step, self._library)
        call, _, number = step_parts(pair.step)[2].partition(".")
        words = {"chat": self.tr("chat"), "tool": self.tr("tool")}
        return f"{title}: {words.get(call, call)} {number}".rstrip() if call else title

    def _choose(self, key: str) -> None:
        pair = self._by_key.get(key)
        if pair is None or self.runs is None:
            return
        is_second = self._shown == self.runs[1].run
        step = pair.other if is_second else pair.step if pair.first is not None else ""
        if step:
            self.step_chosen.emit(step)

    def _draw(self) -> None:
        pair = self._by_key.get(self.list.current_key())
        shows_all = not self.only_differing.isChecked()
        html = self._page.html(pair, self._about(), shows_all=shows_all) if pair is not None else ""
        self.text.setHtml(html)
        is_same = pair is None and self.runs is not None and self.first is None
        if is_same:
            said = self.tr("Each of their {count} steps was given the same and gave the same.")
            self.same.say(self.tr("Both runs did the same"), said.format(count=len(self.pairs)))
        self._differences.setCurrentWidget(self.same if is_same else self.text)

    def _ask_run(self, number: int) -> None:
        if self.runs is not None:
            self.run_asked.emit(self.runs[number].run)

    def _show_figures(self) -> None:
        first, second = self.runs or (RunState(), RunState())
        whole = NodeFigures(_whole(first), _whole(second))
        by_node = node_figures(self.pairs)

        def weight(node: NodeId) -> tuple[bool, float]:
            one = by_node[node]
            return one.is_same, -abs(one.second.tokens - one.first.tokens)

        rows = [FigureRow(title_of(self._flow, node), by_node[node]) for node in sorted(by_node, key=weight)]
        self.table.show_rows([FigureRow(self.tr("The whole run"), whole), *rows])


def _key(pair: StepPair) -> str:
    return pair.step if pair.first is not None else f"+{pair.other}"


def _whole(state: RunState) -> Spent:
    own = sum(1 for step in state.steps.values() if not step.call)
    return Spent(own, seconds_of(state), state.tokens, state.cost)
