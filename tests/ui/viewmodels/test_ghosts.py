"""What grew in a run as ghosts: which of it, beside which node, and who had turns."""

import json

import pytest

from studio.flow.files.codec import loads
from studio.flow.records import Flow
from studio.ids import NodeId, StepId
from studio.trace.events import RunStarted, StepStarted, ToolCalled
from studio.trace.events.parts import PartTold
from studio.trace.growth import Growth, part_key
from studio.ui.viewmodels.run import ghosts
from studio.ui.viewmodels.run.ghosts import Grove, grove
from studio.ui.viewmodels.run.growth_rows import rows_in_words
from studio.ui.viewmodels.run.node_states import NodeStates
from studio.ui.viewmodels.run.shown_run import Batch, ShownRun
from studio.workspace.catalog import builtin_registry
from tests.ui import growing

TEAM = NodeId("team")


@pytest.fixture
def flow() -> Flow:

    return loads(json.dumps(growing.FLOW)).flow


def grown(flow: Flow, happenings: list[growing.Happening]) -> Grove:
    shown = ShownRun()
    shown.show(growing.a_run(happenings))
    shown.flush()
    state, growth = shown.state, Growth()
    assert state is not None
    growth.update(state, state.order)
    rows = rows_in_words(growth.rows(state), state, flow, None)
    return grove(rows, state, flow, builtin_registry(), lambda node: shown.shown_step(node, None))


def test_parts_and_agents_that_nobody_drew_are_ghosts_and_members_are_not(flow: Flow) -> None:
    found = grown(flow, [*growing.BEGINS, *growing.GOES_ON])
    told = found.ghosts[TEAM]
    assert [one.title for one in told] == ["Look for birds", "Guess", "Ask who sang", "expert"]
    look, guess, ask, expert = told
    assert (guess.of, guess.is_dropped, guess.figure) == (look.key, True, "0.12")
    assert guess.note == "Guessing tells nothing."
    assert ask.after == (look.key,)
    assert (look.mark, expert.mark) == ("llm", "team")


def test_members_are_told_how_many_turns_they_had_and_who_speaks(flow: Flow) -> None:
    speaks: growing.Happening = ("team#tool.9", "team", ToolCalled("ben", {"task": "Again."}))
    found = grown(flow, [*growing.BEGINS, *growing.GOES_ON, speaks])
    assert [(str(one.wire.source), one.count, one.is_running) for one in found.delegations] == [
        ("ada.agent", 1, False),
        ("ben.agent", 2, True),
    ]


@pytest.mark.parametrize("settings", [{}, {"name": "expert"}])
def test_members_of_one_name_are_told_apart_as_in_their_team(settings: dict[str, str]) -> None:
    ada, ben = (NodeId(one) for one in ("ada", "ben"))
    alike = {one: {**growing.NODES[one], "settings": settings} for one in (ada, ben)}
    flow = loads(json.dumps({**growing.FLOW, "nodes": {**growing.NODES, **alike}})).flow
    turns = [*growing.turn(1, "expert", "Go on.", "Yes."), *growing.turn(2, "expert_2", "Go on.", "No.")]
    found = grown(flow, [*growing.BEGINS[:4], *turns])
    assert [(str(one.wire.source), one.count) for one in found.delegations] == [
        ("ada.agent", 1),
        ("ben.agent", 1),
    ]
    shown = ShownRun()
    states = NodeStates(builtin_registry(), shown)

    def take(batch: Batch) -> None:
        states.touched(flow, batch)

    shown.on_batch(take)
    shown.show(growing.a_run([*growing.BEGINS[:4], *turns]))
    shown.flush()
    assert [states.state_of(flow, one, None).status for one in (ada, ben)] == ["done", "done"]


def test_several_turns_of_one_that_nobody_drew_are_one_ghost(flow: Flow) -> None:
    turns = [one for number in (1, 2, 3) for one in growing.turn(number, "expert", "Go on.", "Yes.")]
    (ghost,) = grown(flow, [*growing.BEGINS[:4], *turns]).ghosts[TEAM]
    assert (ghost.title, ghost.figure) == ("expert", "×3")


def test_what_grows_in_the_work_on_a_part_stands_right_of_it(flow: Flow) -> None:
    happenings: list[growing.Happening] = [
        RunStarted("Birds", ""),
        ("team", StepStarted({})),
        ("team", PartTold("dig", "Dig")),
        ("team#tool.1", "team", ToolCalled("dig", {}, "dig")),
        ("team#tool.1/inner", "team#tool.1", PartTold("deep", "Deeper")),
    ]
    dig, deep = grown(flow, happenings).ghosts[TEAM]
    assert (deep.title, deep.of) == ("Deeper", dig.key)


def test_of_too_many_the_rest_is_counted(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ghosts, "MOST", 10)
    parts: list[growing.Happening] = [
        ("team", PartTold(str(number), f"Part {number}")) for number in range(25)
    ]
    told = grown(flow, [*growing.BEGINS[:4], *parts]).ghosts[TEAM]
    assert len(told) == 11
    assert told[-1].title == "15 more in the tree"


def test_each_ghost_leads_to_its_row(flow: Flow) -> None:
    found = grown(flow, [*growing.BEGINS, *growing.GOES_ON])
    key = part_key(StepId("team"), "ask")
    assert found.rows[key] == key
    assert {one.key for one in found.ghosts[TEAM]} == found.rows.keys()
