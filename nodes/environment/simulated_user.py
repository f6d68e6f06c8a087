"""Simulated user: an agent that plays a user with a goal, and says when it is reached.

It has a persona, a goal and what it knows, of which it tells only what it is asked for, as people do; and
tools of its own, such as those of an *Environment* that the agents work on as well, by which it looks whether
its goal is reached. Put it into a team with what is to be tried, as a member whose turn it is. In each turn
it says what the person says; where the person is satisfied, or gives up, the *Last word* is added, so that a
team ends by the rule `"###" in text`, or another with that word, and the turn ends as `satisfied` or `gave
up`.

```json
{
  "settings": {"name": "guest", "persona": "You are in a hurry.", "goal": "A room for one night."},
  "outputs": {"agent": "guest"}
}
```
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from studio.building_blocks.agents.turns import take_turn
from studio.building_blocks.settings.models import ChatProfile, Temperature
from studio.building_blocks.settings.tools import AgentName
from studio.sdk import Agent, Context, Effect, In, Memory, Message, Said, Setting, Tool, Turn, Yields, binding

FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "say": {"type": "string", "description": "What the person says now"},
        "mood": {
            "type": "string",
            "enum": ["goes on", "satisfied", "gives up"],
            "description": "satisfied: the goal is reached; gives up: it cannot be",
        },
    },
    "required": ["say", "mood"],
    "additionalProperties": False,
}
PLAY = (
    "You play a person who speaks with somebody who is to help. Say what this person says, in one or two "
    "sentences, and nothing that the person cannot know. Do not tell all at once: tell what you are asked. "
    "You are satisfied only when the goal is reached, and not when that is promised."
)
ENDS = {"satisfied": "satisfied", "gives up": "gave up"}


@binding(
    "environment.simulated_user",
    title="Simulated user",
    lends="agent",
    effect=Effect.PAID_READ,
    keywords=("persona", "customer", "tester", "role play", "goal", "user simulation", "evaluation"),
)
async def simulated_user(
    context: Context,
    tools: Annotated[Sequence[Tool], In("What the user can see and do")] = (),
    memory: Annotated[Sequence[Memory], In("The user's memory")] = (),
    *,
    name: AgentName = "user",
    persona: Annotated[str, Setting("Persona", editor="text", help="Who the user is")] = "",
    goal: Annotated[str, Setting("Goal", editor="text", help="What the user wants")] = "",
    knows: Annotated[str, Setting("Knows", editor="text", help="What the user can tell when asked")] = "",
    last_word: Annotated[
        str, Setting("Last word", help="Appended to the last message, so that rules can find it")
    ] = "###",
    temperature: Temperature = None,
    profile: ChatProfile = "",
    turns: Annotated[int, Setting("Max. turns", minimum=1, maximum=100, help="Tool turns per message")] = 8,
) -> Yields[Agent]:
    """Lend the person."""
    said = {"Who you are": persona, "What you want": goal, "What you know": knows}
    told = [f"{title}: {text}" for title, text in said.items() if text.strip()]
    instructions = "\n".join([PLAY, *told])
    one = Agent(name, persona, instructions, tools, (), temperature, profile, memory)

    async def work(turn: Turn) -> Said:
        """Let the person speak; what is asked in another form is answered in that."""
        if turn.answer_schema is not None:
            return await take_turn(context, one, turn, turns=turns)
        answered = await take_turn(context, one, replace(turn, answer_schema=FORM), turns=turns)
        if answered.data is None:  # it handed over, and said nothing besides
            return answered
        spoken = str(answered.data["say"]).strip()
        ended = ENDS.get(answered.data["mood"], "answered")
        reply = f"{spoken} {last_word}".strip() if ended in ENDS.values() else spoken
        messages = [*answered.messages[:-1], Message("assistant", reply)]
        return replace(answered, reply=reply, messages=messages, ended=ended)

    yield replace(one, work=work)
