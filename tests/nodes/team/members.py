"""Members of a team without language models, who keep what they were asked."""

from dataclasses import dataclass, field

from studio.sdk import Agent, Said, StepError, Turn


@dataclass(frozen=True, slots=True)
class Member(Agent):
    """An agent that says what was given, in turn."""

    turns: list[Turn] = field(default_factory=list[Turn])

    @property
    def heard(self) -> list[str]:
        """The prompts that it was given."""
        return [one.prompt for one in self.turns]

    @property
    def roles(self) -> list[str]:
        """What was added to its instructions, each time."""
        return [one.role for one in self.turns]


def saying(name: str, *texts: str, description: str = "") -> Member:
    """Say these texts, one a turn."""
    left, turns = list(texts), list[Turn]()

    async def work(turn: Turn) -> Said:
        turns.append(turn)
        return Said(left.pop(0), tokens=10)

    return Member(name, description, work=work, turns=turns)


def failing(name: str, why: str) -> Member:
    """Fail each time."""
    turns = list[Turn]()

    async def work(turn: Turn) -> Said:
        turns.append(turn)
        raise StepError(why)

    return Member(name, work=work, turns=turns)
