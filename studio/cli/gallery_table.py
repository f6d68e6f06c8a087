"""The gallery in figures, as one table."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from studio import places
from studio.errors import StepwireError
from studio.terminal.output import print_json, say, write_line
from studio.trace.figures import duration

if TYPE_CHECKING:
    from studio.app.gallery.gallery_measures import Compared
    from studio.app.gallery.gallery_runs import Figures
    from studio.app.gallery.gallery_tests import Outcome
    from studio.app.gallery.records import Exhibit
    from studio.app.gallery.written_lines import WrittenLines

HEADS = ("system", "nodes", "steps", "chats", "tokens", "wall time", "script", "written", "mechanism")
MEASURED_HEADS = ("baseline", "right", "is better", "tokens")
WORDS = frozenset({0, 8, 9})
"""Columns that stand on the left; the others are figures."""


@dataclass(slots=True)
class _Row:
    """All that is told of one system."""

    exhibit: "Exhibit"
    test: "Outcome | None"
    """None where claims say all."""
    written: "WrittenLines"
    figures: "Figures | None" = None
    compared: "list[Compared]" = field(default_factory=list["Compared"])
    errors: list[str] = field(default_factory=list[str])
    missed: list[str] = field(default_factory=list[str])
    """The claims that are not seen in its runs, each with what is seen instead."""


def print_table(shown: "Sequence[Exhibit]", *, is_measured: bool, as_json: bool) -> int:
    """Run and test each, and measure it where asked to; 1 where one of these failed."""
    from studio.app.gallery.gallery_tests import Outcome, outcomes
    from studio.app.gallery.written_lines import written_lines

    files = [one.record.test for one in shown if one.record.test]
    if files:
        say("running the tests of the mechanisms")
    tests = outcomes(places.projects().parent, files)
    written = written_lines(shown, places.projects().parent)
    rows = [
        _row(one, tests.get(one.record.test), written[one.folder], is_measured=is_measured) for one in shown
    ]
    if as_json:
        print_json([_plain(row, is_measured=is_measured) for row in rows])
    else:
        _print(rows, is_measured=is_measured)
    return 1 if any(row.errors or row.missed or row.test == Outcome.FAILED for row in rows) else 0


def _row(exhibit: "Exhibit", test: "Outcome | None", written: "WrittenLines", *, is_measured: bool) -> _Row:
    from studio.app.gallery.gallery_measures import compared
    from studio.app.gallery.gallery_runs import SystemRuns

    row = _Row(exhibit, test, written)
    say(f"running `{exhibit.slug}`")
    runs = SystemRuns(exhibit)
    try:
        row.figures = runs.figures()
        if row.figures.error:
            row.errors.append(row.figures.error)
        for claim in exhibit.record.claims:
            if missed := runs.failures(claim):
                row.missed.append(f"{claim.says} {'; '.join(missed)}")
        if is_measured and exhibit.record.measure is not None:
            say(f"evaluating `{exhibit.slug}`")
            row.compared = compared(exhibit, os.environ)
    except StepwireError as error:
        row.errors.append(str(error))
    finally:
        runs.close()
    return row


def _plain(row: _Row, *, is_measured: bool) -> dict[str, object]:
    record = row.exhibit.record
    plain: dict[str, object] = {"system": record.system, "title": record.title}
    if row.figures is not None:
        plain |= {name: value for name, value in asdict(row.figures).items() if name != "error"}
    plain["written"] = asdict(row.written)
    plain |= {"test": record.test, "outcome": str(row.test or ""), "errors": row.errors}
    plain |= {"claims": len(record.claims), "missed": row.missed}
    plain["baselines"] = [one.title for one in record.baselines]
    return {**plain, "compared": [asdict(one) for one in row.compared]} if is_measured else plain


def _print(rows: Sequence[_Row], *, is_measured: bool) -> None:
    lines: list[tuple[str, ...]] = [(*HEADS, *(MEASURED_HEADS if is_measured else ("baseline",)))]
    for row in rows:
        cells = _cells(row)
        if not is_measured:
            lines.append((*cells, ", ".join(one.title for one in row.exhibit.record.baselines)))
            continue
        told = [_compared_cells(one) for one in row.compared] or [("",) * len(MEASURED_HEADS)]
        lines.append((*cells, *told[0]))
        lines.extend((*("",) * len(HEADS), *one) for one in told[1:])
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    for line in lines:
        aligned = [
            cell.ljust(width) if place in WORDS else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        write_line("  ".join(aligned).rstrip())
    for row in rows:
        for error in (*row.errors, *row.missed):
            say(f"{row.exhibit.slug}: {error}")


def _cells(row: _Row) -> tuple[str, ...]:
    record, figures = row.exhibit.record, row.figures
    name = f"{record.system} {record.title}"
    test = f"{row.test} {record.test.rpartition('/')[2]}" if row.test is not None else ""
    if claims := len(record.claims):
        test = " · ".join(filter(None, (f"{claims - len(row.missed)} of {claims} claims", test)))
    written = f"{row.written.all:,} lines"
    if figures is None:
        return (name, *("",) * 6, written, test)
    counts = (figures.nodes, figures.steps, figures.chats)
    script = f"{figures.lines:,} lines"
    took = duration(figures.seconds) if not figures.error else "failed"
    return (name, *map(str, counts), f"{figures.tokens:,}", took, script, written, test)


def _compared_cells(one: "Compared") -> tuple[str, ...]:
    return (
        one.baseline,
        f"{100 * one.accuracy:.1f} % : {100 * one.baseline_accuracy:.1f} %",
        f"{100 * one.difference.value:+.1f} points ({one.difference.in_points})",
        f"× {one.times_the_tokens:.2f}",
    )
