r"""State machine: a state machine: states do work, rules decide the transitions.

Each state has a `name`; in `does` the agent, tool or flow that works in it (none: the node's own chat), and
in `asks` what that is asked, in which `{{task}}`, `{{text}}` (what came of the state before), `{{reason}}`
(why it went back), `{{state}}`, `{{data}}` and each of the data by its name stand for what they are. One who
is asked nothing gets the text; a tool is given what it takes of all these. A state with neither does
nothing. What is answered as a JSON object becomes part of the data.

Moves are tried in order: the first one from here (`at`; `*` is from anywhere) whose rule `when` holds is
taken. Rules see `state`, `text`, `data`, `visits` (of this state), `steps` and `failed`; a move without a
rule is always open, but not where the state failed: that takes a rule which asks for it, such as `failed`. A
move that goes `back` gives the data and the text their values of when that state was last entered. A state
that was entered as often as it may be is passed over.

It ends in a state of which no move speaks (`end`) but those from anywhere, where none is open (`nowhere`),
or after so many steps (`steps`). A failure from which no move leads on fails the step. Each visit is a part
of the step; those that a move undid are dropped.

```json
{
  "settings": {
    "states": [
      {"name": "draft", "does": "writer", "asks": "Write about {{task}}. {{reason}}"},
      {"name": "check", "does": "critic"},
      {"name": "done"}
    ],
    "moves": [
      {"at": "draft", "to": "check"},
      {"at": "check", "to": "done", "when": "text == \"Good.\""},
      {"at": "check", "to": "draft", "back": true}
    ]
  },
  "inputs": {"task": "wrens"},
  "agents": [{"name": "writer"}, {"name": "critic"}],
  "chat": ["A wren.", "Too short.", "A wren sings.", "Good."],
  "outputs": {"reply": "Good.", "state": "done", "visited": ["draft", "check", "draft", "check", "done"]}
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

from nodes.plan.state_machine.machine import Machine, copied
from studio.building_blocks.plans.delegation import doers_among
from studio.building_blocks.settings.models import ChatProfile, OwnInstructions
from studio.sdk import Agent, Context, Effect, In, Json, Out, Setting, Tool, node
from studio.sdk.machine import MachineState, Move, named_states, ruled_moves
from studio.sdk.schema_ports import answer_form


@dataclass(frozen=True, slots=True)
class Ended:
    """Where the machine ended, and with what."""

    reply: Annotated[str, Out("reply", "The result of the last state")]
    data: Annotated[Json, Out("data", "The final data")]
    state: Annotated[str, Out("state", "The final state")]
    visited: Annotated[list[str], Out("visited", "All states, in the order visited")]
    ended: Annotated[str, Out("ended", "Why it ended: end, nowhere or steps")]


@node(
    "plan.state_machine",
    title="State machine",
    effect=Effect.PAID_READ,
    keywords=("states", "transitions", "guards", "rollback", "fsm", "workflow", "checkpoint", "statechart"),
)
async def state_machine(
    context: Context,
    task: Annotated[str, In("The task")] = "",
    data: Annotated[dict[str, Json], In("Initial data")] = {},  # noqa: B006  # read only
    agents: Annotated[Sequence[Agent], In("Agents for the states")] = (),
    tools: Annotated[Sequence[Tool], In("Tools, code or flows for the states")] = (),
    *,
    states: Annotated[
        tuple[MachineState, ...],
        Setting("States", editor="json", help="Each with name, does, asks; starts with the first"),
        AfterValidator(named_states),
    ] = (MachineState("start"),),
    moves: Annotated[
        tuple[Move, ...],
        Setting(
            "Transitions",
            editor="json",
            help="Each with at, to, when (a rule), back; the first that applies is taken",
        ),
        AfterValidator(ruled_moves),
    ] = (),
    steps: Annotated[int, Setting("Max. depth", minimum=1, maximum=1000)] = 30,
    visits: Annotated[int, Setting("Max. visits", minimum=1, maximum=1000, help="Per state")] = 5,
    answer_schema: Annotated[
        dict[str, Json] | None,
        Setting("Answer as", editor="schema", help="Fields of agents' answers; empty: text"),
        AfterValidator(answer_form),
    ] = None,
    instructions: OwnInstructions = "",
    profile: ChatProfile = "",
) -> Ended:
    """Go through `states` by `moves`; raises `StepError` for unknown names, and for unheeded failures."""
    machine = Machine(
        context,
        doers_among(context, agents, tools, instructions=instructions, profile=profile),
        {one.name: one for one in states},
        moves,
        task,
        copied(data),
        steps,
        visits,
        form=answer_schema,
    )
    ended = await machine.run(states[0].name)
    visited = [one.state for one in machine.made]
    return Ended(machine.text, machine.data, visited[-1], visited, ended)
