"""The gallery in figures, as one table."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from studio import places
from studio.cli.printing import print_json, say, write_line
from studio.errors import StepwireError
from studio.trace.figures import duration

if TYPE_CHECKING:
    from studio.app.gallery import Exhibit
    from studio.app.gallery_runs import Figures
    from studio.app.gallery_tests import Outcome

HEADS = ("system", "nodes", "steps", "chats", "tokens", "wall time", "script", "mechanism test")


def print_table(shown: "Sequence[Exhibit]", *, as_json: bool) -> int:
    """Run and test each; 1 where one did not come to its end, or its test failed."""
    from studio.app.gallery_runs import figures_of
    from studio.app.gallery_tests import Outcome, outcomes

    tests = outcomes(places.projects().parent, [one.record.test for one in shown])
    found: dict[str, Figures | str] = {}
    for one in shown:
        say(f"running {one.slug}")
        try:
            figures = figures_of(one)
        except StepwireError as error:
            found[one.slug] = str(error)
        else:
            found[one.slug] = figures.error or figures
    if as_json:
        print_json([_plain(one, found[one.slug], tests[one.record.test]) for one in shown])
    else:
        _print(shown, found, tests)
    is_bad = any(isinstance(one, str) for one in found.values()) or Outcome.FAILED in tests.values()
    return 1 if is_bad else 0


def _plain(exhibit: "Exhibit", found: "Figures | str", test: "Outcome") -> dict[str, object]:
    figures: dict[str, object] = {"error": found} if isinstance(found, str) else asdict(found)
    record = exhibit.record
    told = {"system": record.system, "title": record.title, **figures}
    return {**told, "test": record.test, "outcome": str(test)}


def _print(
    shown: "Sequence[Exhibit]", found: "dict[str, Figures | str]", tests: "dict[str, Outcome]"
) -> None:
    rows: list[tuple[str, ...]] = [HEADS]
    for one in shown:
        figures = found[one.slug]
        test = f"{tests[one.record.test]} {one.record.test.rpartition('/')[2]}"
        if isinstance(figures, str):
            rows.append((_name(one), "failed", "", "", "", "", "", test))
            continue
        counts = (figures.nodes, figures.steps, figures.chats)
        script = f"{figures.lines:,} lines"
        cells = (*map(str, counts), f"{figures.tokens:,}", duration(figures.seconds), script, test)
        rows.append((_name(one), *cells))
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADS))]
    for row in rows:
        cells = [
            cell.ljust(width) if place in {0, len(HEADS) - 1} else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        write_line("  ".join(cells).rstrip())
    for slug, figures in found.items():
        if isinstance(figures, str):
            say(f"{slug}: {figures}")


def _name(exhibit: "Exhibit") -> str:
    return f"{exhibit.record.system} {exhibit.record.title}"
