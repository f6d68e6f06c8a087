"""What a run and its nodes may spend, seen to before each call and each step.

A budget is looked at before each step and each call, never in the middle of one. Nothing is estimated
beforehand: what a call costs is known when it is answered, so money and tokens may go over a limit by as much
as the calls that were under way together. Seconds are looked at all the time, and interrupt what is under
way.

A step may keep its process from hearing anything: Python looks at clocks and signals between two
instructions, and a single one (a regular expression, the comparison of two lists) may take for ever. So a
process above sees to the end (`studio/supervisor.py`, or the window for its run hosts); `in_time` tells it
when the run is due. A run that is still there 1.5 s after that, or after Ctrl+C, SIGTERM or Stop, is killed
with all that it started; it reads as interrupted, and can be resumed.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from functools import partial
from math import inf
from typing import Final

from studio.errors import LimitReachedError, UsageError
from studio.ids import NodeId
from studio.runtime.limits.accounts import Ledger, Spent, account_name
from studio.runtime.limits.allowance import Allowance
from studio.runtime.limits.slots import AT_ONCE
from studio.trace.events import BudgetLeft, BudgetRaised, BudgetReached, BudgetWarned
from studio.trace.figures import amount

SOFT: Final = 0.8
"""The part of a limit from which on there is a warning."""

LIMITS: Final = ("tokens", "cost", "seconds", "steps", "calls", AT_ONCE)
"""What can be limited: tokens, US dollars, seconds, steps of nodes, calls of chats and tools, and how many
steps work at a time, which is no budget: `Turns` keeps it."""

NODE_LIMITS: Final = ("tokens", "cost", "steps", "calls")
"""What can be limited of a single node."""

NEXT_LOOK = 0.02
"""Seconds between two looks at the clock at least, while held time puts the end off."""

Due = Callable[[float | None, float], None]
"""Told in how many seconds the run is to be over, and that this is its limit; None when nothing says so."""

UNITS = {"tokens": "tokens", "cost": "US dollars", "seconds": "s", "steps": "steps", "calls": "calls"}
RAISE = "`stepwire resume RUN --limit-{} N` resumes it with a larger limit."
RAISE_NODE = (
    "Raise it in the run settings of the node; then `stepwire replay RUN --flow FILE --live` continues."
)


class LimitSpentError(UsageError):
    """A run that is to go on has spent all that a limit allows."""


def read_limits(given: Mapping[str, float], place: str, names: Sequence[str] = LIMITS) -> dict[str, float]:
    """Read limits by their names; raises `UsageError` for a wrong name or number."""
    for name, value in given.items():
        if name not in names or not 0 < value < inf or (name == AT_ONCE and value % 1):
            message = f"{place} has the limit `{name}`: {value:g}, which is not valid."
            raise UsageError(message, hint=f"Limits are above 0, and their names are {', '.join(names)}.")
    return dict(given)


def refuse_spent(given: Mapping[str, float], spent: Spent) -> None:
    """Raise `LimitSpentError` for a limit with which a run that has spent so much cannot go on."""
    for name, limit in given.items():
        if name == AT_ONCE:
            continue
        there = float(getattr(spent, name))
        if there > limit if name in {"steps", "calls"} else there >= limit:
            so_far = amount(name, there)
            message = f"The run has already spent {so_far}; a limit of {amount(name, limit)} leaves nothing."
            raise LimitSpentError(message, hint=f"Set `--limit-{name}` higher than that.")


def not_watched(_left: float | None, _limit: float) -> None:
    """Tell nobody when the run is to be over."""


class Budget:
    """Keeps a run within its limits. `ledger` is what it had spent before, when it goes on.

    With an `allowance`, who comes to a limit waits until a person raises it; without one it is an error.
    """

    def __init__(
        self,
        limits: Mapping[str, float],
        per_node: Mapping[NodeId, Mapping[str, float]],
        record: Callable[[BudgetWarned | BudgetReached | BudgetRaised | BudgetLeft], None],
        *,
        ledger: Ledger | None = None,
        clock: Callable[[], float] = time.monotonic,
        allowance: Allowance | None = None,
        held_seconds: Callable[[], float] = lambda: 0.0,
        due: Due = not_watched,
    ) -> None:
        self._limits = {NodeId(""): dict(limits), **{node: dict(one) for node, one in per_node.items()}}
        self._record = record
        self._ledger = ledger or Ledger()
        self._clock = clock
        self._allowance = allowance
        self._held_seconds = held_seconds
        self._due = due
        self._began = clock() - self._ledger.run.seconds
        self._warned: set[tuple[NodeId, str]] = set()
        self._around: tuple[NodeId, ...] = ()
        self._flow = ""

    def inside(self, caller: NodeId, flow: str) -> "Budget":
        """The same budget for the flow that `caller` calls: what is spent there counts for `caller` too."""
        inner = self.around(caller)
        inner._flow = flow  # noqa: SLF001  # it is another of its own kind
        return inner

    def around(self, caller: NodeId) -> "Budget":
        """The same budget for the tools that `caller` calls: what they spend counts for it too."""
        inner = copy(self)
        inner._around = self._names(caller)  # noqa: SLF001  # it is another of its own kind
        return inner

    async def step(self, node: NodeId) -> None:
        """Count a step that is about to start; raises `LimitReachedError` where it must not."""
        await self._take(node, "steps")

    async def call(self, node: NodeId) -> None:
        """Count a call that is about to be made; raises `LimitReachedError` where it must not."""
        # Only before: what a call will cost nobody knows, and an answer that is paid for is not thrown away.
        await self._take(node, "calls")

    def spend(self, node: NodeId, tokens: int, cost: float) -> None:
        """Count what an answer cost."""
        for account in self._ledger.of(*self._names(node)):
            account.tokens += tokens
            account.cost += cost
        self._look(node)

    @asynccontextmanager
    async def in_time(self) -> AsyncGenerator[None]:
        """Interrupt what is inside once the seconds are used up: as an error, or by holding the run."""
        loop = asyncio.get_running_loop()
        timer = asyncio.timeout(None)
        handle: asyncio.TimerHandle | None = None
        is_due = False

        def tell(left: float | None) -> None:
            nonlocal is_due
            if left is not None or is_due:
                self._due(left, self._limits[NodeId("")]["seconds"])
            is_due = left is not None

        def look() -> None:
            nonlocal handle
            limit = self._limits[NodeId("")].get("seconds")
            if limit is None:
                return
            left = limit - self._seconds()
            if left > 0 or (self._allowance is not None and self._allowance.is_holding):
                tell(left if left > 0 else None)
                handle = loop.call_later(max(left, NEXT_LOOK), look)
            elif not self._is_raised_here:
                timer.reschedule(loop.time())
            else:
                tell(None)
                self._announce(NodeId(""), "seconds", limit, limit)
                handle = loop.call_later(NEXT_LOOK, look)

        try:
            async with timer:
                look()
                yield
            tell(None)
        except TimeoutError as error:
            if not timer.expired():
                raise
            limit = self._limits[NodeId("")]["seconds"]
            raise _reached(NodeId(""), "seconds", self._seconds(), limit) from error
        finally:
            if handle is not None:
                handle.cancel()

    async def _take(self, node: NodeId, what: str) -> None:
        names = self._names(node)
        while (found := self._find_reached(names, what)) is not None:
            owner, name, spent, limit = found
            if self._allowance is None or not self._allowance.is_offered:
                raise _reached(owner, name, spent, limit)
            self._announce(owner, name, spent, limit)
            allowed = await self._allowance.more(owner, name, partial(self._record, BudgetLeft(name, owner)))
            if allowed > self._limits[owner][name]:
                self._limits[owner][name] = allowed
                self._warned.discard((owner, name))
                self._record(BudgetRaised(name, allowed, owner))
                if name == "seconds":
                    self._due(
                        allowed - self._seconds(), allowed
                    )  # before a step goes on that may keep it from it
        for account in self._ledger.of(*names):
            setattr(account, what, getattr(account, what) + 1)
        self._look(node)

    def _find_reached(self, names: Iterable[NodeId], what: str) -> tuple[NodeId, str, float, float] | None:
        """The limit that stands against one more of `what`: whose, which, what was spent, and its amount."""
        self._ledger.run.seconds = self._seconds()
        for owner, limits, account in self._accounts(names):
            for name, limit in limits.items():
                spent = float(getattr(account, name))
                if spent + 1 > limit if name == what else name not in {"steps", "calls"} and spent >= limit:
                    return owner, name, spent, limit
        return None

    def _announce(self, owner: NodeId, name: str, spent: float, limit: float) -> None:
        if self._allowance is not None and self._allowance.reach(owner, name):
            self._record(BudgetReached(name, spent, limit, owner))

    @property
    def _is_raised_here(self) -> bool:
        """Whether a limit that is reached holds the run until somebody raises it."""
        return self._allowance is not None and self._allowance.is_offered

    def _seconds(self) -> float:
        """Seconds of work so far; those for which the run was held do not count."""
        held = self._held_seconds() + (self._allowance.waited() if self._allowance is not None else 0.0)
        return self._clock() - self._began - held

    def _look(self, node: NodeId) -> None:
        for owner, limits, account in self._accounts(self._names(node)):
            for name, limit in limits.items():
                spent = float(getattr(account, name))
                if spent >= SOFT * limit and (owner, name) not in self._warned:
                    self._warned.add((owner, name))
                    self._record(BudgetWarned(name, spent, limit, owner))

    def _names(self, node: NodeId) -> tuple[NodeId, ...]:
        """The node, and those that call the flow in which it stands, each once."""
        return tuple(dict.fromkeys((*self._around, account_name(self._flow, node))))

    def _accounts(self, names: Iterable[NodeId]) -> Iterable[tuple[NodeId, Mapping[str, float], Spent]]:
        yield NodeId(""), self._limits[NodeId("")], self._ledger.run
        for name in names:
            if name in self._limits:
                yield name, self._limits[name], self._ledger.nodes[name]


def _reached(owner: NodeId, name: str, spent: float, limit: float) -> LimitReachedError:
    whose = f"The node `{owner}`" if owner else "The run"
    return LimitReachedError(
        f"{whose} has reached its limit of {amount(name, limit)} ({amount(name, spent)} spent).",
        hint=RAISE_NODE if owner else RAISE.format(name),
    )
