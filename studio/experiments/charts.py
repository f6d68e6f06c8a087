"""Charts of a report as plain shapes: the window paints them, and the HTML report writes them as SVG.

A chart is laid out in points, from the left upper corner; colours are roles (`tone`) that each theme fills.
All figures are those of the report; nothing is computed here but places.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10
from typing import Any, Literal, NamedTuple

from studio.trace import figures

Align = Literal["left", "middle", "right"]
Kind = Literal["bar", "line", "dot", "text"]

BAR, LINE, GAP, LETTER = 26, 16, 8, 6.6
"""Points: from bar to bar, the height of a line of text, between things, and the width of a letter."""

NAMES, FIGURES = 0.34, 0.24
"""The parts of a chart's width that the names of variants, and figures written out, have at most."""

NARROW = 340.0
"""A chart that is narrower leaves out what its tips say as well: intervals in words, every other mark."""

TONES = 6
"""Variants are told apart by so many colours, and by their shapes and names beside that."""

BINS = 10
LEAST = 76.0
"""Points of width that a histogram has at least."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One shape: a bar (x, y, width, height), a line (to x + width, y + height), a dot, or a text at x, y.

    `tone` is `ink`, `muted`, `line`, or `series.N` from 0; `tip` is what is told of it when it is looked at.
    """

    kind: Kind
    x: float
    y: float
    width: float = 0.0
    height: float = 0.0
    tone: str = "ink"
    text: str = ""
    align: Align = "left"
    tip: str = ""
    shape: int = 0
    """Of a dot: which of the shapes tells it from others."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Shapes on a ground of a size; `words` says the same to those who cannot see it."""

    title: str
    width: float
    height: float
    marks: Sequence[Mark]
    words: str

    def tip_at(self, x: float, y: float) -> str:
        """Tell of the shape at a place; empty where there is none that says something."""
        for one in reversed(self.marks):
            reach = GAP if one.kind in {"dot", "line"} else 0
            if one.tip and _holds(one, x, y, reach):
                return one.tip
        return ""


Effects = Sequence[tuple[str, float, tuple[float, float] | None]]
"""What factors do: names, differences of scores, and from where to where they may be."""


class Figure(NamedTuple):
    """A mean as a report has it, and from where to where it may be; None where nobody can tell."""

    value: float
    between: tuple[float, float] | None


def tone_of(number: int) -> str:
    """Give the tone of the variant of this number, from 0."""
    return f"series.{number % TONES}"


def figure_of(found: object) -> Figure | None:
    """Read a figure of a plain report (`report_files.plain_report`)."""
    if not isinstance(found, Mapping):
        return None
    plain: Mapping[str, Any] = found  # pyright: ignore[reportUnknownVariableType]
    between = plain.get("interval")
    return Figure(float(plain["mean"]), (float(between[0]), float(between[1])) if between else None)


def said_share(found: Figure) -> str:
    """Write a score in percent, with its interval."""
    if found.between is None:
        return f"{100 * found.value:.0f} %"
    low, high = found.between
    return f"{100 * found.value:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def signed_points(value: float, spec: str = "+.1f") -> str:
    """Write a difference of scores in points, as the format `spec` has it, with the sign for minus."""
    return f"{100 * value:{spec}}".replace("-", "\N{MINUS SIGN}")


def said_between(between: tuple[float, float]) -> str:
    """Write from where to where a difference of scores may be, in points."""
    return " to ".join(map(signed_points, between))


def said_amount(value: float, measure: str) -> str:
    """Write a measure of a trial: `cost` in US dollars, `seconds`, or a number."""
    if measure == "cost":
        return figures.cost(value)
    if measure == "seconds":
        return figures.duration(value)
    return f"{value:,.0f}" if value >= 100 or value == floor(value) else f"{value:.3g}"


def score_bars(report: Mapping[str, Any], scorer: str, width: float) -> Chart:
    """Draw a bar for each variant's score by a scorer, and its interval."""
    named = {name: figure_of(one["scores"].get(scorer)) for name, one in report["variants"].items()}
    marks: list[Mark] = []
    words: list[str] = []
    said = {name: _said_score(one, width) for name, one in named.items() if one is not None}
    left, right = _margins(named, width, list(said.values()))
    room = width - left - right
    for at in range(5):
        x = left + room * at / 4
        marks.append(Mark("line", x, 0, 0, BAR * len(named), "line"))
        marks.append(
            Mark("text", x, BAR * len(named) + LINE, tone="muted", text=f"{25 * at}", align="middle")
        )
    for number, (name, found) in enumerate(named.items()):
        y = BAR * number + BAR / 2
        marks.append(Mark("text", left - GAP, y + 4, text=_short(name, left), align="right", tip=name))
        if found is None:
            marks.append(Mark("text", left + GAP, y + 4, tone="muted", text="no score"))
            words.append(f"{name}: no score")
            continue
        told = f"{name}: {said_share(found)}"
        words.append(told)
        value = room * min(max(found.value, 0.0), 1.0)
        marks.append(Mark("bar", left, y - 7, max(value, 1.0), 14, tone_of(number), tip=told))
        if found.between is not None:
            low, high = (left + room * min(max(one, 0.0), 1.0) for one in found.between)
            marks += (Mark("line", low, y, high - low, 0, "ink", tip=told), *_ends(low, high, y))
        marks.append(Mark("text", width - right + GAP, y + 4, text=said[name]))
    title = f"Score by {scorer}, in percent, with 95 % intervals"
    return Chart(title, width, BAR * len(named) + LINE + GAP, marks, f"{title}. {'; '.join(words)}.")


def cost_scatter(report: Mapping[str, Any], scorer: str, width: float, height: float = 220.0) -> Chart:
    """Draw scores over what a trial costs, with the variants that none beats in both (the Pareto front).

    Where nothing costs anything, or prices are not known, it is drawn over tokens.
    """
    measure, said = _measure(report)
    points: list[tuple[int, str, Figure, Figure]] = []
    for number, (name, one) in enumerate(report["variants"].items()):
        score, spent = figure_of(one["scores"].get(scorer)), figure_of(one["measures"].get(measure))
        if score is not None and spent is not None:
            points.append((number, name, spent, score))
    title = f"Score by {scorer} over {said}"
    if not points:
        empty = Mark("text", width / 2, height / 2, tone="muted", text="No trials yet", align="middle")
        return Chart(title, width, height, (empty,), f"{title}: no trials yet.")
    left, top, below = 44.0, GAP, 2.5 * LINE
    room, rise = width - left - 2 * GAP, height - top - below
    most = _round_up(max(one[2].value for one in points) * 1.1)
    bottom = top + rise

    def across(spent: float) -> float:
        return left + room * spent / most

    def upward(score: float) -> float:
        return bottom - rise * min(max(score, 0.0), 1.0)

    marks: list[Mark] = []
    for at in range(5):
        y, x = upward(at / 4), left + room * at / 4
        marks.append(Mark("line", left, y, room, 0, "line"))
        marks.append(Mark("text", left - GAP, y + 4, tone="muted", text=f"{25 * at} %", align="right"))
        if at % 2 and width < NARROW:
            continue
        amount = said_amount(most * at / 4, measure)
        align: Align = "right" if at == 4 else "middle"
        marks.append(Mark("text", x, bottom + LINE, tone="muted", text=amount, align=align))
    marks.append(Mark("text", left + room / 2, bottom + 2 * LINE, tone="muted", text=said, align="middle"))
    front = front_of([(spent.value, score.value) for _, _, spent, score in points])
    steps = sorted((points[at][2].value, points[at][3].value) for at in front)
    marks += _stairs([(across(x), upward(y)) for x, y in steps], left + room)
    taken: list[tuple[float, float]] = []
    names: list[Mark] = []
    """Drawn last, on a ground of their own: lines of others would strike them out."""
    for at, (number, name, spent, score) in enumerate(points):
        x, y = across(spent.value), upward(score.value)
        told = f"{name}: {said_share(score)}, {said_amount(spent.value, measure)}"
        if score.between is not None:
            low, high = map(upward, score.between)
            marks.append(Mark("line", x, high, 0, low - high, tone_of(number), tip=told))
        size = 5.0 if at in front else 4.0
        marks.append(Mark("dot", x, y, size, size, tone_of(number), tip=told, shape=number))
        is_left = x > left + 0.6 * room
        is_struck = at in front and not is_left  # by the line that leads on from it to the right
        place = _free(taken, x, y + 4 + (LINE - 4 if y + LINE < bottom else -LINE) * is_struck)
        beside = x - 10 if is_left else x + 10
        names.append(
            Mark("text", beside, place, text=_short(name, room / 2), align="right" if is_left else "left")
        )
    marks += names
    best = ", ".join(points[at][1] for at in front)
    words = "; ".join(
        f"{name}: {said_share(score)}, {said_amount(spent.value, measure)}"
        for _, name, spent, score in points
    )
    return Chart(title, width, height, marks, f"{title}. {words}. On the Pareto front: {best}.")


def score_histograms(counts: Mapping[str, Sequence[int]], width: float) -> Chart:
    """Draw for each variant how many rows have which mean score, in ten steps from 0 to 100 %."""
    marks: list[Mark] = []
    words: list[str] = []
    across = max(1, min(len(counts), int(width // LEAST)))
    room, tall = width / across, 92.0
    most = max((max(one, default=0) for one in counts.values()), default=0) or 1
    for number, (name, found) in enumerate(counts.items()):
        left, top = (number % across) * room, (number // across) * (tall + 2 * LINE)
        base, step = top + tall, (room - 2 * GAP) / BINS
        marks.append(Mark("text", left, top + 12, text=_short(name, room), tip=name))
        marks.append(Mark("line", left, base, room - 2 * GAP, 0, "line"))
        for at, count in enumerate(found):
            high = (tall - LINE - GAP) * count / most
            told = f"{name}: {count} {'row' if count == 1 else 'rows'} from {10 * at} to {10 * at + 10} %"
            if count:
                marks.append(
                    Mark("bar", left + at * step, base - high, step - 2, high, tone_of(number), tip=told)
                )
        marks.append(Mark("text", left, base + LINE - 3, tone="muted", text="0"))
        end = left + room - 2 * GAP
        marks.append(Mark("text", end, base + LINE - 3, tone="muted", text="100 %", align="right"))
        words.append(f"{name}: {', '.join(map(str, found))}")
    lines = -(-len(counts) // across)
    title = "Rows by score"
    said = f"{title}, in ten steps from 0 to 100 percent. {'; '.join(words)}."
    return Chart(title, width, lines * (tall + 2 * LINE), marks, said)


def effect_points(effects: Effects, width: float) -> Chart:
    """Draw differences of scores in points, and their intervals, on both sides of none."""
    ends = [abs(one) for _, value, between in effects for one in (value, *(between or ()))]
    most = _round_up(100 * max(ends, default=0.0)) / 100
    names = {name: None for name, _, _ in effects}
    left, right = _margins(names, width, ["+100"])
    room, below = width - left - right, BAR * len(effects)

    def across(value: float) -> float:
        return left + room * (0.5 + value / most / 2)

    marks: list[Mark] = []
    for at in (-1.0, -0.5, 0.0, 0.5, 1.0):
        marks.append(Mark("line", across(at * most), 0, 0, below, "line" if at else "muted"))
        said = signed_points(at * most, "+g") if at else "0"
        marks.append(Mark("text", across(at * most), below + LINE, tone="muted", text=said, align="middle"))
    words: list[str] = []
    for number, (name, value, between) in enumerate(effects):
        y = BAR * number + BAR / 2
        told = f"{name}: {signed_points(value)} points"
        if between is not None:
            low, high = map(across, between)
            told += f" ({said_between(between)})"
            marks += (Mark("line", low, y, high - low, 0, "ink", tip=told), *_ends(low, high, y))
        words.append(told)
        marks.append(Mark("text", left - GAP, y + 4, text=_short(name, left), align="right", tip=name))
        marks.append(Mark("dot", across(value), y, 4.5, 4.5, tone_of(0), tip=told))
        marks.append(Mark("text", width - right + GAP, y + 4, text=signed_points(value, "+.0f")))
    title = "Effects in points, with 95 % intervals"
    return Chart(title, width, below + LINE + GAP, marks, f"{title}. {'; '.join(words)}.")


def front_of(points: Sequence[tuple[float, float]]) -> list[int]:
    """Give the places of points (cost, score) that no other beats in one of both and equals in the other."""

    def beats(other: tuple[float, float], one: tuple[float, float]) -> bool:
        return other[0] <= one[0] and other[1] >= one[1] and other != one

    return [at for at, one in enumerate(points) if not any(beats(other, one) for other in points)]


def _measure(report: Mapping[str, Any]) -> tuple[str, str]:
    """What trials are held against, and how that is called."""
    costs = [figure_of(one["measures"].get("cost")) for one in report["variants"].values()]
    if not any(one and one.value > 0 for one in costs):
        return "tokens", "tokens of a trial"
    return "cost", "simulated cost of a trial" if report.get("is_free") else "cost of a trial"


def _stairs(points: Sequence[tuple[float, float]], end: float) -> Iterator[Mark]:
    """The front as it is: the best score that is had for at most so much."""
    for (x, y), (further, up) in pairwise(points):
        yield Mark("line", x, y, further - x, 0, "muted")
        yield Mark("line", further, y, 0, up - y, "muted")
    if points:
        x, y = points[-1]
        yield Mark("line", x, y, end - x, 0, "muted")


def _free(taken: list[tuple[float, float]], x: float, y: float) -> float:
    """Give a place for a name on which none stands yet, below the wanted one where it has to be."""
    while any(abs(x - one) < 120 and abs(y - other) < LINE - 2 for one, other in taken):
        y += LINE - 2
    taken.append((x, y))
    return y


def _said_score(found: Figure, width: float) -> str:
    return said_share(found) if width >= NARROW else f"{100 * found.value:.0f} %"


def _margins(named: Mapping[str, object], width: float, figures: Sequence[str]) -> tuple[float, float]:
    left = min(max((len(one) for one in named), default=0) * LETTER + 2 * GAP, width * NAMES)
    right = min(max(map(len, figures), default=0) * LETTER + 2 * GAP, width * FIGURES)
    return max(left, 48.0), max(right, 40.0)


def _ends(low: float, high: float, y: float) -> tuple[Mark, Mark]:
    return Mark("line", low, y - 4, 0, 8, "ink"), Mark("line", high, y - 4, 0, 8, "ink")


def _short(text: str, room: float) -> str:
    most = max(int(room / LETTER) - 1, 4)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _round_up(value: float) -> float:
    """Give the next number that reads well: 1, 2, 4, 5 or 8 of its digits' place."""
    if value <= 0:
        return 1.0
    unit = 10 ** floor(log10(value))
    return next(step * unit for step in (1, 2, 4, 5, 8, 10) if step * unit >= value)


def _holds(one: Mark, x: float, y: float, reach: float) -> bool:
    left, right = sorted((one.x, one.x + (one.width if one.kind != "dot" else 0)))
    top, bottom = sorted((one.y, one.y + (one.height if one.kind != "dot" else 0)))
    if one.kind == "text":
        return False
    return left - reach <= x <= right + reach and top - reach <= y <= bottom + reach
