"""People of a population perceive, decide at once, act in order, hear one another, and remember."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from nodes.environment.population import population
from nodes.environment.population.inhabitants import Decision, decided
from studio.building_blocks.testing import lent_agent
from studio.errors import StepError
from studio.ids import StepId
from studio.runtime.replay.takeover import replayed
from studio.sdk import MemoryPlace, Tool
from studio.sdk.testing import ScriptedContext, run_bench, word_memory
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import REGISTRY, Ran, flow_of, run


def tool(name: str, answers: Any, *takes: str, caller: str = "") -> Tool:
    """A tool of a world that gives what a function gives."""

    async def call(arguments: Mapping[str, object]) -> str:
        return answers(**arguments)

    names = [*takes, *([caller] if caller else [])]
    schema = {"type": "object", "properties": {one: {"type": "string"} for one in names}, "required": names}
    return Tool(name, "Do it.", schema, call, caller=caller)


class Says:
    """A mind that says by name and tick what is decided, and keeps what it was given."""

    def __init__(self, decisions: Mapping[tuple[str, int], Any]) -> None:
        self.decisions = decisions
        self.given: list[dict[str, Any]] = []

    @property
    def tool(self) -> Tool:
        names = ("name", "tick", "seen", "heard", "happened", "came_of_it", "job")
        schema: dict[str, Any] = {"type": "object", "properties": {one: {} for one in names}}

        async def decide(arguments: Mapping[str, Any]) -> str:
            self.given.append(dict(arguments))
            made = self.decisions.get((arguments["name"], arguments["tick"]), {"say": ""})
            return made if isinstance(made, str) else json.dumps(made)

        return Tool("mind", "", schema, decide, runs_steps=True)

    def heard(self) -> dict[tuple[str, int], str]:
        return {(one["name"], one["tick"]): one["heard"] for one in self.given if one["heard"]}


async def lived(
    mind: Says, people: Sequence[Mapping[str, Any]], settings: Mapping[str, Any], **more: Any
) -> dict[str, Any]:
    return await run_bench(population, {"people": people, "mind": [mind.tool], **more}, {**settings})


ADA, BEN, CY = ({"name": name, "job": "baker", "neighbours": ["Ben"]} for name in ("Ada", "Ben", "Cy"))


async def test_what_is_said_is_heard_in_the_next_tick_by_everyone_else() -> None:
    mind = Says({("Ada", 1): "Good morning!"})
    await lived(mind, [ADA, BEN, CY], {"ticks": 3})
    assert mind.heard() == {("Ben", 2): "Ada: Good morning!", ("Cy", 2): "Ada: Good morning!"}


async def test_neighbours_are_those_whom_the_speaker_has_for_some() -> None:
    mind = Says({("Ada", 1): "To the neighbours.", ("Ben", 1): "From Ben."})
    people = [ADA, {**BEN, "neighbours": "Cy, Dan"}, CY]
    await lived(mind, people, {"ticks": 2, "hearing": "neighbours"})
    assert mind.heard() == {("Ben", 2): "Ada: To the neighbours.", ("Cy", 2): "Ben: From Ben."}


async def test_who_is_addressed_by_name_alone_hears_it() -> None:
    mind = Says({("Ada", 1): {"say": "Psst.", "to": ["Cy"]}})
    outputs = await lived(mind, [ADA, BEN, CY], {"ticks": 2})
    assert mind.heard() == {("Cy", 2): "Ada: Psst."}
    assert outputs["messages"] == [{"tick": 1, "from": "Ada", "to": ["Cy"], "place": "", "text": "Psst."}]


async def test_those_at_the_same_place_hear_even_if_the_speaker_leaves_with_it() -> None:
    places = {"Ada": "mill", "Ben": "mill", "Cy": "inn"}

    def look(actor: str) -> str:
        return json.dumps({"place": places[actor]})

    def go(actor: str, place: str) -> str:
        places[actor] = place
        return f"at {place}"

    world = [tool("look", look, caller="actor"), tool("go", go, "place", caller="actor")]
    mind = Says({("Ada", 1): {"say": "I leave.", "do": "go", "using": "inn"}, ("Ada", 2): {"say": "Here."}})
    settings = {"ticks": 3, "hearing": "place", "observes": "look"}
    outputs = await lived(mind, [ADA, BEN, CY], settings, world=world)
    assert mind.heard() == {("Ben", 2): "Ada: I leave.", ("Cy", 3): "Ada: Here."}
    assert [one["place"] for one in outputs["log"] if one["name"] == "Ada"] == ["mill", "inn", "inn"]


async def test_what_they_decide_takes_effect_in_the_order_of_the_table() -> None:
    taken: list[str] = []

    def take(actor: str) -> str:
        taken.append(actor)
        return "yours" if len(taken) == 1 else "gone"

    mind = Says({(name, 1): {"do": "take"} for name in ("Ada", "Ben", "Cy")})
    outputs = await lived(mind, [CY, ADA, BEN], {"ticks": 2}, world=[tool("take", take, caller="actor")])
    assert taken == ["Cy", "Ada", "Ben"]
    assert [one["came_of_it"] for one in outputs["log"][:3]] == ["yours", "gone", "gone"]
    assert {one["name"]: one["came_of_it"] for one in mind.given[3:]} == {
        "Cy": "yours",
        "Ada": "gone",
        "Ben": "gone",
    }


async def test_what_cannot_be_done_is_told() -> None:
    mind = Says({("Ada", 1): {"do": "fly"}, ("Ben", 1): {"do": "go", "using": {"where": "inn"}}})
    world = [tool("go", str, "place", caller="actor")]
    outputs = await lived(mind, [ADA, BEN], {"ticks": 1}, world=world)
    told = [one["came_of_it"] for one in outputs["log"]]
    assert told[0] == "There is no `fly`. There are: go."
    assert told[1].startswith("It was not called: ")


async def test_events_happen_at_their_tick_to_those_who_are_meant() -> None:
    mind = Says({})
    events = [
        {"tick": 2, "text": "It rains."},
        {"tick": 2, "text": "A letter.", "to": "Ben"},
        {"tick": 1, "text": "The inn burns.", "place": "inn"},
    ]
    people = [ADA, {**BEN, "place": "inn"}]
    await lived(mind, people, {"ticks": 2}, events=events)
    told = {(one["name"], one["tick"]): one["happened"] for one in mind.given}
    assert told == {
        ("Ada", 1): "",
        ("Ben", 1): "The inn burns.",
        ("Ada", 2): "It rains.",
        ("Ben", 2): "It rains.\nA letter.",
    }


async def test_it_goes_on_from_an_earlier_log_as_if_it_had_never_ended() -> None:
    decisions = {("Ada", 1): "One.", ("Ben", 2): "Two.", ("Cy", 3): {"do": "fly"}}
    whole, half = Says(decisions), Says(decisions)
    at_once = await lived(whole, [ADA, BEN, CY], {"ticks": 4})
    log: Any = []
    for tick in (1, 2, 3, 4):
        one = await lived(half, [ADA, BEN, CY], {"ticks": 1}, log=log, tick=tick)
        log = one["log"]
    assert half.given == whole.given
    assert log == at_once["log"]


async def test_it_ends_by_its_rule_or_when_the_world_is_done() -> None:
    mind = Says({("Ada", 2): "Stop."})
    ruled = await lived(mind, [ADA], {"ticks": 9, "ends_when": "spoke > 0"})
    assert (ruled["tick"], ruled["ended"]) == (2, "rule")
    days = iter(['{"done": false}', '{"done": false}', '{"done": true}'])
    world = [tool("night", lambda: next(days))]
    over = await lived(Says({}), [ADA], {"ticks": 9, "passes": "night"}, world=world)
    assert (over["tick"], over["ended"]) == (3, "done")


@pytest.mark.parametrize(
    ("rows", "said"),
    [([{"job": "baker"}], "Row 1 of the people has no `name`"), ([ADA, ADA], "named `Ada`")],
)
async def test_people_have_names_of_their_own(rows: Any, said: str) -> None:
    with pytest.raises(StepError, match=said):
        await lived(Says({}), rows, {"ticks": 1})


async def test_a_population_of_nobody_lives_on_quietly() -> None:
    outputs = await lived(Says({}), [], {"ticks": 2})
    assert (outputs["log"], outputs["tick"]) == ([], 2)


async def test_without_anybody_to_decide_it_says_so() -> None:
    with pytest.raises(StepError, match="No agent decides for `Ada`; the agents are: none"):
        await run_bench(population, {"people": [ADA]}, {"ticks": 1})


async def test_a_row_may_name_its_agent_and_fills_in_the_description() -> None:
    context = ScriptedContext(['{"say": "", "to": []}'])
    agents = [lent_agent(context, "villager", "First."), lent_agent(context, "noble", "Second.")]
    people = [{"name": "Ada", "job": "queen", "agent": "noble"}]
    settings = {"ticks": 1, "description": "You are {{name}}, a {{job}}."}
    await run_bench(population, {"people": people, "agents": agents}, settings, context)
    assert context.requests[0].messages[0].content == "Second.\n\nYou are Ada, a queen."


async def test_a_memory_that_would_be_one_for_all_is_refused() -> None:
    given = {"people": [ADA], "memory": [word_memory("words")]}
    assert MemoryPlace("words", "memory.words") == given["memory"][0].place  # type: ignore[union-attr]
    with pytest.raises(StepError, match="Attach a Stream"):
        await run_bench(population, given, {"ticks": 1})


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Hello.", Decision("Hello.")),
        ('{"say": "Hi", "to": "Ben"}', Decision("Hi", ("Ben",))),
        ('{"do": "go", "using": "{\\"place\\": \\"inn\\"}"}', Decision(do="go", arguments={"place": "inn"})),
        ('{"say": "", "do": "", "using": "inn"}', Decision(arguments="inn")),
        ('{"other": 1}', Decision('{"other": 1}')),
        ("[1]", Decision("[1]")),
    ],
)
def test_a_decision_is_an_object_or_else_words(text: str, meant: Decision) -> None:
    assert decided(text) == meant


RULES = r"""
rules:
  - when: {instructions: Rate how important, asked: '2\. '}
    reply: {ratings: [8, 3]}
  - when: {instructions: Rate how important}
    reply: {ratings: [8]}
  - when: {asked: 'You remember.*the key lies under the stone'}
    reply: {say: "Under the stone.", to: []}
  - when: {instructions: You are Ben, asked: 'It happens:\nBen, the key'}
    reply: {say: "", to: []}
  - when: {asked: ''}
    reply: {say: "", to: []}
"""
FLOW = flow_of(
    {
        "people": ("value.json", {"value": [{"name": "Ada"}, {"name": "Ben"}]}),
        "events": (
            "value.json",
            {
                "value": [
                    {"tick": 1, "to": "Ben", "text": "Ben, the key lies under the stone."},
                    {"tick": 2, "text": "Where is the key?"},
                ]
            },
        ),
        "villager": "team.member",
        "diary": ("memory.stream", {"name": "diary", "reflects_at": 0}),
        "town": ("environment.population", {"ticks": 2}),
        "out": "io.flow_output",
    },
    [
        "people.value -> town.people",
        "events.value -> town.events",
        "villager.agent -> town.agents[0]",
        "diary.memory -> town.memory[0]",
        "town.messages -> out.value",
    ],
)


async def remembered(folder: Path) -> Ran:
    path = folder / "answers.yaml"
    path.write_text(RULES, "utf-8")
    return await run(FLOW, script=path)


async def test_everybody_remembers_by_themselves(tmp_path: Path) -> None:
    ran = await remembered(tmp_path)
    assert [(one["from"], one["text"]) for one in ran.outputs["out"]] == [("Ben", "Under the stone.")]
    written = {one.memory for one in ran.state.steps[StepId("town")].remembered}
    assert written == {"diary.Ada", "diary.Ben"}


async def test_each_is_told_as_a_part_whose_turns_are_calls(tmp_path: Path) -> None:
    state = (await remembered(tmp_path)).state
    parts = state.steps[StepId("town")].parts
    assert {name: one.status for name, one in parts.items()} == {"Ada": "done", "Ben": "done"}
    assert parts["Ben"].detail["tick"] == 2  # type: ignore[index]
    assert (parts["Ben"].sort, parts["Ben"].settings) == ("team.member", {"instructions": "You are Ben."})
    turns = [one.tool for one in state.steps.values() if one.tool in {"Ada", "Ben"}]
    assert sorted(turns) == ["Ada", "Ada", "Ben", "Ben"]


async def test_a_replay_gives_the_same_lives(tmp_path: Path) -> None:
    first = await remembered(tmp_path)
    again = await run(FLOW, past=replayed(first.entries, FLOW, REGISTRY))
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None
