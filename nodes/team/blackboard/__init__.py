r"""Blackboard: requests are posted to a shared board, and agents volunteer.

A lead, which knows nobody, is shown the task and the board, and either posts one request or gives the answer.
Each agent is asked whether it can help with the request, all at once, and decides by what it knows of itself;
those that volunteer, the surest first and *Volunteers at most* of them, answer at once, and what they say is
posted. Then the lead reads the board again. After so many requests, or where the rule holds, it has to answer
with what stands there. The rule is an expression over `requests`, `volunteers` (for the last request),
`rounds`, `turns`, `text`, `speaker`, `speakers`, `tokens` and `seconds`, asked after each request.

The board is a memory that is wired to `memory`, such as *Notes*, whose permissions count: a request stands
under `request/1`, an answer to it under `request/1/ada`, and that nobody could help under
`request/1/nobody`, so that the lead may ask for something else. What stood on the board before is read as
well, and what was posted stays there for other steps.

Agents of the same name are told apart: `expert`, `expert_2`. One that fails takes the step along, or does not
volunteer; if it fails when it answers, that it did is not posted. Whatever the board refuses to keep is left
out. Each request is a part of the step, and so is each answer.

```json
{
  "agents": [{"name": "ada", "instructions": "You have the notes on birds."}],
  "memories": {"memory": []},
  "settings": {"limit": 1},
  "inputs": {"task": "What sang in May?"},
  "chat": [
    "{\"reason\": \"The board is empty.\", \"next\": \"request\", \"text\": \"Which bird sang in May?\"}",
    "{\"reason\": \"I know birds.\", \"can_help\": true, \"confidence\": 0.9}",
    "A dunnock.",
    "{\"reason\": \"It is there.\", \"next\": \"answer\", \"text\": \"a dunnock\"}"
  ],
  "outputs": {
    "reply": "a dunnock",
    "ended": "answered",
    "requests": [
      {
        "request": "Which bird sang in May?",
        "volunteers": ["ada"],
        "answers": [{"speaker": "ada", "text": "A dunnock."}]
      }
    ]
  }
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import AfterValidator

from nodes.team.blackboard.board import Board, led, offered, served
from studio.building_blocks.settings.teams import AgentAtFault, Parallel
from studio.building_blocks.teams.termination import FACTS, Ending
from studio.building_blocks.teams.transcript import team_of
from studio.sdk import Agent, Context, Effect, In, Json, Memory, Message, Out, Said, Setting, node
from studio.sdk.expressions import expression_over

LEAD = "You solve a task with the help of others, whom you do not know. Ask for one thing at a time."
OFFER = "Can you help with this, with what you know and have? Say so only if you can."


@dataclass(frozen=True, slots=True)
class Solved:
    """What the lead answered, and what was posted on the way."""

    reply: Annotated[str, Out("reply", "The lead's answer")]
    speaker: Annotated[str, Out("speaker", "Who answered: the lead")]
    ended: Annotated[str, Out("ended", "answered, rule, or rounds (the lead had to answer)")]
    requests: Annotated[
        list[Json], Out("requests", "Each request, its volunteers and their answers", type="json[]")
    ]
    messages: Annotated[list[Message], Out("messages", "The task, and what was posted")]


@node(
    "team.blackboard",
    title="Blackboard",
    effect=Effect.PAID_READ,
    keywords=("volunteer", "post", "shared memory", "contract net", "self-selection", "requests"),
)
async def blackboard(
    context: Context,
    task: Annotated[str, In("The task")],
    memory: Annotated[Memory, In("The board: a notes memory")],
    agents: Annotated[Sequence[Agent], In("Agents that can volunteer")] = (),
    *,
    rounds: Annotated[int, Setting("Max. requests", minimum=1, maximum=1000)] = 6,
    most: Annotated[int, Setting("Max. volunteers", minimum=0, maximum=1000, help="Per request; 0: all")] = 0,
    ends_when: Annotated[
        str,
        Setting(
            "Ends when", editor="expression", help=f"Expression over requests, volunteers, {', '.join(FACTS)}"
        ),
        AfterValidator(expression_over("requests", "volunteers", *FACTS, optional=True)),
    ] = "",
    name: Annotated[str, Setting("Lead's name", help="For the board's permissions")] = "lead",
    instructions: Annotated[str, Setting("The lead's instructions", editor="text")] = LEAD,
    profile: Annotated[str, Setting("Lead's profile", editor="profile", help="Empty: same as the run")] = "",
    offer: Annotated[str, Setting("Volunteer prompt", editor="text", help="Added after the request")] = OFFER,
    repairs: Annotated[
        int,
        Setting(
            "Max. repairs", minimum=0, maximum=10, help="How often the lead's invalid answer is sent back"
        ),
    ] = 1,
    limit: Parallel = 8,
    at_fault: AgentAtFault = "fail",
) -> Solved:
    """Post requests on the board until the lead can answer."""
    team = team_of(agents)
    board = Board(context, memory, task, name)
    ending, posted, ended = Ending(context, ends_when).start(), list[Json](), "rounds"
    for number in range(1, rounds + 1):
        context.progress(number - 1, rounds, f"request {number}")
        step = await led(board, instructions, profile=profile, repairs=repairs)
        if step["next"] == "answer":
            return Solved(step["text"], name, "answered", posted, board.messages)
        part = await board.post(number, step["text"])
        able = await offered(board, team, step["text"], offer, limit=limit, at_fault=at_fault)
        helpers = able[: most or None]
        said = await served(board, helpers, number, step["text"], limit=limit, at_fault=at_fault)
        if not said:
            await board.keep(f"request/{number}/nobody", name, "No agent could help with this.")
        board.context.tell(replace(part, status="done" if said else "failed", text=f"{len(said)} answered"))
        answers: list[Any] = [{"speaker": who, "text": one.reply} for who, one in said.items()]
        posted.append(
            {"request": step["text"], "volunteers": [one.name for one in helpers], "answers": answers}
        )
        ending.rounds = number
        turns = [(name, Said(step["text"])), *said.items()]
        held = [ending.after(who, one, requests=number, volunteers=len(helpers)) for who, one in turns]
        if any(held):
            ended = "rule"
            break
    step = await led(board, instructions, profile=profile, repairs=repairs, is_last=True)
    return Solved(step["text"], name, ended, posted, board.messages)
