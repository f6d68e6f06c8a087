"""Whether two runs did the same, and what either gave and cost."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.cli.printing import print_json, write_line
from studio.flow.plain_text import excerpt
from studio.trace.compare import first_difference
from studio.trace.figures import cost, duration
from studio.trace.state import RunState

if TYPE_CHECKING:
    from studio.store.reader import RunStore


def compare_runs(store: "RunStore", names: Sequence[str], *, as_json: bool) -> int:
    """Print the first difference and the figures of both; gives 1 where they differ, else 0."""
    runs = [store.find(name) for name in names]
    difference = first_difference(*(list(store.entries(run)) for run in runs))
    states = [store.load(run) for run in runs]
    if as_json:
        print_json({"difference": difference, "runs": [_plain(state) for state in states]})
    else:
        write_line(difference or "Both did the same.")
        for label, values in _rows(states):
            write_line(f"  {label:<10} {values[0]:<40} {values[1]}")
    return 0 if difference is None else 1


def _rows(states: Sequence[RunState]) -> list[tuple[str, list[str]]]:
    rows = [
        ("run", [str(state.run) for state in states]),
        ("status", [state.status.value for state in states]),
        ("time", [duration(_seconds(state)) for state in states]),
        ("tokens", [f"{state.tokens:,}" for state in states]),
        ("cost", [cost(state.cost) for state in states]),
    ]
    for name in dict.fromkeys(name for state in states for name in state.outputs):
        found = [state.outputs.get(name) for state in states]
        rows.append((name, ["-" if one is None else excerpt(one.data, 38) for one in found]))
    return rows


def _plain(state: RunState) -> dict[str, object]:
    return {
        "run": state.run,
        "status": state.status.value,
        "seconds": _seconds(state),
        "tokens": state.tokens,
        "cost": state.cost,
        "outputs": {name: shown.data for name, shown in state.outputs.items()},
    }


def _seconds(state: RunState) -> float:
    return 0.0 if state.started is None or state.ended is None else state.ended - state.started
