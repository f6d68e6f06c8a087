"""Inner chats and calls of tools: held before and after, edited, answered by a person."""

import asyncio
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from studio.errors import ValueTypeError
from studio.flow.records import Json
from studio.ids import StepId
from studio.llm.client import Message, message_to_json
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.gates.edited_gate import EditedGate
from studio.runtime.gates.value_edits import read_edits
from studio.runtime.limits.cancellations import Stops
from studio.trace.events import StepHeld, ToolCalled, ValueDrawn
from studio.trace.fold.state import StepStatus
from tests.runtime.agents import FLOW, NODES, WIRES, debug, editing, laid_out, request_of, words
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, until
from tests.runtime.virtual_time import run_virtually


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return laid_out(tmp_path)


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
    assert ran.state.uses == {}


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
        ("agent#chat.1", "after", {"answer": {"role": "nobody"}}, "not a message"),
    ],
)
def test_an_edit_that_no_tool_and_no_endpoint_would_take_is_refused(
    step: str, phase: Any, values: dict[str, Any], reason: str
) -> None:
    schema: Json = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
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


async def test_calls_in_a_called_flow_are_held_under_the_flows_name(root: Path) -> None:
    outer = flow_of(
        {
            "question": ("io.flow_input", {"type": "text"}),
            "team": ("control.subflow", {"flow": "team.json"}),
            "answer": "io.flow_output",
        },
        ["question.value -> team.question", "team.out -> answer.value"],
    )
    ran = await debug(
        root, editing("team/agent#tool.1"), "team.json:search", flow=outer, flows={"team.json": FLOW}
    )
    assert ran.steps("step_held") == ["team/agent#tool.1"]
    place = "team.json:agent#chat.answer"
    said = message_to_json(Message("assistant", "No."))
    act = editing("team/agent#chat.1", answer=said)
    ran = await debug(root, act, place, flow=outer, flows={"team.json": FLOW})
    assert ran.outputs == {"answer": "No."}


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


async def test_what_is_held_tells_the_schema_that_edited_arguments_have_to_fit(root: Path) -> None:
    ran = await debug(root, editing("agent#tool.1"), "agent#tool")
    (held,) = (one.event for one in ran.entries if isinstance(one.event, StepHeld))
    assert held.schema["required"] == ["query"]
    assert held.values["arguments"].data == {"query": "wren"}


def test_an_agent_that_stops_after_a_time_does_not_count_that_for_which_a_call_was_held(root: Path) -> None:
    """The loop's clock runs ahead of the world's, so what is taken off shows as time gone back."""
    limited = flow_of({**NODES, "agent": ("llm.agent", {"seconds": 30})}, WIRES)

    async def think_long(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        await asyncio.sleep(3600)
        gate.set_breakpoints(())
        gate.resume()

    ran = run_virtually(debug(root, think_long, "agent#chat", flow=limited))
    began, looked, *_ = (
        datetime.fromisoformat(one.event.value) for one in ran.entries if isinstance(one.event, ValueDrawn)
    )
    assert -3700 < (looked - began).total_seconds() < -3500
