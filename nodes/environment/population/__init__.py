r"""Population: many simulated people who live through ticks in a world and hear one another.

Each row at `people` is one of them, by its *Name of a person*; its other fields are traits. In a tick each
perceives (by the tool of the world that *Perceives by* names, and by what happens at this tick), all decide
at once what they say and do, and what they decided takes effect in the order of the table, so that a run does
not depend on who is quicker. The `world` is an *Environment*, or flows that are told who acts and who
perceives (*Flow as tool* with *Caller input*), such as a game master's. What is said is heard in the next
tick: by everyone, by those whom the speaker's row names under `neighbours`, or by those at the same place:
the field `place` of what is seen, or of the row. Who is addressed by name alone hears it alone.

Who decides: an agent that is lent, in a turn of its own under the person's name (the first, or the one that
the row names under `agent`), with the *Description* for its role, in which `{{trait}}` is filled in. Or, in
its place, a tool at `mind`, such as a flow, which is given what it takes of the traits and of `name`, `tick`,
`place`, `seen`, `heard`, `happened`, `came_of_it`, `remembered` and `actions`, and answers in words, which
are said, or with JSON: `{"say": "Hello!", "to": ["Ben"], "do": "go", "using": "the mill"}`. With a memory
that keeps apart whose is whose (a *Stream*), people recall what bears on what they perceive, and remember
what they perceived, said and did.

`events` are objects of `tick`, `text`, and `to` (names) or `place`. A method of the world under *Time passes
by* is used once after each tick, and ends all where it says that it is `done`. To hold and step between
ticks, let a loop run one tick in each round: hand its `log`, and its round as `tick`, on to the next.

```json
{
  "settings": {"description": "You are {{name}}, a {{job}}.", "ticks": 2, "at_once": 1},
  "inputs": {"people": [{"name": "Ada", "job": "baker"}, {"name": "Ben", "job": "smith"}]},
  "agents": [{"name": "villager"}],
  "chat": [
    "{\"say\": \"Bread?\", \"to\": [\"Ben\"]}",
    "{\"say\": \"\", \"to\": []}",
    "{\"say\": \"\", \"to\": []}",
    "{\"say\": \"Please!\", \"to\": []}"
  ],
  "outputs": {
    "messages": [
      {"tick": 1, "from": "Ada", "to": ["Ben"], "place": "", "text": "Bread?"},
      {"tick": 2, "from": "Ben", "to": [], "place": "", "text": "Please!"}
    ],
    "tick": 2
  }
}
```
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

from nodes.environment.population.inhabitants import NOTHING, Hearing, listed, people_of
from nodes.environment.population.ticks import Town
from studio.building_blocks.values.json_kinds import is_object
from studio.sdk import Agent, Context, Effect, In, Json, Memory, Out, Setting, StepError, Tool, node
from studio.sdk.expressions import expression_over, holds

FACTS = ("tick", "spoke", "acted", "texts")


@dataclass(frozen=True, slots=True)
class Lived:
    """What became of a population."""

    log: Annotated[list[Json], Out("log", "What each perceived, said and did, tick by tick")]
    messages: Annotated[list[Json], Out("messages", "What was said: tick, from, to, place, text")]
    tick: Annotated[int, Out("tick", "The last tick")]
    ended: Annotated[str, Out("ended", "Why it ended: ticks, rule, or done")]


@node(
    "environment.population",
    title="Population",
    effect=Effect.PAID_READ,
    keywords=("simulation", "crowd", "society", "agents", "personas", "ticks", "town", "feed"),
)
async def population(
    context: Context,
    people: Annotated[Json, In("The people: a list with a row of traits for each")],
    events: Annotated[Json, In("Events: a list of tick, text, and to or place")] = None,
    log: Annotated[Json, In("The log to continue from")] = None,
    tick: Annotated[int, In("The first tick")] = 1,
    agents: Annotated[Sequence[Agent], In("Agents that decide for people")] = (),
    mind: Annotated[Sequence[Tool], In("A tool that decides instead of agents")] = (),
    world: Annotated[Sequence[Tool], In("What people can perceive and do")] = (),
    memory: Annotated[Sequence[Memory], In("Memory of the agents, separate for each")] = (),
    *,
    ticks: Annotated[int, Setting("Max. ticks", minimum=1, maximum=10_000)] = 5,
    description: Annotated[
        str,
        Setting("Description", editor="prompt", help="Of each person; {{name}} and {{trait}} are filled in"),
    ] = "You are {{name}}.",
    name_field: Annotated[
        str, Setting("Name field", help="The field of a row that contains the name")
    ] = "name",
    hearing: Annotated[
        Hearing,
        Setting(
            "Who hears whom", help="Everyone, the neighbours in the speaker's row, or those at the same place"
        ),
    ] = "everyone",
    observes: Annotated[str, Setting("Perception tool", help="A tool of the world; empty: none")] = "",
    passes: Annotated[str, Setting("Tick tool", help="A tool of the world; empty: none")] = "",
    at_once: Annotated[
        int, Setting("Parallel", minimum=1, maximum=1000, help="People who decide at the same time")
    ] = 8,
    ends_when: Annotated[
        str,
        Setting("Ends when", editor="expression", help=f"Checked after each tick, over {', '.join(FACTS)}"),
        AfterValidator(expression_over(*FACTS, optional=True)),
    ] = "",
) -> Lived:
    """Let ticks pass until the rule holds, the world says that it is done, or there were enough."""
    if any(not one.by_owner for one in memory):
        raise StepError(
            "A memory here would be shared by all.", hint="Attach a Stream, which keeps them apart."
        )
    town = Town(
        context,
        people_of(listed(people, "people"), name_field),
        agents,
        mind[0] if mind else None,
        world,
        memory,
        description,
        observes,
        passes,
        hearing,
        at_once,
        listed(events, "events"),
        [one for one in listed(log, "log") if is_object(one)],
    )
    town.go_on_from(tick)
    ended, last = "ticks", tick - 1
    for last in range(tick, tick + ticks):
        context.progress(last - tick, ticks, f"tick {last}")
        rows = await town.tick(last)
        if town.is_over or holds(ends_when, facts_of(last, rows)):
            ended = "done" if town.is_over else "rule"
            break
    said = [message_of(one) for one in town.log if one.get("say")]
    return Lived([*town.log], [*said], last, ended)


def facts_of(tick: int, rows: Sequence[Mapping[str, Json]]) -> dict[str, object]:
    """What the rule sees of a tick: how many spoke and acted, and what was said."""
    texts = [one["say"] for one in rows if one["say"]]
    acted = sum(one["do"] != NOTHING for one in rows)
    return {"tick": tick, "spoke": len(texts), "acted": acted, "texts": texts}


def message_of(row: Mapping[str, Json]) -> dict[str, Json]:
    """What somebody said."""
    told = {name: row.get(name) for name in ("tick", "to", "place")}
    return {"tick": told["tick"], "from": row.get("name"), **told, "text": row.get("say")}
