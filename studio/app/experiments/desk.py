"""One experiment in the window: its table, and the process that runs it, begun when it is first needed."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.app.experiments.attendance import Link, Say
from studio.app.experiments.progress import Stage, Told
from studio.experiments.files import experiment_path
from studio.experiments.trial_index import index_path, read_about
from studio.experiments.trial_pages import TrialPages, Wanted
from studio.workspace.project import Project

MOST_ROWS = 400
"""Rows whose trials are read for what nodes took."""


class ExperimentDesk:
    """Opens, runs, pauses, cancels and scores again, and reads the table.

    `post` hands a message over to the thread of whoever made this, which calls `take` with it.
    """

    def __init__(
        self,
        project: Project,
        name: str,
        attend: Callable[[Say], Link],
        post: Say,
    ) -> None:
        self.project, self.name = project, name
        self.told = Told()
        self._attend, self._post = attend, post
        self._link: Link | None = None
        self._about: Mapping[str, Any] = {}
        self.read_again()

    @property
    def path(self) -> Path:
        """Its file."""
        return experiment_path(self.project.root, self.name)

    @property
    def about(self) -> Mapping[str, Any]:
        """What the table is of (`trial_index.about_of`); empty where none is there yet."""
        return self._about

    @property
    def scorers(self) -> list[str]:
        """Its scorers; the first is what variants are compared by."""
        return list(self._about.get("scorers", ()))

    @property
    def variants(self) -> list[str]:
        """Its variants, in order."""
        return list(self._about.get("variants", ()))

    def open(self) -> None:
        """Have its process read and check it; what a window showed last is there meanwhile."""
        self.told.stage = Stage.OPENING
        self._tell("open", project=str(self.project.root), file=str(self.path))

    def run(self, max_cost: float | None = None) -> None:
        """Run what is left; `max_cost` bounds it in US dollars."""
        if not self.told.stage.is_going:
            self.told.begin()
            self._tell("run", max_cost=max_cost)

    def score_again(self) -> None:
        """Score what is stored by the scorers of now; nothing is run."""
        if not self.told.stage.is_going:
            self.told.begin()
            self._tell("rescore")

    def pause(self) -> None:
        """Begin no further trial."""
        if self.told.stage is Stage.RUNNING:
            self.told.stage = Stage.PAUSED
            self._tell("pause")

    def resume(self) -> None:
        """Begin trials again."""
        if self.told.stage is Stage.PAUSED:
            self.told.stage = Stage.RUNNING
            self._tell("resume")

    def cancel(self) -> None:
        """Stop within a second; what was begun goes on with the next run."""
        if self.told.stage in (Stage.RUNNING, Stage.PAUSED):
            self.told.stage = Stage.CANCELLING
            self._tell("cancel")

    def report_again(self) -> None:
        """Have the report made anew: there are labels that it does not know."""
        self._tell("report")

    def write_page(self, file: Path) -> None:
        """Write the report as one HTML file, or what the ending names: CSV, Parquet, JUnit (`.xml`)."""
        self._tell("page", file=str(file))

    def ask_nodes(self, wanted: Wanted, variant: int) -> bool:
        """Ask what the nodes of a variant took over the trials of these rows; tells whether there are any."""
        with TrialPages(self.project, self.name) as pages:
            runs = pages.runs_of(list(pages.places(wanted)[:MOST_ROWS]), variant)
        if runs:
            self._tell("nodes", variant=variant, runs=runs)
        return bool(runs)

    def take(self, kind: str, message: Mapping[str, Any]) -> None:
        """Take a message of its process."""
        self.told.take(kind, message)
        if kind in {"opened", "report", "ended"}:
            self.read_again()
        if kind == "gone":
            self._link = None

    def read_again(self) -> None:
        """Read what the table is of, and the report that was kept with it."""
        self._about = read_about(index_path(self.project, self.name))
        kept = self._about.get("report")
        if kept is not None:
            self.told.report = kept

    def close(self) -> None:
        """Stop what runs, and let its process go."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def _tell(self, kind: str, **message: object) -> None:
        if self._link is None:
            self._link = self._attend(self._post)
            if kind != "open":
                self._link.tell("open", project=str(self.project.root), file=str(self.path))
        self._link.tell(kind, **message)


def places_of(project: Project, name: str, wanted: Wanted) -> Sequence[int]:
    """Find the rows that are wanted, in their order; on any thread. Raises `StoreError`."""
    with TrialPages(project, name) as pages:
        return pages.places(wanted)


def counts_of(project: Project, name: str, scorer: str) -> Mapping[str, Sequence[int]]:
    """Count for each variant the rows of each score; on any thread. Raises `StoreError`."""
    with TrialPages(project, name) as pages:
        return pages.histograms(scorer)
