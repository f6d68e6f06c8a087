"""Inner chats and calls of tools: held before and after, edited, answered by a person, stepped through."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from studio.errors import ValueTypeError
from studio.flow.records import Flow
from studio.ids import StepId
from studio.llm.client import Message, message_to_json
from studio.runtime.edited_gate import EditedGate, edits_of
from studio.runtime.edits import read_edits
from studio.runtime.gate import DebugGate, Stepping
from studio.runtime.recorder import Recorder
from studio.runtime.stops import Stops
from studio.runtime.takeover import replayed, resumed
from studio.trace.compare import first_difference
from studio.trace.events import ChatRequested, StepHeld, ToolCalled
from studio.trace.state import StepStatus
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, until

SCRIPT = """
rules:
  - when: {node: agent, turn: 0}
    tool_calls: [{name: text_search, arguments: {query: wren}}]
  - when: {node: lead, turn: 0}
    tool_calls: [{name: expert, arguments: {task: wren}}]
  - reply: "I read: {{ last }}"
"""
NODES = {
    "question": ("io.flow_input", {"type": "text"}),
    "search": ("tools.text_search", {"folder": "data"}),
    "agent": "llm.agent",
    "out": "io.flow_output",
}
WIRES = ["question.value -> agent.prompt", "search.tool -> agent.tools", "agent.reply -> out.value"]
FLOW = flow_of(NODES, WIRES)
TEAM = flow_of(
    {
        "question": ("io.flow_input", {"type": "text"}),
        "helper": "tools.agent_as_tool",
        "lead": "llm.agent",
        "out": "io.flow_output",
    },
    ["question.value -> lead.prompt", "helper.tool -> lead.tools", "lead.reply -> out.value"],
)

Act = Callable[[Ran, DebugGate], Awaitable[None]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "may.txt").write_text("A wren sang.\n\nA dunnock fed.\n", "utf-8")
    (tmp_path / "answers.yaml").write_text(SCRIPT, "utf-8")
    return tmp_path


async def debug(root: Path, act: Act, *breakpoints: str, flow: Flow = FLOW, **more: Any) -> Ran:
    """Run `flow` on a question while `act` plays the person at the debugger."""
    gates: list[DebugGate] = []

    def make_gate(recorder: Recorder) -> DebugGate:
        gates.append(DebugGate(recorder, breakpoints))
        return gates[0]

    async def drive(ran: Ran) -> None:
        await act(ran, gates[0])

    return await run(
        flow,
        {"question": "What sang?"},
        script=root / "answers.yaml",
        root=root,
        make_gate=make_gate,
        while_running=drive,
        **more,
    )


def editing(step: str, **values: Any) -> Act:
    """Play a person who puts `values` into the first step that is held, which is `step`."""

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        (held,) = gate.held
        assert held.step == step
        phase = gate.phase(held.step)
        assert phase is not None
        edited = read_edits(FLOW, REGISTRY, held.step, phase, values, gate.schema(held.step))
        gate.set_breakpoints(())
        gate.release(held.step, edited)

    return act


def words(*messages: Message) -> list[Any]:
    return [message_to_json(message) for message in messages]


def request_of(ran: Ran, step: str) -> list[Mapping[str, Any]]:
    """What a chat was asked, as recorded."""
    (found,) = (
        one.event.request["messages"]
        for one in ran.entries
        if one.step == step and isinstance(one.event, ChatRequested)
    )
    return found


async def test_what_is_asked_of_an_inner_chat_is_held_and_edited(root: Path) -> None:
    asked = words(Message("user", "Of what do you sing?"))
    ran = await debug(root, editing("agent#chat.1", messages=asked), "agent#chat")
    assert request_of(ran, "agent#chat.1") == asked
    assert ran.events("agent#chat.1")[:4] == [
        "step_held",
        "inputs_edited",
        "step_released",
        "chat_requested",
    ]
    assert "user" in ran.state.outputs["out"].labels


async def test_an_agent_goes_on_from_the_messages_that_were_edited(root: Path) -> None:
    asked = words(Message("user", "Of what do you sing?"))
    ran = await debug(root, editing("agent#chat.1", messages=asked), "agent#chat")
    again = request_of(ran, "agent#chat.2")
    assert [one["role"] for one in again] == ["user", "assistant", "tool"]
    assert again[0] == asked[0]


async def test_a_conversation_has_the_messages_that_were_edited(root: Path) -> None:
    nodes = {
        "question": ("io.flow_input", {"type": "text"}),
        "chat": ("llm.chat", {"instructions": "Be brief."}),
        "out": "io.flow_output",
    }
    flow = flow_of(nodes, ["question.value -> chat.prompt", "chat.messages -> out.value"])
    asked = words(Message("user", "Of what do you sing?"))
    ran = await debug(root, editing("chat#chat.1", messages=asked), "chat#chat", flow=flow)
    said = message_to_json(Message("assistant", "I read: Of what do you sing?"))
    assert ran.outputs == {"out": [*asked, said]}


async def test_what_an_inner_chat_says_is_held_and_edited(root: Path) -> None:
    said = message_to_json(Message("assistant", "Nothing."))
    ran = await debug(root, editing("agent#chat.1", answer=said), "agent#chat.answer")
    assert ran.outputs == {"out": "Nothing."}
    assert ran.events("agent#chat.1")[-3:] == ["step_held", "outputs_edited", "step_released"]
    call = ran.state.steps[StepId("agent#chat.1")]
    assert (call.status, call.text, call.edited) == (StepStatus.DONE, "Nothing.", True)


async def test_a_call_lasts_while_its_answer_is_held(root: Path) -> None:
    seen: list[tuple[float | None, str, str]] = []

    async def act(ran: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        call = ran.state.steps[StepId("agent#tool.1")]
        seen.append((call.ended, str(call.status), call.tool))
        gate.set_breakpoints(())
        gate.resume()

    ran = await debug(root, act, "agent#tool.answer")
    assert seen == [(None, "held", "text_search")]
    call = ran.state.steps[StepId("agent#tool.1")]
    assert call.held[-1][1] == call.ended


async def test_what_a_tool_is_asked_is_held_and_edited(root: Path) -> None:
    ran = await debug(root, editing("agent#tool.1", arguments={"query": "dunnock"}), "agent#tool")
    (called,) = (one.event for one in ran.entries if isinstance(one.event, ToolCalled))
    assert called.arguments == {"query": "dunnock"}
    assert "A dunnock fed." in ran.outputs["out"]


async def test_what_a_tool_says_is_held_and_edited(root: Path) -> None:
    ran = await debug(root, editing("agent#tool.1", answer="A tit."), "agent#tool.answer")
    assert ran.outputs == {"out": "I read: A tit."}
    assert "user" in ran.state.outputs["out"].labels


async def test_a_call_that_a_person_answers_is_not_made(root: Path) -> None:
    ran = await debug(root, editing("agent#tool.1", answer="A robin."), "agent#tool")
    assert ran.outputs == {"out": "I read: A robin."}
    assert "A wren sang." not in str(ran.entries)
    said = message_to_json(Message("assistant", "Me."))
    ran = await debug(root, editing("agent#chat.1", answer=said), "agent#chat")
    assert ran.outputs == {"out": "Me."}
    assert ran.state.tokens == 0


async def test_a_breakpoint_on_a_node_that_lends_holds_before_each_call_of_its_tool(root: Path) -> None:
    ran = await debug(root, editing("agent#tool.1"), "search")
    assert ran.steps("step_held") == ["agent#tool.1"]


@pytest.mark.parametrize(
    ("step", "phase", "values", "reason"),
    [
        ("agent#tool.1", "before", {"arguments": {"limit": 3}}, "query"),
        ("agent#tool.1", "before", {"arguments": "wren"}, "arguments"),
        ("agent#tool.1", "after", {"arguments": {}}, "no `arguments`"),
        ("agent#chat.1", "before", {"messages": []}, "one message"),
        ("agent#chat.1", "before", {"messages": [{"role": "tool", "content": "?"}]}, "answers no call"),
        ("agent#chat.1", "after", {"answer": {"role": "user", "content": "?"}}, "role `assistant`"),
        ("agent#chat.1", "after", {"answer": {"role": "nobody"}}, "no message"),
    ],
)
def test_an_edit_that_no_tool_and_no_endpoint_would_take_is_refused(
    step: str, phase: Any, values: dict[str, Any], reason: str
) -> None:
    schema = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
    with pytest.raises(ValueTypeError) as refused:
        read_edits(FLOW, REGISTRY, StepId(step), phase, values, schema)
    assert reason in refused.value.message


async def test_arguments_that_the_tool_does_not_take_do_not_reach_it(root: Path) -> None:
    edits = {(StepId("agent#tool.1"), "before"): {"arguments": {"limit": 3}}}
    ran = await run(
        FLOW,
        {"question": "What sang?"},
        script=root / "answers.yaml",
        root=root,
        make_gate=lambda recorder: EditedGate(recorder, edits, FLOW, REGISTRY),  # pyright: ignore[reportArgumentType]
    )
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert "query" in ran.outcome.error.message
    assert not ran.steps("tool_called")


def places(gate: DebugGate) -> list[str]:
    """The steps that are held and not released yet, and on which side of their work."""
    return [f"{one.step} {phase}" for one in gate.held if (phase := gate.phase(one.step)) is not None]


async def walked(root: Path, flow: Flow, first: str, ways: Sequence[Stepping]) -> list[str]:
    """Where a person comes who steps so, from a breakpoint at the node `first`."""
    seen: list[str] = []

    async def act(ran: Ran, gate: DebugGate) -> None:
        def is_new() -> bool:
            return "run_finished" in ran.events("") or bool(places(gate))

        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        for how in ways:
            seen.extend(places(gate))
            gate.step(how=how)
            await until(is_new)
        seen.extend(places(gate))
        gate.resume()

    await debug(root, act, first, flow=flow)
    return seen


async def test_step_over_passes_the_calls_of_an_agent_and_step_into_goes_to_them(root: Path) -> None:
    assert await walked(root, FLOW, "agent", [Stepping.OVER]) == ["agent before", "out before"]
    assert await walked(root, FLOW, "agent", [Stepping.INTO, *[Stepping.OVER] * 6]) == [
        "agent before",
        "agent#chat.1 before",
        "agent#chat.1 after",
        "agent#tool.1 before",
        "agent#tool.1 after",
        "agent#chat.2 before",
        "agent#chat.2 after",
        "out before",
    ]


async def test_step_out_leaves_the_calls_and_step_into_enters_those_of_an_agent_that_is_a_tool(
    root: Path,
) -> None:
    ways = [Stepping.OVER, Stepping.OVER, Stepping.INTO, Stepping.OUT, Stepping.OUT]
    assert await walked(root, TEAM, "lead#chat", ways) == [
        "lead#chat.1 before",
        "lead#chat.1 after",
        "lead#tool.1 before",
        "lead#tool.1/helper#chat.1 before",
        "lead#tool.1 after",
        "out before",
    ]


BESIDE = flow_of(
    {
        **NODES,
        "agent": ("llm.agent", {}, {}, {"on_error": "output"}),
        "beside": ("text.template", {"template": "{{x}}"}),
        "second": "io.flow_output",
    },
    [*WIRES, "question.value -> beside.x", "beside.text -> second.value"],
)


async def test_step_into_goes_to_the_agents_own_calls_though_others_wait_beside_it(root: Path) -> None:
    seen = await walked(root, BESIDE, "agent", [Stepping.INTO])
    assert seen == ["agent before", "agent#chat.1 before"]


@pytest.mark.parametrize("ends", ["fails", "is cancelled"])
async def test_others_go_on_when_what_was_stepped_into_ends_without_a_call(root: Path, ends: str) -> None:
    stops = Stops()

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        gate.step(StepId("agent"), Stepping.INTO)
        if ends == "is cancelled":
            stops.cancel("agent")
        await until(lambda: places(gate) not in ([], ["agent before"]))
        assert places(gate) == ["beside before"]
        gate.resume()

    if ends == "fails":
        (root / "data" / "may.txt").unlink()
        (root / "data").rmdir()
    ran = await debug(root, act, "agent", flow=BESIDE, stops=stops)
    assert ran.outputs["second"] == "What sang?"


async def test_step_over_passes_what_an_agent_does_that_is_a_tool(root: Path) -> None:
    ways = [Stepping.OVER, Stepping.OVER, Stepping.OVER]
    assert (await walked(root, TEAM, "lead#chat", ways))[-1] == "lead#tool.1 after"


async def test_no_call_is_made_while_a_step_is_held(root: Path) -> None:
    nodes = {**NODES, "other": "llm.agent", "second": "io.flow_output"}
    wires = [*WIRES, "question.value -> other.prompt", "other.reply -> second.value"]
    wide = flow_of(nodes, wires)

    async def act(ran: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        for _ in range(200):
            await asyncio.sleep(0)
        (held,) = gate.held
        assert held.step in {"agent#chat.1", "other#chat.1"}
        assert not ran.steps("chat_requested")
        gate.set_breakpoints(())
        gate.resume()

    ran = await debug(root, act, "agent#chat", "other#chat", flow=wide)
    assert len(ran.steps("chat_requested")) == 3


@pytest.mark.parametrize("place", ["agent#chat", "agent#chat.answer", "agent#tool", "agent#tool.answer"])
async def test_a_step_is_cancelled_while_one_of_its_calls_is_held(root: Path, place: str) -> None:
    flow = flow_of({**NODES, "agent": ("llm.agent", {}, {}, {"on_error": "output"})}, WIRES)
    stops = Stops()

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        (held,) = gate.held
        assert stops.cancel("agent")
        await until(lambda: not gate.held)
        assert gate.phase(held.step) is None

    ran = await debug(root, act, place, flow=flow, stops=stops)
    (call,) = (one for one in ran.state.steps.values() if one.held)
    assert call.status is StepStatus.CANCELLED
    assert ran.state.steps[StepId("agent")].status is StepStatus.DONE
    assert not ran.state.held_steps


EDITS: list[tuple[str, dict[str, Any], str]] = [
    ("agent#chat", {"messages": words(Message("user", "Sing."))}, "agent#chat.1"),
    ("agent#chat", {"answer": {"role": "assistant", "content": "I."}}, "agent#chat.1"),
    ("agent#chat.answer", {"answer": {"role": "assistant", "content": "No."}}, "agent#chat.1"),
    ("agent#tool", {"arguments": {"query": "dunnock"}}, "agent#tool.1"),
    ("agent#tool", {"answer": "A robin."}, "agent#tool.1"),
    ("agent#tool.answer", {"answer": "A tit."}, "agent#tool.1"),
]


@pytest.mark.parametrize(("place", "values", "step"), EDITS)
async def test_a_replay_makes_the_same_edits_and_asks_nobody(
    root: Path, place: str, values: dict[str, Any], step: str
) -> None:
    first = await debug(root, editing(step, **values), place)
    edits = edits_of(first.entries, FLOW, REGISTRY)
    again = await run(
        FLOW,
        {"question": "What sang?"},
        root=root,
        past=replayed(first.entries, FLOW, REGISTRY),
        make_gate=lambda recorder: EditedGate(recorder, edits, FLOW, REGISTRY),
    )
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


@pytest.mark.parametrize(("place", "values", "step"), EDITS)
async def test_a_run_that_goes_on_makes_the_edits_again_that_were_made_in_a_step_that_had_not_ended(
    root: Path, place: str, values: dict[str, Any], step: str
) -> None:
    first = await debug(root, editing(step, **values), place)
    end = next(at for at, one in enumerate(first.entries) if one.event.kind == "step_released") + 3
    before = first.entries[:end]
    past, over = resumed(before, FLOW, REGISTRY)
    edits = {at: values for at, values in edits_of(before, FLOW, REGISTRY).items() if at[0] not in over}
    again = await run(
        FLOW,
        {"question": "What sang?"},
        script=root / "answers.yaml",
        root=root,
        past=past,
        make_gate=lambda recorder: EditedGate(recorder, edits, FLOW, REGISTRY),
    )
    assert again.outputs == first.outputs


async def test_what_a_person_answered_is_not_taken_for_the_tools_own_answer(root: Path) -> None:
    first = await debug(root, editing("agent#tool.1", answer="A robin."), "agent#tool")
    end = next(at for at, one in enumerate(first.entries) if one.event.kind == "tool_answered") + 1
    past, _ = resumed(first.entries[:end], FLOW, REGISTRY)
    asked = {"question": "What sang?"}
    again = await run(FLOW, asked, script=root / "answers.yaml", root=root, past=past)
    assert "A wren sang." in again.outputs["out"]


async def test_what_is_held_tells_the_schema_that_edited_arguments_have_to_fit(root: Path) -> None:
    ran = await debug(root, editing("agent#tool.1"), "agent#tool")
    (held,) = (one.event for one in ran.entries if isinstance(one.event, StepHeld))
    assert held.schema["required"] == ["query"]
    assert held.values["arguments"].data == {"query": "wren"}
