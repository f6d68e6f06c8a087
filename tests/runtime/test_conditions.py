"""Breakpoints with conditions, counts and lines to log."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from studio.runtime.gates.breakpoints import Breakpoint
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.recorder import Recorder
from studio.runtime.values import USER, Value
from studio.trace.events import LogWritten, StepHeld
from tests.runtime.agents import FLOW as AGENT
from tests.runtime.agents import laid_out
from tests.runtime.bench import Ran, flow_of, run
from tests.runtime.test_gate import FLOW as LOOP
from tests.runtime.test_gate import WIDE

QUIET = Breakpoint("twice", condition="False")


async def passed(
    flow: Flow, inputs: Mapping[str, Any], *breakpoints: Breakpoint | str, **more: Any
) -> tuple[Ran, DebugGate]:
    """Run a flow while a person lets everything go on that is held."""
    gates: list[DebugGate] = []

    def make_gate(recorder: Recorder) -> DebugGate:
        gates.append(DebugGate(recorder, breakpoints))
        return gates[0]

    ran = more.pop("ran", None) or Ran()

    async def let_go(_: Ran) -> None:
        while not any(entry.event.kind.startswith("run_f") for entry in ran.entries):
            if gates and gates[0].held:
                gates[0].release(gates[0].held[0].step)
            await asyncio.sleep(0)

    await run(flow, inputs, make_gate=make_gate, while_running=let_go, ran=ran, **more)
    return ran, gates[0]


def held(ran: Ran) -> list[str]:
    """The steps that were held, in order."""
    return ran.steps("step_held")


def reasons(ran: Ran) -> list[tuple[str, str]]:
    """Why steps were held, and what was said beside it."""
    found = (entry.event for entry in ran.entries)
    return [(event.reason, event.detail) for event in found if isinstance(event, StepHeld)]


def lines(ran: Ran) -> list[str]:
    """What was written into the log."""
    return [entry.event.text for entry in ran.entries if isinstance(entry.event, LogWritten)]


@pytest.mark.parametrize(
    ("place", "condition", "steps"),
    [
        ("grow", "round == 2", ["rounds.2/grow"]),
        ("grow", "len(x) >= 3", ["rounds.3/grow"]),
        ("grow", 'inputs["x"] == "a+"', ["rounds.2/grow"]),
        ("grow.text", "len(text) > 2 and len(x) < 3", ["rounds.2/grow"]),
        ("grow.text", 'outputs["text"] == inputs["x"] + "+" and round > 2', ["rounds.3/grow"]),
        ("grow", "item is None and round > 2", ["rounds.3/grow"]),
        ("rounds", "start == 'a'", ["rounds"]),
        ("grow", "step == 'rounds.1/grow' or node != 'grow'", ["rounds.1/grow"]),
        ("grow", "False", []),
    ],
)
async def test_a_step_is_held_where_its_condition_holds(place: str, condition: str, steps: list[str]) -> None:
    ran, _ = await passed(LOOP, {"word": "a"}, Breakpoint(place, condition=condition))
    assert held(ran) == steps
    assert ran.outputs["out"] == "a+++"


async def test_items_of_a_map_are_told_from_rounds() -> None:
    ran, _ = await passed(WIDE, {"word": ""}, Breakpoint("mark", condition="item == 1 and round is None"))
    assert held(ran) == ["each.1/mark"]


async def test_a_condition_that_cannot_be_computed_holds_and_says_why() -> None:
    ran, _ = await passed(LOOP, {"word": "a"}, Breakpoint("grow", condition="x[9] == 'a'"))
    assert (
        reasons(ran) == [("condition", "The expression cannot be evaluated: the index is out of range.")] * 3
    )


async def test_a_condition_that_cannot_be_read_holds_and_says_so() -> None:
    ran, _ = await passed(LOOP, {"word": "a"}, Breakpoint("grow", condition="len("))
    assert {word for word, _ in reasons(ran)} == {"condition"}


async def test_what_is_held_says_for_which_condition_and_breakpoint() -> None:
    ran, _ = await passed(LOOP, {"word": "a"}, Breakpoint("grow", condition="round == 2"))
    (step,) = (entry.event for entry in ran.entries if isinstance(entry.event, StepHeld))
    assert (step.reason, step.detail, step.breakpoint) == ("breakpoint", "round == 2", "grow")


async def test_a_breakpoint_holds_from_the_time_on_that_it_counts_to() -> None:
    ran, gate = await passed(LOOP, {"word": "a"}, Breakpoint("grow", hits=2))
    assert held(ran) == ["rounds.2/grow", "rounds.3/grow"]
    assert gate.hits == {"grow": 3}


async def test_only_the_times_count_at_which_the_condition_held() -> None:
    ran, gate = await passed(LOOP, {"word": "a"}, Breakpoint("grow", condition="round > 1", hits=2))
    assert held(ran) == ["rounds.3/grow"]
    assert gate.hits == {"grow": 2}


async def test_a_line_is_written_and_nothing_is_held() -> None:
    one = Breakpoint("grow.text", log="{round}. {x} became {text}", condition="round < 3")
    ran, _ = await passed(LOOP, {"word": "a"}, one)
    assert held(ran) == []
    assert lines(ran) == ["1. a became a+", "2. a+ became a++"]
    assert ran.steps("log_written") == ["rounds.1/grow", "rounds.2/grow"]


async def test_a_line_says_in_its_place_what_cannot_be_computed() -> None:
    ran, _ = await passed(
        LOOP, {"word": "a"}, Breakpoint("grow", log="{{x}} is {x[5]}", condition="round == 1")
    )
    assert lines(ran) == ["{x} is {The expression cannot be evaluated: the index is out of range.}"]


async def test_an_edit_before_the_step_is_what_a_condition_after_it_sees() -> None:
    gates: list[DebugGate] = []

    def make_gate(recorder: Recorder) -> DebugGate:
        gates.append(DebugGate(recorder, ["mark", Breakpoint("mark.text", log="{x}")]))
        return gates[0]

    async def edit(ran: Ran) -> None:
        while not lines(ran):
            if gates and gates[0].held:
                gates[0].release(gates[0].held[0].step, {"x": Value("edited", USER)})
            await asyncio.sleep(0)
        gates[0].set_breakpoints(())
        gates[0].resume()

    ran = await run(WIDE, {"word": ""}, make_gate=make_gate, while_running=edit)
    assert lines(ran)[0] == "edited"


@pytest.mark.parametrize(
    ("place", "condition", "steps"),
    [
        ("agent#tool", 'tool == "text_search" and arguments["query"] == "wren"', ["agent#tool.1"]),
        ("agent#tool", 'tool == "send_mail"', []),
        ("agent#tool.answer", '"wren" in lower(text) and arguments["query"] == "wren"', ["agent#tool.1"]),
        ("agent#chat", 'text == "What sang?"', ["agent#chat.1"]),
        ("agent#chat", "len(messages) > 2", ["agent#chat.2"]),
        ("agent#chat.answer", 'startswith(text, "I read")', ["agent#chat.2"]),
        ("agent#chat.answer", "tokens > 0 and run_tokens > tokens", ["agent#chat.2"]),
        ("agent.reply", "tokens > 0 and tokens == run_tokens", ["agent"]),
        ("search", 'arguments["query"] == "wren"', ["agent#tool.1"]),
    ],
)
async def test_calls_have_names_of_their_own(
    tmp_path: Path, place: str, condition: str, steps: list[str]
) -> None:
    root = laid_out(tmp_path)
    ran, _ = await passed(
        AGENT,
        {"question": "What sang?"},
        Breakpoint(place, condition=condition),
        script=root / "answers.yaml",
        root=root,
    )
    assert held(ran) == steps


async def test_a_condition_in_a_called_flow_sees_the_round_of_the_loop_that_calls() -> None:
    caller = flow_of(
        {
            "word": ("io.flow_input", {"type": "text"}),
            "rounds": ("control.loop", {"max_rounds": 3}),
            "call": ("control.subflow", {"flow": "inner.json"}),
            "out": "io.flow_output",
        },
        [
            "word.value -> rounds.start",
            "rounds.value -> call.word",
            "call.out -> rounds.again",
            "rounds.result -> out.value",
        ],
    )
    inner = flow_of(
        {
            "word": ("io.flow_input", {"type": "text"}),
            "grow": ("text.template", {"template": "{{x}}+"}),
            "out": "io.flow_output",
        },
        ["word.value -> grow.x", "grow.text -> out.value"],
    )
    ran, _ = await passed(
        caller,
        {"word": "a"},
        Breakpoint("inner.json:grow", condition="round == 2"),
        flows={"inner.json": inner},
    )
    assert held(ran) == ["rounds.2/call/grow"]


async def test_steps_beside_the_breakpoints_do_not_ask_the_gate() -> None:
    asked: list[str] = []

    class Counting(DebugGate):
        async def before(self, ref: Any, inputs: Any) -> Any:
            asked.append(str(ref.step))
            return await super().before(ref, inputs)

    await run(WIDE, {"word": ""}, make_gate=lambda recorder: Counting(recorder, ["never", QUIET]))
    assert [step for step in asked if step.startswith("each.0/")] == ["each.0/twice"]


@pytest.mark.parametrize(
    ("word", "place"), [("wren", "way.long"), ("owl", "way.short"), ("owl", "short.value")]
)
async def test_a_port_is_held_at_where_a_value_is_there_and_not_where_another_way_was_taken(
    word: str, place: str
) -> None:
    cases = [
        {"label": "Long", "when": "len(value) > 3", "port": "long"},
        {"label": "Short", "port": "short"},
    ]
    flow = flow_of(
        {
            "word": ("io.flow_input", {"type": "text"}),
            "way": ("control.branch", {"cases": cases}),
            "long": "io.flow_output",
            "short": "io.flow_output",
        },
        ["word.value -> way.value", "way.long -> long.value", "way.short -> short.value"],
    )
    ran, _ = await passed(flow, {"word": word}, place)
    assert held(ran) == [place.partition(".")[0]]
    other = {"wren": "owl", "owl": "wren"}[word]
    ran, _ = await passed(flow, {"word": other}, place)
    assert held(ran) == []
