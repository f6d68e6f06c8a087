"""The gallery: published systems as projects, each with a record that says which system it is.

The record is `gallery.json` in the project's folder, of the fields of `GalleryRecord`. What a record names
has to be there, so that a card never offers a flow that cannot be opened.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from studio.app.gallery.claims import Claim
from studio.errors import ProjectError
from studio.flow.files.source import joined, lines_of

FILE = "gallery.json"
Mechanism = Literal[
    "debate",
    "voting",
    "planning",
    "memory",
    "routing",
    "search",
    "teams",
    "tools",
    "code",
    "safety",
    "simulation",
    "pipelines",
    "training",
]
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)
_Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _inside(name: str) -> str:
    if not name or name.startswith("/") or ".." in name.split("/"):
        raise ValueError("this must name a file of the project")
    return name


_Inside = Annotated[str, AfterValidator(_inside)]


class Baseline(BaseModel, frozen=True):
    """What a system is said to be better than, as a flow beside its own."""

    model_config = ConfigDict(extra="forbid", strict=True)

    flow: _Inside
    """From the project's folder, with `/`."""
    title: _Words


class Measure(BaseModel, frozen=True):
    """How a system is held against its baselines: flows with an input `question` and an output `answer`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    problems: _Inside
    """JSON lines, from the project's folder."""
    chat: str = ""
    """The profile of simulated solvers; the project's default, where none is named."""
    runs: int = Field(default=1, ge=1)
    """How often each problem is solved."""
    flow: _Inside | None = None
    """The part of the system that answers a question, where its main flow does more than that."""


class GalleryRecord(BaseModel, frozen=True):
    """What a project of the gallery says of itself; each field is explained by what reads it, the table."""

    model_config = ConfigDict(extra="forbid", strict=True)

    system: Annotated[str, StringConstraints(pattern=r"^S\d{3}$")]
    """The row of `resources/systems.tsv`."""
    title: _Words
    paper: _Words
    mechanisms: list[Mechanism] = Field(min_length=1)
    """What it shows, the foremost first."""
    state: Literal["works", "partly"]
    missing: str = ""
    """What the studio lacks, where it works partly; not the weights that nobody can ship."""
    baselines: list[Baseline] = Field(default_factory=list[Baseline])
    claims: list[Claim] = Field(default_factory=list[Claim])
    """What is to be seen of its mechanism in runs on its scripted answers."""
    test: str = ""
    """A test that sees more of it than claims can say, from the root of a checkout."""
    measure: Measure | None = None

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if len(set(self.mechanisms)) < len(self.mechanisms):
            raise ValueError("a mechanism is named twice")
        if (self.state == "partly") != bool(self.missing.strip()):
            raise ValueError("`missing` says what is missing of a system that works partly, and of no other")
        if not self.claims and not self.test:
            raise ValueError("`claims` says what is to be seen of its mechanism")
        if self.measure is not None and not self.baselines:
            raise ValueError("`measure` needs a baseline to measure against")
        return self


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A project of the gallery: its folder, and what it says of itself."""

    folder: Path
    record: GalleryRecord

    @property
    def slug(self) -> str:
        """What the folder is called, and the exhibit on the command line."""
        return self.folder.name


def exhibits(projects: Path) -> Iterator[Exhibit]:
    """Read every project with a record in a folder of projects; raises `ProjectError` at a wrong one."""
    for path in sorted(projects.glob(f"*/{FILE}")):
        yield read_exhibit(path.parent)


def read_exhibit(folder: Path) -> Exhibit:
    """Read the record of a project; raises `ProjectError` that names all that is wrong with it."""
    path = folder / FILE
    text = ""
    try:
        text = path.read_text("utf-8")
        record = GalleryRecord.model_validate(json.loads(text))
    except ValidationError as error:
        raise ProjectError(
            f"`{path}` is not a gallery record: {_sentence(text, error)}.", hint=_HINT
        ) from error
    except (OSError, ValueError) as error:
        raise ProjectError(f"`{path}` could not be read: {error}.", hint=_HINT) from error
    if absent := [f"`{name}`" for name in _named(record) if not (folder / name).is_file()]:
        raise ProjectError(f"`{path}` names missing files: {', '.join(absent)}.", hint=_HINT)
    return Exhibit(folder, record)


_HINT = "`studio/app/gallery/records.py` describes its fields."


def _named(record: GalleryRecord) -> list[str]:
    measure = record.measure
    measured = [measure.problems, *([measure.flow] if measure.flow else [])] if measure else []
    claimed = [one.flow for one in record.claims if one.flow]
    return [*(one.flow for one in record.baselines), *measured, *claimed]


def _sentence(text: str, error: ValidationError) -> str:
    found: list[tuple[str, str]] = []
    for one in error.errors():
        where = ""
        for step in one["loc"]:
            where = joined(where, step)
        what = one["msg"].removeprefix("Value error, ")
        found.append((where, what[:1].lower() + what[1:]))
    return "; ".join(lines_of(text, found))
