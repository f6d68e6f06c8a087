"""What a report says first: one plain sentence for each variant beside the baseline, without its figures."""

from collections.abc import Mapping, Sequence
from typing import Any

from studio.trace.figures import counted


def provisional(report: Mapping[str, Any]) -> str:
    """Say that trials are still to come, by a plain report (`report_files.plain_report`); else nothing.

    A table that a sequential rule ended has all its trials.
    """
    done, total = report.get("done", 0), report.get("total", 0)
    return f"Provisional, after {done:,} of {counted(total, 'trial')}." if done < total else ""


def headlines(report: Mapping[str, Any], scorer: str) -> list[str]:
    """Give the sentences of a plain report by a scorer; the sure ones first.

    While trials are to come, each says that it is so far.
    """
    compared: Sequence[Mapping[str, Any]] = [one for one in report["compared"] if one["scorer"] == scorer]
    ordered = sorted(compared, key=lambda one: (not one["is_sure"], -one["difference"]))
    said = [headline(one) for one in ordered]
    return [f"So far: {one}" for one in said] if provisional(report) else said


def headline(compared: Mapping[str, Any]) -> str:
    """Say whether a variant differs from its baseline, by how many points, and from where to where."""
    one, other = (f"“{compared[name]}”" for name in ("variant", "baseline"))
    between = compared["interval"]
    if between is None:
        return f"Too few rows or repeats to compare {one} with {other}."
    low, high = (100 * value for value in between)
    if not compared["is_sure"]:
        return f"The data cannot tell {one} and {other} apart ({_signed(low)} to {_signed(high)} points)."
    points = 100 * compared["difference"]
    if points > 0:
        return f"{one} is better than {other} by {points:.0f} points ({low:.0f} to {high:.0f})."
    return f"{one} is worse than {other} by {-points:.0f} points ({-high:.0f} to {-low:.0f})."


def _signed(points: float) -> str:
    return f"{round(points):+d}".replace("-", "\N{MINUS SIGN}")
