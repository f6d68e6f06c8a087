"""What a run says that it used is what the endpoint counted, however the calls are nested and answered."""

from collections.abc import Generator, Mapping
from dataclasses import astuple, replace
from typing import Any

import pytest

from studio.ids import RunId
from studio.llm.client import Caller, Usage
from studio.llm.prices import Prices
from studio.llm.scripted_answers.script_book import ScriptBook, ScriptedReply
from studio.runtime.replay.past import Past
from studio.trace.fold.state import RunState
from studio.trace.recording import Recording
from tests.llm.builders import book_of
from tests.runtime import bench
from tests.runtime.provider import SCRIPT, STRUCTURES, Api, Endpoint, Mode
from tests.runtime.test_provider_faults import REGISTRY, every_structure, every_way, ran_virtually


class CountingBook(ScriptBook):
    """Counts tokens of its own, different for each answer, and remembers the sum."""

    def __init__(self, book: ScriptBook) -> None:
        super().__init__(book._rules)
        self.sum = Usage()
        self.answers = 0

    def answer(self, body: Mapping[str, Any], caller: Caller) -> ScriptedReply:
        """Answer, and count."""
        self.answers += 1
        usage = Usage(1000 + self.answers, 100 + 7 * self.answers, 500 + 3 * self.answers, 60 + self.answers)
        self.sum += usage
        return replace(super().answer(body, caller), usage=usage)


def counting(mode: Mode = Mode.STREAMED, faults: tuple[str, ...] = ()) -> tuple[Endpoint, CountingBook]:
    endpoint = Endpoint(SCRIPT, faults, mode)
    book = CountingBook(book_of(SCRIPT))
    endpoint._book = book
    return endpoint, book


@pytest.fixture(autouse=True, scope="module")
def _tool() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "REGISTRY", REGISTRY)
        yield


@every_structure
@every_way
def test_tokens_are_those_that_the_endpoint_counted(structure: str, api: Api, mode: Mode) -> None:
    endpoint, book = counting(mode)
    ran, _ = ran_virtually(STRUCTURES[structure], endpoint, api)
    assert ran.outputs
    assert book.answers == len(endpoint.bodies) > 0
    see_that_all_say(ran.state, book)


def see_that_all_say(state: RunState, book: CountingBook) -> None:
    """See that the run, its profile, its outermost steps and its chats all say what was counted."""
    (use,) = state.uses.values()
    assert (use.input, use.output, use.cached) == astuple(book.sum)[:3]
    thought = [step.answered.reasoning_tokens for step in state.steps.values() if step.answered is not None]
    assert sum(thought) == book.sum.reasoning_tokens
    assert (use.answers, use.uncounted) == (book.answers, 0)
    assert (state.tokens, state.cached) == (book.sum.total, book.sum.cached_tokens)
    outermost = [step.tokens for step in state.steps.values() if not step.parent]
    chats = [step.tokens for step in state.steps.values() if step.call.startswith("chat")]
    assert sum(outermost) == sum(chats) == book.sum.total


@every_structure
def test_what_was_refused_and_asked_again_is_counted_once(structure: str) -> None:
    endpoint, book = counting(faults=("429", "500", *["none"] * 50))
    ran, _ = ran_virtually(STRUCTURES[structure], endpoint)
    assert ran.outputs
    assert len(endpoint.bodies) > book.answers
    see_that_all_say(ran.state, book)


@every_structure
def test_a_run_costs_what_its_tokens_cost(structure: str) -> None:
    endpoint, book = counting()
    prices = Prices.load('[[price]]\nllm = "scripted"\ninput = 3\ncached = 1\noutput = 15')
    ran, _ = ran_virtually(STRUCTURES[structure], endpoint, prices=prices)
    fresh = book.sum.input_tokens - book.sum.cached_tokens
    expected = (3 * fresh + book.sum.cached_tokens + 15 * book.sum.output_tokens) / 1e6
    assert ran.state.cost == pytest.approx(expected)
    assert ran.state.unpriced == 0


@every_structure
def test_going_back_to_a_run_costs_nothing(structure: str) -> None:
    endpoint, book = counting()
    ran, _ = ran_virtually(STRUCTURES[structure], endpoint)
    asked = len(endpoint.bodies)
    past = Past(RunId("bench"), Recording.of(ran.entries), is_live=True)
    again, _ = ran_virtually(STRUCTURES[structure], endpoint, past=past)
    assert again.outputs == ran.outputs
    assert (again.state.tokens, again.state.cost, again.state.uses) == (0, 0.0, {})
    assert len(endpoint.bodies) == asked
    assert book.answers == asked
