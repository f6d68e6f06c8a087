"""The file of an experiment: canonical JSON, one thing a line; what is wrong is told with its line."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

from studio.errors import ExperimentFileError, FlowFileError, PlaceError
from studio.experiments.experiment import Experiment
from studio.flow.files.codec import document_of, document_text, short_document_text
from studio.flow.files.source import joined, lines_of
from studio.flow.records import Json
from studio.workspace.whole_file import write_whole

FORMAT = "stepwire.experiment"
VERSION = 1
FOLDER = "experiments"
"""Where a project keeps them."""

BESIDE = (".scores", ".labels")
"""What ends the stem of a file that belongs to an experiment and is none: its baseline, and its labels."""

_Read = TypeVar("_Read", bound=BaseModel)

_NAMES = "a name consists of letters, digits, spaces and `_ . + -`, and begins with a letter, digit or `_`"

_WORDS = {
    "extra_forbidden": "this version of Stepwire does not know this name",
    "missing": "this is required",
    "union_tag_not_found": "`edit` is missing: it says what is changed",
}


def write_experiment(experiment: Experiment) -> str:
    """Write it as a file has it: the same experiment always gives the same text."""
    plain = experiment.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return document_text({"format": FORMAT, "version": VERSION, **plain})


def read_experiment(path: Path) -> tuple[Experiment, str]:
    """Read a file, and give its text as well; raises `ExperimentFileError` with all problems and lines."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else "this is not UTF-8 text"
        raise ExperimentFileError(f"The experiment `{path}` could not be read: {reason}.") from error
    return experiment_of(text, path.name), text


def experiment_of(text: str, place: str) -> Experiment:
    """Read the text of an experiment, which `place` names; raises `ExperimentFileError`."""
    message = f"`{place}` is not a readable experiment."
    try:
        document, problems = document_of(text)
    except FlowFileError as error:
        raise ExperimentFileError(message, error.details) from error
    plain = cast("dict[str, Json]", document) if isinstance(document, dict) else {}
    found = [*problems, *_header(plain)]
    if not found:
        try:
            return Experiment.model_validate(
                {name: one for name, one in plain.items() if name not in {"format", "version"}}
            )
        except ValidationError as error:
            found = [_problem(one["loc"], str(one["type"]), one["msg"]) for one in error.errors()]
    raise ExperimentFileError(message, lines_of(text, found))


def experiment_path(root: Path, name: str) -> Path:
    """Give the place of the file of a project's experiment, whether it is there or not."""
    return root / FOLDER / f"{name}.json"


def experiments_in(root: Path) -> list[Path]:
    """List the files of a project's experiments, in the order of their names."""
    found = (one for one in (root / FOLDER).glob("*.json") if not one.stem.endswith(BESIDE))
    return sorted(found, key=lambda one: one.stem)


def read_beside(path: Path, kind: type[_Read], what: str) -> _Read:
    """Read a file that belongs to an experiment, which `what` names (`a baseline`).

    Raises `ExperimentFileError` with all that is wrong and its lines; a file that is not there as
    `FileNotFoundError` does.
    """
    message = f"`{path.name}` is not {what}."
    try:
        text = path.read_text("utf-8")
        document, _ = document_of(text)
        return kind.model_validate(document)
    except FileNotFoundError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else "this is not UTF-8 text"
        raise ExperimentFileError(f"`{path}` could not be read: {reason}.") from error
    except FlowFileError as error:
        raise ExperimentFileError(message, error.details) from error
    except ValidationError as error:
        wrong = [_problem(one["loc"], str(one["type"]), one["msg"]) for one in error.errors()]
        raise ExperimentFileError(message, lines_of(path.read_text("utf-8"), wrong)) from error


def write_beside(path: Path, document: Mapping[str, object]) -> None:
    """Write such a file, what is `Short` on a line; raises as `write_file`."""
    write_file(path, short_document_text(document).encode())


def write_file(path: Path, data: bytes) -> None:
    """Write a file that somebody named; raises `PlaceError`, and the file is then as it was."""
    try:
        write_whole(path, data)
    except OSError as error:
        message = f"`{path}` could not be written: {error.strerror or error}."
        raise PlaceError(message, hint="Name another file, or free some space.") from error


def refuse(text: str, place: str, problems: Sequence[tuple[str, str]]) -> None:
    """Raise `ExperimentFileError` where there are problems, each by path and words, with their lines."""
    if problems:
        raise ExperimentFileError(f"The experiment `{place}` cannot run.", lines_of(text, problems))


def _header(plain: Mapping[str, Json]) -> list[tuple[str, str]]:
    if plain.get("format") != FORMAT:
        return [("format", f"this must be `{FORMAT}`.")]
    version = plain.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        return [("version", "this must be a whole number from 1.")]
    if version > VERSION:
        return [("version", f"this Stepwire reads up to version {VERSION}; install a newer one.")]
    return []


def _problem(loc: Sequence[str | int], kind: str, words: str) -> tuple[str, str]:
    path = ""
    if loc and loc[-1] == "[key]":  # how pydantic says that the name is at fault, not what it names
        loc, kind, words = loc[:-1], "", _NAMES
    for step in loc:
        if step not in {"setting", "prompt", "profile", "input", "limits", "run"} or not path.endswith("]"):
            path = joined(path, step)
    return path, f"{_WORDS.get(kind) or words[:1].lower() + words[1:]}."
