"""The gallery: published systems as projects, each with a record that says which system it is.

The record is `gallery.json` in the project's folder, of the fields of `GalleryRecord`; several that share one
project, such as the baselines of one benchmark, stand in a list, `{"records": […]}`. What a record names has
to be there, so that a card never offers a flow that cannot be opened.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias, get_args

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


Block: TypeAlias = str | list[str]
"""A paragraph of a page; or a list of lines: its points, or a table or commands as they stand."""


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
    flow: _Inside | None = None
    """The flow that shows it; the project's main one, where none is named."""
    state: Literal["works", "partly"]
    missing: str = ""
    """What the studio lacks, where it works partly; not the weights that nobody can ship."""
    baselines: list[Baseline] = Field(default_factory=list[Baseline])
    claims: list[Claim] = Field(default_factory=list[Claim])
    """What is to be seen of its mechanism in runs on its scripted answers."""
    test: str = ""
    """A test that sees more of it than claims can say, from the root of a checkout."""
    measure: Measure | None = None
    about: list[Block] = Field(default_factory=list[Block])
    """What it is. This and all below stand on its page, beside what `systems.tsv` and the flows say."""
    claimed: list[Block] = Field(default_factory=list[Block])
    """What the paper claims, where the list of systems has no figure of it."""
    shown: list[Block] = Field(default_factory=list[Block])
    """What is to be seen in a run, as a story; `claims` are listed after it."""
    measured: list[Block] = Field(default_factory=list[Block])
    """Figures under simulated solvers, with what these are said to be able to do."""
    not_shown: list[Block] = Field(default_factory=list[Block])
    """What of the paper is left out or differs."""
    assumed: list[Block] = Field(default_factory=list[Block])
    """What the paper leaves open, and how it was decided."""

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


class _Several(BaseModel, frozen=True):
    model_config = ConfigDict(extra="forbid", strict=True)

    records: list[GalleryRecord] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A system of the gallery: the folder of its project, and what is said of it there."""

    folder: Path
    record: GalleryRecord

    @property
    def slug(self) -> str:
        """What the folder is called, and the exhibit on the command line."""
        return self.folder.name

    @property
    def place(self) -> Path:
        """What is opened of the project: its folder, or the flow that the record names."""
        return self.folder / (self.record.flow or "")


def exhibits(projects: Path) -> Iterator[Exhibit]:
    """Read every project with a record in a folder of projects; raises `ProjectError` at a wrong one."""
    for path in sorted(projects.glob(f"*/{FILE}")):
        yield from read_exhibits(path.parent)


def read_exhibits(folder: Path) -> list[Exhibit]:
    """Read the records of a project; raises `ProjectError` that names all that is wrong, by line."""
    path = folder / FILE
    text = ""
    try:
        text = path.read_text("utf-8")
        plain: object = json.loads(text)
        several = isinstance(plain, dict) and "records" in plain
        found = _Several.model_validate(plain).records if several else [GalleryRecord.model_validate(plain)]
    except ValidationError as error:
        raise ProjectError(
            f"`{path}` is not a gallery record: {_sentence(text, error)}.", hint=_HINT
        ) from error
    except (OSError, ValueError) as error:
        raise ProjectError(f"`{path}` could not be read: {error}.", hint=_HINT) from error
    named = [
        (name, at) for place, one in enumerate(found) for at, name in _named(one, place if several else -1)
    ]
    if absent := [(at, f"there is no `{name}`") for name, at in named if not (folder / name).is_file()]:
        raise ProjectError(f"`{path}` names missing files: {'; '.join(lines_of(text, absent))}.", hint=_HINT)
    return [Exhibit(folder, one) for one in found]


_HINT = "`studio/app/gallery/records.py` describes its fields."


def _named(record: GalleryRecord, place: int) -> Iterator[tuple[str, str]]:
    """The files that a record names, each with where it does so; `place` is that in a list of records."""
    start = f"records[{place}]." if place >= 0 else ""
    if record.flow:
        yield f"{start}flow", record.flow
    for number, one in enumerate(record.baselines):
        yield f"{start}baselines[{number}].flow", one.flow
    for number, one in enumerate(record.claims):
        if one.flow:
            yield f"{start}claims[{number}].flow", one.flow
    if record.measure is not None:
        yield f"{start}measure.problems", record.measure.problems
        if record.measure.flow:
            yield f"{start}measure.flow", record.measure.flow


def _sentence(text: str, error: ValidationError) -> str:
    found: list[tuple[str, str]] = []
    for one in error.errors():
        where = ""
        for step in one["loc"]:
            where = joined(where, step)
        what = one["msg"].removeprefix("Value error, ")
        found.append((where, what[:1].lower() + what[1:]))
    return "; ".join(lines_of(text, found))
