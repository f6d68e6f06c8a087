"""All systems from the literature that the gallery is about, and how each stands: shown, or why not.

What they are stands in `resources/systems.tsv`, what no tool like this one can rebuild in
`resources/systems-notes.tsv` with the reason; which are built, the projects themselves say. From these,
`resources/systems.md` is written.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from studio import places
from studio.app.gallery.records import Exhibit, exhibits
from studio.errors import ProjectError

PAGE = "systems.md"


class Standing(StrEnum):
    """How far a system is in the gallery."""

    WORKS = "works"
    PARTLY = "partly"
    NOT_YET = "not yet"
    NOT_HERE = "not reproducible here"


@dataclass(frozen=True, slots=True)
class System:
    """A published system, as its paper tells of it."""

    id: str
    kind: str
    name: str
    """Where a paper gives none, what it calls the thing, or its title."""
    paper: str
    mechanism: str
    claim: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A system with how it stands, and the project that shows it, if there is one."""

    system: System
    standing: Standing
    why: str = ""
    """What is missing, or why it cannot be had here."""
    exhibit: Exhibit | None = None


def all_entries(projects: Path | None = None, resources: Path | None = None) -> list[Entry]:
    """Say of every system how it stands, by number; raises `ProjectError` where two files disagree."""
    resources = resources or places.resources()
    shown = _by_system(exhibits(projects or places.projects()))
    notes = {row["id"]: row["why_not_here"] for row in _rows(resources / "systems-notes.tsv")}
    systems = [_system(row) for row in _rows(resources / "systems.tsv")]
    if unknown := sorted({*notes, *shown} - {one.id for one in systems}):
        raise ProjectError(f"`systems.tsv` knows nothing of {', '.join(unknown)}.")
    if both := sorted(notes.keys() & shown):
        raise ProjectError(f"`systems-notes.tsv` says of {', '.join(both)} why there is no project of it.")
    return [_entry(one, shown.get(one.id), notes.get(one.id, "")) for one in systems]


def counted(entries: Iterable[Entry]) -> str:
    """Say how many there are of each standing, in one line."""
    found = Counter(one.standing for one in entries)
    return " · ".join(f"{found[one]} {one}" for one in Standing if found[one])


def page(entries: Sequence[Entry]) -> str:
    """Write the page of all systems, as Markdown."""
    lines = [
        "# All systems",
        "",
        f"{len(entries)} published systems: {counted(entries)}. Written by `stepwire gallery --write-page`.",
        "",
        "| | system | kind | state |",
        "|---|---|---|---|",
        *(_line(one) for one in entries),
    ]
    return "\n".join(lines) + "\n"


def _line(entry: Entry) -> str:
    system = entry.system
    state = f"{entry.standing}: {entry.why}" if entry.why else str(entry.standing)
    if entry.exhibit is not None:
        state += f" ([`{entry.exhibit.slug}`](../projects/{entry.exhibit.slug}))"
    cells = " | ".join(text.replace("|", "\\|") for text in (system.id, system.name, system.kind, state))
    return f"| {cells} |"


def _by_system(found: Iterable[Exhibit]) -> dict[str, Exhibit]:
    shown: dict[str, Exhibit] = {}
    for one in found:
        if other := shown.get(one.record.system):
            raise ProjectError(f"`{other.slug}` and `{one.slug}` are both {one.record.system}.")
        shown[one.record.system] = one
    return shown


def _entry(system: System, exhibit: Exhibit | None, note: str) -> Entry:
    if exhibit is not None:
        return Entry(system, Standing(exhibit.record.state), exhibit.record.missing, exhibit)
    return Entry(system, Standing.NOT_HERE if note else Standing.NOT_YET, note)


def _system(row: Mapping[str, str]) -> System:
    name = row["system"].strip()
    if name.startswith("-"):
        name = name.removeprefix("-").strip().removeprefix("(").removesuffix(")") or row["paper"]
    return System(row["id"], row["kind"], name, row["paper"], row["mechanism"], row["headline_result"])


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
