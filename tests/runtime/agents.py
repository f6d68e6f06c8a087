"""An agent that searches notes, one that asks another, and a person who debugs them."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from studio.flow.records import Flow
from studio.llm.client import Message, message_to_json
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.gates.value_edits import read_edits
from studio.trace.events import ChatRequested
from tests.runtime.bench import REGISTRY, Ran, flow_of, run_held, until

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


def laid_out(root: Path) -> Path:
    """Put notes to search, and the scripted answers, into a folder."""
    (root / "data").mkdir()
    (root / "data" / "may.txt").write_text("A wren sang.\n\nA dunnock fed.\n", "utf-8")
    (root / "answers.yaml").write_text(SCRIPT, "utf-8")
    return root


async def debug(root: Path, act: Act, *breakpoints: str, flow: Flow = FLOW, **more: Any) -> Ran:
    """Run `flow` on a question while `act` plays the person at the debugger."""
    inputs = {"question": "What sang?"}
    return await run_held(
        flow, act, *breakpoints, inputs=inputs, script=root / "answers.yaml", root=root, **more
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
