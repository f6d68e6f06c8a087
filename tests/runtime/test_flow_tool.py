"""A flow that a tool runs: its steps inside the call, what it is given and answers, and what bounds it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from studio.ids import NodeId, StepId
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.limits.accounts import accounts_at, ledger_of
from studio.runtime.limits.cancellations import Stops
from studio.sdk.flow_tool import flow_effect, flow_parameters, tool_name
from studio.sdk.tool import Effect
from studio.trace.fold.state import RunStatus, StepStatus
from tests.runtime.bench import Ran, flow_of, run, run_held, until
from tests.runtime.called import OUT, bound
from tests.runtime.lent import FLOWS, LOOK, NOTE, REGISTRY, calling_tool, with_agent

AGENT = with_agent("look.json")
BOTH = "saw owl 1; saw tit 2"
BIG = {"label": "big", "when": "value > 9"}


async def test_the_steps_of_each_call_stand_in_a_scope_of_its_own_inside_it(script: Path) -> None:
    ran = await run(AGENT, flows=FLOWS, script=script)
    assert ran.outputs == {"out": BOTH}
    for number in (1, 2):
        call = StepId(f"agent#tool.{number}")
        scout = ran.state.steps[StepId(f"{call}/lender/scout")]
        assert scout.parent == call
        assert ran.state.steps[call].parent == "agent"
        assert ran.state.steps[StepId(f"{call}/lender/scout#chat.1")].parent == scout.id


def test_an_agent_is_told_of_types_defaults_examples_and_help() -> None:
    told = flow_parameters(LOOK, REGISTRY)
    assert told["properties"] == {
        "bird": {"type": "string", "description": "Bird. Which one", "examples": ["wren"]},
        "often": {"type": "number", "description": "often", "default": 1},
    }
    assert told["required"] == ["bird"]
    assert told["additionalProperties"] is False
    assert tool_name(replace(LOOK, name=""), "look.json") == "look"
    assert tool_name(replace(LOOK, name="Look for birds"), "look.json") == "look_for_birds"


def test_lists_and_messages_are_told_by_their_elements() -> None:
    flow = flow_of(
        {
            "words": ("io.flow_input", {"type": "text[][]"}),
            "said": ("io.flow_input", {"type": "messages"}),
            "any": ("io.flow_input", {"type": "json"}),
        },
        [],
    )
    properties: Any = flow_parameters(flow, REGISTRY)["properties"]
    assert properties["words"]["items"] == {"type": "array", "items": {"type": "string"}}
    assert properties["said"]["items"]["required"] == ["role", "content"]
    assert "type" not in properties["any"]


def test_it_does_as_much_to_the_world_as_the_worst_of_its_nodes() -> None:
    assert flow_effect(FLOWS["loud.json"], REGISTRY) is Effect.PURE
    assert flow_effect(LOOK, REGISTRY) is Effect.PAID_READ
    assert flow_effect(NOTE, REGISTRY) is Effect.SIDE_EFFECT
    around = flow_of({"call": ("control.subflow", {"flow": "note.json"})}, [])
    assert flow_effect(around, REGISTRY) is Effect.SIDE_EFFECT


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("loud.json", {"text": "owl", "mark": "?"}, "owl?"),
        ("two.json", {"n": 2}, '{"twice": 4, "list": [2, 2]}'),
        ("none.json", {"n": 2}, "Done; there is nothing to say."),
    ],
)
async def test_one_text_is_answered_as_it_is_and_all_else_as_json(
    name: str, arguments: Mapping[str, Any], answer: str
) -> None:
    number = ("io.flow_input", {"type": "number"})
    flows = {
        **FLOWS,
        "two.json": flow_of(
            {
                "n": number,
                "double": ("value.formula", {"formula": "n * 2"}),
                "both": ("value.formula", {"formula": "[n, n]"}),
                "twice": OUT,
                "list": OUT,
            },
            [
                "n.value -> double.n",
                "n.value -> both.n",
                "double.value -> twice.value",
                "both.value -> list.value",
            ],
        ),
        "none.json": flow_of(
            {
                "n": number,
                "which": (
                    "control.branch",
                    {"cases": [{"label": "big", "when": "value > 9"}, {"label": "no"}]},
                ),
                "out": OUT,
            },
            ["n.value -> which.value", "which.big -> out.value"],
        ),
    }
    ran = await run(calling_tool(name, arguments), flows=flows)
    assert ran.outputs == {"out": answer}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({}, "lacks `text`"), ({"text": 3}, "text"), ({"text": "a", "more": 1}, "more")],
)
async def test_arguments_that_do_not_fit_run_nothing(arguments: Mapping[str, Any], words: str) -> None:
    ran = await run(calling_tool("loud.json", arguments), flows=FLOWS)
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert not [step for step in ran.state.steps if "/lender/" in step]
    assert words in ran.outcome.error.message


async def test_what_fails_in_the_flow_is_told_or_fails_the_step() -> None:
    told = await run(with_policy("tell"), flows=FLOWS, script=None)
    assert told.state.steps[StepId("call#tool.1")].is_error
    assert told.state.steps[StepId("call#tool.1")].status is StepStatus.DONE
    failed = await run(with_policy("fail"), flows=FLOWS, script=None)
    assert failed.outcome is not None
    assert failed.outcome.error is not None
    assert "`broken.json` failed" in failed.outcome.error.message
    assert failed.state.steps[StepId("call#tool.1/lender/read")].status is StepStatus.FAILED


def with_policy(on_failure: str) -> Any:
    return calling_tool("broken.json", {"path": "x.txt"}, on_failure=on_failure)


async def test_a_flow_that_calls_itself_by_a_tool_ends_at_its_depth(script: Path) -> None:
    ran = await run(calling_tool("again.json", {"left": 1}), flows=FLOWS, script=script)
    assert ran.state.status is RunStatus.FAILED
    deepest = max(ran.state.steps, key=lambda step: step.count("/self/"))
    assert deepest.count("/self/") == 2
    assert any("nested call 4" in (step.text or "") for step in ran.state.steps.values())


async def test_a_breakpoint_in_the_flow_holds_it_there_for_others_to_see_and_edit(script: Path) -> None:
    seen: list[str] = []

    async def watch(_: Ran, gate: DebugGate) -> None:
        for _turn in range(2):
            await until(lambda: bool(gate.held))
            seen.append(gate.held[0].step)
            gate.release(gate.held[0].step)
            await until(lambda: not gate.held or gate.held[0].step not in seen)

    ran = await run_held(AGENT, watch, "look.json:scout.prompt", flows=FLOWS, script=script)
    assert ran.outputs == {"out": BOTH}
    assert sorted(seen) == [f"agent#tool.{number}/lender/scout" for number in (1, 2)]


@pytest.mark.parametrize(("at", "calls"), [("agent", 4), ("lender", 1), ("look.json:scout", 1)])
async def test_what_is_spent_inside_is_on_the_accounts_of_all_who_call(
    at: str, calls: int, script: Path
) -> None:
    one = {"limits": {"calls": calls}}
    run_of = {name: one if at == name else {} for name in ("agent", "lender")}
    main = with_agent("look.json", run_of["agent"], run_of["lender"])
    node: Any = ("llm.chat", {}, {}, one if ":" in at else {})
    look = flow_of({**plain(LOOK), "scout": node}, [str(wire) for wire in LOOK.wires])
    ran = await run(main, flows={**FLOWS, "look.json": look}, script=script, limits={"steps": 100})
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert f"`{at}` has reached" in ran.outcome.error.message
    ledger = ledger_of(ran.entries, lambda step: accounts_at(main, REGISTRY, step))
    assert ledger.nodes[NodeId("look.json:scout")].calls == ledger.nodes[NodeId("lender")].calls == 1
    assert ledger.nodes[NodeId("agent")].calls == 1 + 2 + 1


def plain(flow: Any) -> dict[str, Any]:
    return {name: (node.kind, dict(node.settings)) for name, node in flow.nodes.items()}


async def test_one_turn_for_all_steps_is_enough(script: Path) -> None:
    ran = await run(AGENT, flows=FLOWS, script=script, limits={"at_once": 1})
    assert ran.outputs == {"out": BOTH}


async def test_a_step_inside_is_cancelled_by_itself_and_the_agent_hears_of_it(script: Path) -> None:
    stops = Stops()

    async def watch(ran: Ran) -> None:
        name = "agent#tool.1/lender/scout"
        await until(lambda: name in ran.state.steps and stops.cancel(name))

    ran = await run(AGENT, flows=FLOWS, script=script, pace=0.001, stops=stops, while_running=watch)
    assert "cancelled by hand" in str(ran.outputs["out"])
    assert "saw tit 2" in str(ran.outputs["out"])


async def test_the_labels_of_what_went_in_and_what_was_read_come_out(script: Path) -> None:
    ran = await run(AGENT, flows=FLOWS, script=script)
    given = ran.state.steps[StepId("agent#tool.1/lender/prompt")].inputs["bird"]
    assert "chat" in given.labels
    called = next(entry.event for entry in ran.entries if entry.event.kind == "tool_answered")
    assert {"chat", "tool:look"} <= set(called.labels)  # pyright: ignore[reportAttributeAccessIssue]


def expert_inside(**run_of_expert: Any) -> tuple[Flow, Mapping[str, Flow]]:
    """A flow that calls another one, whose agent is lent another agent; and that other flow, by name."""
    inner = flow_of(
        {
            "task": "io.flow_input",
            "agent": "llm.agent",
            "expert": ("tools.agent_as_tool", {}, {}, run_of_expert),
            "said": OUT,
        },
        ["task.value -> agent.prompt", "expert.tool -> agent.tools[0]", "agent.reply -> said.value"],
    )
    main = flow_of(
        {"task": ("text.text", {"text": "x"}), "call": ("control.subflow", {"flow": "in.json"}), "out": OUT},
        ["task.text -> call.task", "call.said -> out.value"],
    )
    return main, {"in.json": inner}


async def test_what_lends_in_a_called_flow_spends_on_the_accounts_of_who_calls(script: Path) -> None:
    main, flows = expert_inside()
    ran = await run(main, flows=flows, script=script, limits={"calls": 100})
    asked = [step for step in ran.steps("chat_requested") if "expert" in step]
    assert sorted(asked) == [f"call/agent#tool.{number}/expert#chat.1" for number in (1, 2)]
    assert all(ran.state.steps[StepId(step)].parent == step.rpartition("/")[0] for step in asked)
    ledger = ledger_of(ran.entries, lambda step: accounts_at(main, bound(flows), step))
    assert ledger.nodes[NodeId("in.json:expert")].calls == 2
    assert ledger.nodes[NodeId("in.json:agent")].calls == 2 + 2 + 2
    assert ledger.nodes[NodeId("call")].calls == ledger.run.calls == 6


async def test_a_limit_on_what_lends_in_a_called_flow_stops_it(script: Path) -> None:
    main, flows = expert_inside(limits={"calls": 1})
    ran = await run(main, flows=flows, script=script)
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert "`in.json:expert` has reached" in ran.outcome.error.message
