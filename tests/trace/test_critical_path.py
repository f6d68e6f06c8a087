"""The path is compared with the longest of all chains, which are walked one by one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from studio.flow.records import Flow, Socket, Wire
from studio.ids import NodeId, PortName, StepId
from studio.trace.events import (
    Entry,
    RunFinished,
    RunStarted,
    StepFinished,
    StepHeld,
    StepReady,
    StepReleased,
    StepStarted,
)
from studio.trace.fold.state import RunState, fold
from studio.trace.timeline.critical_path import CriticalPath, critical_path, wired
from tests.trace.builders import RUN

END = 1e9


@dataclass(frozen=True, slots=True)
class Body:
    """Nodes of a region: how long each works, and which earlier ones it reads from."""

    lasts: Sequence[int]
    reads: Sequence[frozenset[int]]

    def begins(self) -> list[int]:
        """When each begins where as many go on at a time as like."""
        found: list[int] = []
        for node, sources in enumerate(self.reads):
            found.append(max((found[one] + self.lasts[one] for one in sources), default=0))
            assert all(one < node for one in sources)
        return found

    def chains(self) -> Iterator[list[int]]:
        """All chains of nodes that read from one another, from one that reads from none."""

        def back(node: int) -> Iterator[list[int]]:
            for source in self.reads[node]:
                for chain in back(source):
                    yield [*chain, node]
            if not self.reads[node]:
                yield [node]

        for node in range(len(self.lasts)):
            yield from back(node)

    @property
    def longest(self) -> int:
        """How long the longest of all chains works."""
        return max(sum(self.lasts[node] for node in chain) for chain in self.chains())


@st.composite
def bodies(draw: st.DrawFn) -> Body:
    lasts = draw(st.lists(st.integers(1, 9), min_size=1, max_size=6))
    none: st.SearchStrategy[frozenset[int]] = st.just(frozenset[int]())
    reads = [draw(st.frozensets(st.integers(0, node - 1)) if node else none) for node in range(len(lasts))]
    return Body(lasts, reads)


def flow_of(body: Body) -> Flow:
    wires = tuple(
        Wire(Socket(NodeId(f"n{source}"), PortName("out")), Socket(NodeId(f"n{node}"), PortName("into")))
        for node, sources in enumerate(body.reads)
        for source in sources
    )
    return Flow("A flow", "", {}, wires)


Told = list[tuple[float, str, str, object]]
"""Events with the time, step and parent of each."""


def happenings(body: Body, start: int, prefix: str = "", parent: str = "") -> Told:
    """What a body's steps tell, with the time of each."""
    told: Told = []
    for node, begins in enumerate(body.begins()):
        step = f"{prefix}n{node}"
        told.append((start + begins, step, parent, StepReady()))
        told.append((start + begins, step, parent, StepStarted()))
        told.append((start + begins + body.lasts[node], step, parent, StepFinished()))
    return told


def a_run(told: Sequence[tuple[float, str, str, object]]) -> RunState:
    """A run that began at 0; of what happens at a time, ends are told first."""
    in_order = sorted(told, key=lambda one: (one[0], not isinstance(one[3], StepFinished)))
    last = max((one[0] for one in told), default=0.0)
    events = [(0.0, "", "", RunStarted("", "")), *in_order, (last, "", "", RunFinished())]
    return fold(
        Entry(RUN, number, StepId(step), StepId(parent), float(time), event)  # type: ignore[arg-type]
        for number, (time, step, parent, event) in enumerate(events, start=1)
    )


def path_of(state: RunState, flow: Flow) -> CriticalPath:
    return critical_path(state, wired(flow, None), state.ended or END)


def numbers(chain: Sequence[str]) -> list[int]:
    return [int(step.rpartition("n")[2]) for step in chain]


@given(bodies())
def test_the_path_is_a_chain_of_wires_as_long_as_the_longest_of_all(body: Body) -> None:
    state = a_run(happenings(body, 0))
    path = path_of(state, flow_of(body))
    assert numbers(path.chain) in list(body.chains())
    assert path.took == body.longest == state.worked()


@given(bodies(), st.integers(1, 3))
def test_through_a_loop_it_goes_along_the_longest_chain_of_each_round(body: Body, rounds: int) -> None:
    told: Told = [(0.0, "rounds", "", StepStarted())]
    at = 0
    for number in range(1, rounds + 1):
        told += happenings(body, at, f"rounds.{number}/", "rounds")
        at += body.longest
    told.append((at, "rounds", "", StepFinished()))
    state = a_run(told)
    path = path_of(state, flow_of(body))
    assert path.chain == ["rounds"]
    for number in range(1, rounds + 1):
        inside = [step for step in path.steps if step.startswith(f"rounds.{number}/")]
        assert numbers(inside) in list(body.chains())
        assert sum(body.lasts[one] for one in numbers(inside)) == body.longest


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(1, 3))
def test_through_a_map_it_goes_along_items_that_waited_for_one_another(lasts: list[int], wide: int) -> None:
    free = [0] * wide
    told: Told = [(0.0, "each", "", StepStarted())]
    for item, last in enumerate(lasts):
        start = min(free)
        free[free.index(start)] = start + last
        told += happenings(Body([last], [frozenset()]), start, f"each.{item}/", "each")
    told.append((max(free), "each", "", StepFinished()))
    state = a_run(told)
    inside = [step for step in path_of(state, Flow()).steps if "/" in step]
    assert sum(lasts[int(step[5:].partition("/")[0])] for step in inside) == max(free) == state.worked()


def held_and_queued() -> Mapping[str, float]:
    told = [
        (0, "n0", "", StepReady()),
        (2, "n0", "", StepHeld("before", "")),
        (5, "n0", "", StepReleased()),
        (5, "n0", "", StepStarted()),
        (6, "n0", "", StepFinished()),
        (0, "n1", "", StepStarted()),
        (1, "n1", "", StepFinished()),
    ]
    path = path_of(a_run(told), Flow())
    assert path.chain == ["n0"]
    return {"took": path.took, "held": path.held, "queued": path.queued}


def test_held_time_and_time_in_the_queue_are_told_apart_from_work() -> None:
    assert held_and_queued() == {"took": 6.0, "held": 3.0, "queued": 2.0}


def test_of_a_run_that_goes_on_it_is_the_path_so_far() -> None:
    told = [(0, "n0", "", StepStarted()), (3, "n0", "", StepFinished()), (3, "n1", "", StepStarted())]
    body = Body([3, 4], [frozenset(), frozenset({0})])
    state = a_run(told)
    assert critical_path(state, wired(flow_of(body), None), 5.0).took == 5.0


def test_a_step_that_ended_in_the_same_moment_is_not_mistaken_for_its_source() -> None:
    told = [
        (0.0, "n0", "", StepStarted()),
        (10.0, "n0", "", StepFinished()),
        (9.0, "other", "", StepStarted()),
        (10.00005, "other", "", StepFinished()),
        (10.0001, "n1", "", StepStarted()),
        (12.0, "n1", "", StepFinished()),
    ]
    path = path_of(a_run(told), flow_of(Body([1, 1], [frozenset(), frozenset({0})])))
    assert path.chain == ["n0", "n1"]


def test_nothing_has_no_path() -> None:
    assert path_of(a_run([]), Flow()) == CriticalPath({}, [])
