"""What a run gives without executing it: pinned outputs, and the work before them that nothing needs."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.flow.records import Flow
from studio.ids import NodeId, StepId
from studio.runtime.plans.pinned_plan import spared
from studio.runtime.replay.takeover import replayed
from studio.trace.differences.compare import first_difference
from studio.trace.events import OutputsPinned, RunStarted, entry_from_json, entry_to_json
from studio.trace.events.run import Pin
from studio.trace.events.values import Shown
from studio.trace.fold.state import StepStatus
from tests.runtime.bench import REGISTRY, Ran, flow_of, run
from tests.runtime.test_fork import MAP

SCRIPT = """
rules:
  - name: whatever
    reply: "{{ last }}+"
"""
CHAIN = flow_of(
    {
        "word": ("io.flow_input", {"default": "a"}),
        "first": "llm.chat",
        "second": "llm.chat",
        "third": "llm.chat",
        "out": "io.flow_output",
    },
    [
        "word.value -> first.prompt",
        "first.reply -> second.prompt",
        "second.reply -> third.prompt",
        "third.reply -> out.value",
    ],
)
LOOP = flow_of(
    {
        "word": ("io.flow_input", {"default": "a"}),
        "rounds": ("control.loop", {"max_rounds": 3}),
        "writer": "llm.chat",
        "critic": "llm.chat",
        "out": "io.flow_output",
    },
    [
        "word.value -> rounds.start",
        "rounds.value -> writer.prompt",
        "writer.reply -> critic.prompt",
        "critic.reply -> rounds.again",
        "rounds.result -> out.value",
    ],
)


def pinned(**values: Any) -> dict[str, Pin]:
    """Pins by node: `second={"reply": "x"}`."""
    return {
        node: Pin({port: Shown(value) for port, value in ports.items()}, "earlier", node)
        for node, ports in values.items()
    }


def _asked(ran: Ran) -> list[str]:
    return ran.steps("chat_requested")


async def test_a_pinned_node_is_not_executed_and_what_follows_takes_its_value(script: Path) -> None:
    ran = await run(CHAIN, script=script, pins=pinned(second={"reply": "pinned"}))
    assert ran.outputs == {"out": "pinned+"}
    assert _asked(ran) == ["third#chat.1"]
    assert ran.events("second") == ["step_ready", "outputs_pinned", "step_finished"]
    assert ran.state.steps["second"].is_pinned


async def test_what_feeds_nothing_but_pinned_nodes_is_skipped_with_the_reason(script: Path) -> None:
    ran = await run(CHAIN, script=script, pins=pinned(second={"reply": "pinned"}))
    for node in ("word", "first"):
        assert ran.state.steps[node].status is StepStatus.SKIPPED
        assert "pinned" in ran.state.steps[node].note


async def test_what_leads_elsewhere_as_well_is_still_executed(script: Path) -> None:
    flow = flow_of(
        {
            "word": ("io.flow_input", {"default": "a"}),
            "first": "llm.chat",
            "second": "llm.chat",
            "out": "io.flow_output",
            "aside": "io.flow_output",
        },
        [
            "word.value -> first.prompt",
            "first.reply -> second.prompt",
            "second.reply -> out.value",
            "first.reply -> aside.value",
        ],
    )
    ran = await run(flow, script=script, pins=pinned(second={"reply": "pinned"}))
    assert ran.outputs == {"out": "pinned", "aside": "a+"}
    assert _asked(ran) == ["first#chat.1"]


async def test_in_a_loop_each_round_gives_the_pinned_value(script: Path) -> None:
    ran = await run(LOOP, script=script, pins=pinned(writer={"reply": "same"}))
    assert ran.outputs == {"out": "same+"}
    assert _asked(ran) == [f"rounds.{one}/critic#chat.1" for one in (1, 2, 3)]
    assert ran.steps("outputs_pinned") == [f"rounds.{one}/writer" for one in (1, 2, 3)]


async def test_in_a_map_each_item_gives_the_pinned_value(script: Path) -> None:
    ran = await run(MAP, script=script, pins=pinned(writer={"reply": "same"}))
    assert ran.outputs == {"out": ["same+", "same+", "same+"]}
    assert len(_asked(ran)) == 3


@pytest.mark.parametrize(
    ("flow", "pins", "expected"),
    [(LOOP, {"rounds": {"result": "r"}}, "r"), (MAP, {"all": {"values": ["x"], "kept": [0]}}, ["x"])],
)
async def test_a_loop_or_map_whose_result_is_pinned_does_not_run(
    script: Path, flow: Flow, pins: dict[str, Any], expected: object
) -> None:
    ran = await run(flow, script=script, pins=pinned(**pins))
    assert ran.outputs == {"out": expected}
    assert _asked(ran) == []


async def test_an_output_that_was_not_pinned_is_absent(script: Path) -> None:
    flow = flow_of(
        {
            "word": ("io.flow_input", {"default": "a"}),
            "rule": "control.branch",
            "agreed": "llm.chat",
            "other": "llm.chat",
            "out": "io.flow_output",
        },
        [
            "word.value -> rule.value",
            "rule.yes -> agreed.prompt",
            "rule.no -> other.prompt",
            "other.reply -> out.value",
        ],
    )
    ran = await run(flow, script=script, pins=pinned(rule={"no": "b"}))
    assert ran.outputs == {"out": "b+"}
    assert ran.state.steps["agreed"].status is StepStatus.SKIPPED


async def test_what_writes_a_run_variable_is_executed_though_it_feeds_a_pinned_node_alone(
    script: Path,
) -> None:
    flow = flow_of(
        {
            "word": ("io.flow_input", {"default": "a"}),
            "keep": ("value.state_set", {"name": "seen"}),
            "second": "llm.chat",
            "out": "io.flow_output",
        },
        ["word.value -> keep.value", "keep.value -> second.prompt", "second.reply -> out.value"],
    )
    ran = await run(flow, script=script, pins=pinned(second={"reply": "pinned"}))
    assert ran.state.steps["keep"].status is StepStatus.DONE


async def test_a_muted_node_stays_absent_though_it_is_pinned(script: Path) -> None:
    flow = flow_of(
        {
            "word": ("io.flow_input", {"default": "a"}),
            "first": ("llm.chat", {}, {}, {"state": "muted"}),
            "out": "io.flow_output",
        },
        ["word.value -> first.prompt", "first.reply -> out.value"],
    )
    ran = await run(flow, script=script, pins=pinned(first={"reply": "pinned"}))
    assert ran.outputs == {}


async def test_a_pin_that_does_not_fit_its_node_any_more_ends_the_run_with_the_remedy(script: Path) -> None:
    ran = await run(CHAIN, script=script, pins=pinned(second={"gone": "pinned"}))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert "no longer has an output `gone`" in ran.outcome.error.message
    assert "Unpin" in ran.outcome.error.hint


async def test_pins_in_a_called_flow_are_taken_wherever_it_is_called(script: Path) -> None:
    caller = flow_of(
        {
            "word": ("io.flow_input", {"default": "a"}),
            "call": ("control.subflow", {"flow": "inner.json"}),
            "out": "io.flow_output",
        },
        ["word.value -> call.word", "call.out -> out.value"],
    )
    pins = {"inner.json:second": pinned(second={"reply": "pinned"})["second"]}
    ran = await run(caller, script=script, flows={"inner.json": CHAIN}, pins=pins)
    assert ran.outputs == {"out": "pinned+"}
    assert _asked(ran) == ["call/third#chat.1"]


async def test_the_run_records_its_pins_and_a_replay_of_it_is_the_same_run(script: Path) -> None:
    for flow, pins in ((CHAIN, pinned(second={"reply": "p"})), (LOOP, pinned(writer={"reply": "p"}))):
        first = await run(flow, script=script, pins=pins)
        entries = [entry_from_json(entry_to_json(one)) for one in first.entries]
        started = entries[0].event
        assert isinstance(started, RunStarted)
        assert started.pins == pins
        assert any(isinstance(one.event, OutputsPinned) for one in entries)
        again = await run(flow, past=replayed(entries, flow, REGISTRY), pins=started.pins)
        assert first_difference(first.entries, again.entries) is None


@given(st.sets(st.sampled_from(["first", "second", "third", "a", "b", "end"])))
def test_only_what_leads_nowhere_but_into_pins_is_spared(pins: set[str]) -> None:
    nodes = {"first": [], "second": ["first"], "third": ["first", "second"], "a": ["third"], "b": ["second"]}
    wires = [
        f"{source}.text -> {node}.parts[{index}]"
        for node, sources in {**nodes, "end": ["a", "b"]}.items()
        for index, source in enumerate(sources)
    ]
    flow = flow_of(dict.fromkeys(("first", "second", "third", "a", "b", "end"), "text.join"), wires)
    named = frozenset(map(NodeId, pins))
    left = spared(flow, REGISTRY, named)
    readers = {
        source: [w.target.node for w in flow.wires if w.source.node == source] for source in flow.nodes
    }
    for node in flow.nodes:
        goes_into_pins = bool(readers[node]) and all(one in named or one in left for one in readers[node])
        assert (node in left) == (goes_into_pins and node not in named)


RACE = flow_of(
    {
        "word": ("io.flow_input", {"default": "a"}),
        "first": "llm.chat",
        "second": "llm.chat",
        "race": "control.race",
        "out": "io.flow_output",
    },
    [
        "word.value -> first.prompt",
        "word.value -> second.prompt",
        "first.reply -> race.values[0]",
        "second.reply -> race.values[1]",
        "race.value -> out.value",
    ],
)


@pytest.mark.parametrize(
    ("pins", "expected"), [({"race": {"value": "r"}}, "r"), ({"second": {"reply": "s"}}, "s")]
)
async def test_a_race_may_be_pinned_and_a_pinned_contender_wins_it(
    script: Path, pins: dict[str, Any], expected: str
) -> None:
    ran = await run(RACE, script=script, pins=pinned(**pins))
    assert ran.outputs == {"out": expected}
    assert all(ran.state.steps[step].status is not StepStatus.DONE for step in _asked(ran))


@given(
    st.lists(st.sets(st.integers(0, 6), max_size=3), min_size=2, max_size=7),
    st.sets(st.integers(0, 6)),
)
def test_a_run_on_what_an_earlier_one_gave_gives_the_same(sources: list[set[int]], chosen: set[int]) -> None:
    nodes: dict[str, Any] = {"word": ("io.flow_input", {"default": "a"})}
    wires: list[str] = []
    for place, before in enumerate(sources):
        name = f"n{place}"
        nodes[name] = ("text.join", {"separator": f"<{place}>"})
        known = sorted(one for one in before if one < place)
        gives = [f"n{one}.text" for one in known] or ["word.value"]
        wires += [f"{source} -> {name}.parts[{index}]" for index, source in enumerate(gives)]
        nodes[f"o{place}"] = "io.flow_output"
        wires.append(f"{name}.text -> o{place}.value")
    flow = flow_of(nodes, wires)
    first = asyncio.run(run(flow))
    pins = {
        f"n{place}": Pin(first.state.steps[StepId(f"n{place}")].outputs)
        for place in chosen
        if place < len(sources)
    }
    again = asyncio.run(run(flow, pins=pins))
    assert again.outputs == first.outputs
    assert set(again.steps("outputs_pinned")) == set(pins)
