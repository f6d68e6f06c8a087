"""What a system of the gallery gains over the simpler flows beside it, under its simulated solvers."""

from collections.abc import Mapping
from dataclasses import dataclass

from studio.app.gallery.records import Exhibit
from studio.app.measurements.measurement import measure
from studio.experiments.statistics import Interval
from studio.workspace.project import Project


@dataclass(frozen=True, slots=True)
class Compared:
    """A system beside one of its baselines; shares of the same problems, each from 0 to 1."""

    baseline: str
    accuracy: float
    """Of the system."""
    baseline_accuracy: float
    difference: Interval
    """By how much more often the system is right, with what it lies between in 95 of 100 cases."""
    chance: float
    """How likely so large a difference is where there is none."""
    times_the_tokens: float
    """How large the system's budget is beside the baseline's."""


def compared(exhibit: Exhibit, environ: Mapping[str, str]) -> list[Compared]:
    """Measure a system and its baselines as its record says; where it says nothing, nothing is measured.

    Raises `UsageError` where something can't be measured.
    """
    record = exhibit.record
    if record.measure is None:
        return []
    part = record.measure.flow
    main = exhibit.folder / part if part else Project.open(exhibit.place).main_flow
    flows = [main, *(exhibit.folder / one.flow for one in record.baselines)]
    problems = exhibit.folder / record.measure.problems
    measured = measure(flows, problems, environ=environ, chat=record.measure.chat, runs=record.measure.runs)
    own, *others = measured.flows
    found: list[Compared] = []
    for baseline, other in zip(record.baselines, others, strict=True):
        told = own.against(other)
        shares = own.accuracy.value, other.accuracy.value
        times = own.times_the_tokens_of(other)
        found.append(Compared(baseline.title, *shares, told.interval, told.chance, times))
    return found
