"""All systems from the literature that the gallery is about: how each stands, and what can be claimed of it.

What they are stands in `resources/systems.tsv`, what can honestly be shown of each in
`resources/systems-claims.tsv`, with the reason where that is not all; which are built, the projects
themselves say. From these, `resources/systems.md` is written.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from studio import places
from studio.app.gallery.records import Exhibit, exhibits
from studio.errors import ProjectError

PAGE = "systems.md"
CLAIMS = "systems-claims.tsv"
_MEANINGS = {
    "reproducible": "the mechanism as the paper has it",
    "weights elsewhere": "the paper's flow and its data; the model is trained by your own trainer",
    "stand-in": "the mechanism, on a world of text or with a chat in the place of a trained part",
    "impossible": "what it adds is inside a model, where no flow reaches",
}


class Standing(StrEnum):
    """How far a system is in the gallery."""

    WORKS = "works"
    PARTLY = "partly"
    NOT_YET = "not yet"
    IMPOSSIBLE = "impossible"


_SAID = {Standing.WORKS: "working", Standing.PARTLY: "partly working"}


class Shown(StrEnum):
    """What can honestly be shown of a system, whether it is built or not."""

    REPRODUCIBLE = "reproducible"
    WEIGHTS = "weights elsewhere"
    """Its flow and its data; the model is trained by the user's own trainer."""
    STAND_IN = "stand-in"
    """Its mechanism, on a world of text or with a chat in the place of a trained part."""
    IMPOSSIBLE = "impossible"


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
    """What is missing of one that works partly; else why less can be shown than all of it."""
    shown: Shown = Shown.REPRODUCIBLE
    exhibit: Exhibit | None = None


def all_entries(projects: Path | None = None, resources: Path | None = None) -> list[Entry]:
    """Say of every system how it stands, by number; raises `ProjectError` where two files disagree."""
    resources = resources or places.resources()
    built = _by_system(exhibits(projects or places.projects()))
    claims = dict(_claims(resources / CLAIMS))
    systems = [_system(row) for row in _rows(resources / "systems.tsv")]
    if unknown := sorted({*claims, *built} - {one.id for one in systems}):
        raise ProjectError(f"`systems.tsv` knows nothing of {', '.join(unknown)}.")
    if silent := sorted({one.id for one in systems} - claims.keys()):
        raise ProjectError(f"`{CLAIMS}` says nothing of {', '.join(silent)}.")
    if both := sorted(one for one in built if claims[one][0] is Shown.IMPOSSIBLE):
        raise ProjectError(f"`{CLAIMS}` says of {', '.join(both)} that it is impossible, and it is built.")
    return [_entry(one, built.get(one.id), *claims[one.id]) for one in systems]


def counted(entries: Iterable[Entry]) -> str:
    """Say how many there are of each standing, in one line."""
    found = Counter(one.standing for one in entries)
    return " · ".join(f"{found[one]} {_SAID.get(one, one)}" for one in Standing if found[one])


def page(entries: Sequence[Entry]) -> str:
    """Write the page of all systems, as Markdown."""
    lines = [
        "# All systems",
        "",
        f"{len(entries)} published systems: {counted(entries)}. Written by `stepwire gallery --write-page`.",
        "",
        *(f"- *{word}*: {text}" for word, text in _MEANINGS.items()),
        "",
        "| | system | kind | state | claim |",
        "|---|---|---|---|---|",
        *(_line(one) for one in entries),
    ]
    return "\n".join(lines) + "\n"


def words_of(entry: Entry) -> tuple[str, str]:
    """Say how a system stands, and what can be claimed of it, each with its reason, if it has one."""
    if entry.standing is Standing.PARTLY:
        return f"{entry.standing}; missing: {entry.why}", str(entry.shown)
    return str(entry.standing), f"{entry.shown}: {entry.why}" if entry.why else str(entry.shown)


def _claims(path: Path) -> Iterator[tuple[str, tuple[Shown, str]]]:
    for line, row in enumerate(_rows(path), 2):
        if row["claim"] not in set(Shown):
            words = ", ".join(f"*{one}*" for one in Shown)
            raise ProjectError(f"`{path}`: line {line}: `{row['claim']}` is no claim; there are {words}.")
        yield row["id"], (Shown(row["claim"]), row["why"])


def _line(entry: Entry) -> str:
    system = entry.system
    state, claim = words_of(entry)
    if entry.exhibit is not None:
        state += f" ([`{entry.exhibit.slug}`](../projects/{entry.exhibit.slug}))"
    told = (system.id, system.name, system.kind, state, claim)
    cells = " | ".join(text.replace("|", "\\|") for text in told)
    return f"| {cells} |"


def _by_system(found: Iterable[Exhibit]) -> dict[str, Exhibit]:
    shown: dict[str, Exhibit] = {}
    for one in found:
        if other := shown.get(one.record.system):
            raise ProjectError(f"`{other.slug}` and `{one.slug}` are both {one.record.system}.")
        shown[one.record.system] = one
    return shown


def _entry(system: System, exhibit: Exhibit | None, shown: Shown, why: str) -> Entry:
    if exhibit is not None:
        return Entry(system, Standing(exhibit.record.state), exhibit.record.missing or why, shown, exhibit)
    standing = Standing.IMPOSSIBLE if shown is Shown.IMPOSSIBLE else Standing.NOT_YET
    return Entry(system, standing, why, shown)


def _system(row: Mapping[str, str]) -> System:
    name = row["system"].strip()
    if name.startswith("-"):
        name = name.removeprefix("-").strip().removeprefix("(").removesuffix(")") or row["paper"]
    return System(row["id"], row["kind"], name, row["paper"], row["mechanism"], row["headline_result"])


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
