"""Going back into called flows: replays, forks from within, resumed runs, and values edited there."""

from pathlib import Path

import pytest

from studio.errors import ValueTypeError
from studio.flow.records import Json
from studio.ids import NodeId, StepId
from studio.runtime.gates.debug_gate import DebugGate, Phase
from studio.runtime.gates.edited_gate import EditedGate, Edits, edits_of
from studio.runtime.gates.value_edits import read_edits
from studio.runtime.limits.accounts import accounts_at, ledger_of
from studio.runtime.replay.dependence import Dependence, Root
from studio.runtime.replay.takeover import forked, replayed, resumed
from studio.runtime.values import Value
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import Ran, flow_of, run, run_held, until
from tests.runtime.called import OUT, bound, calls

SCRIPT = """
rules:
  - name: whatever
    reply: "{{ last }}+"
"""
INNER = flow_of(
    {
        "text": "io.flow_input",
        "rounds": ("control.loop", {"max_rounds": 2}),
        "writer": "llm.chat",
        "critic": "llm.chat",
        "aside": "llm.chat",
        "said": OUT,
        "other": OUT,
    },
    [
        "text.value -> rounds.start",
        "rounds.value -> writer.prompt",
        "writer.reply -> critic.prompt",
        "critic.reply -> rounds.again",
        "rounds.result -> said.value",
        "text.value -> aside.prompt",
        "aside.reply -> other.value",
    ],
)
FLOWS = {"inner.json": INNER}
REGISTRY = bound(FLOWS)
FLOW = flow_of(
    {
        "words": ("value.json", {"value": ["owl", "tit"]}),
        "each": "control.for_each",
        "call": calls("inner.json"),
        "after": "llm.chat",
        "all": "control.collect",
        "out": OUT,
    },
    [
        "words.value -> each.items",
        "each.item -> call.text",
        "call.said -> after.prompt",
        "after.reply -> all.value",
        "all.values -> out.value",
    ],
)


def bought(ran: Ran) -> list[str]:
    """The chats that were really asked."""
    reused = ran.steps("answer_reused")
    asked = [step for step in ran.steps("chat_answered") if step not in reused]
    return sorted(step for step in asked if not step_is_told_again(ran, step))


def step_is_told_again(ran: Ran, step: str) -> bool:
    own = step.partition("#")[0]
    return own in ran.steps("answer_reused")


async def fork(old: Ran, place: tuple[str, Phase, str, Json], script: Path) -> Ran:
    step, phase, port, value = place
    edits: Edits = {(StepId(step), phase): {port: value}}
    roots = [Root(StepId(step), runs_again=phase == "before")]
    return await run(
        FLOW,
        flows=FLOWS,
        script=script,
        past=forked(old.entries, FLOW, REGISTRY, roots, is_live=True),
        make_gate=lambda recorder: EditedGate(recorder, edits, FLOW, REGISTRY),
    )


async def test_a_replay_of_called_flows_asks_nobody_and_gives_the_same(script: Path) -> None:
    old = await run(FLOW, flows=FLOWS, script=script)
    assert old.outputs == {"out": ["owl+++++", "tit+++++"]}
    new = await run(FLOW, flows=FLOWS, past=replayed(old.entries, FLOW, REGISTRY))
    assert new.outputs == old.outputs
    assert new.state.tokens == 0
    assert first_difference(old.entries, new.entries) is None


async def test_a_fork_inside_a_called_flow_does_again_what_depends_on_it_in_there_and_outside(
    script: Path,
) -> None:
    old = await run(FLOW, flows=FLOWS, script=script)
    new = await fork(old, ("each.1/call/rounds.2/writer", "after", "reply", "jay"), script)
    assert new.outputs == {"out": ["owl+++++", "jay++"]}
    assert bought(new) == ["each.1/after#chat.1", "each.1/call/rounds.2/critic#chat.1"]


async def test_a_fork_at_the_step_that_calls_runs_the_called_flow_with_other_inputs(script: Path) -> None:
    old = await run(FLOW, flows=FLOWS, script=script)
    new = await fork(old, ("each.1/call", "before", "text", "jay"), script)
    assert new.outputs == {"out": ["owl+++++", "jay+++++"]}
    assert all(step.startswith("each.1/") for step in bought(new))


@pytest.mark.parametrize(
    ("step", "touched"),
    [
        ("each.1/call/rounds.1/critic", False),
        ("each.1/call/rounds.2/writer", False),
        ("each.1/call/rounds.2/critic", True),
        ("each.1/call/said", True),
        ("each.1/call/aside", False),
        ("each.1/call/other", False),
        ("each.1/call", True),
        ("each.1/call@2/aside", True),
        ("each.1/after", True),
        ("each.0/call/said", False),
        ("each.0/after", False),
        ("out", True),
        ("words", False),
    ],
)
def test_what_depends_on_a_step_inside_is_told_level_by_level(step: str, *, touched: bool) -> None:
    root = Root(StepId("each.1/call/rounds.2/critic"))
    assert Dependence(FLOW, REGISTRY).is_touched(StepId(step), [root]) is touched


@pytest.mark.parametrize(("runs_again", "inside"), [(True, True), (False, False)])
def test_inside_a_call_everything_depends_on_what_it_is_given(*, runs_again: bool, inside: bool) -> None:
    dependence = Dependence(FLOW, REGISTRY)
    root = Root(StepId("each.1/call"), runs_again=runs_again)
    assert dependence.is_touched(StepId("each.1/call/aside"), [root]) is inside
    assert dependence.is_touched(StepId("each.1/after"), [root])
    assert dependence.is_touched(StepId("each.1/call/aside"), [Root(StepId("words"))])


async def test_a_run_that_died_inside_a_called_flow_goes_on_there(script: Path) -> None:
    old = await run(FLOW, flows=FLOWS, script=script)
    place = next(
        index
        for index, entry in enumerate(old.entries)
        if entry.step == "each.1/call/rounds.2/writer" and entry.event.kind == "step_finished"
    )
    old.entries[:] = old.entries[: place + 1]
    done = {step for step in old.steps("chat_answered") if "each.1" in step}
    past, over = resumed(old.entries, FLOW, REGISTRY)
    assert "each.1/call/rounds.2/writer" in over
    new = await run(FLOW, flows=FLOWS, script=script, past=past)
    assert new.outputs == {"out": ["owl+++++", "tit+++++"]}
    assert not done & set(bought(new))


async def test_a_value_that_is_edited_inside_has_the_type_of_the_called_flow(script: Path) -> None:
    step = StepId("each.1/call/rounds.2/writer")
    found = read_edits(FLOW, REGISTRY, step, "after", {"reply": "jay"})
    assert found == {"reply": Value("jay", frozenset({"user"}))}
    with pytest.raises(ValueTypeError):
        read_edits(FLOW, REGISTRY, step, "after", {"reply": 7})
    with pytest.raises(ValueTypeError, match="no `item`"):
        read_edits(FLOW, REGISTRY, step, "after", {"item": "of the other flow"})
    old = await run(FLOW, flows=FLOWS, script=script)
    new = await fork(old, (step, "after", "reply", "jay"), script)
    assert edits_of(new.entries, FLOW, REGISTRY) == {(step, "after"): {"reply": "jay"}}


async def test_a_step_inside_is_held_and_edited(script: Path) -> None:
    async def watch(_: Ran, gate: DebugGate) -> None:
        for _turn in range(2):
            await until(lambda: bool(gate.held))
            held = gate.held[0]
            edited = read_edits(FLOW, REGISTRY, held.step, "before", {"prompt": "jay"})
            gate.release(held.step, edited)
            await until(lambda held=held: held not in gate.held)

    ran = await run_held(FLOW, watch, "inner.json:aside", flows=FLOWS, script=script)
    assert ran.state.steps[StepId("each.0/call/other")].inputs["value"].data == "jay+"


async def test_what_is_spent_inside_is_on_the_account_of_the_step_that_calls_too(script: Path) -> None:
    limited = flow_of(
        {"call": calls("inner.json", {"text": "owl"}, {"limits": {"calls": 2}}), "out": OUT},
        ["call.said -> out.value"],
    )
    ran = await run(limited, flows=FLOWS, script=script)
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.exit_code == 3
    assert "`call`" in ran.outcome.error.message
    ledger = ledger_of(ran.entries, lambda step: accounts_at(limited, REGISTRY, step))
    assert ledger.nodes[NodeId("call")].calls >= 2
    assert ledger.nodes[NodeId("inner.json:aside")].calls == 1
