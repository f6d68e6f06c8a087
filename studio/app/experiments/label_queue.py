"""People label trials, one after the other, without knowing whose they are or what a scorer said."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from studio.experiments.labels import Label, Labels
from studio.experiments.trial_pages import TrialPages

MOST = 500
"""Trials that one sitting has at most."""


@dataclass(frozen=True, slots=True)
class ShownToLabel:
    """A trial as it is shown: its row, what was asked, and what came of it."""

    trial: str
    row: str
    said: str
    outputs: Mapping[str, Any]


class Sitting:
    """One person labels trials in the place of a scorer, in an order of chance in which variants are mixed.

    What the person labelled before is left out. Trials that failed are not shown: they score 0 anyhow.
    """

    def __init__(self, pages: TrialPages, labels: Labels, scorer: str, by: str) -> None:
        self._pages, self._labels = pages, labels
        self.scorer, self.by = scorer, by
        known = {one.trial for one in labels.current if one.by == by and one.scorer == scorer}
        trials = [one for one in pages.finished() if one[0] not in known]
        random.Random(f"{by}/{scorer}").shuffle(trials)  # noqa: S311  # an order, and no secret
        self._trials = trials[:MOST]
        self._at = 0

    @property
    def total(self) -> int:
        """How many trials there are to label."""
        return len(self._trials)

    @property
    def done(self) -> int:
        """How many were labelled or passed over in this sitting."""
        return self._at

    @property
    def shown(self) -> ShownToLabel | None:
        """The trial that is to be labelled now; None at the end."""
        if self._at >= len(self._trials):
            return None
        key, place = self._trials[self._at]
        (row,) = self._pages.page([place], self.scorer)
        return ShownToLabel(key, row.id, row.said, self._pages.outputs(key))

    def say(self, score: float) -> None:
        """Label the shown trial, from 0 (wrong) to 1 (right), and go to the next."""
        if self._at < len(self._trials):
            at = datetime.now(UTC).isoformat(timespec="seconds")
            key = self._trials[self._at][0]
            self._labels.add(Label(trial=key, scorer=self.scorer, by=self.by, score=score, at=at))
            self._at += 1

    def skip(self) -> None:
        """Pass the shown trial over, without a label."""
        self._at = min(self._at + 1, len(self._trials))

    def undo(self) -> None:
        """Go back to the trial before; where it was labelled, that label is taken back."""
        if not self._at:
            return
        self._at -= 1
        key = self._trials[self._at][0]
        last = [one for one in self._labels.current if one.by == self.by and one.scorer == self.scorer]
        if any(one.trial == key for one in last):
            self._labels.undo(self.by)


def agreement_words(report: Mapping[str, Any], scorer: str) -> list[str]:
    """Say how far people and a scorer agree, from what a plain report has of its judges."""
    judge = report.get("judges", {}).get(scorer)
    if not judge or not judge["trials"]:
        return ["No trial has both a label and a score yet."]
    told = [
        f"{judge['trials']} trials were judged by people ({', '.join(judge['people'])}) and by the scorer."
    ]
    for name, words in (
        ("sensitivity", "Of those that people call right, the scorer lets {share} pass."),
        ("specificity", "Of those that people call wrong, the scorer lets {share} not pass."),
    ):
        if judge.get(name):
            told.append(words.format(share=_share(judge[name])))
    if judge.get("kappa"):
        told.append(f"Cohen’s kappa is {_number(judge['kappa'])}.")
    for one in judge.get("agreed", ()):
        first, second = one["between"]
        told.append(f"{first} and {second} agree on {one['same']} of {one['trials']}.")
    return told


def _share(found: Mapping[str, Any]) -> str:
    between = found.get("interval")
    told = f" ({100 * between[0]:.0f} to {100 * between[1]:.0f})" if between else ""
    return f"{100 * found['mean']:.0f} %{told}"


def _number(found: Mapping[str, Any]) -> str:
    between = found.get("interval")
    told = f" ({between[0]:.2f} to {between[1]:.2f})" if between else ""
    return f"{found['mean']:.2f}{told}"
