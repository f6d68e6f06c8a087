"""Steps, calls and outputs that a person leaves out, and values sent another way; a replay does the same."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.flow.records import Flow
from studio.ids import StepId
from studio.runtime.failures import DROPPED, DROPPED_WITHIN, ITEMS_DROPPED
from studio.runtime.gates.breakpoints import Breakpoint
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.gates.drops import NOT_CALLED, NOT_HEARD, NOTHING, added, gone_from, is_drop
from studio.runtime.gates.edited_gate import EditedGate, edits_of
from studio.runtime.gates.value_edits import read_edits
from studio.runtime.replay.dependence import Dependence, Root
from studio.runtime.replay.takeover import forked, replayed, resumed
from studio.trace.differences.compare import first_difference
from studio.trace.events import OutputsEdited, ToolAnswered
from studio.trace.fold.state import StepStatus
from tests.runtime import agents
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, run_held, until
from tests.runtime.called import OUT, UPPER, bound, calls
from tests.runtime.test_gate import WIDE
from tests.runtime.test_scheduler import LOOP_WIRES, looping

FLOWS = {"upper.json": UPPER}
LOOP = flow_of(looping(), LOOP_WIRES)
CALLING = flow_of(
    {"word": ("io.flow_input", {"default": "wren"}), "call": calls("upper.json"), "out": OUT},
    ["word.value -> call.text", "call.loud -> out.value"],
)
CASES = {"cases": [{"label": "Long", "when": "len(value) > 3"}, {"label": "Short"}]}
BRANCH_NODES: dict[str, Any] = {
    "word": ("io.flow_input", {"default": "wren"}),
    "way": ("control.branch", CASES),
    "long": ("text.template", {"template": "{{x}} is long"}),
    "short": ("text.template", {"template": "{{x}} is short"}),
    "out": ("control.merge", {}),
    "said": OUT,
}
WAYS = [
    "word.value -> way.value",
    "way.long -> long.x",
    "way.short -> short.x",
    "long.text -> out.values[0]",
    "short.text -> out.values[1]",
    "out.value -> said.value",
]
BRANCH = flow_of(BRANCH_NODES, WAYS)
INPUTS = {"word": "wren"}

Act = Callable[[DebugGate], Awaitable[None]]


async def held_at(flow: Flow, place: Breakpoint | str, act: Act, **more: Any) -> Ran:
    """Run a flow; `act` once something is held at `place`, and hold nothing afterwards."""

    async def drive(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        await act(gate)
        gate.resume()

    return await run_held(flow, drive, place, inputs=INPUTS, flows=FLOWS, **more)


def drop(step: str) -> Act:
    async def act(gate: DebugGate) -> None:
        assert gate.drop(StepId(step))
        assert not gate.drop(StepId(step))

    return act


def send(step: str, port: str) -> Act:
    async def act(gate: DebugGate) -> None:
        assert gate.send(StepId(step), port)

    return act


def reason(ran: Ran, step: str) -> tuple[StepStatus, str]:
    found = ran.state.steps[StepId(step)]
    return found.status, found.note


async def replay(flow: Flow, first: Ran, inputs: Mapping[str, Any] = INPUTS, **more: Any) -> Ran:
    registry = bound(FLOWS)
    edits = edits_of(first.entries, flow, registry)
    past = replayed(first.entries, flow, registry)
    given: dict[str, Any] = {"flows": FLOWS, **more}
    return await run(
        flow,
        inputs,
        past=past,
        make_gate=lambda recorder: EditedGate(recorder, edits, flow, registry),
        **given,
    )


DROPS: list[tuple[Flow, str, str, dict[str, Any]]] = [
    (LOOP, "grow", "rounds.1/grow", {"out": "wren", "all": []}),
    (WIDE, "mark", "each.0/mark", {"out": ["b!b!", "c!c!"]}),
    (WIDE, "each", "each", {}),
    (WIDE, "all", "all", {}),
    (LOOP, "rounds", "rounds", {}),
    (CALLING, "call", "call", {}),
    (CALLING, "upper.json:join", "call/join", {}),
    (CALLING, "call.loud", "call", {}),
    (WIDE, "all.values", "all", {}),
    (LOOP, "rounds.result", "rounds", {}),
]


@pytest.mark.parametrize(("flow", "place", "step", "outputs"), DROPS)
async def test_what_hangs_on_a_dropped_step_does_not_happen_and_a_replay_drops_it_again(
    flow: Flow, place: str, step: str, outputs: Mapping[str, Any]
) -> None:
    ran = await held_at(flow, place, drop(step))
    assert ran.outcome is not None
    assert ran.outcome.error is None
    assert dict(ran.outcome.outputs) == outputs
    again = await replay(flow, ran)
    assert again.outcome is not None
    assert dict(again.outcome.outputs) == outputs
    assert first_difference(ran.entries, again.entries) is None


async def test_a_step_that_is_dropped_before_its_work_never_begins() -> None:
    ran = await held_at(WIDE, "mark", drop("each.0/mark"))
    assert ran.events("each.0/mark") == ["step_ready", "step_held", "step_skipped"]
    assert reason(ran, "each.0/mark") == (StepStatus.SKIPPED, DROPPED)
    assert ran.state.held_steps == {}
    assert reason(ran, "each.0/twice")[0] is StepStatus.SKIPPED


async def test_a_map_that_is_dropped_is_gathered_by_nobody() -> None:
    ran = await held_at(WIDE, "each", drop("each"))
    assert reason(ran, "each") == (StepStatus.SKIPPED, DROPPED)
    assert reason(ran, "all") == (StepStatus.SKIPPED, ITEMS_DROPPED)
    assert "each.0/mark" not in ran.state.steps


async def test_a_step_that_is_dropped_after_its_work_has_happened_and_gives_nothing() -> None:
    ran = await held_at(WIDE, "mark.text", drop("each.0/mark"))
    mark = ran.state.steps[StepId("each.0/mark")]
    assert (mark.status, mark.outputs, mark.edited) == (StepStatus.DONE, {}, True)
    assert ran.outputs["out"] == ["b!b!", "c!c!"]


async def test_what_comes_after_a_dropped_step_waits_for_its_work_alone() -> None:
    nodes = {
        "word": ("io.flow_input", {"default": "wren"}),
        "one": ("text.template", {"template": "{{x}}"}),
        "two": ("text.text", {"text": "after"}),
        "out": OUT,
    }
    flow = flow_of(nodes, ["word.value -> one.x", "one.then -> two.after", "two.text -> out.value"])
    before = await held_at(flow, "one", drop("one"))
    assert before.outcome is not None
    assert dict(before.outcome.outputs) == {}
    assert (await held_at(flow, "one.text", drop("one"))).outputs == {"out": "after"}


async def test_a_race_goes_on_without_a_dropped_contender() -> None:
    nodes = {
        "word": ("io.flow_input", {"default": "wren"}),
        "one": ("text.template", {"template": "{{x}} one"}),
        "two": ("text.template", {"template": "{{x}} two"}),
        "first": "control.race",
        "out": OUT,
    }
    flow = flow_of(
        nodes,
        [
            "word.value -> one.x",
            "word.value -> two.x",
            "one.text -> first.values[0]",
            "two.text -> first.values[1]",
            "first.value -> out.value",
        ],
    )
    ran = await held_at(flow, "one", drop("one"))
    assert ran.outputs == {"out": "wren two"}
    again = await replay(flow, ran)
    assert first_difference(ran.entries, again.entries) is None


async def test_a_run_that_goes_on_leaves_out_what_was_dropped_before_it_ended() -> None:
    ran = await held_at(WIDE, "mark", drop("each.0/mark"))
    cut = ran.entries[: next(at for at, one in enumerate(ran.entries) if one.step == "each.1/twice")]
    past, over = resumed(cut, WIDE, REGISTRY)
    assert StepId("each.0/mark") in over
    edits = edits_of(cut, WIDE, REGISTRY)
    again = await run(
        WIDE,
        INPUTS,
        past=past,
        make_gate=lambda recorder: EditedGate(recorder, edits, WIDE, REGISTRY),
    )
    assert again.outputs == ran.outputs


@pytest.mark.parametrize(
    ("root", "outputs"),
    [("each.1/twice", {"out": ["b!b!", "c!c!"]}), ("each.0/mark", {"out": ["a!a!", "b!b!", "c!c!"]})],
)
async def test_a_fork_drops_again_what_does_not_depend_on_it(root: str, outputs: Mapping[str, Any]) -> None:
    ran = await held_at(WIDE, "mark", drop("each.0/mark"))
    roots = [Root(StepId(root))]
    dependence = Dependence(WIDE, REGISTRY)
    edits = {
        place: values
        for place, values in edits_of(ran.entries, WIDE, REGISTRY).items()
        if not dependence.is_touched(place[0], roots)
    }
    fork = await run(
        WIDE,
        INPUTS,
        past=forked(ran.entries, WIDE, REGISTRY, roots, is_live=True),
        make_gate=lambda recorder: EditedGate(recorder, edits, WIDE, REGISTRY),
    )
    assert fork.outputs == outputs


@pytest.mark.parametrize(("place", "said"), [("agent#tool", NOT_CALLED), ("agent#tool.answer", NOT_HEARD)])
async def test_whoever_calls_a_tool_is_told_that_the_call_was_dropped(
    tmp_path: Path, place: str, said: str
) -> None:
    root = agents.laid_out(tmp_path)

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        assert gate.drop(gate.held[0].step)

    ran = await agents.debug(root, act, place)
    assert ran.outputs == {"out": f"I read: {said}"}
    answers = [one.event for one in ran.entries if isinstance(one.event, ToolAnswered)]
    assert ("A wren sang." in answers[0].text) == (place == "agent#tool.answer")
    again = await replay(agents.FLOW, ran, {"question": "What sang?"}, root=root, flows=None)
    assert first_difference(ran.entries, again.entries) is None


@pytest.mark.parametrize("place", ["agent#chat", "agent#chat.answer"])
async def test_a_dropped_chat_takes_the_step_along_that_asks_and_no_retry_asks_again(
    tmp_path: Path, place: str
) -> None:
    root = agents.laid_out(tmp_path)
    nodes: dict[str, Any] = {**agents.NODES, "agent": ("llm.agent", {}, {}, {"retries": 2})}
    flow = flow_of(nodes, agents.WIRES)

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        assert gate.drop(StepId("agent#chat.1"))

    ran = await agents.debug(root, act, place, flow=flow)
    assert ran.outcome is not None
    assert (ran.outcome.error, dict(ran.outcome.outputs)) == (None, {})
    assert reason(ran, "agent#chat.1") == (StepStatus.SKIPPED, DROPPED)
    assert reason(ran, "agent") == (StepStatus.SKIPPED, DROPPED_WITHIN)
    assert "step_retried" not in ran.events("agent")
    again = await replay(flow, ran, {"question": "What sang?"}, root=root, flows=None)
    assert first_difference(ran.entries, again.entries) is None


@pytest.mark.parametrize("place", ["way", "way.long"])
async def test_a_value_is_sent_to_another_case_and_a_replay_sends_it_there_again(place: str) -> None:
    ran = await held_at(BRANCH, place, send("way", "short"))
    assert ran.outputs == {"said": "wren is short"}
    assert ran.events("way")[-2:] == (
        ["outputs_edited", "step_finished"] if place == "way" else ["step_released", "step_finished"]
    )
    assert set(ran.state.steps[StepId("way")].outputs) == {"short"}
    assert ran.state.outputs["said"].labels == ("user",)
    again = await replay(BRANCH, ran)
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None


async def test_edits_may_name_outputs_that_are_to_give_nothing_but_no_inputs() -> None:
    read = read_edits(BRANCH, REGISTRY, StepId("way"), "after", {"short": "owl", NOTHING: ["long"]})
    assert set(read) == {"short", "long"}
    with pytest.raises(Exception, match="no outputs now"):
        read_edits(BRANCH, REGISTRY, StepId("way"), "before", {NOTHING: ["value"]})


async def test_a_step_that_is_held_for_its_error_can_be_dropped_and_the_run_goes_on() -> None:
    nodes: dict[str, Any] = {
        "word": ("io.flow_input", {"default": "wren"}),
        "read": ("text.parse_json", {}),
        "said": OUT,
        "out": OUT,
    }
    flow = flow_of(nodes, ["word.value -> read.text", "read.data -> said.value", "word.value -> out.value"])
    ran = await held_at(flow, Breakpoint(on="error"), drop("read"))
    assert ran.outputs == {"out": "wren"}
    assert reason(ran, "read") == (StepStatus.SKIPPED, DROPPED)
    assert (await replay(flow, ran)).outputs == ran.outputs


async def twice(flow: Flow, places: Sequence[str], *acts: Act) -> Ran:
    """Run a flow; each of these is done in turn, as soon as something is held at the places."""

    async def drive(_: Ran, gate: DebugGate) -> None:
        for act in acts:
            await until(lambda: any(gate.phase(one.step) for one in gate.held))
            await act(gate)
        gate.set_breakpoints(())
        gate.resume()

    return await run_held(flow, drive, *places, inputs=INPUTS, flows=FLOWS)


@pytest.mark.parametrize(
    ("last", "outputs"),
    [(drop("way"), {}), (send("way", "long"), {"said": "wren is long"})],
)
async def test_what_is_sent_and_then_dropped_or_sent_on_goes_only_where_it_was_sent_last(
    last: Act, outputs: Mapping[str, Any]
) -> None:
    ran = await twice(BRANCH, ["way", "way.short"], send("way", "short"), last)
    assert ran.outputs == outputs
    again = await replay(BRANCH, ran)
    assert again.outputs == outputs


async def test_a_value_that_was_sent_elsewhere_is_in_a_replay_made_from_what_it_was_made_from() -> None:
    word = ("text.text", {"text": "wren"})
    flow = flow_of({**BRANCH_NODES, "word": word}, [one.replace("word.value", "word.text") for one in WAYS])
    ran = await held_at(flow, "way", send("way", "short"))
    again = await replay(flow, ran)
    for one in (ran, again):
        (sent,) = (entry.event for entry in one.entries if isinstance(entry.event, OutputsEdited))
        assert sent.values["short"].labels == ("flow", "user")
    assert first_difference(ran.entries, again.entries) is None


NAMES = st.sampled_from(["a", "b", "c"])
DEEDS = st.lists(st.tuples(st.dictionaries(NAMES, st.integers(0, 9)), st.frozensets(NAMES)), max_size=5)


@given(deeds=DEEDS)
def test_edits_made_one_after_the_other_are_as_one_with_what_was_done_last(
    deeds: list[tuple[dict[str, int], frozenset[str]]],
) -> None:
    outputs: dict[str, int | None] = {}
    edits: dict[str, Any] = {}
    for values, gone in deeds:
        left = {name: value for name, value in values.items() if name not in gone}
        outputs |= {**left, **dict.fromkeys(gone)}
        later: dict[str, Any] = {**left, NOTHING: sorted(gone)} if gone else dict(left)
        edits = added(edits, later)
    found = {name: value for name, value in edits.items() if name != NOTHING}
    assert not is_drop(edits)
    assert {**found, **dict.fromkeys(gone_from(edits))} == outputs


async def test_a_team_that_goes_on_hears_in_words_that_a_chat_of_a_member_was_dropped() -> None:
    nodes: dict[str, Any] = {
        "ada": ("team.member", {"name": "ada"}),
        "team": ("team.round_robin", {"rounds": 1, "at_fault": "go on"}, {"task": "What sang?"}),
        "said": OUT,
    }
    flow = flow_of(nodes, ["ada.agent -> team.agents[0]", "team.reply -> said.value"])

    async def act(gate: DebugGate) -> None:
        assert gate.drop(gate.held[0].step)

    ran = await held_at(flow, "ada#chat", act)
    assert ran.outputs == {"said": "(I could not answer: A chat of it was dropped by hand.)"}
