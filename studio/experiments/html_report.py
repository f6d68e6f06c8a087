"""The report as one HTML file: needs no network, runs nothing, and takes all that stands in data as text."""

import html
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from studio.experiments.charts import (
    BINS,
    Chart,
    Mark,
    cost_scatter,
    effect_points,
    score_bars,
    score_histograms,
)
from studio.experiments.headlines import headlines, provisional
from studio.experiments.opening import OpenExperiment
from studio.experiments.report import Report
from studio.experiments.report_files import plain_report
from studio.experiments.report_parts import Grid, Part, parts_of
from studio.experiments.statistics import Rows
from studio.experiments.table import Table, scores_of
from studio.experiments.trials import TrialState
from studio.trace.figures import counted

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Whatever stood in the data, nothing of it is fetched or run."""

WIDTH = 640.0
SHOWN = 5_000
"""Rows that the file lists; more are in the window, and in the JSON report."""

GOOD, BAD = 0.8, 0.4
"""Scores above and below which a cell is coloured; between them it is grey."""

LONGEST = 400
"""Characters of a reason that stand beside a score."""

_STYLE = """
:root { color-scheme: light dark; --ink: #14171d; --muted: #535c6b; --line: #d9dde4; --ground: #ffffff;
  --panel: #f2f4f7; --s0: #1f6fb5; --s1: #b85c00; --s2: #0b7f72; --s3: #9b4f96; --s4: #7a6a00; --s5: #5c6575;
  --bad: #f8d9bf; --middle: #eceff3; --good: #cfe2f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #eef1f6; --muted: #a0a9b8; --line: #333946;
  --ground: #16181d; --panel: #1e2128; --s0: #6db3f2; --s1: #f0a04b; --s2: #4fc4b0; --s3: #d99ad4;
  --s4: #d8c24a; --s5: #a7afbd; --bad: #5a3a1e; --middle: #2e333d; --good: #1f3f63; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem;
  background: var(--ground); color: var(--ink); }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p.about, figcaption, .muted { color: var(--muted); } ul { padding-left: 1.2rem; }
p.verdict { font-size: 1.15rem; font-weight: 600; margin: .25rem 0; overflow-wrap: anywhere; }
p.provisional { color: var(--s1); font-weight: 600; margin: .75rem 0 0; }
caption { text-align: left; font-weight: 600; padding: .75rem .6rem .25rem; }
.charts { display: flex; flex-wrap: wrap; gap: 2rem; } figure { margin: 0; flex: 0 1 34rem; }
figure.effects { max-width: 40rem; } .charts { margin-top: 1.25rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; } th { position: sticky; top: 0; background: var(--ground); }
td.number, th.number { text-align: right; } td small { display: block; color: var(--ink); opacity: .85; }
td.bad { background: var(--bad); } td.middle { background: var(--middle); }
td.good { background: var(--good); }
svg { width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg text.ink { paint-order: stroke; stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round; }
svg .muted { fill: var(--muted); stroke: var(--muted); } svg text.muted { stroke: none; }
svg .line { stroke: var(--line); } svg line.ink { stroke: var(--ink); }
""" + "".join(
    f"svg .s{number} {{ fill: var(--s{number}); stroke: var(--s{number}); }}\n" for number in range(6)
)

_NUMBER = ' class="number"'
_CLASSES = {"ink": "ink", "muted": "muted", "line": "line"}


def html_report(opened: OpenExperiment, table: Table, report: Report) -> str:
    """Write one page: what may be said, charts, figures, and the rows with scores and reasons."""
    plain = plain_report(report, table)
    scorer, scores = next(iter(scores_of(opened, table).items()), ("", dict[str, Rows]()))
    kind = "a sample of others like them" if report.kind == "sample" else "all there are"
    about = (
        f"{counted(report.rows, 'row')} ({kind}) of <code>{_said(report.dataset)}</code> "
        f"({_said(report.digest)}), {counted(len(report.figures), 'variant')}, "
        f"{counted(report.repeats, 'trial')} each."
    )
    early = provisional(plain)
    page = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_said(report.experiment)}</title><style>{_STYLE}</style></head><body><main>",
        f'<h1>{_said(report.experiment)}</h1><p class="about">{about}</p>',
        *([f'<p class="provisional">{_said(early)}</p>'] if early else []),
        *(f'<p class="verdict">{_said(one)}</p>' for one in headlines(plain, scorer)),
        *_charts(plain, scorer, scores),
        *(written for part in parts_of(plain) for written in _part(part)),
        f"<h2>Rows{f', by {_said(scorer)}' if scorer else ''}</h2>",
        _rows(opened, table, scorer, scores),
        "</main></body></html>\n",
    ]
    return "\n".join(page)


def svg_of(chart: Chart) -> str:
    """Write a chart as SVG, with its words for those who cannot see it."""
    shapes = "".join(_shape(one) for one in chart.marks)
    size = f'viewBox="0 0 {chart.width:g} {chart.height:g}"'
    return f'<svg {size} role="img" aria-label="{_said(chart.words)}">{shapes}</svg>'


def _part(part: Part) -> Iterator[str]:
    yield f"<h2>{_said(part.title)}</h2>"
    if part.about:
        yield f'<p class="muted">{_said(part.about)}</p>'
    if part.effects:
        yield f'<figure class="effects">{svg_of(effect_points(part.effects, WIDTH))}</figure>'
    for grid in part.grids:
        yield _grid(grid)
    if part.words:
        yield f"<ul>{''.join(f'<li>{_said(one)}</li>' for one in part.words)}</ul>"


def _grid(grid: Grid) -> str:
    title = f"<caption>{_said(grid.title)}</caption>" if grid.title else ""
    lines = [_line(grid, one, "th") for one in [grid.head]] + [_line(grid, one, "td") for one in grid.lines]
    return f'<div class="scroll"><table>{title}{"".join(lines)}</table></div>'


def _line(grid: Grid, cells: Sequence[str], tag: str) -> str:
    written = (
        f"<{tag}{'' if at < grid.names else _NUMBER}>{_said(one)}</{tag}>" for at, one in enumerate(cells)
    )
    return f"<tr>{''.join(written)}</tr>"


def _charts(plain: Mapping[str, Any], scorer: str, scores: Mapping[str, Rows]) -> list[str]:
    if not scorer:
        return []
    charts = (
        score_bars(plain, scorer, WIDTH),
        cost_scatter(plain, scorer, WIDTH),
        score_histograms(_counts(scores), WIDTH),
    )
    figures = (f"<figure><figcaption>{_said(one.title)}</figcaption>{svg_of(one)}</figure>" for one in charts)
    return ['<div class="charts">', *figures, "</div>"]


def _counts(scores: Mapping[str, Rows]) -> dict[str, list[int]]:
    """How many rows of each variant have which mean score."""
    found = {name: [0] * BINS for name in scores}
    for variant, by_row in scores.items():
        for values in by_row.values():
            found[variant][min(int(fmean(values) * BINS), BINS - 1)] += 1
    return found


def _rows(opened: OpenExperiment, table: Table, scorer: str, scores: Mapping[str, Rows]) -> str:
    """The table itself: rows in lines, variants in columns, scores with the first reason."""
    reasons = _reasons(table, scorer)
    head = "".join(f"<th>{_said(one)}</th>" for one in ("row", *opened.variants))
    lines: list[str] = []
    for place, row in enumerate(opened.dataset.rows[:SHOWN]):
        cells = [f"<td>{_said(row.id)}</td>"]
        for name in opened.variants:
            found = scores.get(name, {}).get(row.id)
            reason = reasons.get((place, name), "")
            small = f"<small>{_said(_cut(reason))}</small>" if reason else ""
            if found:
                mean = fmean(found)
                cells.append(f'<td class="{_grade(mean)}">{100 * mean:.0f} %{small}</td>')
            else:
                cells.append(f'<td class="muted">–{small}</td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    left = len(opened.dataset.rows) - SHOWN
    more = f'<p class="muted">{left:,} more rows are not listed here.</p>' if left > 0 else ""
    return f'<div class="scroll"><table><tr>{head}</tr>{"".join(lines)}</table></div>{more}'


def _reasons(table: Table, scorer: str) -> dict[tuple[int, str], str]:
    """Why a trial did not score full, or was not scored: of the first repeat that says so."""
    found: dict[tuple[int, str], str] = {}
    for cell in table.cells:
        trial, score = table.trials.get(cell.key), table.scores.get((cell.key, scorer))
        why = ""
        if score is not None and (score.score is None or score.score < 1):
            why = score.reason
        elif trial is not None and trial.state is TrialState.PROVIDER:
            why = trial.error
        if why:
            found.setdefault((cell.row, cell.variant), why)
    return found


def _shape(one: Mark) -> str:
    tone = _CLASSES.get(one.tone) or f"s{one.tone.rpartition('.')[2]}"
    tip = f"<title>{_said(one.tip)}</title>" if one.tip else ""
    x, y, width, height = (round(value, 1) for value in (one.x, one.y, one.width, one.height))
    if one.kind == "text":
        anchor = {"left": "start", "middle": "middle", "right": "end"}[one.align]
        return f'<text class="{tone}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{_said(one.text)}</text>'
    if one.kind == "line":
        return (
            f'<line class="{tone}" x1="{x:g}" y1="{y:g}" x2="{x + width:g}" y2="{y + height:g}">{tip}</line>'
        )
    if one.kind == "bar":
        place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        return f'<rect class="{tone}" {place} rx="2">{tip}</rect>'
    corners = " ".join(f"{a:g},{b:g}" for a, b in dot_corners(x, y, width, one.shape))
    if not corners:
        return f'<circle class="{tone}" cx="{x:g}" cy="{y:g}" r="{width:g}">{tip}</circle>'
    return f'<polygon class="{tone}" points="{corners}">{tip}</polygon>'


def dot_corners(x: float, y: float, size: float, shape: int) -> list[tuple[float, float]]:
    """Give the corners of a dot's shape: a square, a diamond, triangles; none of a circle."""
    ways: Sequence[Sequence[tuple[float, float]]] = (
        (),
        ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
        ((0, -1.3), (1.2, 1), (-1.2, 1)),
        ((0, 1.3), (1.2, -1), (-1.2, -1)),
        ((-1.3, 0), (1, -1.2), (1, 1.2)),
    )
    return [(x + size * across, y + size * down) for across, down in ways[shape % len(ways)]]


def _grade(score: float) -> str:
    return "good" if score > GOOD else "bad" if score < BAD else "middle"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _said(text: str) -> str:
    """A text as text; what is no character on a page is replaced."""
    return html.escape(
        "".join(one if one.isprintable() or one in "\n\t" else "\N{REPLACEMENT CHARACTER}" for one in text)
    )
