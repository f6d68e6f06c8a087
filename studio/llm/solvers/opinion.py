"""What a simulated solver thinks of what it is asked: its own answer, and its verdict on those of others."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from studio.llm.scripted_answers.request import ScriptRequest
from studio.llm.solvers.chance import chance, level
from studio.llm.solvers.heard import position_of, said_by, voices
from studio.llm.solvers.problems import Problem
from studio.llm.solvers.solver import Solver


class Opinion:
    """One request, thought about by one solver; the same request gets the same, in the same trial.

    Templates of a project's rules ask it as `solver`: `problem`, `answer`, `words`, `heard`, `pick`,
    `verdict(text)`, `score(text, low, high)`, `choose(names)`, `rank(names)`, `slips(chance, at)`, `chances`.
    """

    def __init__(self, solver: Solver, problem: Problem, request: ScriptRequest, trial: str) -> None:
        self._solver = solver
        self._messages = request.messages
        self._who = request.system
        self._trial = trial
        said = [f"{one.role} {one.text}" for one in request.messages]
        said += [request.prefix] if request.prefix else []
        caller = request.caller
        within = (caller.within,) if caller.within else ()
        self._sample = "\x1e".join((*said, caller.node, caller.scope, *within, str(request.sample)))
        self.problem = problem

    @cached_property
    def heard(self) -> list[str]:
        """What the others said, each the last time."""
        return voices(self._messages, self.problem)

    @cached_property
    def position(self) -> str:
        """What it has answered before in this conversation; empty: nothing."""
        return position_of(self._messages, self.problem)

    @cached_property
    def own(self) -> str:
        """What it would answer if nobody else had said anything."""
        if self.position:
            return self.position
        drawn = self._draw("answer")
        if chance(*drawn, "right") < self._solver.accuracy_at(self.problem.difficulty):
            return self.problem.answer
        wrong = self.problem.wrong
        return wrong[int(chance(*drawn, "which") * len(wrong))]

    @cached_property
    def answer(self) -> str:
        """What it answers, having heard the others."""
        if self._solver.picks and self.heard:
            return self.pick
        loudest = self._loudest(self.heard)
        if not loudest or loudest == self.own:
            return self.own
        is_right = loudest == self.problem.answer
        sway = self._solver.sway_right if is_right else self._solver.sway_wrong
        return loudest if self._chance("swayed") < sway else self.own

    @cached_property
    def pick(self) -> str:
        """The answer that it picks among those of the others: what most said of what it holds to be right."""
        passed = [one for one in self.heard if self.verdict(one)]
        return self._loudest(passed or self.heard) or self.own

    @property
    def words(self) -> str:
        """What it answers, in words."""
        return self._solver.says.replace("{answer}", self.answer)

    @cached_property
    def candidate(self) -> str:
        """The answer that it is shown: what was said last, by others or else by itself; empty: none."""
        return next(reversed(self.heard), self.position)

    def verdict(self, text: str | None = None) -> bool:
        """Whether it holds the answer in a text to be right; without a text, the one that it is shown."""
        said = self.candidate if text is None else self.problem.stated_in(text)
        drawn = chance(*self._draw(f"verdict on {said}"), "passes")
        if said == self.problem.answer:
            return drawn < self._solver.sensitivity
        return drawn >= self._solver.specificity

    def score(self, text: str | None = None, low: float = 0.0, high: float = 1.0) -> float:
        """Mark the answer in a text: within the upper quarter where it passes, in the lower otherwise."""
        said = self.candidate if text is None else self.problem.stated_in(text)
        within = chance(*self._draw(f"mark of {said}"), "mark") / 4
        return low + (high - low) * (within + 0.75 if self.verdict(said) else within)

    def choose(self, names: Sequence[str]) -> str:
        """Choose among names or answers: its own answer, or the name behind which it stands or might."""
        mine = [one for one in names if self.problem.stated_in(one)]
        if mine:
            own = [one for one in mine if self.problem.stated_in(one) == self.answer]
            return (own or mine)[int(self._chance("choice") * len(own or mine))]
        return self.rank(names)[0]

    def said_by(self, names: Sequence[str]) -> dict[str, str]:
        """Give the answer that stands behind each name in the conversation; an answer stands for itself."""
        said = dict(said_by(names, self._messages, self.problem)) if names else {}
        return said | {one: stated for one in names if (stated := self.problem.stated_in(one))}

    def rank(self, names: Sequence[str]) -> list[str]:
        """Put names or answers in order: what it holds to be right first, and of that what more have said."""
        said = self.said_by(names)
        count = Counter(said.values())

        def place(name: str) -> tuple[bool, int, float]:
            told = said.get(name, "")
            return (
                not (told and self.verdict(told)),
                -count[told] if told else 0,
                self._chance(f"order {name}"),
            )

        return sorted(names, key=place)

    @property
    def chances(self) -> dict[str, float]:
        """The chances that are stated of it by name."""
        return self._solver.chances

    def slips(self, chance_of_it: float, at: str = "") -> bool:
        """Whether it does not do as it should, which it does not with this chance.

        Without `at`, in this very chat: in another, such as the next turn, it slips or not anew. What `at`
        names, such as one step of a routine, an agent always does wrong on this problem in this run, or
        never; two agents slip there together as two are right and wrong together (`correlation`). Who slips
        at a smaller chance slips at a larger one.
        """
        drawn = (
            level(
                f"{self._trial}\x1e{self.problem.id}\x1eslips at {at}",
                self._who,
                "",
                between_agents=self._solver.correlation,
                between_samples=1.0,
            )
            if at
            else (self._trial, self.problem.id, "slips", self._who, self._sample)
        )
        return chance(*drawn, "slip") < chance_of_it

    @property
    def confidence(self) -> float:
        """How sure it is of its answer: its accuracy, a little more where it is right."""
        known = self._solver.accuracy_at(self.problem.difficulty)
        sure = (
            self._solver.sensitivity if self.answer == self.problem.answer else 1 - self._solver.specificity
        )
        return round((known + sure) / 2, 3)

    def _loudest(self, answers: Sequence[str]) -> str:
        count = Counter(answers)
        return max(count, key=lambda one: (count[one], self._chance(f"loudest {one}")), default="")

    def _draw(self, what: str) -> tuple[str, ...]:
        return level(
            f"{self._trial}\x1e{self.problem.id}\x1e{what}",
            self._who,
            self._sample,
            between_agents=self._solver.correlation,
            between_samples=self._solver.between_samples,
        )

    def _chance(self, what: str) -> float:
        return chance(self._trial, self.problem.id, what, self._who, self._sample)
