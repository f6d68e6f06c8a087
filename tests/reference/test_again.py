"""Random flows replayed, forked and resumed mean what they meant, and ask, buy and change nothing twice."""

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from studio.ids import step_parts
from studio.runtime.gates.edited_gate import EditedGate
from studio.runtime.recorder import MemorySink
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.takeover import forked, own_step, replayed, resumed
from studio.trace.differences.compare import first_difference
from studio.trace.events import ChatAnswered, ChatRequested, Entry
from tests.reference.clock import run_virtually
from tests.reference.document import CALL, LOOP, RACE, reach, read
from tests.reference.edits import other_values, places
from tests.reference.generator import Case, cases
from tests.reference.interpreter import Result
from tests.reference.meaning import meant
from tests.reference.probes import World
from tests.reference.profile import random_flows
from tests.reference.running import Setup, differences, run_case, told_by
from tests.runtime.bench import Ran


@random_flows
@given(cases())
def test_a_replay_asks_nobody_changes_nothing_and_does_the_same(case: Case) -> None:
    meant(case)
    first = run_virtually(run_case(case))
    past = replayed(first.entries, case.flow, case.registry)
    world = World()
    again = run_virtually(run_case(case, setup=Setup(past=past, world=world, has_chats=False)))
    assert first_difference(first.entries, again.entries) is None
    assert again.outcome == first.outcome
    assert world == World()


@random_flows
@given(cases(), st.data())
def test_a_fork_means_what_the_edited_flow_would_have_meant_from_the_start(
    case: Case, data: st.DataObject
) -> None:
    plain = meant(case)
    old, before = Ran(), World()
    run_virtually(run_case(case, old, Setup(world=before)))
    found = places(case, {step: told for step, told in told_by(old.entries).items() if step in plain.steps})
    assume(found)
    step, phase, port, value = data.draw(st.sampled_from(found))
    edits: Any = {(step, phase): {port: data.draw(other_values(value))}}
    expected = meant(case, edits)
    roots = [Root(step, runs_again=phase == "before")]
    setup = Setup(
        lambda recorder: EditedGate(recorder, edits, case.flow, case.registry),
        past=forked(old.entries, case.flow, case.registry, roots, is_live=True, repeats=True),
    )
    new = run_virtually(run_case(case, setup=setup))
    assert not Counter(setup.world.bought) & Counter(before.bought), "bought twice"
    behind = _behind(case, step_parts(step)[1])
    again = [one for one in setup.world.changes if one in before.changes and one.split()[0] not in behind]
    assert not again, [(e.step, e.event) for r in (old, new) for e in r.entries if "writer" in e.step]
    races = {str(name) for one in case.all_flows for name, node in one.nodes.items() if node.kind == RACE}
    if not races:
        _assert_same(new, expected)
    elif not races & behind and not expected.errors:  # what is kept takes no time, so others may win
        assert new.outcome is not None
        assert new.outcome.outputs == expected.outputs


def _behind(case: Case, node: str) -> set[str]:
    """The nodes that wires and calls lead to from a node, with itself, and what is lent to them."""
    edges = {edge for flow in case.all_flows for edge in read(flow).edges}
    for flow in case.all_flows:
        for name, one in flow.nodes.items():
            if one.kind == LOOP:  # the next round follows the end of this one
                edges.add(((str(name), "exit"), (str(name), "entry")))
            if one.kind == CALL:  # a call leads into its flow, and what is in there leads to what is after it
                called = case.flows[str(one.settings["flow"])]
                edges |= {((str(name), "step"), vertex) for vertex in read(called).vertices}
                edges |= {(vertex, (str(name), "step")) for vertex in read(called).vertices}
    starts = [(node, end) for end in ("step", "entry", "exit")]
    nodes = {node} | {name for start in starts for name, _ in reach(edges, start)}
    wires = [wire for flow in case.all_flows for wire in flow.wires]
    return nodes | {str(one.source.node) for one in wires if one.target.node in nodes}


def _assert_same(ran: Ran, expected: Result) -> None:
    """The run came to the same; where it fails, in another time another step may be the first to."""
    assert ran.outcome is not None
    if expected.errors:
        assert ran.outcome.error is not None
    else:
        assert differences(ran, expected) == []


class DyingSink(MemorySink):
    """Keeps so many entries, and then its process is dead: nothing is kept, nobody goes on."""

    def __init__(self, entries: list[Entry], life: int) -> None:
        super().__init__(entries.append)
        self._entries = entries
        self._end = len(entries) + life
        self.run: asyncio.Task[Ran] | None = None

    def put(self, entry: Entry, *, durable: bool = False) -> None:
        if len(self._entries) >= self._end:
            return
        super().put(entry, durable=durable)
        if len(self._entries) == self._end and self.run is not None:
            self.run.cancel()

    async def committed(self) -> None:
        here = asyncio.current_task()
        if len(self._entries) >= self._end and here is not None:
            await (asyncio.sleep(0) if here.cancelling() else asyncio.get_running_loop().create_future())


async def run_for(life: int, case: Case, entries: list[Entry], setup: Setup) -> None:
    """Run a flow until its process dies, or to its end."""
    sink = DyingSink(entries, life)
    sink.run = asyncio.create_task(run_case(case, Ran(entries), replace(setup, sink=sink)))
    with suppress(asyncio.CancelledError):
        await sink.run


def going_on(case: Case, entries: list[Entry], world: World, *, repeats: bool = False) -> Setup:
    """What a resumed run starts with."""
    past, over = resumed(entries, case.flow, case.registry, repeats=repeats)
    sink = MemorySink(entries.append)
    return Setup(past=past, world=world, sink=sink, after=len(entries), quiet=over, goes_on=True)


def shown(entries: list[Entry]) -> Counter[str]:
    """The answers that were shown as done, as `World` tells what was bought."""
    asked: dict[str, Any] = {
        one.step: one.event.request for one in entries if isinstance(one.event, ChatRequested)
    }
    return Counter(
        f"{own_step(one.step)}: {asked[one.step]['messages'][-1]['content']}"
        for one in entries
        if isinstance(one.event, ChatAnswered)
    )


@random_flows
@given(cases(), st.lists(st.integers(1, 80), min_size=1, max_size=3))
def test_a_run_that_is_killed_anywhere_goes_on_to_the_same_end(case: Case, lives: list[int]) -> None:
    expected = meant(case)
    whole = World()
    run_virtually(run_case(case, setup=Setup(world=whole)))
    entries: list[Entry] = []
    world = World()
    run_virtually(run_for(lives[0], case, entries, Setup(world=world)))
    for life in lives[1:]:
        assume(not _is_over(entries))
        bought, changed = _resume(case, entries, world, life)
        assert not Counter(bought) & shown(entries[: -life or None]), "bought twice"
        del changed
    assume(not _is_over(entries))
    before = shown(entries)
    spent = len(world.bought)
    ran = run_virtually(run_case(case, Ran(entries), going_on(case, entries, world)))
    assert not Counter(world.bought[spent:]) & before, "bought twice"
    assert ran.outcome is not None
    is_in_doubt = ran.outcome.error is not None and ran.outcome.error.error == "InDoubtError"
    assert not Counter(world.changes) - Counter(whole.changes) or expected.errors, "changed twice"
    if is_in_doubt:
        ran = run_virtually(run_case(case, Ran(entries), going_on(case, entries, world, repeats=True)))
    elif not expected.errors and RACE not in case.kinds:
        assert Counter(world.changes) == Counter(whole.changes)
    if RACE not in case.kinds:
        _assert_same(ran, expected)


def _resume(case: Case, entries: list[Entry], world: World, life: int) -> tuple[list[str], list[str]]:
    """Go on until the process dies once more; gives what was bought and changed meanwhile."""
    spent, done = len(world.bought), len(world.changes)
    run_virtually(run_for(life, case, entries, going_on(case, entries, world)))
    return world.bought[spent:], world.changes[done:]


def _is_over(entries: list[Entry]) -> bool:
    return bool(entries) and entries[-1].event.kind in {"run_finished", "run_failed"}
