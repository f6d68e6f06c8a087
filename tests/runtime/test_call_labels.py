"""What calls of tools were made from: of several at once, and of several askers of one tool."""

from pathlib import Path

from studio.ids import StepId
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.gates.edited_gate import EditedGate, edits_of
from studio.runtime.gates.value_edits import read_edits
from studio.runtime.replay.takeover import replayed
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import Ran, flow_of, run, run_held, until
from tests.runtime.called import OUT
from tests.runtime.lent import FLOWS, REGISTRY, lends, with_agent

AGENT = with_agent("look.json")
SHARED = """
rules:
  - when: {node: [first, second], turn: 0}
    tool_calls: [{name: expert, arguments: {task: "{{ last }}"}}]
  - when: {node: helper, turn: 0, last: owl}
    tool_calls: [{name: look, arguments: {bird: owl}}]
  - reply: "{{ last }}"
"""


async def test_a_call_is_not_made_from_what_others_at_once_have_said_meanwhile(script: Path) -> None:
    async def answer_the_first(ran: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        step = StepId("agent#tool.1")
        gate.release(step, read_edits(AGENT, REGISTRY, step, "before", {"answer": "Nothing."}))
        await until(lambda: ran.steps("step_held")[-1] == "agent#tool.2" and bool(gate.held))
        gate.resume()

    old = await run_held(AGENT, answer_the_first, "agent#tool", flows=FLOWS, script=script)
    bird = old.state.steps[StepId("agent#tool.2/lender/bird")]
    assert set(bird.outputs["value"].labels) == {"chat", "flow"}
    edits = edits_of(old.entries, AGENT, REGISTRY)
    again = await run(
        AGENT,
        flows=FLOWS,
        past=replayed(old.entries, AGENT, REGISTRY),
        make_gate=lambda recorder: EditedGate(recorder, edits, AGENT, REGISTRY),
    )
    assert first_difference(old.entries, again.entries) is None


async def test_what_a_lent_agent_reads_for_one_is_not_in_what_it_tells_another(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text(SHARED, "utf-8")
    flow = flow_of(
        {
            "owl": ("text.text", {"text": "owl"}),
            "tit": ("text.text", {"text": "tit"}),
            "first": "llm.agent",
            "second": "llm.agent",
            "helper": "tools.agent_as_tool",
            "lender": lends("look.json", name="look"),
            "out": OUT,
        },
        [
            "owl.text -> first.prompt",
            "tit.text -> second.prompt",
            "first.then -> second.after[0]",
            "helper.tool -> first.tools[0]",
            "helper.tool -> second.tools[0]",
            "lender.tool -> helper.tools[0]",
            "second.reply -> out.value",
        ],
    )
    ran = await run(flow, flows=FLOWS, script=script)
    assert "tool:look" in ran.state.steps[StepId("first")].outputs["reply"].labels
    assert ran.outputs == {"out": "tit"}
    assert set(ran.state.outputs["out"].labels) == {"chat", "flow", "tool:expert"}
