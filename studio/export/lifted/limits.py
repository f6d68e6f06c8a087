"""What a script may spend, seen to before each step and call as in a run; lifted as it stands."""

import asyncio
from argparse import ArgumentTypeError
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Final, Self, TypeVar

from studio.export.lifted.terminal import Terminal
from studio.trace.figures import amount

R = TypeVar("R")

SOFT = 0.8
"""The part of a limit from which on there is a warning."""

LIMITS = ("tokens", "cost", "seconds", "steps", "calls")
COUNTED = ("steps", "calls")
"""What is refused before it is done; that the other limits are reached is known only afterwards."""


class LimitReachedError(BaseException):
    """A limit is reached; no `Exception`, for nothing mends it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(eq=False)
class Account:
    """What may be spent in all, or by one node, and what was."""

    owner: str
    limits: Mapping[str, float]
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LIMITS, 0.0))
    has_unpriced: bool = False

    def require(self, what: str) -> None:
        """Raise `LimitReachedError` where a limit stands against one more step or call."""
        for name, limit in self.limits.items():
            spent = self.spent[name]
            if spent + 1 > limit if name == what else name not in COUNTED and spent >= limit:
                raise LimitReachedError(self.told("has reached", name))

    def add(self, what: str, number: float) -> bool:
        """Count what was spent; tells whether a limit has come near by that."""
        near = SOFT * self.limits.get(what, inf)
        was_near = self.spent[what] >= near
        self.spent[what] += number
        return not was_near and self.spent[what] >= near

    def told(self, how: str, name: str) -> str:
        """Say how much of a limit is spent."""
        limit, spent = self.limits[name], self.spent[name]
        return f"{self.owner} {how} its limit of {amount(name, limit)} ({amount(name, spent)} spent)."


PAYING: Final[ContextVar[tuple[Account, ...]]] = ContextVar("who pays for a call of a tool", default=())


@dataclass
class Payer(Terminal):
    """Pays for what steps do, within limits."""

    accounts: tuple[Account, ...] = ()
    """What pays: that of the run, and those of the nodes in which it is done."""
    of_nodes: dict[str, Account] = field(default_factory=dict[str, Account])

    def within(self, node: str, limits: Mapping[str, float]) -> Self:
        """Give a context that keeps to limits of a node, for all that its steps spend together."""
        account = self.of_nodes.setdefault(node, Account(f"The node `{node}`", limits))
        return replace(self, accounts=(*self.accounts, account))

    def admit(self, what: str) -> None:
        """Count a step or call that is about to begin; raises `LimitReachedError` where it must not."""
        for account in self.payers():
            account.require(what)
        self.pay(what, 1)

    def pay(self, what: str, number: float) -> None:
        """Count what was spent, and warn where a limit comes near."""
        for account in self.payers():
            if account.add(what, number):
                self.say(f"warning: {account.told('comes near', what)}")

    def pay_for(self, llm: str, tokens: float, dollars: float | None) -> None:
        """Count what an answer took, and say once where nobody knows what it cost."""
        self.pay("tokens", tokens)
        self.pay("cost", dollars or 0.0)
        for account in self.payers():
            if dollars is None and "cost" in account.limits and not account.has_unpriced:
                account.has_unpriced = True
                limit = amount("cost", account.limits["cost"])
                self.say(f"warning: The cost of `{llm}` is unknown, so the limit of {limit} is not enforced.")

    def payers(self) -> tuple[Account, ...]:
        """Give the accounts that pay: that of whoever called the tool in which it is done, too."""
        if PAYING.get():  # only with: .within
            return tuple(dict.fromkeys((*PAYING.get(), *self.accounts)))
        return self.accounts

    async def paid(self, run: Callable[[Any], Awaitable[str]], arguments: object) -> str:
        """Run a tool on the accounts of the step that calls it."""
        token = PAYING.set(self.payers())
        try:
            return await run(arguments)
        finally:
            PAYING.reset(token)


async def in_time(account: Account, work: Awaitable[R]) -> R:
    """Wait for what is done on an account, and interrupt it once its seconds are used up."""
    seconds = account.limits.get("seconds")
    timer = asyncio.timeout(seconds)
    try:
        async with timer:
            return await work
    except TimeoutError:
        if seconds is None or not timer.expired():
            raise
        account.add("seconds", seconds)
        raise LimitReachedError(account.told("has reached", "seconds")) from None


def limit(text: str) -> tuple[str, float]:
    """Read a limit from the command line, such as `tokens=20000`."""
    name, _, number = text.partition("=")
    try:
        amount = float(number)
    except ValueError:
        amount = 0.0
    if name not in LIMITS or not 0 < amount < inf:
        known = ", ".join(LIMITS)
        raise ArgumentTypeError(f"{text!r} is no limit, such as tokens=20000; there are {known}, all above 0")
    return name, amount
