"""When the client asks again, how long it waits, and when it gives up."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from studio.errors import ChatError, ChatIncompleteError, ChatRefusedError, ChatUnreachableError
from studio.llm.endpoints.refusals import retry_after
from studio.llm.endpoints.retry import RetryLimits, RetryNotice, RetryPlan
from tests.llm.builders import ECHO, ask, client_of


@dataclass
class Clockwork:
    """Time that passes only while somebody sleeps."""

    now: float = 0.0
    waits: list[float] = field(default_factory=list[float])
    notices: list[RetryNotice] = field(default_factory=list[RetryNotice])

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def plan(self, limits: RetryLimits | None = None, jitter: float = 1.0) -> RetryPlan:
        return RetryPlan(
            limits or RetryLimits(), self.sleep, lambda: jitter, lambda: self.now, self.notices.append
        )


def failing(*errors: ChatError) -> Callable[[], Awaitable[str]]:
    """Fail with each error in turn, then succeed."""
    left = list(errors)

    async def attempt() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return attempt


def busy(wait: float | None = 0.0) -> ChatRefusedError:
    return ChatRefusedError("busy", 429, retry_after=wait)


async def test_a_refusal_that_passes_is_asked_again_and_told() -> None:
    time = Clockwork()
    assert await time.plan().run(failing(busy(), ChatUnreachableError("gone"))) == "done"
    assert time.waits == [0.5, 1.0]
    assert [(notice.attempt, notice.wait) for notice in time.notices] == [(1, 0.5), (2, 1.0)]


async def test_the_attempts_are_bounded() -> None:
    time = Clockwork()
    with pytest.raises(ChatRefusedError):
        await time.plan().run(failing(*[busy()] * 9))
    assert len(time.waits) == 2


@pytest.mark.parametrize("error", [busy(None), ChatRefusedError("no", 400), ChatIncompleteError("half")])
async def test_what_will_not_pass_or_has_shown_text_is_not_asked_again(error: ChatError) -> None:
    time = Clockwork()
    with pytest.raises(type(error)):
        await time.plan().run(failing(error))
    assert not time.waits


async def test_the_endpoint_may_ask_for_a_longer_wait_within_the_budget() -> None:
    time = Clockwork()
    assert await time.plan().run(failing(busy(7))) == "done"
    assert time.waits == [7]
    with pytest.raises(ChatRefusedError):
        await time.plan().run(failing(busy(31)))
    assert time.waits == [7]


async def test_the_jitter_takes_at_most_half_of_a_wait() -> None:
    time = Clockwork()
    await time.plan(jitter=0.0).run(failing(busy()))
    assert time.waits == [0.25]


async def test_waiting_is_cancelled_at_once() -> None:
    waiting = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    task = asyncio.ensure_future(RetryPlan(sleep=sleep).run(failing(busy())))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("fault", ["429", "429-retry-after", "500", "502-html", "reset-before-head"])
async def test_the_client_asks_again_after_a_fault_that_passes(fault: str) -> None:
    time = Clockwork()
    pieces: list[str] = []
    client = client_of(ECHO, faults=[fault, fault, "none"], retries=time.plan())
    assert (await client.answer(ask("a b"), on_text=pieces.append)).message.content == "a b"
    assert len(time.waits) == 2
    assert time.waits[0] == (1.0 if fault == "429-retry-after" else 0.5)
    assert pieces == ["a ", "b"]


async def test_an_answer_that_broke_off_is_not_asked_again() -> None:
    time = Clockwork()
    with pytest.raises(ChatIncompleteError):
        await client_of(ECHO, faults=["reset-mid-stream", "none"], retries=time.plan()).answer(ask("a b c d"))
    assert not time.waits


@pytest.mark.parametrize(
    ("status", "code", "header", "wait"),
    [
        (429, None, "3", 3.0),
        (429, None, "Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        (429, None, "nan", 0.0),
        (429, "insufficient_quota", "3", None),
        (503, None, "", 0.0),
        (400, None, "3", None),
        (401, None, "", None),
    ],
)
def test_only_some_refusals_pass_by_themselves(
    status: int, code: str | None, header: str, wait: float | None
) -> None:
    assert retry_after(status, code, {"retry-after": header}) == wait
