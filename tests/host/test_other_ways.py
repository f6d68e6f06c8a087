"""What a window may do with what is held, besides letting it go on: leave out, send elsewhere, run to it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from studio.errors import UsageError
from studio.flow.records import Flow
from studio.host.people import FormsOnScreen
from studio.host.protocol import (
    DropStep,
    LetOthers,
    ReleaseStep,
    ResumeRun,
    RunAsked,
    RunTo,
    SendStep,
    SetBreakpoints,
    frame,
    read_asked,
)
from studio.host.run_in_hand import RunInHand
from studio.ids import RunId, StepId
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.recorder import Recorder
from tests.runtime.bench import REGISTRY, Ran, run, until
from tests.runtime.test_dropping import BRANCH
from tests.runtime.test_gate import FLOW, WIDE

RUN = RunId("bench")
Act = Callable[[RunInHand, Ran], Awaitable[None]]


def asked(message: RunAsked) -> RunAsked:
    """The message as the other side reads it."""
    found = read_asked(frame(message)[4:])
    assert found == message
    return message


async def in_hand(flow: Flow, act: Act, *places: str, **more: Any) -> Ran:
    """Run a flow while `act` plays a window."""
    hand = RunInHand(flow, REGISTRY, lambda _: None, FormsOnScreen())

    def make_gate(recorder: Recorder) -> DebugGate:
        hand.gate = DebugGate(recorder, places, **more)
        return hand.gate

    async def drive(ran: Ran) -> None:
        await until(lambda: bool(hand.gate.held))
        await act(hand, ran)

    word = "a" if flow is FLOW else "wren"
    return await run(flow, {"word": word}, make_gate=make_gate, while_running=drive)


def held(hand: RunInHand) -> list[str]:
    return [str(ref.step) for ref in hand.gate.held]


async def go_on(hand: RunInHand) -> None:
    hand.do(SetBreakpoints(RUN, ()))
    hand.do(ResumeRun(RUN))


async def test_a_held_step_is_left_out() -> None:
    async def act(hand: RunInHand, _: Ran) -> None:
        hand.do(asked(DropStep(RUN, StepId("each.0/mark"))))
        await go_on(hand)

    assert (await in_hand(WIDE, act, "mark")).outputs["out"] == ["b!b!", "c!c!"]


async def test_what_a_held_step_gives_goes_to_another_case() -> None:
    async def act(hand: RunInHand, _: Ran) -> None:
        hand.do(asked(SendStep(RUN, StepId("way"), "short")))

    assert (await in_hand(BRANCH, act, "way.long")).outputs == {"said": "wren is short"}


@pytest.mark.parametrize("place", ["way", "way.long"])
@pytest.mark.parametrize("port", ["nowhere", "then", "value"])
async def test_it_does_not_go_where_it_cannot(place: str, port: str) -> None:
    async def act(hand: RunInHand, _: Ran) -> None:
        with pytest.raises(UsageError, match="cannot be sent"):
            hand.do(SendStep(RUN, StepId("way"), port))
        assert held(hand) == ["way"]
        await go_on(hand)

    assert (await in_hand(BRANCH, act, place)).outputs == {"said": "wren is long"}


async def test_what_is_not_held_is_neither_left_out_nor_sent_anywhere() -> None:
    async def act(hand: RunInHand, _: Ran) -> None:
        for message in (DropStep(RUN, StepId("out")), SendStep(RUN, StepId("out"), "short")):
            with pytest.raises(UsageError, match="no longer paused"):
                hand.do(message)
        await go_on(hand)

    assert (await in_hand(BRANCH, act, "way")).outputs == {"said": "wren is long"}


async def test_a_held_run_goes_on_to_a_node_once() -> None:
    seen: list[list[str]] = []

    async def act(hand: RunInHand, _: Ran) -> None:
        hand.do(asked(RunTo(RUN, "enough")))
        await until(lambda: held(hand) not in ([], ["word"]))
        seen.append(held(hand))
        hand.do(ResumeRun(RUN))

    ran = await in_hand(FLOW, act, hold_first=True)
    assert seen == [["rounds.1/enough"]]
    assert ran.steps("step_held") == ["word", "rounds.1/enough"]


async def test_it_goes_to_a_step_past_others_of_its_node() -> None:
    async def act(hand: RunInHand, _: Ran) -> None:
        hand.do(RunTo(RUN, "rounds.2/grow"))
        await until(lambda: held(hand) == ["rounds.2/grow"])
        hand.do(ResumeRun(RUN))

    assert (await in_hand(FLOW, act, hold_first=True)).steps("step_held") == ["word", "rounds.2/grow"]


async def test_a_breakpoint_on_the_way_does_not_make_it_forget_where_it_goes() -> None:
    seen: list[str] = []

    async def act(hand: RunInHand, _: Ran) -> None:
        hand.do(RunTo(RUN, "out"))
        for _round in range(3):
            await until(lambda: held(hand) not in ([], seen[-1:]))
            seen.extend(held(hand))
            if len(seen) == 2:
                hand.do(SetBreakpoints(RUN, ()))
            hand.do(ResumeRun(RUN))

    await in_hand(FLOW, act, "grow")
    assert seen == ["rounds.1/grow", "rounds.2/grow", "out"]


async def test_a_run_may_start_on_its_way_to_a_node() -> None:
    async def act(hand: RunInHand, _: Ran) -> None:
        assert held(hand) == ["rounds.1/grow"]
        hand.do(ResumeRun(RUN))

    assert (await in_hand(FLOW, act, hold_at="grow")).steps("step_held") == ["rounds.1/grow"]


async def test_others_go_on_beside_a_held_step_where_they_are_let() -> None:
    async def act(hand: RunInHand, ran: Ran) -> None:
        hand.do(SetBreakpoints(RUN, ()))
        hand.do(asked(LetOthers(RUN, go_on=True)))
        await until(lambda: "each.2/twice" in ran.steps("step_finished"))
        assert held(hand) == ["each.0/mark"]
        assert "each.1/twice" in ran.steps("step_finished")
        hand.do(ReleaseStep(RUN, StepId("each.0/mark")))

    assert (await in_hand(WIDE, act, "mark")).outputs["out"] == ["a!a!", "b!b!", "c!c!"]


async def test_several_steps_are_held_at_once_and_go_on_one_by_one() -> None:
    async def act(hand: RunInHand, ran: Ran) -> None:
        hand.do(LetOthers(RUN, go_on=True))
        await until(lambda: len(hand.gate.held) == 3)
        hand.do(LetOthers(RUN, go_on=False))
        hand.do(ReleaseStep(RUN, StepId("each.1/mark"), {"x": "y"}))
        await until(lambda: "each.1/mark" in ran.steps("step_finished"))
        assert held(hand) == ["each.0/mark", "each.2/mark"]
        await go_on(hand)

    assert (await in_hand(WIDE, act, "mark")).outputs["out"] == ["a!a!", "y!y!", "c!c!"]
