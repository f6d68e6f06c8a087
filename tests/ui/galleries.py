"""Systems of a gallery of any size, with and without projects."""

from collections.abc import Sequence
from pathlib import Path

from studio.app.gallery.records import Exhibit, GalleryRecord, Mechanism
from studio.app.gallery.systems import Entry, Shown, Standing, System
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project


def system(number: int, name: str, mechanism: str = "", claim: str = "") -> System:
    """A system with a paper of its own."""
    return System(f"S{number:03}", "agent-system", name, f"A paper on {name}", mechanism, claim)


def built(
    root: Path, number: int, title: str, mechanisms: Sequence[Mechanism] = ("teams",), missing: str = ""
) -> Entry:
    """A system with a project, which works partly where something is missing."""
    folder = write_project(root / title.casefold().replace(" ", "_"), flow=chain(default="?"), script=SCRIPT)
    (folder / "README.md").write_text(f"# {title}\n\nWhat it reproduces.\n", "utf-8")
    standing = Standing.PARTLY if missing else Standing.WORKS
    record = GalleryRecord(
        system=f"S{number:03}",
        title=title,
        paper=f"A paper on {title}",
        mechanisms=list(mechanisms),
        state="partly" if missing else "works",
        missing=missing,
        test="tests/test_it.py",
    )
    return Entry(system(number, title), standing, missing, exhibit=Exhibit(folder, record))


def a_gallery(root: Path) -> list[Entry]:
    """One system of each standing, and two that work."""
    return [
        Entry(system(1, "FinAgent", "trading"), Standing.NOT_YET),
        built(root, 2, "Debate", ["debate", "voting"]),
        Entry(system(3, "LatentMAS"), Standing.IMPOSSIBLE, "hidden states", Shown.IMPOSSIBLE),
        built(root, 4, "Planner", ["planning", "voting"]),
        built(root, 5, "Town", ["memory"], missing="a map"),
    ]
