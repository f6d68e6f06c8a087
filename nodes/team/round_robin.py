"""Round robin: agents speak in turn, round after round.

Each has its turn in the order of the wires, and sees the task and all that was said before it: its own words
as its own, those of others behind their names. It ends after so many rounds, or where the rule holds, an
expression over `rounds` (whole ones), `turns`, `text` (what was said last), `speaker`, `speakers` (all who
spoke), `tokens`, `seconds` and `handed_over`, put together with `and`, `or` and `not`:
`'APPROVED' in text and speaker == 'critic' or tokens > 20000`. It is asked after each turn.

Who hears whom can be wired to `edges`, as it was computed: an object of lists, `{"ada": ["ben"]}`, or a list
of `{"from": "ben", "to": "ada"}` where Ada hears Ben, each perhaps with the only `round` for whose words it
holds. Otherwise all hear all. The task is heard by everybody.

`reply` is what was said last, `messages` the transcript. `ended` says why it is over: `rounds` or `rule`. A
team of one speaks to itself. Of members with one name the second is called `NAME_2`. Where a member fails the
team does, or goes on, with the failure as what that member said.

```json
{
  "settings": {"rounds": 3, "ends_when": "'agreed' in lower(text)"},
  "inputs": {"task": "Name a bird that sings."},
  "agents": [{"name": "ada", "instructions": "You propose."}, {"name": "ben", "instructions": "You judge."}],
  "chat": ["A swan.", "Swans do not sing.", "A wren.", "Agreed."],
  "outputs": {
    "reply": "Agreed.",
    "speaker": "ben",
    "ended": "rule",
    "messages": [
      {"role": "user", "content": "Name a bird that sings."},
      {"role": "user", "content": "ada: A swan."},
      {"role": "user", "content": "ben: Swans do not sing."},
      {"role": "user", "content": "ada: A wren."},
      {"role": "user", "content": "ben: Agreed."}
    ]
  }
}
```
"""

from collections.abc import Sequence
from typing import Annotated

from studio.building_blocks.settings.teams import (
    EndsWhen,
    HearingEdges,
    MemberAtFault,
    SharedInstructions,
    TeamTask,
)
from studio.building_blocks.teams.termination import Ending
from studio.building_blocks.teams.topologies import hearers
from studio.building_blocks.teams.transcript import Concluded, Conversation, let_speak, team_of
from studio.sdk import Agent, Context, Effect, In, Setting, node


@node(
    "team.round_robin",
    title="Round robin",
    effect=Effect.PAID_READ,
    keywords=("group chat", "in turn", "conversation", "reflection", "writer and critic"),
)
async def round_robin(
    context: Context,
    task: TeamTask,
    agents: Annotated[Sequence[Agent], In("The agents, in speaking order")] = (),
    edges: HearingEdges = None,
    *,
    rounds: Annotated[int, Setting("Max. rounds", minimum=1, maximum=1000)] = 3,
    ends_when: EndsWhen = "",
    instructions: SharedInstructions = "",
    at_fault: MemberAtFault = "fail",
) -> Concluded:
    """Let each speak in turn, until the rule holds or the rounds are over."""
    team = team_of(agents)
    conversation, ending = Conversation(task), Ending(context, ends_when).start()
    for turn in range(rounds * len(team)):
        speaker = team[turn % len(team)]
        context.progress(turn, rounds * len(team), speaker.name)
        to = hearers(speaker.name, [one.name for one in team], edges, turn)
        said = await let_speak(context, speaker, conversation, role=instructions, to=to, at_fault=at_fault)
        ending.rounds = (turn + 1) // len(team)
        if ending.after(speaker.name, said):
            return conversation.concluded("rule")
    return conversation.concluded("rounds")
