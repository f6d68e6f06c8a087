"""A baseline: the scores of an earlier state, in a file that is committed to the repository."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.errors import ExperimentFileError, FlowFileError, PlaceError
from studio.experiments.opening import OpenExperiment
from studio.flow.codec import Short, document_of, short_document_text
from studio.flow.source import joined, lines_of
from studio.workspace.whole_file import write_whole

FORMAT = "stepwire.baseline"
VERSION = 1

Scores = Mapping[str, Mapping[str, Mapping[str, list[float]]]]
"""By scorer, variant and row: a score for each repeat."""


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
    text = short_document_text(
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
        }
    )
    try:
        write_whole(path, text.encode())
    except OSError as error:
        message = f"The baseline `{path}` could not be written: {error.strerror or error}."
        raise PlaceError(message, hint="Name another file.") from error


def read_baseline(path: Path, opened: OpenExperiment) -> Baseline:
    """Read a file; raises `ExperimentFileError`, also where it was scored by other scorers."""
    try:
        text = path.read_text("utf-8")
        document, _ = document_of(text)
        file = _File.model_validate(document)
    except (OSError, UnicodeDecodeError) as error:
        raise ExperimentFileError(f"The baseline `{path}` could not be read: {error}.") from error
    except FlowFileError as error:
        raise ExperimentFileError(f"`{path.name}` is not a baseline.", error.details) from error
    except ValidationError as error:
        text = path.read_text("utf-8")
        wrong = [(_path(one["loc"]), f"{one['msg'].lower()}.") for one in error.errors()]
        raise ExperimentFileError(f"`{path.name}` is not a baseline.", lines_of(text, wrong)) from error
    for name, scorer in opened.scorers.items():
        if file.scorers.get(name, scorer.digest) != scorer.digest:
            raise ExperimentFileError(
                f"The baseline `{path.name}` was scored by another `{name}`.",
                hint="Score the earlier state again, or write the baseline anew.",
            )
    return Baseline(file.dataset, file.scorers, file.scores)


def _path(loc: tuple[str | int, ...]) -> str:
    path = ""
    for step in loc:
        path = joined(path, step)
    return path
