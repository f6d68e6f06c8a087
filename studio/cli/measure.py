"""Measure how often flows are right, and what that takes, under simulated solvers."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.printing import print_json, say, write_line
from studio.trace.figures import cost, duration

if TYPE_CHECKING:
    from studio.app.measuring import Measured, Measurement

HEAD = ("flow", "right", "95 % interval", "chats", "tokens", "dollars", "seconds", "more often right")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire measure`."""
    parser.add_argument(
        "flows", nargs="+", metavar="FLOW", type=Path, help="flows of one project; the first is compared with"
    )
    parser.add_argument(
        "--problems", required=True, type=Path, metavar="FILE", help="JSON lines: id, question, answer, wrong"
    )
    parser.add_argument("--chat", default="", metavar="PROFILE", help="a simulated chat profile")
    parser.add_argument(
        "--runs", type=_count, default=20, metavar="N", help="how often each problem is given; 20 by default"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="what all luck hangs on")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Measure and print a line for each flow; runs that failed count as wrong answers."""
    from studio.app.measuring import measure

    measured = measure(
        arguments.flows,
        arguments.problems,
        environ=os.environ,
        chat=arguments.chat,
        runs=arguments.runs,
        seed=arguments.seed,
        on_flow=lambda name: say(f"measuring `{name}`"),
    )
    if arguments.json:
        print_json(measured.to_json())
    else:
        _print(measured)
    return 0


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("a number from 1 on was expected")
    return count


def _print(measured: "Measurement") -> None:
    first = measured.flows[0]
    rows = [HEAD, *(_row(one, first) for one in measured.flows)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEAD))]
    for row in rows:
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True)),
        ]
        write_line("  ".join(cells).rstrip())
    write_line("")
    write_line(
        f"{measured.problems} problems, {measured.runs} runs each, solvers `{measured.chat}`, seed "
        f"{measured.seed}; chats, tokens, dollars and simulated seconds are those of a problem on average."
    )
    for one in measured.flows:
        for line in _notes(one, first):
            write_line(line)


def _row(one: "Measured", first: "Measured") -> tuple[str, ...]:
    found = one.accuracy
    more = ""
    if one is not first:
        told = one.against(first)
        between = f"{100 * told.interval.low:+.1f} to {100 * told.interval.high:+.1f}"
        more = f"{100 * told.interval.value:+.1f} points ({between}), p = {told.chance:.2g}"
    return (
        one.flow,
        f"{100 * found.value:.1f} %",
        f"{100 * found.low:.1f} to {100 * found.high:.1f}",
        f"{one.mean('chats'):.1f}",
        f"{one.mean('tokens'):,.0f}",
        cost(one.mean("dollars")),
        duration(one.mean("seconds")),
        more,
    )


def _notes(one: "Measured", first: "Measured") -> list[str]:
    """Say what the figures hide: runs that failed, and budgets that are not equal."""
    failed = [each for each in one.trials if each.failed]
    lines = [f"{len(failed)} runs of `{one.flow}` failed: {failed[0].failed}"] if failed else []
    if one is not first and not one.costs_as_much_as(first):
        times = one.times_the_tokens_of(first)
        lines.append(
            f"The budgets are unequal: `{one.flow}` takes {times:.2f} times the tokens of `{first.flow}`."
        )
    return lines
