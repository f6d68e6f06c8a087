"""Code in the box as the trace, a replay and a flow see it."""

from collections.abc import Callable

import pytest

from studio.errors import CodeError
from studio.flow.records import Json
from studio.runtime.takeover import replayed
from studio.sandbox.wasm import WasmBox
from studio.sdk.code import CodeCall
from studio.trace.compare import first_difference
from tests.runtime.bench import REGISTRY, flow_of, run

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
        _call: CodeCall,
        *,
        on_line: Callable[[str], None] = lambda _: None,
        **_: object,
    ) -> Json:
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
