"""What ended runs may have changed outside already: read aside, and told as one question of each run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.flow.plain_text import excerpt
from studio.ids import StepId
from studio.past.open_runs import Waiting, ended_in_doubt
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.store.summary import RunSummary
from studio.trace.events import Entry, StepStarted, ToolCalled
from studio.ui.viewmodels.words import count_words
from studio.ui.window.background import Aside

if TYPE_CHECKING:
    from studio.ui.panels.forms.doubts import DoubtsAsked


class Doubts(QObject):
    """Knows the questions of the runs that it was asked about; what is not known yet is read meanwhile."""

    changed = Signal()
    """More is known."""

    def __init__(self, registry: Registry, parent: QObject) -> None:
        super().__init__(parent)
        self._registry = registry
        self._known: dict[RunSummary, Waiting | None] = {}
        self._reading: set[RunSummary] = set()
        self._aside = Aside(self)

    def of(self, store: RunStore, runs: Sequence[RunSummary]) -> list[Waiting]:
        """Give the questions of these runs, as far as they are known."""
        wanted = [one for one in runs if not one.damaged and ended_in_doubt(one)]
        for one in wanted:
            if one not in self._known and one not in self._reading:
                self._read(store, one)
        return [found for one in wanted if (found := self._known.get(one)) is not None]

    def _read(self, store: RunStore, run: RunSummary) -> None:
        def tell(found: "DoubtsAsked | Exception") -> None:
            self._reading.discard(run)
            self._known[run] = None
            if not isinstance(found, Exception) and found.steps:
                since = run.ended or run.started or 0.0
                self._known[run] = Waiting(run.run, run.flow_name, found.steps[0][0], found, since, True)
            self.changed.emit()

        self._reading.add(run)
        self._aside.begin(lambda: self._question(store, run), tell)

    def _question(self, store: RunStore, run: RunSummary) -> "DoubtsAsked":
        from studio.past.doubts import doubts_of
        from studio.past.replays import OldRun
        from studio.ui.panels.forms.doubts import DoubtsAsked
        from studio.workspace.runs import bound

        old = OldRun.read(store, run.run)
        steps = doubts_of(old, store, self._registry)
        before = old.started.forked_from
        earlier = OldRun.read(store, store.find(before.run)).entries if before is not None else ()
        deeds = _deeds([*earlier, *old.entries])
        library = bound(self._registry, old.flows)
        said = [(one, count_words.step_title(old.flow, one, library), deeds.get(one, "")) for one in steps]
        many = len(steps)
        question = self.tr("1 side effect may already have happened.")
        what = self.tr("Check whether it did: the run goes on without it, or does it again.")
        if many > 1:
            question = self.tr("{count} side effects may already have happened.").format(count=many)
            what = self.tr(
                "Check which of them did: the run goes on without those, and does the others again."
            )
        return DoubtsAsked(f"{question}\n{what}", {}, steps=said)


def _deeds(entries: Sequence[Entry]) -> dict[StepId, str]:
    """What steps and calls were to do, in a line."""
    found: dict[StepId, str] = {}
    for one in entries:
        if isinstance(one.event, ToolCalled):
            found[one.step] = f"{one.event.tool} {excerpt(one.event.arguments)}"
        elif isinstance(one.event, StepStarted):
            found[one.step] = ", ".join(
                f"{name}: {excerpt(shown.data, 80)}" for name, shown in one.event.inputs.items()
            )
    return found
