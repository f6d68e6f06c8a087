"""How many lines were written for a project of the gallery: what its systems cost whoever keeps them."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from studio.app.gallery.records import FILE, Exhibit
from studio.workspace.project import flow_files


@dataclass(frozen=True, slots=True)
class WrittenLines:
    """Lines of one project. Its page is made from these, and its data are counted by nobody."""

    flows: int
    """Its own; parts belong to all."""
    answers: int
    """Scripted ones, and what is stated of simulated solvers."""
    record: int
    tests: int
    """In Python, beside the claims of the record."""
    others: int
    """Of the project's file, its cases and experiments."""

    @property
    def all(self) -> int:
        """Their sum."""
        return sum(asdict(self).values())


def written_lines(exhibits: Iterable[Exhibit], checkout: Path) -> dict[Path, WrittenLines]:
    """Count the lines of each project, by its folder; tests are looked for in the checkout."""
    tests: dict[Path, set[Path]] = {}
    for one in exhibits:
        named = tests.setdefault(one.folder, set())
        if one.record.test and (checkout / one.record.test).is_file():
            named.add(checkout / one.record.test)
    return {
        folder: WrittenLines(
            _lines(flow_files(folder)),
            _lines([*folder.glob("scripts/*.yaml"), *folder.glob("simulated/*.yaml")]),
            _lines([folder / FILE]),
            _lines(named),
            _lines([folder / "project.json", *folder.glob("cases/*"), *folder.glob("experiments/*.json")]),
        )
        for folder, named in tests.items()
    }


def _lines(paths: Iterable[Path]) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in paths)
