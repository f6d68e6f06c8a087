"""The tree of a search: its branches, how new ones are made of what was answered, and how they are told."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.building_blocks.values.json_kinds import is_list, is_number, is_object
from studio.sdk import Context, Json, Part, StepError

START = "start"
SHOWN = 60
"""How much of a state stands for it where it has no title."""


@dataclass(slots=True, eq=False)
class Branch:
    """A state that was reached, by what, and what is thought of it.

    `cost` is that of the whole way to it; `visits` and `worth` count for Monte Carlo tree search alone.
    """

    id: str
    state: Json
    title: str
    of: "Branch | None" = None
    cost: float = 0.0
    score: float | None = None
    reason: str = ""
    status: Any = "waiting"
    children: list["Branch"] = field(default_factory=list["Branch"])
    visits: int = 0
    worth: float = 0.0
    is_closed: bool = False
    """Whether there is nothing more to be found below it."""
    world: Json = None
    """The state of an environment in which that was tried which led here, in whole."""
    did: Mapping[str, Json] | None = None
    """The action that led here, in an environment."""

    @property
    def depth(self) -> int:
        """How many steps lead to it."""
        return len(self.way) - 1

    @property
    def way(self) -> list["Branch"]:
        """The branches from the start to this one."""
        found: list[Branch] = [self]
        while (before := found[-1].of) is not None:
            found.append(before)
        return found[::-1]

    @property
    def facts(self) -> dict[str, Any]:
        """What rules see of it."""
        return {"state": self.state, "score": self.score, "depth": self.depth, "cost": self.cost}

    def plain(self) -> dict[str, Json]:
        """The branch as JSON."""
        return {
            "id": self.id,
            "of": self.of.id if self.of else "",
            "title": self.title,
            "state": self.state,
            "score": self.score,
            "cost": self.cost,
            "visits": self.visits,
            "status": str(self.status),
            "reason": self.reason,
        }


@dataclass(slots=True)
class Tree:
    """All branches of a search, in the order in which they were made; each change is told."""

    context: Context
    root: Branch
    all: list[Branch] = field(default_factory=list[Branch])
    best_cost: dict[str, tuple[float, Branch]] = field(default_factory=dict[str, tuple[float, Branch]])
    """How cheaply each state was reached, and by which branch."""

    def begin(self) -> None:
        """Put in the start."""
        self.all.append(self.root)
        self.best_cost[key_of(self.root.world or self.root.state)] = (0.0, self.root)
        self.tell(self.root, "waiting")

    def tell(self, branch: Branch, status: str, reason: str = "") -> None:
        """Say what became of a branch."""
        branch.status = status
        branch.reason = reason or branch.reason
        detail: dict[str, Json] = {"depth": branch.depth}
        if branch.score is not None:
            detail["score"] = round(branch.score, 6)
        if branch.cost:
            detail["cost"] = round(branch.cost, 6)
        if branch.visits:
            detail |= {"visits": branch.visits, "mean": round(branch.worth / branch.visits, 6)}
        if branch.reason:
            detail["reason"] = branch.reason
        of = branch.of.id if branch.of else ""
        text = "" if shown(branch.state) == branch.title else shown(branch.state)
        self.context.tell(Part(branch.id, branch.title, branch.status, of=of, text=text, detail=detail))

    def grow(
        self, branch: Branch, answered: Iterable["Said"], most: int, *, by_cost: bool = False
    ) -> list[Branch]:
        """Make branches of what was answered, `most` at most; states that were reached before are left out.

        What could not be done is told as a branch that failed.

        With `by_cost` a state that is reached more cheaply than before counts, and the dearer way is dropped.
        """
        made: list[Branch] = []
        for said in answered:
            if len(made) >= most:
                break
            child = Branch(f"{branch.id}.{len(branch.children) + 1}", said.state, said.title, branch)
            child.cost, child.score = branch.cost + said.cost, said.score
            child.world, child.did = said.world, said.did
            if said.error:
                child.is_closed = True
                branch.children.append(child)
                self.all.append(child)
                self.tell(child, "failed", said.error)
                continue
            cost, earlier = self.best_cost.get(said.key, (None, None))
            if cost is not None and earlier is not None:
                if not by_cost or child.cost >= cost:
                    continue
                self.tell(earlier, "dropped", f"reached more cheaply by {child.id}")
            self.best_cost[said.key] = (child.cost, child)
            branch.children.append(child)
            made.append(child)
            self.all.append(child)
        return made


@dataclass(frozen=True, slots=True)
class Said:
    """A next state as it was answered, or reached in an environment by what was done there."""

    state: Json
    title: str
    cost: float = 1.0
    score: float | None = None
    world: Json = None
    did: Mapping[str, Json] | None = None
    error: str = ""

    @property
    def key(self) -> str:
        """The same for equal states."""
        return key_of(self.world or self.state)


def children_in(answered: Json) -> Iterator[Said]:
    """Read next states: a list of them, or such a list under `next`.

    An object with a `state` may have its `title`, `cost` and `score`; anything else is a state by itself.
    Raises `StepError` for what is no list.
    """
    if is_object(answered):
        answered = answered["next"] if "next" in answered else next(iter(answered.values()), None)
    if not is_list(answered):
        raise StepError("Next states are to be a list, or stand as a list under `next`.")
    for one in answered:
        if is_object(one) and "state" in one:
            cost, score = one.get("cost", 1.0), one.get("score")
            title = str(one.get("title") or "") or shown(one["state"])
            if not is_number(cost) or cost < 0:
                raise StepError(f"The cost of `{title}` is to be a number that is not below 0.")
            yield Said(one["state"], title, cost, float(score) if is_number(score) else None)
        else:
            yield Said(one, shown(one))


def score_in(answered: Json, text: str) -> tuple[float, str]:
    """Read a score, and its reason where one is given: a number, or an object with `score` and `reason`."""
    reason = ""
    if is_object(answered):
        reason = str(answered.get("reason") or "")
        answered = answered.get("score", next(iter(answered.values()), None))
    if not is_number(answered) or not math.isfinite(answered):
        raise StepError(f"A score is to be a number, and was: {text[:SHOWN] or 'nothing'}")
    return float(answered), reason


def shown(state: Json) -> str:
    """A state in few words."""
    text = state if isinstance(state, str) else json.dumps(state, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"


def key_of(state: Json) -> str:
    """The same for equal states."""
    return json.dumps(state, sort_keys=True)


def best_of(branches: Sequence[Branch], *, lowest: bool = False) -> Branch:
    """The branch with the best score; of equal ones the one that was made first."""
    sign = 1 if lowest else -1
    scored = [one for one in branches if one.score is not None]
    return min(scored, key=lambda one: sign * (one.score or 0.0)) if scored else branches[0]


def next_states_form(state: Mapping[str, Any] | None, *, scored: bool) -> dict[str, Any]:
    """The form in which a language model gives next states; without a schema a state is a text."""
    title = {"type": "string", "description": "The step in a few words"}
    return next_form({"title": title, "state": state or {"type": "string"}}, scored=scored)


def next_form(fields: Mapping[str, Any], *, scored: bool) -> dict[str, Any]:
    """The form in which a language model gives what may come next: of each these fields, and its score."""
    score = {"score": {"type": "number", "description": "How promising it is, from 0 to 1"}} if scored else {}
    fields = {**fields, **score}
    entry = {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}
    return {
        "type": "object",
        "properties": {"next": {"type": "array", "items": entry}},
        "required": ["next"],
        "additionalProperties": False,
    }


SCORE_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "number"}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
