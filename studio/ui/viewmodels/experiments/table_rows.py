"""The table of trials as it is seen: pages read when they are looked at, cells in words and grades."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from textwrap import shorten
from typing import Literal

from PySide6.QtCore import QCoreApplication

from studio.experiments.charts import said_amount
from studio.experiments.trial_pages import ShownRow, ShownTrial, TrialPages, Wanted
from studio.experiments.trials import TrialState

translate = QCoreApplication.translate

Grade = Literal["high", "middle", "low", ""]

HIGH, LOW = 0.8, 0.4
"""Scores above and below which a cell is graded."""

LONGEST = 80
"""Characters of a reason in a menu."""

PAGE, KEPT = 100, 12
"""Rows that are read at a time, and how many such pages are kept."""


@dataclass(frozen=True, slots=True)
class CellLook:
    """A cell: what stands in it, how it is graded, and what is told of it besides."""

    text: str
    grade: Grade
    detail: str = ""
    tip: str = ""
    is_over: bool = False
    """Whether there is a run to look at."""


class TableRows:
    """Reads the rows that are looked at, in the order that is wanted; the rest stays on disk."""

    def __init__(self, pages: TrialPages) -> None:
        self._pages = pages
        self.wanted = Wanted()
        self.places: Sequence[int] = ()
        self._kept: OrderedDict[int, list[ShownRow]] = OrderedDict()

    @property
    def count(self) -> int:
        """How many rows are listed."""
        return len(self.places)

    @property
    def variants(self) -> Sequence[str]:
        """The columns beside the row's own."""
        return self._pages.variants

    def want(self, wanted: Wanted, places: Sequence[int] | None = None) -> None:
        """List other rows, or in another order; `places` where they were read elsewhere already."""
        self.wanted = wanted
        self.places = self._pages.places(wanted) if places is None else places
        self._kept.clear()

    def forget(self) -> None:
        """Read anew what is looked at: trials went on meanwhile."""
        self._kept.clear()

    def row(self, number: int) -> ShownRow:
        """Give a listed row by its number, reading its page where it is not there."""
        page = number // PAGE
        if page not in self._kept:
            self._kept[page] = self._pages.page(
                self.places[page * PAGE : (page + 1) * PAGE], self.wanted.scorer
            )
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(page)
        return self._kept[page][number % PAGE]

    def cell(self, number: int, variant: int) -> CellLook:
        """Give what stands in a cell."""
        return cell_look(self.row(number).trials[variant])


def cell_look(trials: Sequence[ShownTrial]) -> CellLook:
    """Say what came of the trials of a cell: the mean of their scores, or how far they are."""
    over = [one for one in trials if one.is_over]
    if not over:
        return CellLook("–", "", tip=translate("experiments", "Not run yet"))
    scores = [one.score for one in over if one.score is not None]
    failed = sum(one.state is TrialState.FAILED for one in over)
    provider = sum(one.state is TrialState.PROVIDER for one in over)
    mean = fmean(scores) if scores else None
    told: list[str] = []
    if failed:
        told.append(translate("experiments", "{count} failed").format(count=failed))
    if provider:
        told.append(translate("experiments", "{count} failed at the provider").format(count=provider))
    if len(over) < len(trials):
        told.append(translate("experiments", "{done} of {all} run").format(done=len(over), all=len(trials)))
    if mean is None:
        text = translate("experiments", "no score") if not (failed or provider) else told[0]
        return CellLook(text, "", why_of(over), _tip(over, told), is_over=True)
    text = f"{100 * mean:.0f} %"
    if failed:
        text = f"{text}  ✕"
    return CellLook(text, grade_of(mean), why_of(over), _tip(over, told), is_over=True)


def grade_of(score: float) -> Grade:
    """Grade a score."""
    return "high" if score > HIGH else "low" if score < LOW else "middle"


def why_of(trials: Sequence[ShownTrial]) -> str:
    """Give the reason of the first trial that did not reach the full score, in one line."""
    for one in trials:
        if (one.score is None or one.score < 1) and one.reason:
            return " ".join(one.reason.split())
    return ""


def trial_words(one: ShownTrial) -> str:
    """Say of one repeat what came of it, as a menu lists it."""
    if one.score is not None:
        said = f"{100 * one.score:.0f} %"
    else:
        said = {
            TrialState.FAILED: translate("experiments", "failed"),
            TrialState.PROVIDER: translate("experiments", "failed at the provider"),
            TrialState.STOPPED: translate("experiments", "cancelled"),
        }.get(one.state or TrialState.PLANNED, translate("experiments", "no score"))
    spent = f"{one.tokens:,} {translate('experiments', 'tokens')}, {said_amount(one.seconds, 'seconds')}"
    return translate("experiments", "Repeat {number}: {said} ({spent})").format(
        number=one.repeat, said=said, spent=spent
    )


def reason_words(one: ShownTrial) -> str:
    """Say the same, and why it did not reach the full score."""
    why = " ".join(one.reason.split()) if (one.score or 0.0) < 1 else ""
    return f"{trial_words(one)} – {shorten(why, LONGEST, placeholder='…')}" if why else trial_words(one)


def _tip(over: Sequence[ShownTrial], told: Sequence[str]) -> str:
    return "\n".join([*(trial_words(one) for one in over), *told])
