"""Whether two runs did the same, step by step, and what either gave and cost."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from studio.flow.plain_text import excerpt
from studio.terminal.output import print_json, write_line
from studio.trace.differences.compare import first_difference
from studio.trace.differences.comparison import StepPair, compare_steps, seconds_of
from studio.trace.figures import cost, duration
from studio.trace.fold.idle import status_word
from studio.trace.fold.state import RunState

if TYPE_CHECKING:
    from studio.ids import RunId
    from studio.store.reader import RunStore


def compare_runs(found: "Sequence[tuple[RunStore, RunId]]", *, as_json: bool) -> int:
    """Print the first difference and the figures of both; gives 1 where they differ, else 0."""
    from studio.workspace.catalog import builtin_registry

    states = [store.load(run) for store, run in found]
    if (states[0].source is None) == (states[1].source is None):
        difference = first_difference(*(list(store.entries(run)) for store, run in found))
    else:
        difference = _across(found, is_first_drawn=states[0].source is None)
    pairs = compare_steps(states[0], states[1], builtin_registry().called_name)
    if as_json:
        steps = [_plain_pair(pair) for pair in pairs if not pair.is_same]
        print_json({"difference": difference, "runs": [_plain(state) for state in states], "steps": steps})
    else:
        write_line(difference or "Both did the same.")
        for label, values in _rows(states):
            write_line(f"  {label:<10} {values[0]:<40} {values[1]}")
        _print_steps(pairs)
    return 0 if difference is None else 1


def _across(found: "Sequence[tuple[RunStore, RunId]]", *, is_first_drawn: bool) -> str | None:
    """Say where a script first did something else than a drawn flow; some of its steps are plain Python."""
    from studio.app.scripts.check.differences import compare
    from studio.app.scripts.check.play_messages import Played
    from studio.past.replays import OldRun
    from studio.workspace.catalog import builtin_registry
    from studio.workspace.runs import bound

    drawn, written = (
        OldRun.read_whole(store, run) for store, run in (found if is_first_drawn else found[::-1])
    )
    source = written.started.source
    text = source.text if source is not None else ""
    _, unlike = compare(drawn, Played(written.entries), bound(builtin_registry(), drawn.flows), text)
    return unlike.sentence if unlike is not None else None


def _print_steps(pairs: Sequence[StepPair]) -> None:
    for pair in pairs:
        if pair.is_same:
            continue
        is_renamed = pair.other not in {"", pair.step}
        write_line(f"  step {pair.step}{f', {pair.other} in the second run' if is_renamed else ''}")
        if pair.first is None or pair.second is None:
            write_line(f"    only in the {'second' if pair.first is None else 'first'} run")
            continue
        for name in pair.differing:
            values = [_shown(side.things.get(name)) for side in (pair.first, pair.second)]
            write_line(f"    {name:<16} {values[0]:<40} {values[1]}")
        spent = [f"{duration(side.seconds)}, {side.tokens:,} tokens" for side in (pair.first, pair.second)]
        write_line(f"    {'spent':<16} {spent[0]:<40} {spent[1]}")


def _shown(value: object) -> str:
    return "-" if value is None else excerpt(value, 38)


def _plain_pair(pair: StepPair) -> dict[str, object]:
    sides = [None if side is None else asdict(side) for side in (pair.first, pair.second)]
    return {
        "step": pair.step,
        "other": pair.other,
        "differing": pair.differing,
        "first": sides[0],
        "second": sides[1],
    }


def _rows(states: Sequence[RunState]) -> list[tuple[str, list[str]]]:
    rows = [
        ("run", [str(state.run) for state in states]),
        ("status", [status_word(state.status) for state in states]),
        ("time", [duration(seconds_of(state)) for state in states]),
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
        "seconds": seconds_of(state),
        "tokens": state.tokens,
        "cost": state.cost,
        "outputs": {name: shown.data for name, shown in state.outputs.items()},
    }
