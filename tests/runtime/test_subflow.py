"""Flows that are called as a step of another flow."""

import asyncio

import pytest

from studio.ids import StepId
from studio.runtime.gates.debug_gate import DebugGate, Gate, Stepping
from studio.runtime.recorder import Recorder
from studio.trace.events import RunStarted, StepFailed
from tests.runtime.bench import Ran, flow_of, run, until
from tests.runtime.called import OUT, UPPER, calls

FLOWS = {"loud.json": UPPER}
ONCE = flow_of(
    {"word": ("io.flow_input", {"default": "owl"}), "call": calls("loud.json"), "out": OUT},
    ["word.value -> call.text", "call.loud -> out.value"],
)
BROKEN = flow_of(
    {
        "text": "io.flow_input",
        "read": ("io.read_file", {}),
        "said": OUT,
    },
    ["text.value -> read.path", "read.text -> said.value"],
)
SLOW = flow_of(
    {"text": "io.flow_input", "wait": ("control.delay", {"seconds": 60}), "said": OUT},
    ["text.value -> wait.value", "wait.value -> said.value"],
)


async def test_a_called_flow_gives_its_outputs_at_the_step_that_calls_it() -> None:
    ran = await run(ONCE, flows=FLOWS)
    assert ran.outputs == {"out": "owl!"}
    assert ran.events("call") == ["step_ready", "step_started", "step_finished"]


async def test_its_steps_stand_inside_the_step_that_calls() -> None:
    state = (await run(ONCE, flows=FLOWS)).state
    assert [step for step in state.steps if "/" in step] == [
        "call/text",
        "call/mark",
        "call/join",
        "call/loud",
    ]
    assert state.steps[StepId("call/join")].parent == "call"
    assert set(state.latest) == {"word", "call", "out"}, "its nodes are not those of the flow that ran"


async def test_inputs_that_are_not_wired_take_their_defaults_or_what_is_typed() -> None:
    flow = flow_of(
        {"call": calls("loud.json", {"text": "tit", "mark": "?"}), "out": OUT}, ["call.loud -> out.value"]
    )
    assert (await run(flow, flows=FLOWS)).outputs == {"out": "tit?"}


async def test_what_the_called_flow_does_not_give_is_absent() -> None:
    quiet = flow_of(
        {
            "text": "io.flow_input",
            "which": (
                "control.branch",
                {"cases": [{"label": "Long", "when": "len(value) > 9"}, {"label": "Short"}]},
            ),
            "long": OUT,
            "short": OUT,
        },
        ["text.value -> which.value", "which.long -> long.value", "which.short -> short.value"],
    )
    flow = flow_of(
        {"call": calls("quiet.json", {"text": "wren"}), "one": OUT, "other": OUT},
        ["call.long -> one.value", "call.short -> other.value"],
    )
    ran = await run(flow, flows={"quiet.json": quiet})
    assert ran.outputs == {"other": "wren"}
    assert ran.events("one") == ["step_skipped"]


async def test_called_flows_stand_in_maps_and_maps_stand_in_called_flows() -> None:
    inner = flow_of(
        {
            "words": ("io.flow_input", {"type": "text[]"}),
            "each": "control.for_each",
            "call": calls("loud.json"),
            "all": "control.collect",
            "said": OUT,
        },
        [
            "words.value -> each.items",
            "each.item -> call.text",
            "call.loud -> all.value",
            "all.values -> said.value",
        ],
    )
    outer = flow_of(
        {
            "lists": ("value.json", {"value": [["owl", "tit"], ["wren"]]}),
            "each": "control.for_each",
            "call": calls("inner.json"),
            "all": "control.collect",
            "out": OUT,
        },
        [
            "lists.value -> each.items",
            "each.item -> call.words",
            "call.said -> all.value",
            "all.values -> out.value",
        ],
    )
    ran = await run(outer, flows={**FLOWS, "inner.json": inner})
    assert ran.outputs == {"out": [["owl!", "tit!"], ["wren!"]]}
    assert StepId("each.0/call/each.1/call/join") in ran.state.steps


async def test_a_called_flow_in_a_loop_is_called_in_every_round() -> None:
    flow = flow_of(
        {
            "word": ("io.flow_input", {"default": "owl"}),
            "rounds": ("control.loop", {"max_rounds": 3}),
            "call": calls("loud.json"),
            "out": OUT,
        },
        [
            "word.value -> rounds.start",
            "rounds.value -> call.text",
            "call.loud -> rounds.again",
            "rounds.result -> out.value",
        ],
    )
    ran = await run(flow, flows=FLOWS)
    assert ran.outputs == {"out": "owl!!!"}
    assert StepId("rounds.3/call/join") in ran.state.steps


COUNTDOWN = flow_of(
    {
        "number": ("io.flow_input", {"type": "number"}),
        "which": ("control.branch", {"cases": [{"label": "More", "when": "value > 0"}, {"label": "Done"}]}),
        "less": ("value.formula", {"formula": "n - 1"}),
        "deeper": calls("countdown.json"),
        "first": "control.merge",
        "end": OUT,
    },
    [
        "number.value -> which.value",
        "which.more -> less.n",
        "less.value -> deeper.number",
        "deeper.end -> first.values[0]",
        "which.done -> first.values[1]",
        "first.value -> end.value",
    ],
)


@pytest.mark.parametrize(("depth", "ends"), [(3, True), (8, True), (9, False)])
async def test_a_flow_may_call_itself_to_a_depth(depth: int, *, ends: bool) -> None:
    ran = await run(COUNTDOWN, {"number": depth}, flows={"countdown.json": COUNTDOWN})
    assert ran.outcome is not None
    if ends:
        assert ran.outputs == {"end": 0}
        return
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "/".join(["deeper"] * 9)
    assert "allows 8" in ran.outcome.error.message


async def test_the_deepest_that_can_be_allowed_is_reached_through_loops_too() -> None:
    loop = ("control.loop", {"max_rounds": 1})
    deep = flow_of(
        {
            **{str(name): (one.kind, one.settings) for name, one in COUNTDOWN.nodes.items()},
            "deeper": ("control.subflow", {"flow": "countdown.json", "max_depth": 64}),
            "outer": loop,
            "inner": loop,
        },
        [
            *(str(wire) for wire in COUNTDOWN.wires if wire.source.node not in {"number", "first"}),
            "number.value -> outer.start",
            "outer.value -> inner.start",
            "inner.value -> which.value",
            "first.value -> inner.again",
            "inner.result -> outer.again",
            "outer.result -> end.value",
        ],
    )
    assert (await run(deep, {"number": 64}, flows={"countdown.json": deep})).outputs == {"end": 0}


async def test_a_failure_in_a_called_flow_fails_the_step_and_names_where_it_came_from() -> None:
    flow = flow_of({"call": calls("broken.json", {"text": "x.txt"}), "out": OUT}, ["call.said -> out.value"])
    ran = await run(flow, flows={"broken.json": BROKEN})
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "call/read"
    assert ran.outcome.error.message.startswith("`call` failed in `call/read`: ")
    told = [entry.event for entry in ran.entries if entry.step == "call"][-1]
    assert isinstance(told, StepFailed)
    assert told.origin == "call/read"


async def test_the_error_policy_of_the_step_holds_for_the_whole_call() -> None:
    flow = flow_of(
        {
            "call": calls("broken.json", {"text": "x.txt"}, {"on_error": "default", "default": "nothing"}),
            "out": OUT,
        },
        ["call.said -> out.value"],
    )
    assert (await run(flow, flows={"broken.json": BROKEN})).outputs == {"out": "nothing"}


async def test_a_catch_takes_in_the_failure_of_a_called_flow() -> None:
    flow = flow_of(
        {"call": calls("broken.json", {"text": "x.txt"}), "catch": "control.catch", "out": OUT},
        ["call.said -> catch.value", "catch.error -> out.value"],
    )
    assert (await run(flow, flows={"broken.json": BROKEN})).outputs["out"]["error"] == "ToolError"


async def test_an_error_policy_inside_stays_inside() -> None:
    mended = flow_of(
        {
            "text": "io.flow_input",
            "read": ("io.read_file", {}, {}, {"on_error": "default", "default": "mended"}),
            "said": OUT,
        },
        ["text.value -> read.path", "read.text -> said.value"],
    )
    flow = flow_of({"call": calls("mended.json", {"text": "x"}), "out": OUT}, ["call.said -> out.value"])
    ran = await run(flow, flows={"mended.json": mended})
    assert ran.outputs == {"out": "mended"}
    assert ran.events("call")[-1] == "step_finished"


async def test_a_call_that_is_tried_again_gives_its_steps_names_of_their_own() -> None:
    flow = flow_of(
        {"call": calls("broken.json", {"text": "x.txt"}, {"retries": 1, "on_error": "output"}), "out": OUT},
        ["call.error -> out.value"],
    )
    ran = await run(flow, flows={"broken.json": BROKEN})
    assert [step for step in ran.state.steps if step.endswith("read")] == ["call/read", "call@2/read"]


async def test_the_time_limit_of_the_step_ends_the_whole_call() -> None:
    flow = flow_of(
        {"call": calls("slow.json", {"text": "x"}, {"time_limit": 0.01, "on_error": "output"}), "out": OUT},
        ["call.error -> out.value"],
    )
    ran = await run(flow, flows={"slow.json": SLOW})
    assert ran.outputs["out"]["error"] == "TimeLimitError"
    assert ran.events("call/wait")[-1] == "step_cancelled"


async def test_who_loses_a_race_is_stopped_with_all_that_it_called() -> None:
    flow = flow_of(
        {
            "slow": calls("slow.json", {"text": "x"}),
            "quick": calls("loud.json", {"text": "x"}),
            "race": "control.race",
            "out": OUT,
        },
        ["slow.said -> race.values[0]", "quick.loud -> race.values[1]", "race.value -> out.value"],
    )
    ran = await run(flow, flows={"slow.json": SLOW, **FLOWS})
    assert ran.outputs == {"out": "x!"}
    assert ran.events("slow/wait")[-1] == "step_cancelled"
    assert ran.events("slow")[-1] == "step_cancelled"


async def test_a_stopped_run_leaves_nothing_of_a_called_flow_running() -> None:
    flow = flow_of({"call": calls("slow.json", {"text": "x"}), "out": OUT}, ["call.said -> out.value"])
    ran = Ran()
    task = asyncio.create_task(run(flow, flows={"slow.json": SLOW}, ran=ran))
    await until(lambda: "call/wait" in ran.steps("step_started"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ran.events("call/wait")[-1] == "step_cancelled"
    assert ran.entries[-1].event.kind == "run_cancelled"
    assert len(asyncio.all_tasks()) == 1


async def test_calls_wait_for_no_turn_that_their_callers_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.runtime.run.STEPS_AT_ONCE", 1)
    ran = await run(COUNTDOWN, {"number": 5}, flows={"countdown.json": COUNTDOWN})
    assert ran.outputs == {"end": 0}


async def test_what_a_run_may_call_is_kept_with_it() -> None:
    started = (await run(ONCE, flows=FLOWS)).entries[0].event
    assert isinstance(started, RunStarted)
    assert list(started.flows) == ["loud.json"]
    assert '"text.join"' in started.flows["loud.json"]


class Debugged:
    """A run under the debugger."""

    def __init__(self, *breakpoints: str) -> None:
        self.ran = Ran()
        self._breakpoints = breakpoints
        self.gate: DebugGate | None = None

    def make_gate(self, recorder: Recorder) -> Gate:
        self.gate = DebugGate(recorder, self._breakpoints)
        return self.gate

    async def held(self) -> str:
        await until(lambda: self.gate is not None and bool(self.gate.held))
        assert self.gate is not None
        return self.gate.held[0].step


@pytest.mark.parametrize(
    ("place", "held"),
    [("loud.json:join", "call/join"), ("loud.json:join.text", "call/join"), ("call", "call")],
)
async def test_a_breakpoint_holds_in_a_called_flow_by_the_flows_name(place: str, held: str) -> None:
    debugged = Debugged(place, "join", "mark")

    async def watch(_: Ran) -> None:
        assert await debugged.held() == held
        assert debugged.gate is not None
        debugged.gate.resume()

    await run(ONCE, flows=FLOWS, make_gate=debugged.make_gate, while_running=watch)


async def test_stepping_goes_over_into_and_out_of_a_called_flow() -> None:
    debugged = Debugged("call")

    async def watch(_: Ran) -> None:
        gate = debugged.gate
        assert await debugged.held() == "call"
        assert gate is not None
        gate.step(how=Stepping.INTO)
        await until(lambda: any(ref.step.startswith("call/") for ref in gate.held))
        gate.step(how=Stepping.OUT)
        await until(lambda: any(ref.step == "out" for ref in gate.held))
        gate.resume()

    await run(ONCE, flows=FLOWS, make_gate=debugged.make_gate, while_running=watch)


EACH = flow_of(
    {
        "words": ("value.json", {"value": ["owl", "tit", "wren"]}),
        "each": ("control.for_each", {"at_once": 3}),
        "beside": ("text.template", {"template": "{{x}}"}),
        "call": calls("loud.json"),
        "both": ("text.join", {}),
        "all": "control.collect",
        "out": OUT,
    },
    [
        "words.value -> each.items",
        "each.item -> beside.x",
        "each.item -> call.text",
        "beside.text -> both.parts[0]",
        "call.loud -> both.parts[1]",
        "both.text -> all.value",
        "all.values -> out.value",
    ],
)


async def test_step_into_goes_into_the_called_flow_though_other_items_wait_beside_it() -> None:
    debugged = Debugged("call")

    async def watch(_: Ran) -> None:
        step = await debugged.held()
        gate = debugged.gate
        assert gate is not None
        gate.set_breakpoints(())
        gate.step(how=Stepping.INTO)
        await until(lambda: bool(gate.held) and gate.held[0].step != step)
        assert gate.held[0].step.startswith(f"{step}/")
        gate.resume()

    await run(EACH, flows=FLOWS, make_gate=debugged.make_gate, while_running=watch)


async def test_what_is_stepped_into_and_ends_without_a_step_lets_the_next_one_be_held() -> None:
    flow = flow_of(
        {
            "words": ("value.json", {"value": []}),
            "each": ("control.for_each", {}),
            "same": ("text.template", {"template": "{{x}}"}),
            "all": "control.collect",
            "out": OUT,
        },
        [
            "words.value -> each.items",
            "each.item -> same.x",
            "same.text -> all.value",
            "all.values -> out.value",
        ],
    )
    debugged = Debugged("each")

    async def watch(_: Ran) -> None:
        assert await debugged.held() == "each"
        gate = debugged.gate
        assert gate is not None
        gate.step(how=Stepping.INTO)
        await until(lambda: bool(gate.held) and gate.held[0].step != "each")
        assert gate.held[0].step == "all"
        gate.resume()

    await run(flow, make_gate=debugged.make_gate, while_running=watch)
