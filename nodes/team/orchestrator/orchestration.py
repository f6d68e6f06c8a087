"""The work of a team that somebody leads: planned, handed out by turns, planned anew where it is stuck."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nodes.team.orchestrator.ledgers import (
    FACTS_AGAIN,
    FACTS_ASKED,
    PLAN_AGAIN,
    PLAN_ASKED,
    PROGRESS_ASKED,
    Planned,
    Progress,
    Survey,
    ledger,
    plan_schema,
    progress_from,
    progress_schema,
    survey_from,
    survey_schema,
)
from studio.building_blocks.teams.speaker_selection import ask_for_form
from studio.building_blocks.teams.transcript import FAILED, AtFault, Conversation, heard_or_failed, roster
from studio.llm.conversation import GO_ON, continued
from studio.sdk import Agent, ChatRequest, Context, Json, Message, Part, Said, StepError, Turn
from studio.sdk.part import PartStatus


@dataclass(slots=True)
class Work:
    """What a team does under its lead, who is called `lead` among them."""

    context: Context
    task: str
    team: Sequence[Agent]
    instructions: str
    lead: str = "orchestrator"
    profile: str = ""
    repairs: int = 1
    at_fault: AtFault = "go on"
    survey: Survey = field(default_factory=Survey)
    plans: int = 0
    """How many plans were made."""
    turns: int = 0
    stalls: int = 0
    transcript: list[Message] = field(default_factory=list[Message])
    """What was said under earlier plans."""
    talk: Conversation = field(default_factory=lambda: Conversation(""))
    """What is said under this one."""
    parts: dict[int, Part] = field(default_factory=dict[int, Part])
    """The plan itself as 0, and its steps by number."""

    async def plan(self) -> None:
        """Survey the task and make a plan; all begin anew with these. What was under way is dropped."""
        again = self.plans > 0
        said = self.heard_by(self.lead) if again else [Message("user", self.task)]
        survey, said = await self.ask(FACTS_AGAIN if again else FACTS_ASKED, said, survey_schema())
        made, _ = await self.ask(PLAN_AGAIN if again else PLAN_ASKED, said, plan_schema(self.team))
        self.drop(made["reason"])
        self.survey, self.plans, self.stalls = survey_from(survey), self.plans + 1, 0
        steps = [Planned(one["title"], one["who"]) for one in made["steps"]]
        self.transcript += self.talk.messages if again else []
        self.talk = Conversation(ledger(self.task, self.team, self.survey, steps))
        self.tell_plan(steps)

    async def ask(
        self, question: str, said: Sequence[Message], schema: Mapping[str, Any]
    ) -> tuple[Any, list[Message]]:
        """Ask the lead something, behind what was said; gives the answer, and the conversation with it."""
        instructions = f"{self.instructions}\n\nThe team:\n{roster(self.team)}"
        return await ask_for_form(
            self.context, instructions, said, question, schema, profile=self.profile, repairs=self.repairs
        )

    def heard_by(self, name: str) -> list[Message]:
        """What was said under this plan, as one of them heard it."""
        history, new = self.talk.seen_by(name)
        return history if new == GO_ON else [*history, Message("user", new)]

    async def look(self, last: str) -> Progress:
        """Ask how it goes; where no answer fits, whoever comes behind the `last` goes on, as a stall."""
        try:
            schema = progress_schema(self.team)
            data, _ = await self.ask(PROGRESS_ASKED, self.heard_by(self.lead), schema)
        except StepError as error:
            names = [one.name for one in self.team]
            speaker = names[(names.index(last) + 1) % len(names)] if last else names[0]
            progress = Progress(error.message, False, False, False, (), 0, speaker, GO_ON)
        else:
            progress = progress_from(data)
        # As in the paper's own code: what gets on makes up for one stall.
        stuck = progress.in_loop or not progress.progressing
        self.stalls = self.stalls + 1 if stuck else max(0, self.stalls - 1)
        self.mark(progress)
        return progress

    async def delegate(self, progress: Progress) -> Said:
        """Let a member do what it is told, as a part of the step of the plan that it is for."""
        self.turns += 1
        agent = next(one for one in self.team if one.name == progress.speaker)
        step = self.parts.get(progress.step, self.parts[0])
        part = Part(
            f"turn_{self.turns}",
            progress.instruction,
            "running",
            of=step.id,
            detail={"agent": agent.name, "reason": progress.reason},
        )
        self.context.tell(part)
        history = self.heard_by(agent.name)
        self.talk.add(self.lead, f"{agent.name}, {progress.instruction}")
        turn = Turn(progress.instruction, history, speaker=agent.name)
        said = await heard_or_failed(self.context, agent, turn, part=part.id, at_fault=self.at_fault)
        self.talk.add(agent.name, said.reply)
        status = "failed" if said.ended == FAILED else "done"
        self.context.tell(replace(part, status=status, text=said.reply))
        return said

    async def answer(self, question: str) -> str:
        """Let the lead answer the task, from what was said under the last plan."""
        asked = continued(self.heard_by(self.lead), question)
        request = ChatRequest((Message("system", self.instructions), *asked))
        reply = (await self.context.chat(request, profile=self.profile)).message.content
        self.talk.add(self.lead, reply)
        return reply

    def tell_plan(self, steps: Sequence[Planned]) -> None:
        """Tell of a plan and its steps, each waiting for the one before."""
        name = f"plan_{self.plans}"
        self.parts = {0: Part(name, f"Plan {self.plans}", "running")}
        for number, one in enumerate(steps, 1):
            before = (f"{name}_step_{number - 1}",) if number > 1 else ()
            agent = next(member for member in self.team if member.name == one.who)
            told = (agent.instructions, one.title, *(f"{{{{{name}}}}}" for name in before))
            settings: dict[str, Json] = {"instructions": "\n\n".join(part for part in told if part)}
            self.parts[number] = Part(
                f"{name}_step_{number}",
                one.title,
                of=name,
                after=before,
                kind="llm.agent",
                settings=settings,
                detail={"agent": one.who},
            )
        for part in self.parts.values():
            self.context.tell(part)

    def mark(self, progress: Progress) -> None:
        """Tell which steps are done, and which is worked on."""
        for number, part in self.parts.items():
            if number:
                status = "running" if number == progress.step else part.status
                if number in progress.done:
                    status = "done"
                self.change(number, replace(part, status=status))

    def drop(self, why: str) -> None:
        """Tell that a plan is given up, with what of it is not done."""
        for number, part in self.parts.items():
            if part.status != "done":
                self.change(number, replace(part, status="dropped", detail={**part.detail, "reason": why}))

    def finish(self, *, satisfied: bool) -> None:
        """Tell how the last plan ended; of steps that were not worked on, nothing was needed."""
        ends: dict[str, PartStatus] = {
            "waiting": "dropped",
            "running": "done" if satisfied else "failed",
        }
        for number, part in self.parts.items():
            if part.status in ends:
                self.change(number, replace(part, status=ends[part.status]))

    def change(self, number: int, part: Part) -> None:
        """Keep a part of the plan, and tell it where it changed."""
        if part != self.parts[number]:
            self.parts[number] = part
            self.context.tell(part)

    def plain_plan(self) -> list[Json]:
        """The last plan as JSON: what, who, and how it stands."""
        return [
            {"step": part.title, "who": part.detail["agent"], "status": part.status}
            for number, part in self.parts.items()
            if number
        ]
