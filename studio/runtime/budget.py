"""What a run and its nodes may spend, seen to before each call and each step."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from studio.errors import LimitReachedError, UsageError
from studio.ids import NodeId, step_parts
from studio.trace import events
from studio.trace.events import BudgetWarned, Entry

SOFT: Final = 0.8
"""The part of a limit from which on there is a warning."""

LIMITS: Final = ("tokens", "cost", "seconds", "steps", "calls")
"""What can be limited: tokens, US dollars, seconds, steps of nodes, calls of chats and tools."""

NODE_LIMITS: Final = ("tokens", "cost", "steps", "calls")
"""What can be limited of a single node."""

_UNITS = {"tokens": "tokens", "cost": "US dollars", "seconds": "s", "steps": "steps", "calls": "calls"}
RAISE = "`stepwire resume RUN` goes on with a larger limit, such as `--limit-cost` or `--limit-tokens`."


@dataclass(slots=True)
class Spent:
    """What was spent so far, by a run or a node of it."""

    tokens: float = 0
    cost: float = 0
    seconds: float = 0
    steps: float = 0
    calls: float = 0


@dataclass(slots=True)
class Ledger:
    """What a run has spent, in all and node by node."""

    run: Spent = field(default_factory=Spent)
    nodes: dict[NodeId, Spent] = field(default_factory=lambda: defaultdict(Spent))

    def of(self, node: NodeId) -> tuple[Spent, Spent]:
        """The account of the run, and of one of its nodes."""
        return self.run, self.nodes[node]


def read_limits(given: Mapping[str, float], place: str, names: Sequence[str] = LIMITS) -> dict[str, float]:
    """Read limits by their names; raises `UsageError` for a wrong name or number."""
    for name, value in given.items():
        if name not in names or value <= 0:
            message = f"{place} has the limit `{name}`: {value:g}, which cannot be kept."
            raise UsageError(message, hint=f"Limits are above 0, and named {', '.join(names)}.")
    return dict(given)


class Budget:
    """Keeps a run within its limits. `ledger` is what it had spent before, when it goes on."""

    def __init__(
        self,
        limits: Mapping[str, float],
        per_node: Mapping[NodeId, Mapping[str, float]],
        warn: Callable[[BudgetWarned], None],
        *,
        ledger: Ledger | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits
        self._per_node = per_node
        self._warn = warn
        self._ledger = ledger or Ledger()
        self._clock = clock
        self._began = clock() - self._ledger.run.seconds
        self._warned: set[tuple[NodeId, str]] = set()

    def step(self, node: NodeId) -> None:
        """Count a step that is about to start; raises `LimitReachedError` where it must not."""
        self._take(node, "steps")

    def call(self, node: NodeId) -> None:
        """Count a call that is about to be made; raises `LimitReachedError` where it must not."""
        self._take(node, "calls")

    def spend(self, node: NodeId, tokens: int, cost: float) -> None:
        """Count what an answer cost."""
        for account in self._ledger.of(node):
            account.tokens += tokens
            account.cost += cost
        self._look(node)

    def _take(self, node: NodeId, what: str) -> None:
        run, own = self._ledger.of(node)
        run.seconds = self._clock() - self._began
        for owner, limits, account in self._accounts(node, run, own):
            for name, limit in limits.items():
                spent = float(getattr(account, name))
                is_reached = (
                    spent + 1 > limit if name == what else name not in {"steps", "calls"} and spent >= limit
                )
                if is_reached:
                    raise _reached(owner, name, spent, limit)
        for account in (run, own):
            setattr(account, what, getattr(account, what) + 1)
        self._look(node)

    def _look(self, node: NodeId) -> None:
        run, own = self._ledger.of(node)
        for owner, limits, account in self._accounts(node, run, own):
            for name, limit in limits.items():
                spent = float(getattr(account, name))
                if spent >= SOFT * limit and (owner, name) not in self._warned:
                    self._warned.add((owner, name))
                    self._warn(BudgetWarned(name, spent, limit, owner))

    def _accounts(
        self, node: NodeId, run: Spent, own: Spent
    ) -> Iterable[tuple[NodeId, Mapping[str, float], Spent]]:
        yield NodeId(""), self._limits, run
        if node in self._per_node:
            yield node, self._per_node[node], own


def ledger_of(entries: Iterable[Entry]) -> Ledger:
    """Add up what a run has spent; what was reused costs nothing, nor does the time it lay still."""
    ledger = Ledger()
    reused: set[str] = set()
    last: float | None = None
    for entry in entries:
        event = entry.event
        if last is not None and not isinstance(event, events.RunContinued):
            ledger.run.seconds += entry.time - last
        last = entry.time
        accounts = ledger.of(step_parts(entry.step)[1]) if entry.step else ()
        for account in accounts:
            match event:
                case events.StepStarted():
                    account.steps += 1
                case events.ChatRequested() | events.ToolCalled():
                    account.calls += 1
                case events.ChatAnswered() if entry.step not in reused:
                    account.tokens += event.input_tokens + event.output_tokens
                    account.cost += event.cost or 0.0
                case events.AnswerReused() if "#" in entry.step:
                    account.calls -= 1
                case _:
                    pass
        if isinstance(event, events.AnswerReused):
            reused.add(entry.step)
    return ledger


def _reached(owner: NodeId, name: str, spent: float, limit: float) -> LimitReachedError:
    whose = f"The node `{owner}`" if owner else "The run"
    return LimitReachedError(
        f"{whose} has reached its limit of {limit:g} {_UNITS[name]} ({spent:g} spent).", hint=RAISE
    )
