"""Limits: a warning, then an error, or a person who is asked for more."""

import asyncio
from collections.abc import Callable

import pytest

from studio.errors import LimitReachedError
from studio.ids import NodeId, RunId, StepId
from studio.runtime.limits.accounts import ledger_of
from studio.runtime.limits.allowance import Allowance
from studio.runtime.limits.budget import Budget
from studio.trace import events
from studio.trace.events import BudgetLeft, BudgetRaised, BudgetReached, BudgetWarned, Entry, Event
from studio.trace.events.values import Shown
from studio.trace.figures import amount
from studio.trace.fold.state import RunStatus, fold
from tests.runtime.bench import until

NODE = NodeId("writer")


class Told(list[BudgetWarned | BudgetReached | BudgetRaised | BudgetLeft]):
    """What a budget recorded."""

    def names(self) -> list[tuple[str, str]]:
        return [(one.kind, one.limit) for one in self]


async def test_time_steps_and_money_are_looked_at_before_each_step_with_one_warning_each() -> None:
    now = [0.0]
    told = Told()
    limits = {"seconds": 10, "steps": 5, "cost": 1.0}
    budget = Budget(limits, {}, told.append, clock=lambda: now[0])
    await budget.step(NODE)
    now[0] = 8.5
    await budget.step(NODE)
    await budget.step(NODE)
    budget.spend(NODE, 10, 0.9)
    assert told.names() == [("budget_warned", "seconds"), ("budget_warned", "cost")]
    now[0] = 10.0
    with pytest.raises(LimitReachedError, match="10 s"):
        await budget.step(NODE)
    now[0] = 9.0
    await budget.step(NODE)
    await budget.step(NODE)
    with pytest.raises(LimitReachedError, match="5 steps"):
        await budget.step(NODE)
    budget.spend(NODE, 0, 0.1)
    with pytest.raises(LimitReachedError, match=r"\$1\.00 \(\$1\.00 spent\)"):
        await budget.call(NODE)


@pytest.mark.parametrize(
    ("what", "number", "words"),
    [
        ("cost", 0.00001, "$0.00001"),
        ("cost", 0.451245, "$0.4512"),
        ("seconds", 0.451245, "0.451 s"),
        ("seconds", 3600, "3,600 s"),
        ("tokens", 4210, "4,210 tokens"),
        ("steps", 1, "1 step"),
    ],
)
def test_what_a_limit_is_set_on_is_told_in_figures_that_people_read(
    what: str, number: float, words: str
) -> None:
    assert amount(what, number) == words


async def test_all_who_come_to_a_limit_wait_until_it_is_raised() -> None:
    told = Told()
    allowance = Allowance(lambda: 0.0)
    budget = Budget({"calls": 1}, {NODE: {"tokens": 10}}, told.append, allowance=allowance)
    await budget.call(NODE)
    others = [asyncio.create_task(budget.call(NODE)) for _ in range(2)]
    await until(lambda: allowance.is_holding)
    assert allowance.allow("", "calls", 3)
    await asyncio.gather(*others)
    assert [kind for kind, _ in told.names()][:3] == ["budget_warned", "budget_reached", "budget_raised"]
    budget.spend(NODE, 10, 0.0)
    another = asyncio.create_task(budget.step(NODE))
    await until(lambda: allowance.is_holding)
    assert not allowance.allow("", "tokens", 20)  # it is the node that waits
    assert allowance.allow(NODE, "tokens", 20)
    await another


async def test_a_limit_that_is_not_raised_enough_is_reached_again() -> None:
    told = Told()
    allowance = Allowance(lambda: 0.0)
    budget = Budget({"tokens": 10}, {}, told.append, allowance=allowance)
    budget.spend(NODE, 50, 0.0)
    waiting = asyncio.create_task(budget.step(NODE))
    for allowed in (20, 30, 60):
        await until(lambda: allowance.is_holding)
        allowance.allow("", "tokens", allowed)
        await until(lambda: not allowance.is_holding or waiting.done())
        await asyncio.sleep(0)
    await waiting
    assert told.names().count(("budget_reached", "tokens")) == 3


async def test_held_time_is_not_spent() -> None:
    now, held = [0.0], [0.0]
    told = Told()
    allowance = Allowance(lambda: now[0])
    budget = Budget(
        {"seconds": 10},
        {},
        told.append,
        clock=lambda: now[0],
        allowance=allowance,
        held_seconds=lambda: held[0],
    )
    now[0], held[0] = 100.0, 95.0
    await budget.step(NODE)
    now[0] = 106.0
    waiting = asyncio.create_task(budget.step(NODE))
    await until(lambda: allowance.is_holding)
    now[0] = 500.0
    allowance.allow("", "seconds", 12)
    await waiting
    await budget.step(NODE)
    now[0] = 502.0
    assert not allowance.is_holding
    late = asyncio.create_task(budget.step(NODE))
    await until(lambda: allowance.is_holding)
    late.cancel()


async def test_the_clock_goes_on_when_the_last_that_waited_at_a_limit_is_stopped() -> None:
    now = [0.0]
    told = Told()
    allowance = Allowance(lambda: now[0])
    limits = {NODE: {"calls": 1}}
    budget = Budget({"seconds": 10}, limits, told.append, clock=lambda: now[0], allowance=allowance)
    await budget.call(NODE)
    waiting = [asyncio.create_task(budget.call(NODE)) for _ in range(2)]
    await until(lambda: allowance.is_holding)
    await asyncio.sleep(0)
    for number, task in enumerate(waiting):
        now[0] = 50.0 * (number + 1)
        task.cancel()
        await asyncio.wait([task])
        assert allowance.is_holding is (number == 0)
    assert told.names()[-2:] == [("budget_reached", "calls"), ("budget_left", "calls")]
    now[0] = 109.0
    await budget.step(NODE)
    now[0] = 110.0
    late = asyncio.create_task(budget.step(NODE))
    await until(lambda: told.names()[-1] == ("budget_reached", "seconds"))
    late.cancel()


@pytest.mark.parametrize(
    ("hold", "release"),
    [
        (lambda: events.StepHeld("before", "breakpoint"), events.StepReleased),
        (lambda: BudgetReached("calls", 1, 1), lambda: BudgetRaised("calls", 2)),
        (lambda: BudgetReached("calls", 1, 1), lambda: BudgetLeft("calls")),
    ],
)
def test_a_run_that_goes_on_has_not_spent_the_time_in_which_it_was_held(
    hold: Callable[[], Event], release: Callable[[], Event]
) -> None:
    started = events.StepStarted()
    happened = [(0.0, events.RunStarted("f", "")), (1.0, hold()), (50.0, release()), (52.0, started)]
    entries = [
        Entry(RunId("r"), number, StepId("writer" if number > 1 else ""), StepId(""), time, event)
        for number, (time, event) in enumerate(happened, 1)
    ]
    assert ledger_of(entries).run.seconds == 3.0


def test_a_run_is_held_while_it_waits_for_a_larger_limit() -> None:
    happened = [events.RunStarted("f", ""), BudgetReached("calls", 1, 1), BudgetRaised("calls", 2)]
    entries = [
        Entry(RunId("r"), number, StepId(""), StepId(""), float(number), event)
        for number, event in enumerate(happened, 1)
    ]
    assert fold(entries[:2]).status is RunStatus.HELD
    assert fold(entries).status is RunStatus.RUNNING


def test_a_call_that_a_limit_refused_is_not_spent() -> None:
    told: list[Event] = [
        events.ChatRequested("scripted", {}),
        events.StepFailed("LimitReachedError", "The limit of 2 calls is reached."),
    ]
    call = StepId("writer#chat.1")
    entries = [Entry(RunId("r"), at, call, StepId("writer"), 0.0, event) for at, event in enumerate(told, 1)]
    assert ledger_of(entries[:1]).nodes[NODE].calls == 1
    assert ledger_of(entries).nodes[NODE].calls == 0


def test_what_counts_as_a_call_is_the_same_for_a_run_that_goes_on() -> None:
    """Answers of a person, code in the box and the listing of tools are no calls of chats and tools."""
    answer = {"answer": Shown("Me.", ("user",))}
    told: list[tuple[str, Event]] = [
        ("writer#chat.1", events.InputsEdited(answer)),
        ("writer#chat.1", events.ChatRequested("scripted", {})),
        ("writer#code.1", events.ToolCalled("python", {})),
        ("writer#code.1", events.AnswerReused(RunId("old"), StepId("writer#code.1"))),
        ("writer#tool.1", events.ToolCalled("list_tools", {})),
        ("writer#tool.2", events.ToolCalled("search", {})),
    ]
    entries = [
        Entry(RunId("r"), at, StepId(step), StepId("writer"), 0.0, event)
        for at, (step, event) in enumerate(told, 1)
    ]
    assert ledger_of(entries).nodes[NODE].calls == 1


async def test_the_limit_of_a_node_is_raised_in_the_flow_and_that_of_a_run_where_it_goes_on() -> None:
    budget = Budget({"calls": 2}, {NODE: {"calls": 1}}, Told().append)
    await budget.call(NODE)
    with pytest.raises(LimitReachedError) as of_node:
        await budget.call(NODE)
    assert "--flow" in of_node.value.hint
    await budget.call(NodeId("critic"))
    with pytest.raises(LimitReachedError) as of_run:
        await budget.call(NodeId("critic"))
    assert "resume" in of_run.value.hint


async def test_a_run_that_goes_on_with_its_time_used_up_has_reached_its_limit() -> None:
    spent = ledger_of([])
    spent.run.seconds = 20
    with pytest.raises(LimitReachedError, match="limit of 10 s"):
        async with Budget({"seconds": 10}, {}, Told().append, ledger=spent).in_time():
            await asyncio.Event().wait()


async def test_who_sees_to_the_time_from_above_hears_when_it_is_up_and_when_nothing_is_due_any_more() -> None:
    now, due = [0.0], list[tuple[float | None, float]]()
    allowance = Allowance(lambda: now[0])
    budget = Budget(
        {"seconds": 10},
        {},
        Told().append,
        clock=lambda: now[0],
        allowance=allowance,
        due=lambda left, limit: due.append((left, limit)),
    )
    async with budget.in_time():
        assert due == [(10, 10)]
        now[0] = 10.0
        waiting = asyncio.create_task(budget.step(NODE))
        await until(lambda: allowance.is_holding)
        now[0] = 25.0
        allowance.allow("", "seconds", 30)
        await waiting
        assert due == [(10, 10), (20, 30)], "the time for which it was held does not count"
    assert due[-1] == (None, 30)
