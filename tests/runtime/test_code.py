"""Code in the box as the trace, a replay and a flow see it."""

from collections.abc import Callable

import pytest

from studio.errors import CodeError
from studio.flow.checks.check import check
from studio.flow.records import Json
from studio.ids import StepId
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.takeover import forked, replayed, resumed
from studio.sandbox.wasm import WasmBox
from studio.sdk.code import CodeCall
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import REGISTRY, flow_of, run

pytestmark = pytest.mark.box

CODE = "import random\ndef main(text: str) -> str:\n print('at', text)\n return text + str(random.random())"
FLOW = flow_of(
    {
        "word": ("io.flow_input", {"default": "owl"}),
        "code": ("control.python", {"code": CODE}),
        "out": "io.flow_output",
    },
    ["word.value -> code.text", "code.result -> out.value"],
)


class Failing:
    async def run(
        self,
        call: CodeCall,
        *,
        tools: object = None,
        on_line: Callable[[str], None] = lambda _: None,
        on_progress: object = None,
    ) -> Json:
        del call, tools, on_progress
        on_line("before it broke")
        message = "ValueError: no such owl (line 3)"
        raise CodeError(message, 3)


@pytest.mark.timeout(300)
async def test_code_is_a_child_step_and_what_it_prints_is_logged() -> None:
    async with WasmBox() as box:
        ran = await run(FLOW, box=box)
    assert ran.outputs["out"].startswith("owl0.")
    assert ran.events("code#code.1") == ["tool_called", "tool_answered"]
    assert [entry.event.text for entry in ran.entries if entry.event.kind == "log_written"] == ["at owl"]


@pytest.mark.timeout(300)
async def test_a_replay_gives_what_chance_gave_and_needs_no_box() -> None:
    async with WasmBox() as box:
        ran = await run(FLOW, box=box)
    again = await run(FLOW, past=replayed(ran.entries, FLOW, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None


async def test_without_a_box_nothing_is_run() -> None:
    ran = await run(FLOW)
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.error == "BoxMissingError"


async def test_an_error_of_the_code_fails_the_step_in_its_words_and_again_in_a_replay() -> None:
    ran = await run(FLOW, box=Failing())
    again = await run(FLOW, past=replayed(ran.entries, FLOW, REGISTRY))
    for one in (ran, again):
        assert one.outcome is not None
        assert one.outcome.error is not None
        assert "no such owl (line 3)" in one.outcome.error.message
        assert "before it broke" in one.outcome.error.hint
    assert first_difference(ran.entries, again.entries) is None


COUNTING = "count = 0\ndef main(by: int) -> int:\n global count\n count += by\n return count"
ROUNDS = flow_of(
    {
        "start": ("value.json", {"value": 2}),
        "rounds": ("control.loop", {"max_rounds": 4}),
        "code": ("control.python", {"code": COUNTING, "session": "tally"}),
        "out": "io.flow_output",
    },
    [
        "start.value -> rounds.start",
        "rounds.value -> code.by",
        "code.result -> rounds.again",
        "rounds.history -> out.value",
    ],
)
ITEMS = flow_of(
    {
        "list": ("value.json", {"value": [1, 2, 3]}),
        "each": ("control.for_each", {"at_once": 3}),
        "code": ("control.python", {"code": COUNTING, "session": "tally"}),
        "all": "control.collect",
        "out": "io.flow_output",
    },
    [
        "list.value -> each.items",
        "each.item -> code.by",
        "code.result -> all.value",
        "all.values -> out.value",
    ],
)


@pytest.mark.timeout(300)
async def test_a_session_goes_on_over_rounds_and_so_do_replays_and_resumed_runs() -> None:
    async with WasmBox() as box:
        ran = await run(ROUNDS, box=box)
        assert ran.outputs == {"out": [2, 4, 8, 16]}
        cut = next(
            place
            for place, entry in enumerate(ran.entries)
            if str(entry.step) == "rounds.3/code" and entry.event.kind == "step_started"
        )
        past, _ = resumed(ran.entries[:cut], ROUNDS, REGISTRY)
        went_on = await run(ROUNDS, box=box, past=past)
        forking = forked(ran.entries, ROUNDS, REGISTRY, [Root(StepId("rounds.2/code"), runs_again=True)])
        fork = await run(ROUNDS, box=box, past=forking)
    assert went_on.outputs == fork.outputs == ran.outputs
    again = await run(ROUNDS, past=replayed(ran.entries, ROUNDS, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None


@pytest.mark.timeout(300)
async def test_items_that_run_at_once_have_sessions_of_their_own() -> None:
    async with WasmBox() as box:
        assert (await run(ITEMS, box=box)).outputs == {"out": [1, 2, 3]}


def test_steps_of_one_session_that_no_wire_orders_are_a_warning() -> None:
    code = ("control.python", {"code": "def main(): pass", "session": "tally"})
    plain = ("control.python", {"code": "def main(): pass"})
    nodes = {"a": code, "b": code, "c": plain, "d": plain, "out": "io.flow_output", "two": "io.flow_output"}
    flow = flow_of(nodes, ["a.result -> out.value", "b.result -> two.value"])
    found = [one for one in check(flow, REGISTRY) if one.code == "unordered-state"]
    assert ["`tally`" in one.message for one in found] == [True]


@pytest.mark.timeout(300)
async def test_what_others_write_to_a_variable_of_that_name_is_not_read_as_a_session() -> None:
    nodes = {
        "kept": ("value.json", {"value": {"values": {"count": 40}}}),
        "set": ("value.state_set", {"name": "tally"}),
        "code": ("control.python", {"code": COUNTING, "session": "tally"}, {"by": 2}),
        "out": "io.flow_output",
    }
    flow = flow_of(nodes, ["kept.value -> set.value", "set.then -> code.after", "code.result -> out.value"])
    async with WasmBox() as box:
        assert (await run(flow, box=box)).outputs == {"out": 2}
