"""What is said in a team: the transcript, and what of it each member sees.

To a member its own words are the assistant's, and everybody else is a person whose words begin with a name.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Literal

from studio.building_blocks.agents.turns import speak
from studio.llm.conversation import GO_ON
from studio.sdk import Agent, Context, Message, Out, Said, StepError, Tool, ToolError, Turn

AtFault = Literal["fail", "go on"]
"""What a team does when a member fails: fail as well, or go on, with the failure as what it said."""

FAILED = "failed"
"""How a member's turn ended that failed, in a team that goes on."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody said, and to whom (None: to all); the task has no speaker."""

    speaker: str
    text: str
    to: Sequence[str] | None = None

    @property
    def told(self) -> Message:
        """What it is to everybody else."""
        return Message("user", f"{self.speaker}: {self.text}" if self.speaker else self.text)


@dataclass(frozen=True, slots=True)
class Concluded:
    """What a team gives: the last word, the transcript, and why it is over."""

    reply: Annotated[str, Out("reply", "The last message")]
    messages: Annotated[list[Message], Out("messages", "The transcript, starting with the task")]
    speaker: Annotated[str, Out("speaker", "Who spoke last")]
    ended: Annotated[str, Out("ended", "Why it ended", label="ended by")]


@dataclass(slots=True)
class Conversation:
    """The task of a team, and what was said to it, in turn."""

    task: str
    said: list[Remark] = field(default_factory=list[Remark])

    def add(self, speaker: str, text: str, to: Sequence[str] | None = None) -> None:
        """Keep what somebody said, to some or to all."""
        self.said.append(Remark(speaker, text, to))

    @property
    def remarks(self) -> list[Remark]:
        """The task and what was said, without what is empty."""
        return [one for one in (Remark("", self.task), *self.said) if one.text.strip()]

    @property
    def messages(self) -> list[Message]:
        """The transcript, as somebody reads it who said nothing."""
        return [one.told for one in self.remarks]

    @property
    def text(self) -> str:
        """The transcript as one text."""
        return "\n\n".join(one.content for one in self.messages)

    def concluded(self, ended: str) -> Concluded:
        """What the team gives, when it is over."""
        last = self.said[-1] if self.said else Remark("", "")
        return Concluded(last.text, self.messages, last.speaker, ended)

    def seen_by(self, name: str) -> tuple[list[Message], str]:
        """What a member has heard and said until it last spoke, and what was said since: its prompt."""
        remarks = [one for one in self.remarks if one.to is None or name in (one.speaker, *one.to)]
        spoke = [place for place, one in enumerate(remarks) if one.speaker == name]
        heard = spoke[-1] + 1 if spoke else 0
        history = [
            Message("assistant", one.text) if one.speaker == name else one.told for one in remarks[:heard]
        ]
        return history, "\n\n".join(one.told.content for one in remarks[heard:]) or GO_ON


def taken_up(task: str, history: Sequence[Message], names: Sequence[str]) -> Conversation:
    """A conversation that goes on from a transcript; what begins with one of the names was said by them."""
    if not history:
        return Conversation(task)
    said: list[Remark] = []
    for one in history:
        name, colon, text = one.content.partition(": ")
        is_named = one.role == "user" and colon and name in names
        if one.role in {"user", "assistant"}:
            said.append(Remark(name, text) if is_named else Remark("", one.content))
    return Conversation("", [*said, Remark("", task)])


async def let_speak(
    context: Context,
    agent: Agent,
    conversation: Conversation,
    *,
    role: str = "",
    tools: Sequence[Tool] = (),
    part: str = "",
    to: Sequence[str] | None = None,
    at_fault: AtFault = "fail",
) -> Said:
    """Give a member the word on what it has not heard yet, and keep what it says, to all if not `to` some.

    See `speak`.
    """
    history, prompt = conversation.seen_by(agent.name)
    turn = Turn(prompt, history, role=role, speaker=agent.name, tools=tools)
    said = await heard_or_failed(context, agent, turn, part=part, at_fault=at_fault)
    conversation.add(agent.name, said.reply, to)
    return said


async def heard_or_failed(
    context: Context, agent: Agent, turn: Turn, *, part: str = "", at_fault: AtFault = "fail"
) -> Said:
    """Let an agent have its turn; where it fails, and the team goes on, that is what it says."""
    if at_fault == "fail":
        return await speak(context, agent, turn, part=part)
    try:
        return await speak(context, agent, turn, part=part, raises=True)
    except (ToolError, StepError) as error:
        return Said(f"(I could not answer: {error})", ended=FAILED)


async def heard_at_once(
    context: Context,
    turns: Sequence[tuple[Agent, Turn]],
    *,
    parts: Sequence[str] = (),
    limit: int = 8,
    at_fault: AtFault = "fail",
) -> list[Said]:
    """Let agents have their turns at once, each working on its part, if it has one."""
    calls = [
        partial(heard_or_failed, context, agent, turn, part=part, at_fault=at_fault)
        for (agent, turn), part in zip(turns, parts or [""] * len(turns), strict=True)
    ]
    return await context.gather(calls, limit)


def team_of(agents: Sequence[Agent]) -> list[Agent]:
    """The members of a team, told apart by name: a second `expert` is `expert_2`.

    Raises `StepError` where there is nobody.
    """
    if not agents:
        raise StepError("No agents are attached at `agents`.", hint="Wire at least one agent to it.")
    team: list[Agent] = []
    taken: set[str] = set()
    given = {one.name for one in agents}
    for one in agents:
        name, number = one.name, 1
        while name in taken or (number > 1 and name in given):
            number += 1
            name = f"{one.name}_{number}"
        taken.add(name)
        team.append(one if name == one.name else replace(one, name=name))
    return team


def member_named(team: Iterable[Agent], name: str) -> Agent | None:
    """Who is called so, whatever the case and the marks around the name; None where nobody is."""
    wanted = name.strip().strip("`'\"*@.:").casefold()
    return next((one for one in team if one.name.casefold() == wanted), None)


def roster(team: Iterable[Agent]) -> str:
    """Who is there and what each is for, on a line each."""
    return "\n".join(f"- {one.name}: {one.description}".rstrip(": ") for one in team)
