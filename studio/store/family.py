"""Runs as the tree that they form: forks and replays stand beneath the run that they go back to."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from studio.ids import RunId
from studio.store.summary import RunSummary


def as_tree(runs: Sequence[RunSummary]) -> list[tuple[int, RunSummary]]:
    """Give the runs with how deep each stands; among equals their order stays as it was.

    A run whose origin is not among them stands at the top.
    """
    known = {one.run for one in runs}
    children: dict[RunId | None, list[RunSummary]] = defaultdict(list)
    for one in runs:
        origin = RunId(one.forked_from)
        children[origin if origin in known and origin != one.run else None].append(one)
    placed = list(_below(children))
    if len(placed) < len(runs):  # only damaged files go back to each other in a circle
        seen = {one.run for _, one in placed}
        placed += [(0, one) for one in runs if one.run not in seen]
    return placed


def children_of(run: RunId, runs: Sequence[RunSummary]) -> list[RunSummary]:
    """Give the runs that go back to `run`."""
    return [one for one in runs if one.forked_from == run]


def _below(children: dict[RunId | None, list[RunSummary]]) -> Iterator[tuple[int, RunSummary]]:
    waiting = [(0, one) for one in reversed(children[None])]
    while waiting:
        level, one = waiting.pop()
        yield level, one
        waiting.extend((level + 1, child) for child in reversed(children[one.run]))
