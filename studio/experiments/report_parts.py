"""The report as parts with tables and charts: the window shows them, and the HTML report writes them.

All is told from the plain report (`report_files.plain_report`); one that was kept by an earlier version lacks
some of it, and then has fewer parts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.experiments.charts import (
    Effects,
    figure_of,
    said_amount,
    said_between,
    said_share,
    signed_points,
)
from studio.experiments.figures.sequential import confidence

SPENT = ("cost", "tokens", "seconds")
COMPARED = ("variant", "compared with", "scorer")

Plain = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of words: what heads its columns, of which the first `names` are no figures, and its lines."""

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[str]]
    names: int = 1


@dataclass(frozen=True, slots=True)
class Part:
    """What is told under one heading: how to read it, tables, what factors do as a chart, sentences."""

    title: str
    about: str = ""
    grids: Sequence[Grid] = ()
    effects: Effects = ()
    words: Sequence[str] = ()


def parts_of(report: Plain) -> list[Part]:
    """Give the parts of a plain report that it has something for, in the order in which they are read."""
    makers = (_figures, _differences, _budgets, _factors, _judges, _early_end, _notes)
    return [part for make in makers for part in make(report)]


def bare(words: str) -> str:
    """Give a sentence without the marks around names, which a terminal needs."""
    return words.replace("`", "")


def _figures(report: Plain) -> Iterator[Part]:
    variants: Mapping[str, Plain] = report["variants"]
    scorers = list(dict.fromkeys(name for one in variants.values() for name in one["scores"]))
    tries = list(dict.fromkeys(count for one in variants.values() for count in one["pass_at"]))
    named = {
        name: f"{name} (simulated)" if name == "cost" and report.get("is_free") else name
        for name in SPENT
        if any(name in one["measures"] for one in variants.values())
    }
    head = ["variant", *scorers, *(f"{how}{one}" for one in tries for how in ("pass@", "pass^"))]
    lines: list[list[str]] = []
    for name, one in variants.items():
        cells = [name]
        for scorer in scorers:
            found = figure_of(one["scores"].get(scorer))
            cells.append(said_share(found) if found else "–")
        for count in tries:
            for kind in ("pass_at", "pass_all"):
                share = one[kind].get(count)
                cells.append("–" if share is None else f"{100 * share:.0f} %")
        for measure in named:
            found = figure_of(one["measures"].get(measure))
            cells.append(said_amount(found.value, measure) if found else "–")
        lines.append([*cells, f"{one['trials']:,}", f"{one['failed']:,}"])
    about = "Scores with 95 % intervals; cost, tokens and seconds are means of a trial."
    if report.get("is_free"):
        about += " Answers were simulated or scripted: nothing was paid."
    yield Part("Figures", about, [Grid("", [*head, *named.values(), "trials", "failed"], lines)])


def _differences(report: Plain) -> Iterator[Part]:
    found: Sequence[Plain] = [*report["compared"], *report["against_baseline"]]
    if not found:
        return
    head = [*COMPARED, "points", _interval_named(report), "p", "rows"]
    lines = [
        [
            one["variant"],
            one["baseline"],
            one["scorer"],
            *_points(one),
            f"{one['chance']:.2g}",
            f"{one['rows']:,}",
        ]
        for one in found
    ]
    about = "Paired by row and repeat; p is corrected for the number of variants (Holm)."
    yield Part("Differences", about, [Grid("", head, lines, names=3)])


def _budgets(report: Plain) -> Iterator[Part]:
    found: Sequence[Plain] = [one for one in report["compared"] if one["equal_budget"]]
    if not found:
        return
    head = [
        *COMPARED,
        "cheaper",
        "tokens",
        "cost",
        "tries",
        "their majority",
        "the best of them",
        "points then",
    ]
    lines: list[list[str]] = []
    for one in found:
        equal: Plain = one["equal_budget"]
        majority, apart = figure_of(equal["majority"]), figure_of(equal["difference"])
        worth = [said_share(majority), f"{100 * equal['best']:.0f} %"] if majority else ["–", "–"]
        then = "–" if apart is None else said_points(apart.value, apart.between)
        times = [f"{one[name]:.2f} ×" if one[name] else "–" for name in ("times_tokens", "times_cost")]
        named = [one["variant"], one["baseline"], one["scorer"], equal["cheaper"], *times]
        lines.append([*named, f"{equal['tries']:.1f}", *worth, then])
    about = (
        "What the cheaper variant scores with as many tries as the dearer one’s budget pays for, and by how "
        "many points the variant is then above the one that it is compared with."
    )
    is_unknown = any(one["equal_budget"]["majority"] is None for one in found)
    more = ("More repeats would tell what so many tries are worth.",) if is_unknown else ()
    yield Part("At equal budget", about, [Grid("", head, lines, names=4)], words=more)


def _factors(report: Plain) -> Iterator[Part]:
    effects: Sequence[Plain] = report["effects"]
    if not effects:
        return
    columns = ["points", "95 % interval", "p"]
    mains = [
        [one["factor"], one["level"], one["than"], *_points(one), f"{one['chance']:.2g}"] for one in effects
    ]
    grids = [Grid("Main effects", ["factor", "level", "compared with", *columns], mains, names=3)]
    together: Sequence[Plain] = report.get("interactions", ())
    drawn = [(f"{one['factor']}: {one['level']}", one["difference"], _between(one)) for one in effects]
    if together:
        head = ["level", "with", "compared with", *columns]
        lines = [[*_pair(one), one["other"][2], *_points(one), f"{one['chance']:.2g}"] for one in together]
        grids.append(Grid("Interactions", head, lines, names=3))
        drawn += [(" with ".join(_pair(one)), one["difference"], _between(one)) for one in together]
    about = (
        "A main effect is by how many points a level scores above the first of its factor, over all other "
        "factors. An interaction is by how many points that is more with a level of another factor than with "
        "its first."
    )
    yield Part("Factors", about, grids, drawn)


def _judges(report: Plain) -> Iterator[Part]:
    for scorer, one in report["judges"].items():
        found: Plain = one["confusion"]
        grid = Grid(
            "Labelled trials",
            ["", "people pass", "people fail"],
            [
                ["scorer passes", f"{found['both_pass']:,}", f"{found['judge_alone']:,}"],
                ["scorer fails", f"{found['people_alone']:,}", f"{found['both_fail']:,}"],
            ],
        )
        grids = [grid]
        rates = [
            [words, _rate(one[name])]
            for name, words in (
                ("sensitivity", "of what people pass, passed by the scorer"),
                ("specificity", "of what people fail, failed by the scorer"),
            )
            if one.get(name)
        ]
        if one.get("kappa"):
            rates.append(["Cohen’s kappa", _number(one["kappa"])])
        for each in one["agreed"]:
            people = f"{' and '.join(each['between'])}, {each['same']} of {each['trials']} the same"
            rates.append([f"{people}: kappa", _number(each["kappa"])])
        if rates:
            grids.append(Grid("Agreement", ["", "95 % interval"], rates))
        if one["corrected"]:
            lines = [
                [name, _rate(report["variants"][name]["scores"].get(scorer)), _rate(rate)]
                for name, rate in one["corrected"].items()
                if name in report["variants"]
            ]
            grids.append(Grid("Scores", ["variant", "by the scorer", "corrected for its errors"], lines))
        words: list[str] = []
        if one["split"]:
            words.append(f"People disagree evenly about {one['split']} of the trials, which are left out.")
        if one["not_blind"]:
            words.append(f"{one['not_blind']} of the labels were not given blind.")
        about = f"{one['trials']:,} trials labelled by {', '.join(one['people'])}."
        yield Part(f"“{scorer}” against human labels", about, grids, words=words)


def _early_end(report: Plain) -> Iterator[Part]:
    look: Plain | None = report["look"]
    if look is None:
        return
    looks: Sequence[Plain] = report.get("looks") or [look]
    each = len(report["variants"])
    lines: list[list[str]] = []
    for one in looks:
        is_had = one["number"] <= look["number"] and report.get("done", 0) >= one["pairs"] * each
        state = "to come"
        if look["is_end"] and one["number"] >= look["number"]:
            state = "decided: it ended here" if one["number"] == look["number"] else "not needed"
        elif is_had:
            state = "went on" if one["number"] < one["of"] else "the end"
        lines.append([f"{one['number']}", state, f"{one['pairs']:,}", f"{one['level']:.2g}"])
    grid = Grid("", ["look", "what came of it", "rows and repeats", "decided at p below"], lines, names=2)
    yield Part("Early stop", "", [grid], words=[bare(look["words"])] if "words" in look else ())


def _notes(report: Plain) -> Iterator[Part]:
    """What the figures hide, without what a part of its own tells."""
    told = {one.get("budget_words") for one in report["compared"]}
    told |= {one["equal_budget"].get("words") for one in report["compared"] if one["equal_budget"]}
    look: Plain = report["look"] or {}
    told.add(look.get("words"))
    notes = [bare(one) for one in report["notes"] if one not in told]
    if notes:
        yield Part("Notes", words=notes)


def said_points(value: float, between: tuple[float, float] | None) -> str:
    """Write a difference in points, with its interval."""
    told = signed_points(value)
    return told if between is None else f"{told} ({said_between(between)})"


def _points(one: Plain) -> tuple[str, str]:
    between = _between(one)
    return signed_points(one["difference"]), "unknown" if between is None else said_between(between)


def _between(one: Plain) -> tuple[float, float] | None:
    return (float(one["interval"][0]), float(one["interval"][1])) if one["interval"] else None


def _interval_named(report: Plain) -> str:
    level = report["look"]["level"] if report["look"] else 0.05
    return f"{confidence(level)} interval"


def _pair(one: Plain) -> tuple[str, str]:
    (factor, level, _), (other, beside, _) = one["one"], one["other"]
    return f"{factor}: {level}", f"{other}: {beside}"


def _rate(found: object) -> str:
    told = figure_of(found)
    return "–" if told is None else said_share(told)


def _number(found: object) -> str:
    told = figure_of(found)
    if told is None:
        return "all say the same of everything"
    between = f" ({told.between[0]:.2f} to {told.between[1]:.2f})" if told.between else ""
    return f"{told.value:.2f}{between}"
