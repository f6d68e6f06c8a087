"""Evaluate how often flows are right, and at what cost, with simulated solvers."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from studio.terminal.output import print_json, say, write_line
from studio.terminal.trust import add_trust
from studio.trace.figures import cost, duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from studio.app.measurements.measurement import Measured, Measurement
    from studio.experiments.statistics import Interval

HEAD = ("flow", "right", "95 % interval", "chats", "tokens", "dollars", "seconds", "more often right")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire measure`."""
    parser.add_argument(
        "flows", nargs="+", metavar="FLOW", type=Path, help="flows of one project; the first is the baseline"
    )
    parser.add_argument(
        "--problems",
        required=True,
        type=Path,
        metavar="FILE",
        help="the problems, as JSON lines: id, question, answer, wrong",
    )
    parser.add_argument("--chat", default="", metavar="PROFILE", help="a simulated chat profile")
    parser.add_argument(
        "--runs", type=_count, default=20, metavar="N", help="how often to run each problem (default: 20)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the random seed")
    parser.add_argument(
        "--rows",
        choices=("sample", "fixed"),
        default="sample",
        help="whether the problems stand for others like them, or are all there are (default: sample)",
    )
    parser.add_argument("--by", choices=("difficulty", "topic"), help="report by difficulty or by topic")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    add_trust(parser)


def missing_statistics() -> str:
    """Say which line installs what tells how sure figures are; empty where it is there."""
    from studio.experiments.distributions import StatisticsMissingError, t_quantile

    try:
        t_quantile(0.975, 9)
    except StatisticsMissingError as error:
        return f"{error.message} {error.hint}"
    return ""


def execute(arguments: argparse.Namespace) -> int:
    """Measure and print a line for each flow; runs that failed count as wrong answers."""
    from studio.app.measurements.measurement import measure

    measured = measure(
        arguments.flows,
        arguments.problems,
        environ=os.environ,
        chat=arguments.chat,
        runs=arguments.runs,
        seed=arguments.seed,
        rows=arguments.rows,
        on_flow=lambda name: say(f"evaluating `{name}`"),
    )
    groups: Mapping[str, Sequence[Interval]] = {}
    if arguments.by:
        groups = measured.grouped(arguments.by)
    if arguments.json:
        told = {name: [round(one.value, 4) for one in found] for name, found in groups.items()}
        print_json({**measured.to_json(), **({"by": told} if arguments.by else {})})
        return 0
    _print(measured)
    if groups:
        _print_groups(measured, groups)
    return 0


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("expected a whole number from 1")
    return count


def _print(measured: "Measurement") -> None:
    first = measured.flows[0]
    _print_table([HEAD, *(_row(one, first) for one in measured.flows)])
    write_line("")
    kind = "fixed" if first.kind == "fixed" else "a sample"
    write_line(
        f"{len(measured.problems)} problems, {measured.runs} runs each, solvers `{measured.chat}`, "
        f"seed {measured.seed}, problems {kind}; chats, tokens, dollars and simulated seconds are averages "
        "per problem."
    )
    for one in measured.flows:
        for line in _notes(one, first):
            write_line(line)
    missing = missing_statistics()
    if missing:
        write_line(missing)


def _print_groups(measured: "Measurement", groups: "Mapping[str, Sequence[Interval]]") -> None:
    rows = [("flow", *groups)]
    for at, one in enumerate(measured.flows):
        shares = (found[at] for found in groups.values())
        rows.append((one.flow, *(f"{100 * s.value:.1f} % ({_between(s)})" for s in shares)))
    write_line("")
    _print_table(rows)


def _print_table(rows: "Sequence[Sequence[str]]") -> None:
    """Print rows of as many cells, the first of each to the left and all others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        write_line("  ".join([row[0].ljust(widths[0]), *cells[1:]]).rstrip())


def _row(one: "Measured", first: "Measured") -> tuple[str, ...]:
    found = one.accuracy
    more = _more(one, first) if one is not first else ""
    return (
        one.flow,
        f"{100 * found.value:.1f} %",
        _between(found),
        f"{one.mean('chats'):.1f}",
        f"{one.mean('tokens'):,.0f}",
        cost(one.mean("cost")),
        duration(one.mean("seconds")),
        more,
    )


def _between(found: "Interval") -> str:
    return f"{100 * found.low:.1f} to {100 * found.high:.1f}" if found.is_told else "unknown"


def _more(one: "Measured", first: "Measured") -> str:
    """How much more often one is right than the first, and how sure that is."""
    from studio.experiments.distributions import StatisticsMissingError

    apart = f"{100 * (one.accuracy.value - first.accuracy.value):+.1f} points"
    try:
        told = one.against(first)
    except StatisticsMissingError:
        return apart
    if not told.interval.is_told:
        return f"{apart} (unknown)"
    return f"{apart} ({told.interval.in_points}), p = {told.chance:.2g}"


def _notes(one: "Measured", first: "Measured") -> list[str]:
    """Say what the figures hide: runs that failed, and budgets that are not equal."""
    failed = one.why_failed
    lines = [f"{len(failed)} runs of `{one.flow}` failed: {failed[0]}"] if failed else []
    if one is not first and not one.costs_as_much_as(first):
        times = one.times_the_tokens_of(first)
        lines.append(f"The budgets differ: `{one.flow}` uses {times:.2f} times the tokens of `{first.flow}`.")
    return lines
