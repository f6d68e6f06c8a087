"""A report for other programs and people: JSON, JUnit for continuous integration, one HTML file."""

import html
from collections.abc import Mapping, Sequence
from statistics import fmean
from xml.etree import ElementTree as ET  # nothing is parsed

from studio.experiments.opening import OpenExperiment
from studio.experiments.report import Compared, Figures, Report
from studio.experiments.running import Table
from studio.experiments.statistics import Interval
from studio.experiments.trials import Cell, TrialState

_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
)
"""Whatever stood in the data, nothing of it is fetched or run."""

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { padding: .25rem .75rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } tr { border-bottom: 1px solid; }
@media (prefers-color-scheme: dark) { body { background: canvas; color: canvastext; } }
:root { color-scheme: light dark; }
"""


def plain_report(report: Report, table: Table) -> dict[str, object]:
    """Give all of a report as JSON; an interval that nobody can tell is null."""
    return {
        "experiment": report.experiment,
        "dataset": {"file": report.dataset, "digest": report.digest, "rows": report.rows, "as": report.kind},
        "repeats": report.repeats,
        "ran": table.ran,
        "reused": table.reused,
        "shared": table.shared,
        "variants": {one.variant: _plain_figures(one) for one in report.figures},
        "compared": [_plain_compared(one) for one in report.compared],
        "against_baseline": [_plain_compared(one) for one in report.against_baseline],
        "notes": list(report.notes),
    }


def _plain_figures(one: Figures) -> dict[str, object]:
    return {
        "rows": one.rows,
        "trials": one.trials,
        "failed": one.failed,
        "failed_at_provider": one.provider,
        "unscored": one.unscored,
        "scores": _plain_intervals(one.scores),
        "measures": _plain_intervals(one.measures),
        "pass_at": {str(tries): round(found, 4) for tries, (found, _) in one.passes.items()},
        "pass_all": {str(tries): round(found, 4) for tries, (_, found) in one.passes.items()},
    }


def _plain_intervals(found: Mapping[str, Interval]) -> dict[str, object]:
    return {
        name: {"mean": round(one.value, 6), "interval": _plain_interval(one)} for name, one in found.items()
    }


def _plain_interval(one: Interval) -> list[float] | None:
    return [round(one.low, 6), round(one.high, 6)] if one.is_told else None


def _plain_compared(one: Compared) -> dict[str, object]:
    return {
        "variant": one.variant,
        "baseline": one.baseline,
        "scorer": one.scorer,
        "difference": round(one.difference.interval.value, 6),
        "interval": _plain_interval(one.difference.interval),
        "chance": round(one.chance, 6),
        "rows": one.difference.rows,
        "is_sure": one.is_sure,
        "times_tokens": round(one.times_tokens, 4),
        "times_cost": round(one.times_cost, 4),
        "words": one.words,
    }


def junit(opened: OpenExperiment, table: Table) -> str:
    """Write a suite for each variant and a case for each row, which fails where a repeat does not pass.

    It passes by the first scorer; rows that failed at the provider are errors, rows not run are skipped.
    """
    scorer = next(iter(opened.scorers), "")
    root = ET.Element("testsuites", name=opened.name)
    for variant in opened.variants:
        suite = ET.SubElement(root, "testsuite", name=f"{opened.name}/{variant}")
        counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        for place, row in enumerate(opened.dataset.rows):
            cells = [one for one in table.cells if one.variant == variant and one.row == place]
            trials = [table.trials[one.key] for one in cells if one.key in table.trials]
            seconds = f"{sum(one.seconds for one in trials):.3f}"
            case = ET.SubElement(suite, "testcase", classname=variant, name=row.id, time=seconds)
            counts["tests"] += 1
            if any(one.state is TrialState.PROVIDER for one in trials):
                counts["errors"] += 1
                told = "; ".join(one.error for one in trials if one.state is TrialState.PROVIDER)
                ET.SubElement(case, "error", message=_clean(told))
            elif wrong := _wrong(table, cells, scorer):
                counts["failures"] += 1
                ET.SubElement(case, "failure", message=_clean(wrong[0])).text = _clean("\n".join(wrong))
            elif not any(table.trial(one) for one in cells):
                counts["skipped"] += 1
                ET.SubElement(case, "skipped")
        for name, count in counts.items():
            suite.set(name, str(count))
    ET.indent(root)
    return ET.tostring(root, "unicode", xml_declaration=True) + "\n"


def _wrong(table: Table, cells: Sequence[Cell], scorer: str) -> list[str]:
    found: list[str] = []
    for cell in cells:
        score, trial = table.scores.get((cell.key, scorer)), table.trial(cell)
        if score is not None and trial is not None and score.ok is False:
            found.append(f"repeat {cell.repeat}, run {trial.run}: {score.reason or f'score {score.score}'}")
    return found


def _clean(text: str) -> str:
    """What XML can say of a text."""
    return "".join(one if one.isprintable() or one in "\n\t" else "\N{REPLACEMENT CHARACTER}" for one in text)


def html_report(opened: OpenExperiment, table: Table, report: Report) -> str:
    """Write one page that needs no network and runs nothing: all that stands in the data is text."""
    said = html.escape
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        _POLICY,
        f"<title>{said(report.experiment)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{said(report.experiment)}</h1>",
        f"<p>{report.rows} rows ({report.kind}) of <code>{said(report.dataset)}</code>, {report.digest}.</p>",
        f"<p>Repeats: {report.repeats}.</p>",
        _html_figures(opened, report),
        "<ul>",
        *(f"<li>{said(one.words)}</li>" for one in (*report.compared, *report.against_baseline)),
        *(f"<li>{said(one)}</li>" for one in report.notes),
        "</ul>",
        _html_rows(opened, table),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _html_figures(opened: OpenExperiment, report: Report) -> str:
    names = [*opened.scorers, "cost", "tokens", "seconds"]
    head = "".join(f"<th>{html.escape(one)}</th>" for one in ("variant", *names))
    lines = [
        "<tr>"
        f"<td>{html.escape(one.variant)}</td>"
        + "".join(f"<td>{_cell({**one.scores, **one.measures}.get(name))}</td>" for name in names)
        + "</tr>"
        for one in report.figures
    ]
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"


def _cell(found: Interval | None) -> str:
    if found is None:
        return "–"
    return f"{found.value:.4g}" + (f" ({found.low:.4g} to {found.high:.4g})" if found.is_told else "")


def _html_rows(opened: OpenExperiment, table: Table) -> str:
    """The table itself: rows in lines, variants in columns, by the first scorer."""
    scorer = next(iter(opened.scorers), "")
    head = "".join(f"<th>{html.escape(one)}</th>" for one in ("row", *opened.variants))
    by_place: dict[tuple[int, str], list[float]] = {}
    for cell in table.cells:
        score = table.scores.get((cell.key, scorer))
        if score is not None and score.score is not None:
            by_place.setdefault((cell.row, cell.variant), []).append(score.score)
    lines = [
        f"<tr><td>{html.escape(row.id)}</td>"
        + "".join(
            f"<td>{fmean(found):.3g}</td>" if (found := by_place.get((place, one))) else "<td>–</td>"
            for one in opened.variants
        )
        + "</tr>"
        for place, row in enumerate(opened.dataset.rows)
    ]
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"
