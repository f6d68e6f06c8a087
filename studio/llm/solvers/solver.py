"""What is stated of a simulated solver, as `project.json` has it under `solver` in a chat profile."""

import re
from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from studio.errors import UsageError

_Share = Annotated[float, Field(ge=0, le=1)]
_Amount = Annotated[float, Field(ge=0, lt=1e9)]


class Solver(BaseModel, frozen=True):
    """How well one solves, how far it follows others, how well it judges, and what it takes."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    accuracy: _Share = 0.7
    """The chance that it answers a problem of difficulty 0 rightly by itself."""
    accuracy_at_hardest: _Share | None = None
    """The same at difficulty 1; in between on a straight line. Nothing: as easy as any."""
    correlation: _Share = 0.3
    """How far two agents are right and wrong together: the correlation of two that are alike."""
    correlation_of_samples: _Share | None = None
    """The same of two answers of one agent, no less than `correlation`; nothing: the same."""
    sway_right: _Share = 0.5
    """The chance that it takes over what most others say, where that is right and it thinks otherwise."""
    sway_wrong: _Share = 0.5
    """The same where it is wrong. As large as `sway_right`, talk alone convinces nobody of what is true."""
    sensitivity: _Share = 0.8
    """The chance that it lets a right answer pass when it judges one."""
    specificity: _Share = 0.8
    """The chance that it does not let a wrong answer pass."""
    chances: dict[str, _Share] = Field(default_factory=dict[str, float])
    """Chances by name that rules of the project ask for: `solver.slips(solver.chances.leaves_out)`."""
    picks: bool = False
    """Whether it only picks among what others said, by judging it, where they said anything."""
    says: str = "The answer is {answer}."
    """What it says in words; `{answer}` stands for the answer."""
    tokens: int = Field(default=200, ge=0, lt=1_000_000)
    """How many tokens an answer has; more where its words are more."""
    seconds: _Amount = 1.0
    """How long it takes until it begins to answer."""
    tokens_per_second: float = Field(default=50.0, gt=0, lt=1e9)
    """How fast it answers then."""
    input_price: _Amount = 1.0
    """US dollars for a million tokens that it reads."""
    output_price: _Amount = 4.0
    """US dollars for a million tokens that it answers with."""

    @model_validator(mode="after")
    def _samples_are_as_alike_as_agents(self) -> Self:
        if self.between_samples < self.correlation:
            raise ValueError("`correlation_of_samples` is less than `correlation`")
        return self

    @field_validator("says")
    @classmethod
    def _names_the_answer(cls, says: str) -> str:
        if "{answer}" not in says:
            raise ValueError("`says` has no `{answer}`")
        return says

    @property
    def between_samples(self) -> float:
        """The correlation of two answers of one agent."""
        own = self.correlation_of_samples
        return self.correlation if own is None else own

    def accuracy_at(self, difficulty: float) -> float:
        """Give the chance of a right answer at a difficulty from 0 to 1."""
        hardest = self.accuracy if self.accuracy_at_hardest is None else self.accuracy_at_hardest
        return self.accuracy + (hardest - self.accuracy) * difficulty


class Variation(BaseModel, frozen=True):
    """Some agents, or all on some topic, of whom something else is stated; later ones go before earlier."""

    model_config = ConfigDict(extra="forbid")

    instructions: str = ""
    """A regular expression, searched in the agent's instructions; empty: any agent."""
    asked: str = ""
    """A regular expression, searched in what it was asked last; empty: anything."""
    topic: str = ""
    """The topic of the problem; empty: any."""
    solver: dict[str, object]
    """What differs, by the names of the solver's fields."""

    @field_validator("instructions", "asked")
    @classmethod
    def _is_a_pattern(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            reason = f"`{pattern}` is no regular expression ({error})"
            raise ValueError(reason) from error
        return pattern

    def fits(self, instructions: str, asked: str, topic: str) -> bool:
        """Whether it is about somebody with these instructions, asked this, on this topic."""
        return (
            self.topic in ("", topic)
            and re.search(self.instructions, instructions, re.IGNORECASE | re.DOTALL) is not None
            and re.search(self.asked, asked, re.IGNORECASE | re.DOTALL) is not None
        )


class SolverProfile(Solver, frozen=True):
    """All of a simulated chat profile: the solver, where its problems are, and who differs from it."""

    problems: str = Field(min_length=1)
    """The file of problems, by its path in the project."""
    rules: tuple[str, ...] = ()
    """Files of scripted answers that go first, which may ask the `solver`; by their paths in the project."""
    agents: tuple[Variation, ...] = ()
    seed: int = 1

    @classmethod
    def read(cls, plain: Mapping[str, object], name: str) -> "SolverProfile":
        """Read what stands in a profile; raises `UsageError` in its name."""
        try:
            profile = cls.model_validate(plain)
            for one in profile.agents:
                profile.varied(one)
        except ValidationError as error:
            found = error.errors()
            wrong = "; ".join(_said(one["loc"], one["type"], one["msg"]) for one in found)
            hint = "Choose a file in the project, such as `data/problems.jsonl`, or create one."
            is_missing = any(one["loc"] == ("problems",) for one in found)
            message = f"The simulated solvers of the chat profile `{name}` are not complete: {wrong}."
            raise UsageError(message, hint=hint if is_missing else "") from error
        return profile

    def of(self, instructions: str, asked: str, topic: str) -> Solver:
        """Give the solver that somebody is who has these instructions, on this topic."""
        one: Solver = self
        for variation in self.agents:
            if variation.fits(instructions, asked, topic):
                one = self.varied(variation, one)
        return one

    def varied(self, variation: Variation, one: Solver | None = None) -> Solver:
        """Give a solver that differs; raises `ValidationError` for what is no field, or out of bounds."""
        own = (one or self).model_dump(include=set(Solver.model_fields))
        return Solver.model_validate({**own, **variation.solver})


def _said(place: tuple[int | str, ...], kind: str, message: str) -> str:
    """Say what is wrong with one field, in words for whoever fills it in."""
    if place == ("problems",):
        return "no problem file is set"
    name = ".".join(map(str, place))
    if kind == "extra_forbidden":
        return f"there is no `{name}`"
    words = message.removeprefix("Value error, ").removeprefix("Input should be ")
    return words if not name else f"`{name}` should be {words}" if words != message else f"`{name}`: {words}"
