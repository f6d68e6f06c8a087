"""What is different in a fork, in a sentence each, as lists of runs and comparisons tell it."""

from dataclasses import replace

from studio.flow.edits.diff import describe_difference
from studio.flow.plain_text import excerpt
from studio.flow.records import Flow, Json
from studio.past.fork_start import ForkStart

LONGEST = 60
"""Characters of a value that are told."""
MOST = 20
"""Changes that are told one by one."""


def told_changes(start: ForkStart, profile: str = "") -> tuple[str, ...]:
    """Tell what a person made different: flows, what is given, values at steps, pins, the chat profile."""
    lines = [*_of_flows(start), *_of_inputs(start), *_of_steps(start)]
    lines += [
        f"Pinned another value to `{place}`." if place in start.pins else f"Unpinned `{place}`."
        for place in sorted(start.repinned)
    ]
    if profile not in {"", start.old.started.profile}:
        lines.append(f"Used the chat profile `{profile}`.")
    more = len(lines) - MOST
    return (*lines[:MOST], f"… and {more} more.") if more > 0 else tuple(lines)


def _of_flows(start: ForkStart) -> list[str]:
    lines = _logic(start.old.flow, start.flow)
    for name, flow in start.flows.items():
        before = start.old.flows.get(name)
        if before is not None and before is not flow:
            lines += [f"{name}: {line}" for line in _logic(before, flow)]
    return lines


def _logic(before: Flow, after: Flow) -> list[str]:
    """What changed but for the layout, which bears on no run."""
    return [] if before is after else describe_difference(before, replace(after, layout=before.layout))


def _of_inputs(start: ForkStart) -> list[str]:
    return [f"Set `{name}` to {_shown(value)}." for name, value in start.inputs.items()]


def _of_steps(start: ForkStart) -> list[str]:
    return [
        f"Set `{step}.{port}` to {_shown(value)}."
        for (step, _), values in start.placed.items()
        for port, value in values.items()
    ]


def _shown(value: Json) -> str:
    return excerpt(value, LONGEST) if not isinstance(value, str) else f"“{excerpt(value, LONGEST)}”"
