"""A baseline: the scores of an earlier state, in a file that is committed to the repository."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.errors import ExperimentFileError
from studio.experiments.files import read_beside, write_beside
from studio.experiments.opening import OpenExperiment
from studio.experiments.statistics import Scores
from studio.flow.files.file_text import Short

FORMAT = "stepwire.baseline"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the variants scored, on which rows (`digest`) and by which scorers."""

    digest: str
    scorers: Mapping[str, str]
    scores: Scores


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["stepwire.baseline"]
    version: int = Field(ge=1, le=VERSION)
    dataset: str
    scorers: dict[str, str]
    scores: dict[str, dict[str, dict[str, list[float]]]]


def write_baseline(path: Path, opened: OpenExperiment, scores: Scores) -> None:
    """Write the file, a row a line; raises `PlaceError` where it cannot be written."""
    write_beside(
        path,
        {
            "format": FORMAT,
            "version": VERSION,
            "dataset": opened.dataset.digest,
            "scorers": {name: one.digest for name, one in opened.scorers.items()},
            "scores": {
                scorer: {
                    variant: {row: Short([round(one, 6) for one in values]) for row, values in rows.items()}
                    for variant, rows in variants.items()
                }
                for scorer, variants in scores.items()
            },
        },
    )


def read_baseline(path: Path, opened: OpenExperiment) -> Baseline:
    """Read a file; raises `ExperimentFileError`, also where it was scored by other scorers."""
    try:
        file = read_beside(path, _File, "a baseline")
    except FileNotFoundError as error:
        raise ExperimentFileError(f"There is no baseline `{path}`.") from error
    for name, scorer in opened.scorers.items():
        if file.scorers.get(name, scorer.digest) != scorer.digest:
            raise ExperimentFileError(
                f"The baseline `{path.name}` was scored by another `{name}`.",
                hint="Score the earlier state again, or write the baseline anew.",
            )
    return Baseline(file.dataset, file.scorers, file.scores)
