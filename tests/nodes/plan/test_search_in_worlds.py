"""A search tries actions in copies of an environment, which stays as it is until a chosen step is done."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from nodes.plan.search import search
from studio.errors import StepError
from studio.ids import StepId
from studio.runtime.replay.takeover import replayed
from studio.sandbox.wasm import WasmBox
from studio.sdk import Agent, Copies, Json, Said, Tool, ToolError, Turn
from studio.sdk.testing import ScriptedContext, run_bench
from studio.trace.differences.compare import first_difference
from tests.nodes.plan.lenders import Asked
from tests.nodes.plan.mazes import in_a_maze
from tests.runtime.bench import REGISTRY, run

TRIED = [("go", "w"), ("go", "e"), ("take", ""), ("leave", "")]
SETTINGS: dict[str, Any] = {
    "expand": "guide", "scoring": "reward", "observes": "look", "acts_as": "Ada", "branches": 4,
    "ends_when": 'state["done"]',
}  # fmt: skip


@dataclass
class Rooms:
    """Two rooms: in the west lies the key for the door in the east."""

    now: dict[str, Any] = field(default_factory=lambda: {"at": "w", "key": False})
    real: list[str] = field(default_factory=list[str])
    """What was done here, and not in a copy."""

    def look(self, state: dict[str, Any]) -> Json:
        return f"{state['at']}{' with the key' if state['key'] else ''}"

    def go(self, state: dict[str, Any], where: str) -> Json:
        if where == state["at"]:
            raise ToolError("There is a wall.")
        state["at"] = where
        return "You go."

    def take(self, state: dict[str, Any]) -> Json:
        if state["at"] != "w" or state["key"]:
            raise ToolError("There is no key.")
        state["key"] = True
        return {"result": "You have it.", "reward": 0.5}

    def leave(self, state: dict[str, Any], actor: str) -> Json:
        if state != {"at": "e", "key": True}:
            raise ToolError("The door is shut.")
        state["at"] = "out"
        return {"result": f"{actor} is out.", "reward": 1, "done": True}

    def tools(self) -> list[Tool]:
        takes = {"look": [], "go": ["where"], "take": [], "leave": ["actor"]}
        return [self.tool(getattr(self, name), *names) for name, names in takes.items()]

    def tool(self, act: Callable[..., Json], *names: str) -> Tool:
        def done(arguments: Mapping[str, object], state: dict[str, Any]) -> str:
            said = act(state, **arguments)
            return said if isinstance(said, str) else json.dumps(said)

        async def real(arguments: Mapping[str, object]) -> str:
            self.real.append(act.__name__)
            return done(arguments, self.now)

        async def copy(arguments: Mapping[str, object], state: Json) -> tuple[str, Json]:
            after: Any = json.loads(json.dumps(state))
            return done(arguments, after), after

        schema = {"type": "object", "properties": {name: {} for name in names}, "required": [*names]}
        copies = Copies(lambda _: dict(self.now), copy)
        caller = "actor" if "actor" in names else ""
        return Tool(act.__name__, f"Do {act.__name__}.", schema, real, caller=caller, copies=copies)


def guide(heard: list[str] | None = None, *answers: Any) -> Agent:
    """Somebody who wants all tried that can be done, or what is given."""
    left = list(answers)

    async def work(turn: Turn) -> Said:
        (heard if heard is not None else []).append(turn.prompt)
        wanted = left.pop(0) if left else TRIED
        return Said(json.dumps({"next": [{"do": name, "using": using} for name, using in wanted]}))

    return Agent("guide", work=work)


async def searched(rooms: Rooms, agent: Agent | None = None, **settings: Any) -> tuple[dict[str, Any], Any]:
    context = ScriptedContext()
    given = {"start": "", "agents": [agent or guide()], "world": rooms.tools(), "goal": "Get out."}
    return await run_bench(search, given, {**SETTINGS, **settings}, context), context


@pytest.mark.parametrize("method", ["best-first", "beam", "MCTS"])
async def test_it_finds_the_way_and_touches_nothing(method: str) -> None:
    rooms = Rooms()
    found, _ = await searched(rooms, method=method)
    assert (found["ended"], found["found"]) == ("goal", True)
    assert found["actions"] == [
        {"do": "take", "using": {}},
        {"do": "go", "using": {"where": "e"}},
        {"do": "leave", "using": {}},
    ]
    seen = ["w", "w with the key", "e with the key", "out with the key"]
    assert [one["seen"] for one in found["path"]] == seen
    assert found["best"] == {"came_of_it": "Ada is out.", "seen": seen[-1], "reward": 1, "done": True}
    assert (rooms.real, rooms.now, found["did"]) == ([], {"at": "w", "key": False}, [])


@pytest.mark.parametrize(
    ("then_do", "did"), [("first action", ["take"]), ("all actions", ["take", "go", "leave"])]
)
async def test_what_is_chosen_is_then_done_in_the_environment_itself(then_do: str, did: list[str]) -> None:
    rooms = Rooms()
    found, _ = await searched(rooms, then_do=then_do)
    assert rooms.real == did == [one["do"] for one in found["did"]]
    assert found["did"][0]["came_of_it"] == "You have it."
    assert rooms.now == ({"at": "w", "key": True} if did == ["take"] else {"at": "out", "key": True})


async def test_each_trial_is_told_with_what_cannot_be_done_and_what_was_reached_before() -> None:
    _, context = await searched(Rooms(), method="beam", width=9, expansions=3)
    told = {one.id: one for one in context.parts}
    assert {one.title: one.status for one in told.values() if one.of == "start"} == {
        "go(w)": "failed",
        "go(e)": "done",
        "take()": "done",
        "leave()": "failed",
    }
    assert told["start.1"].detail["reason"] == "There is a wall."
    assert not [one for one in told.values() if one.of == "start.2" and one.title == "go(w)"], "it leads back"


async def test_who_expands_is_told_what_there_is_to_be_done_and_seen() -> None:
    heard = list[str]()
    await searched(Rooms(), guide(heard, [("take", "")]), expansions=2)
    assert "- go(where): Do go." in heard[0]
    assert "- leave(): Do leave." in heard[0]
    assert "1. take()" in heard[1]
    assert '"seen": "w with the key"' in heard[1]


async def test_every_action_that_needs_nothing_can_be_tried_without_asking_anybody() -> None:
    rooms = Rooms({"at": "e", "key": True})
    found, context = await searched(rooms, expand="*", branches=1, expansions=1)
    assert ([one["do"] for one in found["actions"]], context.requests) == (["leave"], [])


async def test_what_is_asked_for_and_is_not_there_fails_the_step_or_ends_a_branch() -> None:
    with pytest.raises(StepError, match="did not answer in the required form"):
        await searched(Rooms(), guide(None, [("fly", "")]))
    for wanted, why in (("fly", "`fly` cannot be done"), ({"do": "go"}, "`go`: It was not called")):
        guess = Asked("guess", lambda _, wanted=wanted: [wanted]).tool
        with pytest.raises(StepError, match=why):
            await run_bench(
                search, {"start": "", "world": Rooms().tools(), "tools": [guess]}, {"expand": "guess"}
            )
    with pytest.raises(StepError, match=r"A\* needs what is left"):
        await searched(Rooms(), method="A*")
    with pytest.raises(StepError, match="no tool `smell`"):
        await searched(Rooms(), observes="smell")
    plain = Asked("plain", str).tool
    with pytest.raises(StepError, match="`plain` cannot be tried in a copy"):
        await run_bench(search, {"start": "", "world": [plain], "agents": [guide()]}, {"expand": "guide"})
    with pytest.raises(StepError, match="There is no environment"):
        await run_bench(search, {"start": "", "agents": [guide()]}, {"expand": "guide", "scoring": "reward"})


@pytest.mark.box
async def test_in_a_run_its_copies_are_boxes_and_the_state_is_written_by_the_chosen_step_alone() -> None:
    flow = in_a_maze("first action")
    async with WasmBox() as box:
        ran = await run(flow, box=box)
    assert [one["do"] for one in ran.outputs["actions"]] == ["take", "east", "leave"]
    state = ran.state
    [written] = state.steps[StepId("look")].remembered
    assert (written.memory, json.loads(written.item.data["text"])["has_key"]) == ("maze", True)  # type: ignore[index,call-overload]
    tools = [one.tool for one in state.steps.values() if one.tool]
    assert tools.count("take") == 1
    assert {"try_take", "try_east", "try_leave"} <= {*tools}
    again = await run(flow, past=replayed(ran.entries, flow, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None
