"""Holding for what happens rather than where: errors, tool calls, budgets, texts."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from studio.llm.client import Message
from studio.runtime.gates.breakpoints import Breakpoint
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.gates.drops import NOT_HEARD
from studio.runtime.gates.edited_gate import EditedGate, edits_of
from studio.runtime.replay.takeover import replayed
from studio.runtime.values import USER, Resolved, Value
from studio.trace.differences.compare import first_difference
from studio.trace.events import StepHeld
from tests.runtime.agents import FLOW as AGENT
from tests.runtime.agents import NODES, WIRES, laid_out
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, run_held, until
from tests.runtime.test_conditions import held, passed, reasons
from tests.runtime.test_failing import CATCHING, CATCHING_WIRES, OUTPUT
from tests.runtime.test_gate import FLOW as LOOP
from tests.runtime.test_scheduler import LOOP_WIRES, looping

BROKEN: tuple[Any, ...] = CATCHING["broken"]
ERRORS = Breakpoint(on="error")
ALL_ERRORS = Breakpoint(on="error", caught=True)
BREAKS = flow_of({"broken": BROKEN, "out": OUTPUT}, ["broken.text -> out.value"])


def with_run(**settings: object) -> Flow:
    """A flow whose only working step fails, with these run settings."""
    nodes: dict[str, Any] = {"broken": (*BROKEN, settings), "out": OUTPUT}
    return flow_of(nodes, ["broken.text -> out.value"])


async def releasing(
    flow: Flow, catch: Breakpoint, edited: Mapping[str, Resolved], *, drops: bool = False, **more: Any
) -> Ran:
    """Run a flow; a person gives `edited` to the first step that is held, or drops it."""

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        step = gate.held[0].step
        assert gate.drop(step) if drops else gate.release(step, edited)

    return await run_held(flow, act, catch, inputs=more.pop("inputs", {}), **more)


async def test_a_step_that_fails_is_held_before_its_error_takes_its_course() -> None:
    ran, _ = await passed(BREAKS, {}, ERRORS)
    (event,) = (entry.event for entry in ran.entries if isinstance(entry.event, StepHeld))
    assert (event.phase, event.reason, event.breakpoint) == ("after", "error", "!error")
    assert "name" in event.detail
    kinds = ran.events("broken")
    assert kinds.index("step_held") < kinds.index("step_released") < kinds.index("step_failed")
    assert ran.outcome is not None
    assert ran.outcome.error is not None


async def test_outputs_that_a_person_gives_stand_in_the_place_of_the_error() -> None:
    ran = await releasing(BREAKS, ERRORS, {"text": Value("mended", USER)})
    assert ran.outputs == {"out": "mended"}
    assert ran.events("broken")[-4:] == ["step_held", "outputs_edited", "step_released", "step_finished"]


async def test_a_failed_step_can_be_dropped() -> None:
    ran = await releasing(BREAKS, ERRORS, {}, drops=True)
    assert ran.outputs == {}
    assert ran.steps("step_skipped") == ["broken", "out"]


@pytest.mark.parametrize(
    "flow",
    [
        with_run(on_error="output"),
        with_run(on_error="default", default={"text": "instead"}),
        flow_of(CATCHING, CATCHING_WIRES),
    ],
)
async def test_an_error_that_is_taken_in_is_held_for_only_where_all_are(flow: Flow) -> None:
    few, _ = await passed(flow, {}, ERRORS)
    assert held(few) == []
    every, _ = await passed(flow, {}, ALL_ERRORS)
    assert held(every) == ["broken"]
    assert every.outputs == few.outputs


async def test_an_attempt_that_is_repeated_counts_as_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.runtime.steps.step.LONGEST_PAUSE", 0.0)
    few, _ = await passed(with_run(retries=2), {}, ERRORS)
    assert len(held(few)) == 1
    kinds = few.events("broken")
    assert kinds.index("step_held") > len(kinds) - kinds[::-1].index("step_retried") - 1
    every, _ = await passed(with_run(retries=2), {}, ALL_ERRORS)
    assert len(held(every)) == 3


async def test_an_error_of_a_called_flow_is_held_for_once_where_it_happened() -> None:
    caller = flow_of(
        {"call": ("control.subflow", {"flow": "inner.json"}), "out": OUTPUT}, ["call.out -> out.value"]
    )
    ran, _ = await passed(caller, {}, ALL_ERRORS, flows={"inner.json": BREAKS})
    assert held(ran) == ["call/broken"]


async def test_an_error_that_the_caller_takes_in_is_taken_in_inside_as_well() -> None:
    nodes: dict[str, Any] = {
        "call": ("control.subflow", {"flow": "inner.json"}, {}, {"on_error": "output"}),
        "out": OUTPUT,
    }
    caller = flow_of(nodes, ["call.out -> out.value"])
    ran, _ = await passed(caller, {}, ERRORS, flows={"inner.json": BREAKS})
    assert held(ran) == []


async def test_errors_are_caught_at_one_node_on_a_condition() -> None:
    elsewhere, _ = await passed(BREAKS, {}, Breakpoint("out", on="error"))
    assert held(elsewhere) == []
    condition = 'error == "StepError" or "name" in text'
    here, _ = await passed(BREAKS, {}, Breakpoint("broken", on="error", condition=condition))
    assert held(here) == ["broken"]
    other, _ = await passed(BREAKS, {}, Breakpoint("broken", on="error", condition='"budget" in text'))
    assert held(other) == []


async def test_a_language_model_that_fails_can_be_answered_for(tmp_path: Path) -> None:
    root = laid_out(tmp_path)
    (root / "answers.yaml").write_text("rules: [{when: {node: nobody}, reply: x}]\n", "utf-8")
    answer = {"answer": Value(Message("assistant", "I am standing in."), USER)}
    ran = await releasing(
        AGENT, ALL_ERRORS, answer, inputs={"question": "?"}, script=root / "answers.yaml", root=root
    )
    assert ran.outputs == {"out": "I am standing in."}
    assert ran.steps("step_held") == ["agent#chat.1"]
    assert "step_failed" not in ran.events("agent#chat.1")


@pytest.mark.parametrize(
    ("catch", "steps"),
    [
        (Breakpoint(on="tool"), ["agent#tool.1"]),
        (Breakpoint(on="tool", tool="text_*"), ["agent#tool.1"]),
        (Breakpoint(on="tool", tool="send_*"), []),
        (Breakpoint("agent", on="tool"), ["agent#tool.1"]),
        (Breakpoint("search", on="tool"), ["agent#tool.1"]),
        (Breakpoint("out", on="tool"), []),
        (Breakpoint(on="tool", condition='arguments["query"] == "wren"'), ["agent#tool.1"]),
        (Breakpoint(on="text", text="What sang"), ["agent#chat.1"]),
        (Breakpoint(on="text", text="wren sang"), ["agent#chat.2", "agent#chat.2"]),
        (Breakpoint(on="text", text="wren sang", condition='role == "tool"'), ["agent#chat.2"]),
        (Breakpoint(on="text", text="^I read", is_pattern=True), ["agent#chat.2"]),
        (Breakpoint(on="text", text="nowhere"), []),
    ],
)
async def test_tool_calls_and_texts_are_caught(tmp_path: Path, catch: Breakpoint, steps: list[str]) -> None:
    root = laid_out(tmp_path)
    inputs = {"question": "What sang?"}
    ran, _ = await passed(AGENT, inputs, catch, script=root / "answers.yaml", root=root)
    assert held(ran) == steps
    assert {word for word, _ in reasons(ran)} <= {catch.on}


async def test_what_comes_after_a_limit_is_neared_is_held(tmp_path: Path) -> None:
    root = laid_out(tmp_path)
    ran, _ = await passed(
        AGENT,
        {"question": "What sang?"},
        Breakpoint(on="budget", condition='limit == "calls"'),
        script=root / "answers.yaml",
        root=root,
        limits={"calls": 3, "steps": 100},
    )
    assert reasons(ran) == [("budget", "3 calls of 3 calls")]


async def test_a_pattern_that_takes_too_long_holds_and_says_so(tmp_path: Path) -> None:
    root = laid_out(tmp_path)
    catch = Breakpoint(on="text", text="(", is_pattern=True)
    ran, _ = await passed(AGENT, {"question": "What sang?"}, catch, script=root / "answers.yaml", root=root)
    assert {word for word, _ in reasons(ran)} == {"condition"}


async def test_nothing_is_held_for_errors_while_another_step_is_held() -> None:
    words = ("value.json", {"value": [{"name": "a"}, {}, {}]})
    flow = flow_of(
        {
            "words": words,
            "each": "control.for_each",
            "broken": ("text.template", {"template": "{{x.name}}"}),
            "all": ("control.collect", {"failed": "drop"}),
            "out": OUTPUT,
        },
        [
            "words.value -> each.items",
            "each.item -> broken.x",
            "broken.text -> all.value",
            "all.values -> out.value",
        ],
    )
    seen: list[int] = []

    async def one_by_one(_: Ran, gate: DebugGate) -> None:
        for _turn in range(2):
            await until(lambda: bool(gate.held))
            for _waited in range(50):
                await asyncio.sleep(0)
            seen.append(len(gate.held))
            gate.release(gate.held[0].step)

    ran = await run_held(flow, one_by_one, ALL_ERRORS)
    assert seen == [1, 1]
    assert ran.outputs == {"out": ["a"]}


async def test_a_replay_keeps_what_was_given_in_the_place_of_an_error() -> None:
    ran = await releasing(BREAKS, ERRORS, {"text": Value("mended", USER)})
    edits = edits_of(ran.entries, BREAKS)
    again = await run(
        BREAKS,
        past=replayed(ran.entries, BREAKS, REGISTRY),
        make_gate=lambda recorder: EditedGate(recorder, edits, BREAKS, REGISTRY),
    )
    assert again.outputs == {"out": "mended"}
    assert first_difference(ran.entries, again.entries) is None


async def test_a_fork_that_runs_the_step_again_keeps_what_was_given_in_the_place_of_its_error() -> None:
    ran = await releasing(BREAKS, ERRORS, {"text": Value("mended", USER)})
    edits = edits_of(ran.entries, BREAKS)
    again = await run(BREAKS, make_gate=lambda recorder: EditedGate(recorder, edits, BREAKS, REGISTRY))
    assert again.outputs == {"out": "mended"}
    assert again.steps("outputs_edited") == ["broken"]


async def test_lines_of_breakpoints_make_no_difference_between_runs() -> None:
    plain = await run(LOOP, {"word": "a"})
    logged, _ = await passed(LOOP, {"word": "a"}, Breakpoint("grow", log="{x}"))
    assert logged.steps("log_written")
    assert first_difference(plain.entries, logged.entries) is None


async def test_a_loop_whose_own_rule_fails_is_held_and_its_result_can_be_given() -> None:
    flow = flow_of(looping(stop_when="value > 3"), LOOP_WIRES)
    ran = await releasing(flow, ERRORS, {"result": Value("given", USER)}, inputs={"word": "a"})
    assert ran.steps("step_held") == ["rounds"]
    assert ran.outputs["out"] == "given"


async def test_what_fails_inside_a_loop_is_held_for_there_and_not_at_the_loop() -> None:
    nodes: dict[str, Any] = {**looping(), "grow": ("text.template", {"template": "{{x.name}}"})}
    ran, _ = await passed(flow_of(nodes, LOOP_WIRES), {"word": "a"}, ALL_ERRORS)
    assert held(ran) == ["rounds.1/grow"]


@pytest.mark.parametrize("let_go", [0, 1, 2])
@pytest.mark.parametrize("deed", ["drop", "give"])
async def test_a_replay_does_at_the_same_error_what_a_person_did_there(
    let_go: int, deed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.runtime.steps.step.LONGEST_PAUSE", 0.0)
    flow = with_run(retries=2)

    async def act(_: Ran, gate: DebugGate) -> None:
        for turn in range(let_go + 1):
            await until(lambda: any(gate.phase(one.step) for one in gate.held))
            step = gate.held[0].step
            if turn < let_go:
                gate.release(step)
            elif deed == "drop":
                gate.drop(step)
            else:
                gate.release(step, {"text": Value("so", USER)})

    ran = await run_held(flow, act, ALL_ERRORS)
    edits = edits_of(ran.entries, flow)
    again = await run(
        flow,
        past=replayed(ran.entries, flow, REGISTRY),
        make_gate=lambda recorder: EditedGate(recorder, edits, flow, REGISTRY),
    )
    assert again.outputs == ran.outputs == ({} if deed == "drop" else {"out": "so"})
    assert first_difference(ran.entries, again.entries) is None


async def test_an_output_that_was_edited_after_an_error_was_mended_is_no_answer_to_the_error() -> None:
    flow = with_run(on_error="default", default={"text": "instead"})

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.release(gate.held[0].step, {"text": Value("so", USER)})

    ran = await run_held(flow, act, Breakpoint("broken.text"))
    edits = edits_of(ran.entries, flow)
    again = await run(
        flow,
        past=replayed(ran.entries, flow, REGISTRY),
        make_gate=lambda recorder: EditedGate(recorder, edits, flow, REGISTRY),
    )
    assert again.outputs == ran.outputs == {"out": "so"}
    assert first_difference(ran.entries, again.entries) is None


async def test_a_call_of_a_tool_that_failed_is_dropped_as_one_that_was_answered(tmp_path: Path) -> None:
    root = laid_out(tmp_path)
    inputs, script = {"question": "What sang?"}, root / "answers.yaml"
    call = "[{name: read_file, arguments: {path: none.txt}}]"
    rules = f"rules:\n  - {{when: {{turn: 0}}, tool_calls: {call}}}\n  - reply: 'I read: {{{{ last }}}}'\n"
    script.write_text(rules, "utf-8")
    nodes = {**NODES, "search": ("tools.files", {"folder": "data"})}
    flow = flow_of(nodes, WIRES)
    ran = await releasing(flow, ALL_ERRORS, {}, drops=True, inputs=inputs, script=script, root=root)
    assert ran.steps("step_held") == ["agent#tool.1"]
    assert ran.outputs == {"out": f"I read: {NOT_HEARD}"}
    edits = edits_of(ran.entries, flow)
    again = await run(
        flow,
        inputs,
        root=root,
        past=replayed(ran.entries, flow, REGISTRY),
        make_gate=lambda recorder: EditedGate(recorder, edits, flow, REGISTRY),
    )
    assert again.outputs == ran.outputs
