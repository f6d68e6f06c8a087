"""Sentences of the Experiments page: what a run would take, how far it is, what it found, what is wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication

from studio.app.experiments.progress import Estimate, Stage, Told
from studio.experiments.headlines import headlines, provisional
from studio.experiments.report_parts import bare
from studio.trace.figures import clock, duration
from studio.trace.figures import cost as dollars

translate = QCoreApplication.translate

FEW = 10
"""Trials by which nobody can tell how long the rest takes: the first ones wait for processes to start."""

SHORTEST = 0.001
"""Seconds below which nobody wants to know how long a step took."""


def state_words(told: Told) -> str:
    """Say what is going on, else what is left to run; empty where neither is known."""
    if told.stage.is_going:
        return progress_words(told)
    if told.stage is Stage.OPENING:
        return translate("experiments", "Checking the experiment…")
    if told.estimate is not None:
        return " ".join([told.stopped, estimate_words(told.estimate)]).strip()
    return ""


def estimate_words(found: Estimate) -> str:
    """Say what is left to run, what it would cost, and what the rows could tell."""
    if not found.to_run:
        if found.stored == 1:
            return translate("experiments", "The only trial is stored.")
        return translate("experiments", "All {count} trials are stored.").format(count=f"{found.stored:,}")
    told = [
        translate("experiments", "{trials} to run: {rows}, {variants}, {repeats}.").format(
            trials=trials_words(found.to_run),
            rows=rows_words(found.rows),
            variants=variants_words(len(found.variants)),
            repeats=repeats_words(found.repeats),
        )
    ]
    if found.stored:
        are = (
            translate("experiments", "1 is stored already.")
            if found.stored == 1
            else translate("experiments", "{count} are stored already.")
        )
        told.append(are.format(count=f"{found.stored:,}"))
    told.append(cost_words(found))
    if found.power:
        told.append(found.power)
    return " ".join(one for one in told if one)


def cost_words(found: Estimate) -> str:
    """Say what running would cost."""
    if found.is_free:
        return translate("experiments", "Answers are simulated or scripted: nothing is paid.")
    if found.cost is not None:
        said = translate("experiments", "Estimated cost {cost}.").format(cost=dollars(found.cost))
    else:
        said = translate("experiments", "The cost is known after the first trials.")
    if found.most is not None:
        most = translate("experiments", "The limits of its trials allow {cost} at most.")
        return f"{said} {most.format(cost=dollars(found.most))}"
    return said


def trials_words(count: int) -> str:
    """Say how many trials."""
    said = translate("experiments", "1 trial") if count == 1 else translate("experiments", "{count} trials")
    return said.format(count=f"{count:,}")


def rows_words(count: int) -> str:
    """Say how many rows."""
    said = translate("experiments", "1 row") if count == 1 else translate("experiments", "{count} rows")
    return said.format(count=f"{count:,}")


def variants_words(count: int) -> str:
    """Say how many variants."""
    is_one = count == 1
    said = translate("experiments", "1 variant") if is_one else translate("experiments", "{count} variants")
    return said.format(count=f"{count:,}")


def repeats_words(count: int) -> str:
    """Say how often each is run."""
    if count == 1:
        return translate("experiments", "once each")
    return translate("experiments", "{count} times each").format(count=count)


def progress_words(told: Told) -> str:
    """Say how far a run is."""
    if told.stage is Stage.CANCELLING:
        return translate("experiments", "Cancelling; finished trials are kept.")
    if not told.total:
        return translate("experiments", "Starting…")
    said = translate("experiments", "{done} of {all}")
    parts = [said.format(done=f"{told.done:,}", all=trials_words(told.total))]
    is_free = told.estimate is not None and told.estimate.is_free
    if told.cost and not is_free:
        parts.append(dollars(told.cost))
    if told.stage is Stage.PAUSED:
        parts.append(translate("experiments", "paused"))
    elif told.remaining is not None and FEW <= told.done < told.total:
        left = translate("experiments", "about {time} left").format(time=clock(told.remaining))
        parts.append(left)
    return ", ".join(parts)


def verdict_words(report: Mapping[str, Any] | None, scorer: str) -> list[str]:
    """Say what the report found, one sentence for each variant beside the baseline."""
    if report is None:
        return []
    if len(report["variants"]) < 2:
        return [translate("experiments", "One variant: there is nothing to compare it with.")]
    return headlines(report, scorer)


def provisional_words(report: Mapping[str, Any] | None) -> str:
    """Say that the verdict may change, since trials are still to come; empty where none are."""
    return provisional(report) if report is not None else ""


@dataclass(frozen=True, slots=True)
class Where:
    """A variant that is better than the baseline by more than noise: where it is, the baseline goes wrong."""

    variant: str
    baseline: str


def where_of(report: Mapping[str, Any] | None, scorer: str) -> Where | None:
    """Give the best variant that is surely better than the baseline; None without one."""
    compared = [one for one in report["compared"] if one["scorer"] == scorer] if report is not None else []
    better = [one for one in compared if one["is_sure"] and one["difference"] > 0]
    best = max(better, key=lambda one: one["difference"], default=None)
    return Where(best["variant"], best["baseline"]) if best is not None else None


def note_words(report: Mapping[str, Any] | None) -> Sequence[str]:
    """Give the report's notes without the marks around names."""
    return [bare(str(one)) for one in report["notes"]] if report is not None else []


def node_words(figures: Mapping[str, Any]) -> tuple[str, str]:
    """Say what a node took over trials: how often and how it went, and what a step takes."""
    steps, failed = int(figures["steps"]), int(figures["failed"])
    said = translate("experiments", "1 step") if steps == 1 else translate("experiments", "{count} steps")
    told = [said.format(count=f"{steps:,}")]
    if failed:
        told.append(translate("experiments", "{count} failed").format(count=f"{failed:,}"))
    ways: Mapping[str, int] = figures["ways"]
    all_ways = sum(ways.values())
    told += [f"{name} {100 * count / all_ways:.0f} %" for name, count in ways.items()]
    seconds: Mapping[str, float] = figures["seconds"]
    spent: list[str] = []
    if seconds["high"] >= SHORTEST:
        told.append(f"{duration(seconds['low'])} – {duration(seconds['high'])}")
        spent.append(duration(seconds["median"]))
    if figures["tokens"]:
        each = figures["tokens"] / max(steps, 1)
        spent.append(translate("experiments", "{count} tokens").format(count=f"{each:,.0f}"))
    if figures["cost"]:
        spent.append(dollars(figures["cost"] / max(steps, 1)))
    return ", ".join(told), " · ".join(spent)
