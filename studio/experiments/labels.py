"""Labels: what people say of trials, kept in a file beside the experiment, to measure its judges by."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.experiments.files import read_beside, write_beside
from studio.flow.files.file_text import Short

FORMAT = "stepwire.labels"
VERSION = 1
ENDING = ".labels.json"
"""What follows the experiment's name in the name of the file."""


class Label(BaseModel):
    """What one person says of one trial, in the place of one scorer: from 0 (wrong) to 1 (right)."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    trial: str = Field(min_length=1)
    """The key of the trial, which names it by what decides it (`trials.Cell.key`)."""
    scorer: str = Field(min_length=1)
    by: str = Field(min_length=1)
    """Who says it."""
    score: float = Field(ge=0, le=1)
    blind: bool = True
    """Whether the person saw neither which variant it was, nor what the scorer said."""
    note: str = ""
    at: str = ""
    """When, as ISO 8601."""

    @property
    def place(self) -> tuple[str, str, str]:
        """What one person says once: trial, scorer, person."""
        return self.trial, self.scorer, self.by


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["stepwire.labels"]
    version: int = Field(ge=1, le=VERSION)
    labels: list[Label]


class Labels:
    """The labels of one file, a line each in the order in which they were given; written at each change.

    Reading raises `ExperimentFileError`, writing `PlaceError`; the file is then as it was.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._said = _read(path)

    @property
    def current(self) -> Sequence[Label]:
        """Give the last word of each person on each trial and scorer."""
        return list({one.place: one for one in self._said}.values())

    def add(self, label: Label) -> None:
        """Keep a label; it replaces what the same person said of that trial before."""
        self._write([*self._said, label])

    def undo(self, by: str) -> Label | None:
        """Take back the last label that a person gave, and tell which; what it had replaced holds again."""
        for at in reversed(range(len(self._said))):
            if self._said[at].by == by:
                taken = self._said[at]
                self._write([*self._said[:at], *self._said[at + 1 :]])
                return taken
        return None

    def _write(self, said: list[Label]) -> None:
        lines = [Short(one.model_dump(exclude_defaults=True)) for one in said]
        write_beside(self.path, {"format": FORMAT, "version": VERSION, "labels": lines})
        self._said = said


def labels_beside(experiment: Path) -> Path:
    """Give where the labels of an experiment are kept."""
    return experiment.with_name(f"{experiment.stem}{ENDING}")


def _read(path: Path) -> list[Label]:
    """Read the labels of a file; none where there is no file."""
    try:
        return read_beside(path, _File, "a file of labels").labels
    except FileNotFoundError:
        return []
