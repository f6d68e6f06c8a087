"""Searches over states: best-first, beam, A* and Monte Carlo tree search, within a budget of expansions.

What branches are expanded to, and how good they are, others say (`building_blocks/plans/delegation.py`); here
is which comes next. What is asked at once is put into the tree in order, so that a search goes the same way
however long answers take.

Hart, Nilsson and Raphael (1968) for A*; Kocsis and Szepesvári (2006) for the choice by upper confidence
bounds.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from nodes.plan.search.world_trials import EVERY, Trials, Wanted
from studio.building_blocks.plans.delegation import Doers
from studio.building_blocks.plans.search_tree import (
    SCORE_FORM,
    Branch,
    Said,
    Tree,
    best_of,
    children_in,
    next_states_form,
    score_in,
)
from studio.sdk import Json, StepError, ToolError

Method = Literal["best-first", "beam", "A*", "MCTS"]
LEFT = "was not looked at any more"


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a branch could not be expanded."""

    why: str


@dataclass(slots=True)
class Search:
    """A search for a state at which `is_goal` holds, and all that it has found so far."""

    doers: Doers
    tree: Tree
    method: Method
    goal: str
    expand: str
    score: str
    with_state: bool
    state_schema: Mapping[str, Any] | None
    is_goal: Callable[[Branch], bool]
    budget: int
    depth: int
    branches: int
    width: int
    at_once: int
    least: float | None
    exploration: float
    world: Trials | None = None
    asks_score: bool = False
    """Whether who expands is asked for scores as well."""
    expanded: int = 0
    found: Branch | None = None
    error: str = ""

    async def run(self) -> str:
        """Search until a goal is found, the budget is used up, or nothing is left; gives which of these."""
        self.tree.begin()
        match self.method:
            case "best-first":
                await self.best_first()
            case "beam":
                await self.beam()
            case "A*":
                await self.a_star()
            case "MCTS":
                await self.monte_carlo()
        if self.expanded and not self.tree.root.children and self.error:
            raise StepError(f"The start could not be expanded: {self.error}")
        for one in self.tree.all:
            if one.status == "waiting" and one is not self.found:
                self.tree.tell(one, "dropped", LEFT)
        if self.found is not None:
            self.tree.tell(self.found, "done", "the goal")
            return "goal"
        return "budget" if self.expanded >= self.budget else "exhausted"

    async def best_first(self) -> None:
        """Expand those with the best scores, `at_once` of them at a time."""
        open_ones = [self.tree.root]
        while open_ones and self.expanded < self.budget and self.found is None:
            open_ones.sort(key=lambda one: -(one.score or 0.0))
            taken = open_ones[: min(self.at_once, self.budget - self.expanded)]
            made = await self.expand_all(taken)
            open_ones = [*open_ones[len(taken) :], *self.not_too_deep(made)]

    async def beam(self) -> None:
        """Expand a whole level at once, and keep the best of the next."""
        level = [self.tree.root]
        while level and self.expanded < self.budget and self.found is None:
            made = await self.expand_all(level[: self.budget - self.expanded])
            made.sort(key=lambda one: -(one.score or 0.0))
            for one in made[self.width :]:
                self.tree.tell(one, "dropped", f"not among the best {self.width} of its level")
            level = self.not_too_deep(made[: self.width])

    async def a_star(self) -> None:
        """Expand the one whose way so far, and score as what is left of it, come to the least."""
        open_ones = [self.tree.root]
        while open_ones and self.expanded < self.budget and self.found is None:
            open_ones.sort(key=lambda one: one.cost + (one.score or 0.0))
            taken = open_ones.pop(0)
            if taken.of is not None and self.is_goal(taken):
                self.found = taken
                return
            made = await self.expand_all(self.not_too_deep([taken]), by_cost=True)
            open_ones = [one for one in (*open_ones, *made) if one.status == "waiting"]
        if open_ones and self.expanded:
            first = min(open_ones, key=lambda one: one.cost + (one.score or 0.0))
            self.found = first if self.is_goal(first) else None

    async def monte_carlo(self) -> None:
        """Go down by upper confidence bounds, expand the leaf, and let all on the way know its worth."""
        root = self.tree.root
        while not root.is_closed and self.expanded < self.budget and self.found is None:
            leaf = root
            while leaf.children:
                leaf = max((one for one in leaf.children if not one.is_closed), key=self.bound)
            made = await self.expand_all([leaf])
            for one in made:
                self.back_up(one)
                one.is_closed = one.depth >= self.depth
            close(leaf)

    def bound(self, branch: Branch) -> float:
        """The mean of what was found below a branch, and more the less it was looked at."""
        if not branch.visits or branch.of is None:
            return math.inf
        rarely = math.sqrt(math.log(max(branch.of.visits, 1)) / branch.visits)
        return branch.worth / branch.visits + self.exploration * rarely

    def back_up(self, branch: Branch) -> None:
        """Count the score of a branch for all on the way to it."""
        for one in branch.way:
            one.visits += 1
            one.worth += branch.score or 0.0
            self.tree.tell(one, one.status)

    async def expand_all(self, branches: Sequence[Branch], *, by_cost: bool = False) -> list[Branch]:
        """Expand branches at once, then score all that came of them at once; gives those that go on.

        What fails is told, and no more than its branch ends.
        """
        for one in branches:
            self.tree.tell(one, "running")
        self.expanded += len(branches)
        self.tree.context.progress(self.expanded, self.budget)
        answers = await self.tree.context.gather([partial(self.next_of, one) for one in branches])
        made: list[Branch] = []
        for branch, answered in zip(branches, await self.read(branches, answers), strict=True):
            try:
                if isinstance(answered, str):
                    raise StepError(answered)  # noqa: TRY301  # told as what does not fit is
                made += self.tree.grow(branch, answered, self.branches, by_cost=by_cost)
                self.tree.tell(branch, "done")
            except StepError as error:
                self.error = self.error or error.message
                self.tree.tell(branch, "failed", error.message)
        left = await self.scored(made)
        if not by_cost:
            goals = [one for one in left if self.is_goal(one)]
            self.found = best_of(goals) if goals else None
        return left

    async def read(
        self, branches: Sequence[Branch], answers: Sequence[Json | Failed]
    ) -> list[Iterable[Said] | str]:
        """Read what each branch is expanded to; in an environment all that is to be done is tried at once."""
        if self.world is None:
            return [one.why if isinstance(one, Failed) else children_in(one) for one in answers]
        wanted: list[list[Wanted] | str] = []
        for one in answers:
            try:
                read = one.why if isinstance(one, Failed) else [*self.world.wanted(one)][: self.branches]
            except StepError as error:
                read = error.message
            wanted.append(read)
        pairs = zip(branches, wanted, strict=True)
        tried = iter(
            await self.world.tried([(at, one) for at, of in pairs if not isinstance(of, str) for one in of])
        )
        return [one if isinstance(one, str) else [next(tried) for _ in one] for one in wanted]

    def not_too_deep(self, branches: Sequence[Branch]) -> list[Branch]:
        """Those that may be expanded; of the others it is told that they may not."""
        for one in branches:
            if one.depth >= self.depth and one is not self.found:
                self.tree.tell(one, "done", "as deep as it may be")
        return [one for one in branches if one.depth < self.depth]

    async def scored(self, made: Sequence[Branch]) -> list[Branch]:
        """Score new branches at once, and give those that go on."""
        await self.tree.context.gather([partial(self.score_of, one) for one in made])
        left: list[Branch] = []
        for one in made:
            if one.status == "failed":
                self.tree.tell(one, "failed")
            elif self.least is not None and (one.score or 0.0) < self.least:
                one.is_closed = True
                self.tree.tell(one, "dropped", f"scored below {self.least:g}")
            else:
                self.tree.tell(one, "waiting")
                left.append(one)
        return left

    async def next_of(self, branch: Branch) -> Json | Failed:
        """Ask for the next states or actions of a branch; in words why there are none."""
        if self.world is not None and self.expand == EVERY:
            return self.world.every()
        way = "\n".join(f"{number}. {one.title}" for number, one in enumerate(branch.way[1:], 1))
        prompt = (
            f"What is sought: {self.goal}\n\nThe steps so far:\n{way or '(none)'}\n\nThe state:\n"
            f"{in_words(branch.state)}\n\nGive at most {self.branches} next states, the most promising first."
        )
        given: dict[str, Json] = {
            "state": branch.state,
            "goal": self.goal,
            "depth": branch.depth,
            "path": [one.state for one in branch.way],
        }
        form = next_states_form(self.state_schema, scored=self.asks_score)
        if self.world is not None:
            prompt = self.world.prompt(self.goal, branch, self.branches)
            form = self.world.form(scored=self.asks_score)
            given["actions"] = [one.name for one in self.world.actions]
        try:
            return (await self.doers.do(self.expand, prompt, given, part=branch.id, form=form)).data
        except (StepError, ToolError) as error:
            return Failed(error.message)

    async def score_of(self, branch: Branch) -> None:
        """Ask how good a branch is, where that was not said with its state."""
        if self.with_state:
            branch.score = 0.0 if branch.score is None else branch.score
            return
        prompt = (
            f"What is sought: {self.goal}\n\nThe state:\n{in_words(branch.state)}\n\n"
            "Give a reason, and then how promising the state is."
        )
        given: dict[str, Json] = {"state": branch.state, "goal": self.goal, "depth": branch.depth}
        try:
            done = await self.doers.do(self.score, prompt, given, part=branch.id, form=SCORE_FORM)
            branch.score, branch.reason = score_in(done.data, done.text)
        except (StepError, ToolError) as error:
            branch.status, branch.reason, branch.is_closed = "failed", error.message, True

    @property
    def best(self) -> Branch:
        """The goal, or what came nearest to it."""
        return self.found or best_of(self.tree.all, lowest=self.method == "A*")


def close(branch: Branch) -> None:
    """Note that nothing is left below a branch, nor below those above it of which that was the last."""
    at: Branch | None = branch
    while at is not None and all(one.is_closed for one in at.children):
        at.is_closed = True
        at = at.of


def in_words(state: Json) -> str:
    """A state as it is told to a language model."""
    return state if isinstance(state, str) else json.dumps(state, ensure_ascii=False)
