"""A report for other programs: JSON, and JUnit for continuous integration."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from xml.etree import ElementTree as ET  # nothing is parsed

from studio.experiments.comparisons import Compared
from studio.experiments.figures.budgets import EqualBudget
from studio.experiments.figures.factors import Effect, Interaction
from studio.experiments.figures.judges import JudgeFigures
from studio.experiments.opening import OpenExperiment
from studio.experiments.report import Figures, Report
from studio.experiments.statistics import Difference, Interval
from studio.experiments.table import Table
from studio.experiments.trials import Cell, TrialState
from studio.trace.figures import counted


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
        "effects": [_plain_effect(one) for one in report.effects],
        "interactions": [_plain_interaction(one) for one in report.interactions],
        "judges": {one.scorer: _plain_judge(one) for one in report.judges},
        "look": None if report.look is None else {**asdict(report.look), "words": report.look.words},
        "looks": [asdict(one) for one in report.looks],
        "done": report.done,
        "total": report.total,
        "is_free": report.is_free,
        "notes": list(report.notes),
    }


def _plain_effect(one: Effect) -> dict[str, object]:
    return {
        "factor": one.factor,
        "level": one.level,
        "than": one.than,
        **_plain_difference(one.difference, one.chance),
        "words": one.words,
    }


def _plain_interaction(one: Interaction) -> dict[str, object]:
    return {
        "one": list(one.one),
        "other": list(one.other),
        **_plain_difference(one.difference, one.chance),
        "words": one.words,
    }


def _plain_difference(found: Difference, chance: float) -> dict[str, object]:
    """A difference with its interval, and the chance of as much, corrected."""
    return {
        "difference": round(found.interval.value, 6),
        "interval": _plain_interval(found.interval),
        "chance": round(chance, 6),
    }


def _plain_judge(one: JudgeFigures) -> dict[str, object]:
    confusion = one.confusion
    rates = {"sensitivity": confusion.sensitivity, "specificity": confusion.specificity, "kappa": one.kappa}
    return {
        "people": list(one.people),
        "trials": confusion.count,
        "confusion": asdict(confusion),
        **{name: None if found is None else _plain_figure(found) for name, found in rates.items()},
        "agreed": [
            {
                "between": [each.one, each.other],
                "trials": each.trials,
                "same": each.same,
                "kappa": None if each.kappa is None else _plain_figure(each.kappa),
            }
            for each in one.agreed
        ],
        "corrected": _plain_intervals(one.corrected),
        "not_blind": one.seen,
        "split": one.split,
        "words": list(one.words),
    }


def _plain_figures(one: Figures) -> dict[str, object]:
    return {
        "rows": one.rows,
        "trials": one.trials,
        "failed": one.failed,
        "failed_at_provider": one.provider,
        "unscored": one.unscored,
        "why_failed": dict(one.why_failed),
        "why_failed_at_provider": dict(one.why_provider),
        "why_unscored": dict(one.why_unscored),
        "scores": _plain_intervals(one.scores),
        "measures": _plain_intervals(one.measures),
        "pass_at": {str(tries): round(found, 4) for tries, (found, _) in one.passes.items()},
        "pass_all": {str(tries): round(found, 4) for tries, (_, found) in one.passes.items()},
    }


def _plain_intervals(found: Mapping[str, Interval]) -> dict[str, object]:
    return {name: _plain_figure(one) for name, one in found.items()}


def _plain_figure(one: Interval) -> dict[str, object]:
    return {"mean": round(one.value, 6), "interval": _plain_interval(one)}


def _plain_interval(one: Interval) -> list[float] | None:
    return [round(one.low, 6), round(one.high, 6)] if one.is_told else None


def _plain_compared(one: Compared) -> dict[str, object]:
    return {
        "variant": one.variant,
        "baseline": one.baseline,
        "scorer": one.scorer,
        **_plain_difference(one.difference, one.chance),
        "rows": one.difference.rows,
        "is_sure": one.is_sure,
        "times_tokens": round(one.times_tokens, 4),
        "times_cost": round(one.times_cost, 4),
        "equal_budget": None if one.equal is None else _plain_equal(one.equal),
        "budget_words": one.budget_words,
        "words": one.words,
    }


def _plain_equal(one: EqualBudget) -> dict[str, object]:
    return {
        "by": one.unit,
        "cheaper": one.cheaper,
        "tries": round(one.tries, 3),
        "majority": None if one.majority is None else _plain_figure(one.majority),
        "best": None if one.best is None else round(one.best, 6),
        "difference": None if one.difference is None else _plain_figure(one.difference),
        "words": one.words,
    }


def junit(opened: OpenExperiment, table: Table) -> str:
    """Write a suite for each variant and a case for each row.

    A row passes where the share of its repeats that pass, by the first scorer, is at least `row_passes` of
    the experiment; which did not is told either way. Rows that failed at the provider are errors, rows not
    run are skipped.
    """
    scorer, least = next(iter(opened.scorers), ""), opened.experiment.row_passes
    rule = f"A row passes if at least {100 * least:g} % of its repeats pass by {scorer}."
    by_place: dict[tuple[str, int], list[Cell]] = {}
    for one in table.cells:
        by_place.setdefault((one.variant, one.row), []).append(one)
    root = ET.Element("testsuites", name=opened.name)
    for variant in opened.variants:
        suite = ET.SubElement(root, "testsuite", name=f"{opened.name}/{variant}")
        if scorer:
            ET.SubElement(ET.SubElement(suite, "properties"), "property", name="rule", value=_clean(rule))
        counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        for place, row in enumerate(opened.dataset.rows):
            cells = by_place.get((variant, place), [])
            trials = [table.trials[one.key] for one in cells if one.key in table.trials]
            seconds = f"{sum(one.seconds for one in trials):.3f}"
            case = ET.SubElement(suite, "testcase", classname=variant, name=row.id, time=seconds)
            counts["tests"] += 1
            wrong, judged = _wrong(table, cells, scorer)
            if any(one.state is TrialState.PROVIDER for one in trials):
                counts["errors"] += 1
                told = "; ".join(one.error for one in trials if one.state is TrialState.PROVIDER)
                ET.SubElement(case, "error", message=_clean(told))
            elif judged and judged - len(wrong) < least * judged:
                counts["failures"] += 1
                message = f"{judged - len(wrong)} of {counted(judged, 'repeat')} passed: {wrong[0]}"
                ET.SubElement(case, "failure", message=_clean(message)).text = _clean("\n".join(wrong))
            elif wrong:
                ET.SubElement(case, "system-out").text = _clean("\n".join(wrong))
            elif not any(table.trial(one) for one in cells):
                counts["skipped"] += 1
                ET.SubElement(case, "skipped")
        for name, count in counts.items():
            suite.set(name, str(count))
    ET.indent(root)
    return ET.tostring(root, "unicode", xml_declaration=True) + "\n"


def _wrong(table: Table, cells: Sequence[Cell], scorer: str) -> tuple[list[str], int]:
    """The repeats that do not pass, in words, and how many a scorer said something of."""
    found: list[str] = []
    judged = 0
    for cell in cells:
        score, trial = table.scores.get((cell.key, scorer)), table.trial(cell)
        if score is None or trial is None or score.score is None:
            continue
        judged += 1
        if score.ok is False:
            found.append(f"repeat {cell.repeat}, run {trial.run}: {score.reason or f'score {score.score}'}")
    return found, judged


def _clean(text: str) -> str:
    """What XML can say of a text."""
    return "".join(one if one.isprintable() or one in "\n\t" else "\N{REPLACEMENT CHARACTER}" for one in text)
