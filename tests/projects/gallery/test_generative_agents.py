"""Generative Agents: news spreads by what people remember, conclude and plan, and else it stops."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.places import gallery_projects
from studio.runtime.gates.debug_gate import OpenGate, StepRef
from studio.runtime.values import Resolved, Value
from studio.trace.events import MemoryRead
from studio.trace.fold.state import RunState, StepState
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here
from tests.projects.gallery.systems import System, copied, ran
from tests.trusted import HERE

PARTY = "You want to give a party at the cafe at 19:30, with music and dancing."


@pytest.fixture(scope="module")
def folder() -> Path:
    return next(one for one in gallery_projects() if one.name == "generative_agents")


@pytest.fixture(scope="module")
def system(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(folder, tmp_path_factory.mktemp("generative_agents")))


async def lived(
    folder: Path, into: Path, file: str, gate: type[OpenGate] = OpenGate, **inputs: Any
) -> RunState:
    """Run one of its flows."""
    project = copied(folder, into)
    flow = load_flow(project.root / file).flow
    registry = project_registry(project, builtin_registry())
    materials = prepare(project, flow, registry, environ=HERE, inputs=inputs, offline=True, pace=0)
    return await run_here(materials, make_gate=lambda _: gate())


def minds(state: RunState, tick: int) -> dict[str, StepState]:
    """The calls of the mind in a tick, by whose it is."""
    town = f"day.{tick}/town"
    calls = [state.steps[one] for one in state.order if state.steps[one].parent == town]
    return {str(one.arguments["name"]): one for one in calls if one.tool == "mind"}  # type: ignore[index]


def in_mind(state: RunState, tick: int, who: str, node: str) -> StepState:
    """A step of somebody's mind in a tick."""
    return state.steps[StepId(f"{minds(state, tick)[who].id}/mind/{node}")]


def remembered(state: RunState) -> list[tuple[str, str, Mapping[str, Any]]]:
    """What came into the diaries, in order: into which, by which step, and what."""
    found: list[tuple[str, str, Mapping[str, Any]]] = []
    for name in state.order:
        for one in state.steps[name].remembered:
            if one.memory.startswith("diary."):
                item: Any = one.item.data
                found.append((one.memory.removeprefix("diary."), name, item))
    return found


def told(state: RunState) -> list[tuple[int, str, str]]:
    """Who spoke to whom in which tick, by the log that the last round gave."""
    log: Any = state.steps[StepId("day.8/town")].outputs["log"].data
    return [(one["tick"], one["name"], to) for one in log if one["say"] for to in one["heard_by"]]


def test_the_news_goes_from_one_to_the_next_who_meet(system: System) -> None:
    assert told(system.state) == [
        (2, "Klaus", "Maria"),
        (3, "Maria", "Klaus"),
        (4, "Isabella", "Klaus"),
        (5, "Klaus", "Isabella"),
        (6, "Klaus", "Maria"),
        (7, "Maria", "Klaus"),
    ]
    assert system.state.outputs["guests"].data == ["Isabella", "Klaus", "Maria"]


def test_all_decide_at_once_and_act_when_all_have_decided(system: System) -> None:
    for tick in range(1, 9):
        calls = [one.id for one in minds(system.state, tick).values()]
        assert len(calls) == 3
        events = [(one.step, one.event.kind) for one in system.entries if one.step in calls]
        begun = [place for place, (_, kind) in enumerate(events) if kind == "tool_called"]
        over = [place for place, (_, kind) in enumerate(events) if kind == "tool_answered"]
        assert max(begun) < min(over)
        acted = [
            one.number
            for one in system.entries
            if one.event.kind == "tool_called" and one.parent == f"day.{tick}/town" and one.event.tool == "go"
        ]
        answered = [
            one.number for one in system.entries if one.step in calls if one.event.kind == "tool_answered"
        ]
        assert all(number > max(answered) for number in acted)


def test_each_observes_before_they_retrieve_and_decides_on_what_was_found(system: System) -> None:
    state = system.state
    order = [one.step for one in system.entries if one.event.kind == "step_finished"]
    for who in ("Isabella", "Klaus", "Maria"):
        steps = [in_mind(state, 5, who, node).id for node in ("observe", "retrieve", "decide", "keep_words")]
        assert [order.index(one) for one in steps] == sorted(order.index(one) for one in steps)
        found = str(in_mind(state, 5, who, "retrieve").outputs["text"].data)
        assert found
        assert found in str(in_mind(state, 5, who, "decide").inputs["prompt"].data)


def test_nobody_reads_or_writes_the_diary_of_another(system: System) -> None:
    used: set[tuple[str, str]] = set()
    for tick in range(1, 9):
        for who, call in minds(system.state, tick).items():
            used |= {
                (who, one.event.memory)
                for one in system.entries
                if isinstance(one.event, MemoryRead) and one.step.startswith(f"{call.id}/")
            }
    assert {(who, memory) for who, memory in used if memory != "plans"} == {
        (who, f"diary.{who}") for who in ("Isabella", "Klaus", "Maria")
    }


def test_klaus_concludes_from_what_maria_said_and_recalls_it_when_he_meets_her(system: System) -> None:
    diary = [(step, item) for whose, step, item in remembered(system.state) if whose == "Klaus"]
    said = next(item for _, item in diary if item["text"].startswith("Maria: Dancing!"))
    step, insight = next((step, one) for step, one in diary if one["data"]["type"] == "reflection")
    assert insight["text"] == "Maria would be glad of a party where there is dancing."
    assert insight["data"]["evidence"] == [said["id"]]
    assert step.startswith("day.4/town#")
    met = in_mind(system.state, 6, "Klaus", "retrieve").outputs["items"].data
    assert isinstance(met, list)
    assert {insight["id"], said["id"]} <= {one["id"] for one in met}  # type: ignore[index,call-overload]
    assert "Come along, Maria!" in str(in_mind(system.state, 6, "Klaus", "decide").outputs["say"].data)


def test_plans_are_made_once_and_followed(system: System) -> None:
    made = [
        (tick, who)
        for tick in range(1, 9)
        for who in minds(system.state, tick)
        if in_mind(system.state, tick, who, "plan_day").outputs
    ]
    assert made == [(1, "Isabella"), (1, "Klaus"), (1, "Maria")]
    log: Any = system.state.steps[StepId("day.8/town")].outputs["log"].data
    places = [one["place"] for one in log if one["name"] == "Klaus"]
    assert places == ["lodge", "library", "library", "cafe", "cafe", "library", "library", "cafe"]


def test_who_plans_is_told_which_places_and_times_there_are(system: System) -> None:
    asked = str(in_mind(system.state, 1, "Klaus", "plan_day").inputs["prompt"].data)
    assert 'The places are: ["cafe", "library", "lodge"]' in asked
    assert 'The times to come are: ["10:30", "12:00", ' in asked


async def test_other_news_is_not_lived_with(folder: Path, tmp_path: Path) -> None:
    state = await lived(folder, tmp_path, "flow.json", news="The well has run dry.")
    assert state.error is not None
    assert "Unknown: These people know" in state.error.message


@pytest.mark.parametrize(
    ("file", "guests"),
    [
        ("without_reflection.json", ["Isabella", "Klaus"]),
        ("without_planning.json", ["Isabella"]),
        ("without_memory.json", ["Isabella"]),
    ],
)
async def test_without_one_of_its_parts_the_news_stops(
    folder: Path, tmp_path: Path, file: str, guests: Sequence[str]
) -> None:
    assert (await lived(folder, tmp_path, file)).outputs["guests"].data == guests


async def test_without_memory_one_asks_the_same_again(folder: Path, tmp_path: Path) -> None:
    state = await lived(folder, tmp_path, "without_memory.json")
    asked = [tick for tick, who, to in told(state) if (who, to) == ("Klaus", "Maria")]
    assert asked[:2] == [2, 3]
    assert not remembered(state)


async def test_without_news_nobody_comes(folder: Path, tmp_path: Path) -> None:
    assert (await lived(folder, tmp_path, "flow.json", news="")).outputs["guests"].data == ["Isabella"]


class Whispers(OpenGate):
    """Gives Maria a thought while the third tick is held, as a person may."""

    is_open = False

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Edit what happens in the town."""
        if ref.step == "day.3/town":
            return {**inputs, "events": Value([{"tick": 3, "to": "Maria", "text": PARTY}])}
        return inputs


async def test_what_a_person_writes_into_a_running_day_happens(folder: Path, tmp_path: Path) -> None:
    state = await lived(folder, tmp_path, "flow.json", Whispers, news="")
    assert state.outputs["guests"].data == ["Isabella", "Maria"]
    assert in_mind(state, 3, "Maria", "plan_day").outputs, "she plans anew"
    assert not in_mind(state, 3, "Klaus", "plan_day").outputs


def test_the_village_can_be_looked_at_as_it_was_in_each_tick(system: System) -> None:
    states = [
        json.loads(one.item.data["text"])  # type: ignore[index,call-overload,arg-type]
        for tick in range(1, 9)
        for one in system.state.steps[StepId(f"day.{tick}/town")].remembered
        if one.item.data["by"] == "pass_time"  # type: ignore[index,call-overload]
    ]
    assert [one["hour"] for one in states] == [*range(1, 9)]
    assert states[0]["at"] == {"Isabella": "cafe", "Klaus": "library", "Maria": "library"}
    assert [one["done"] for one in states] == [False] * 7 + [True]
