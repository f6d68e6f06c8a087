"""Run an experiment, or what is left of it: variants of flows on the rows of a dataset, compared."""

import argparse
import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import PlaceError, UsageError
from studio.terminal.output import print_json, say, write_line
from studio.terminal.trust import add_trust
from studio.trace.figures import clock, cost, counted, duration, size

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from studio.experiments.executors import Control, Executor
    from studio.experiments.labels import Label
    from studio.experiments.opening import OpenExperiment
    from studio.experiments.report import Figures, Report
    from studio.experiments.running import Estimate, Progress
    from studio.experiments.statistics import Interval
    from studio.experiments.table import Table

FEW, FEW_FREE = 16, 200
"""Trials for which no other process is started, and those of solvers, which take some milliseconds each."""

TOLD_EVERY = 2.0
"""Seconds between two lines of progress."""

TELLING = 10
"""Trials that tell how long the rest takes; the first ones wait for processes to start."""

AT_A_LIMIT, INTERRUPTED = 3, 130

STANDARD_OUTPUT = Path("-")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire eval`."""
    parser.add_argument(
        "experiment",
        metavar="EXPERIMENT",
        type=Path,
        help="a file of experiments/, or its name in this project",
    )
    parser.add_argument(
        "--baseline",
        metavar="FILE",
        type=Path,
        help="compare with these scores; exits with 1 on a regression",
    )
    parser.add_argument("--write-baseline", metavar="FILE", type=Path, help="write the scores to this file")
    parser.add_argument(
        "--fail-under", metavar="N", type=float, help="exit with 1 if a variant scores below N, from 0 to 1"
    )
    parser.add_argument("--max-cost", metavar="N", type=float, help="spend at most N US dollars this time")
    parser.add_argument(
        "--workers", metavar="N", type=int, default=0, help="worker processes (default: one for each core)"
    )
    parser.add_argument(
        "--executor",
        metavar="WHERE",
        default="",
        help="`here`, `workers`, or a Ray cluster: `ray` or ray://HOST:PORT",
    )
    parser.add_argument("--rescore", action="store_true", help="only score stored trials; run nothing")
    parser.add_argument(
        "--discard", action="store_true", help="list what its stored trials and their runs take; run nothing"
    )
    parser.add_argument("--yes", action="store_true", help="with --discard: delete them")
    parser.add_argument("--plan", action="store_true", help="only estimate: trials, cost and power")
    parser.add_argument(
        "--detect",
        metavar="N",
        type=float,
        default=3.0,
        help="with --plan: the difference in points (default: 3)",
    )
    parser.add_argument(
        "--labels",
        metavar="FILE",
        type=Path,
        help="compare the scorers with these human labels (default: NAME.labels.json beside the experiment)",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    for name, what in (
        ("junit", "the rows as JUnit XML"),
        ("html", "the report as one HTML file"),
        ("csv", "the trials as CSV"),
    ):
        parser.add_argument(
            f"--{name}", metavar="FILE", type=Path, help=f"also write {what}; `-`: instead of the report"
        )
    parser.add_argument("--parquet", metavar="FILE", type=Path, help="also write the trials as Parquet")
    add_trust(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Estimate, run what is left, and print the table; 1 on a regression that is more than noise."""
    from studio.experiments.baselines import read_baseline
    from studio.experiments.executors import Control
    from studio.experiments.opening import find_experiment, open_experiment, require_trusted
    from studio.experiments.report import report_of
    from studio.experiments.running import estimated, run_experiment
    from studio.experiments.trial_store import TrialStore

    if arguments.discard:
        return _discard(arguments.experiment, is_meant=arguments.yes, as_json=arguments.json)
    if arguments.fail_under is not None and not 0 <= arguments.fail_under <= 1:
        raise UsageError("`--fail-under` is not a score.", hint="Pass a number from 0 to 1.")
    if not arguments.detect > 0:
        raise UsageError("`--detect` is no difference.", hint="Pass points above 0.")
    printed = _printed(arguments)
    project, path = find_experiment(arguments.experiment)
    opened = open_experiment(project, path, os.environ)
    labels = _labels(arguments.labels, path)
    baseline = read_baseline(arguments.baseline, opened) if arguments.baseline is not None else None
    with TrialStore(opened.project, opened.name) as store:
        found = estimated(opened, store)
        if arguments.plan:
            return _print_plan(opened, found, arguments.detect / 100, as_json=arguments.json)
        require_trusted(opened, os.environ)
        say(_estimate(found))
        control = Control()
        with _cancelled_by_signals(control):
            table = run_experiment(
                opened,
                store,
                _executor(arguments, found),
                control=control,
                max_cost=arguments.max_cost,
                is_rescored=arguments.rescore,
                on_progress=_Teller(is_free=found.is_free),
            )
    report = report_of(opened, table, baseline, labels)
    _write_files(arguments, opened, table, report)
    if printed == "json":
        from studio.experiments.report_files import plain_report

        print_json(plain_report(report, table))
    elif not printed:
        print_report(opened, report)
    if control.is_cancelled:
        say("  remedy: run it again to resume.")
        return INTERRUPTED
    if table.stopped:
        return AT_A_LIMIT
    return _verdict(report, arguments.fail_under)


def _printed(arguments: argparse.Namespace) -> str:
    """Name what stands on standard output in the place of the report: nothing, or one form of it."""
    written = ("junit", "html", "csv", "parquet")
    found = [name for name in written if getattr(arguments, name) == STANDARD_OUTPUT]
    found += ["json"] if arguments.json else []
    if found == ["parquet"]:
        raise UsageError("Parquet is not written to standard output.", hint="Pass a file.")
    if len(found) > 1:
        both = " and ".join(f"`--{name}`" for name in found)
        raise UsageError(
            f"{both} would both be written to standard output.", hint="Pass a file to all but one of them."
        )
    return next(iter(found), "")


def _discard(wanted: Path, *, is_meant: bool, as_json: bool) -> int:
    """Also where the experiment's own file is deleted already."""
    from studio.experiments.disposal import discard
    from studio.experiments.opening import place_of
    from studio.workspace.project import Project

    path = place_of(wanted)
    found = discard(Project.open(path.parent.parent), path.stem, is_meant=is_meant)
    if as_json:
        print_json({**found._asdict(), "are_removed": is_meant})
        return 0
    told = f"{counted(found.trials, 'trial')}, {counted(found.runs, 'run')}, {size(found.bytes)}"
    write_line(f"Deleted {told}." if is_meant else f"{told} would be deleted. Pass `--yes` to delete them.")
    return 0


def _labels(named: Path | None, experiment: Path) -> "Sequence[Label]":
    from studio.experiments.labels import Labels, labels_beside

    if named is not None and not named.is_file():
        raise UsageError(f"There are no labels `{named}`.", hint="Label trials first, or name another file.")
    return Labels(named or labels_beside(experiment)).current


def _executor(arguments: argparse.Namespace, found: "Estimate") -> "Executor":
    from studio.experiments.executors import InProcess
    from studio.experiments.workers import Workers

    where, _, rest = str(arguments.executor).partition("://")
    if where == "ray":
        from studio.experiments.ray_cluster import RayCluster

        return RayCluster(arguments.executor if rest else "")
    if where not in {"", "here", "workers"} or rest:
        raise UsageError(
            f"Nothing executes trials `{arguments.executor}`.",
            hint="Pass `here`, `workers`, `ray` or `ray://HOST:PORT`.",
        )
    few = FEW_FREE if found.is_free else FEW
    is_small = arguments.workers == 0 and (found.to_run <= few or arguments.rescore)
    return (
        InProcess(os.environ) if where == "here" or (not where and is_small) else Workers(arguments.workers)
    )


@contextmanager
def _cancelled_by_signals(control: "Control") -> "Generator[None]":
    """Cancel at Ctrl+C and when this process is told to end; the second time it ends at once."""

    def stop(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        say("cancelling; trials that are done are kept")
        control.cancel()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, one in before.items():
            signal.signal(number, one)


class _Teller:
    """Says every few seconds how far it is."""

    def __init__(self, *, is_free: bool) -> None:
        self._last = time.monotonic()
        self._paid = "" if is_free else ", {cost}"

    def __call__(self, progress: "Progress") -> None:
        now = time.monotonic()
        if now - self._last < TOLD_EVERY:
            return
        self._last = now
        left = progress.remaining if progress.done >= TELLING else None
        about = f", about {clock(left)} left" if left is not None else ""
        spent = self._paid.format(cost=cost(progress.cost))
        say(f"{progress.done:,} of {counted(progress.total, 'trial')}{spent}{about}")


def _estimate(found: "Estimate") -> str:
    said = f"{counted(found.to_run, 'trial')} to run, {found.reused:,} stored"
    if found.to_run and found.is_free:
        said += "; answers are simulated or scripted, so nothing is paid"
    elif found.to_run:
        known = cost(found.cost) if found.cost is not None else "unknown before the first ones"
        said += f"; estimated cost {known}"
        said += f", at most {cost(found.most)}" if found.most is not None else ""
    return said


def _print_plan(opened: "OpenExperiment", found: "Estimate", wanted: float, *, as_json: bool) -> int:
    from studio.experiments.distributions import StatisticsMissingError
    from studio.experiments.planning import power_of

    told: dict[str, object] = {
        "to_run": found.to_run,
        "stored": found.reused,
        "cost": found.cost,
        "most": found.most,
        "rows": len(opened.dataset.rows),
    }
    try:
        power = power_of(opened, wanted)
    except StatisticsMissingError as error:
        words = told["missing"] = str(error)
    else:
        words = power.words
        told |= {
            "deviation": round(power.deviation, 4),
            "is_assumed": power.is_assumed,
            "detectable": round(power.detectable, 4),
            "rows_needed": power.needed,
        }
    if as_json:
        print_json(told)
    else:
        write_line(_estimate(found))
        write_line(words)
    return 0


def _write_files(
    arguments: argparse.Namespace, opened: "OpenExperiment", table: "Table", report: "Report"
) -> None:
    from studio.experiments.baselines import write_baseline
    from studio.experiments.html_report import html_report
    from studio.experiments.report_files import junit
    from studio.experiments.table import scores_of
    from studio.experiments.trial_export import columns_of, csv_text, write_csv, write_parquet

    if arguments.junit is not None:
        _write(arguments.junit, junit(opened, table))
    if arguments.html is not None:
        _write(arguments.html, html_report(opened, table, report))
    if arguments.csv == STANDARD_OUTPUT:
        write_line(csv_text(columns_of(opened, table)).rstrip("\r\n"), exact=True)
    elif arguments.csv is not None:
        write_csv(arguments.csv, columns_of(opened, table))
    if arguments.parquet is not None:
        write_parquet(arguments.parquet, columns_of(opened, table))
    if arguments.write_baseline is not None:
        if table.stopped:
            raise UsageError("The table is not whole, so no baseline was written.", hint="Run it again.")
        write_baseline(arguments.write_baseline, opened, scores_of(opened, table))


def _write(path: Path, text: str) -> None:
    from studio.workspace.whole_file import write_whole

    if path == STANDARD_OUTPUT:
        write_line(text.rstrip("\n"), exact=True)
        return
    try:
        write_whole(path, text.encode("utf-8", "replace"))
    except OSError as error:
        message = f"`{path}` could not be written: {error.strerror or error}."
        raise PlaceError(message, hint="Name another file.") from error


def _verdict(report: "Report", fail_under: float | None) -> int:
    """Say what fails, on standard error, and give the exit code."""
    code = 0
    for one in report.regressions:
        say(f"regression: {one.words}")
        code = 1
    for one in report.figures if fail_under is not None else ():
        first = next(iter(one.scores.values()), None)
        if first is None or first.value < (fail_under or 0.0):
            said = "nothing" if first is None else f"{first.value:.3f}"
            say(f"below {fail_under:g}: `{one.variant}` scores {said}")
            code = 1
    return code


def print_report(opened: "OpenExperiment", report: "Report") -> None:
    """Print a line for each variant, then what may be said of their differences."""
    names = list(opened.scorers)
    tries = max((max(one.passes, default=0) for one in report.figures), default=0)
    passes = [f"pass@{tries}", f"pass^{tries}"] if tries else []
    head = ["variant", *(part for name in names for part in (name, "95 % interval")), *passes]
    rows = [[*head, "tokens", "cost", "seconds"]]
    rows += [_row(one, names, tries) for one in report.figures]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        write_line("  ".join([row[0].ljust(widths[0]), *cells[1:]]).rstrip())
    write_line("")
    kind = "a sample" if report.kind == "sample" else "fixed"
    paid = " Answers were simulated or scripted: nothing was paid." if report.is_free else ""
    write_line(
        f"{counted(report.rows, 'row')} ({kind}) of {report.dataset} ({report.digest}), "
        f"{counted(report.repeats, 'repeat')}; tokens, cost and seconds are means per trial.{paid}"
    )
    if report.provisional:
        write_line(report.provisional)
    for one in (*report.compared, *report.against_baseline):
        write_line(one.words if len(names) < 2 else f"{one.scorer}: {one.words}")
    for effect in (*report.effects, *report.interactions):
        write_line(effect.words)
    for judge in report.judges:
        for words in judge.words:
            write_line(words)
    for note in report.notes:
        write_line(note)


def _row(one: "Figures", names: "Sequence[str]", tries: int) -> list[str]:
    cells = [one.variant]
    for name in names:
        found = one.scores.get(name)
        cells += ["–", ""] if found is None else [f"{found.value:.3f}", _between(found)]
    if tries:
        chances = one.passes.get(tries)
        cells += ["–", "–"] if chances is None else [f"{chance:.3f}" for chance in chances]
    return [*cells, *_measures(one)]


def _measures(one: "Figures") -> list[str]:
    """The means of a trial; what nobody knows is a dash."""
    found = one.measures
    spent = cost(found["cost"].value, one.unpriced) if "cost" in found else "–"
    took = duration(found["seconds"].value) if "seconds" in found else "–"
    return [f"{found['tokens'].value:,.0f}" if "tokens" in found else "–", spent, took]


def _between(found: "Interval") -> str:
    return f"{found.low:.3f} to {found.high:.3f}" if found.is_told else "unknown"
