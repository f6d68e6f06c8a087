"""Run variables: when a write takes effect, who sees it, and what goes back to an earlier run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.ids import ROOT, Scope, StepId
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.past import Past
from studio.runtime.replay.takeover import forked, replayed, resumed
from studio.runtime.state.run_variables import Variables
from studio.trace.differences.compare import first_difference
from studio.trace.events import StateMerged, StateRead, StateWritten
from studio.trace.events.values import Shown
from studio.trace.fold.state import fold
from studio.trace.recording import Recording
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

SET = "value.state_set"
GET = "value.state_get"


def numbers(*values: object) -> tuple[str, dict[str, object]]:
    return "value.json", {"value": list(values)}


def variables(ran: Ran) -> dict[str, object]:
    """What the fold says that the run's variables are."""
    return {name: shown.data for name, shown in ran.state.variables.known.items()}


async def outputs(nodes: Mapping[str, Any], wires: Sequence[str]) -> Mapping[str, Any]:
    return (await run(flow_of(nodes, wires))).outputs


COUNT = {
    "start": numbers(1, 2, 3),
    "set": (SET, {"name": "n", "how": "set"}),
    "get": (GET, {"name": "n"}),
    "out": "io.flow_output",
}


async def test_what_one_step_writes_another_reads_that_comes_after_it() -> None:
    ran = await run(
        flow_of(COUNT, ["start.value -> set.value", "set.then -> get.after", "get.value -> out.value"])
    )
    assert ran.outputs == {"out": [1, 2, 3]}
    assert variables(ran) == {"n": [1, 2, 3]}
    assert ran.events("set")[-2:] == ["state_written", "step_finished"]


async def test_a_value_is_passed_on_and_its_labels_come_back_with_the_variable(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("owl", "utf-8")
    nodes = {
        "read": ("io.read_file", {"file": "a.txt"}),
        "set": (SET, {"name": "said", "how": "append"}),
        "get": (GET, {"name": "said"}),
        "passed": "io.flow_output",
        "out": "io.flow_output",
    }
    wires = [
        "read.text -> set.value",
        "set.value -> passed.value",
        "set.then -> get.after",
        "get.value -> out.value",
    ]
    ran = await run(flow_of(nodes, wires), root=tmp_path)
    assert ran.outputs == {"passed": "owl", "out": ["owl"]}
    assert "file" in ran.state.outputs["out"].labels


async def test_rounds_of_a_loop_see_what_those_before_them_wrote() -> None:
    nodes = {
        "start": ("value.json", {"value": 2}),
        "rounds": ("control.loop", {"max_rounds": 4}),
        "add": (SET, {"name": "sum", "how": "add"}),
        "get": (GET, {"name": "sum"}),
        "out": "io.flow_output",
    }
    wires = [
        "start.value -> rounds.start",
        "rounds.value -> add.value",
        "add.then -> get.after",
        "get.value -> rounds.again",
        "rounds.history -> out.value",
    ]
    assert await outputs(nodes, wires) == {"out": [2, 4, 8, 16]}


def map_flow(at_once: int, **more: Any) -> tuple[dict[str, Any], list[str]]:
    """Each item adds itself to a sum, and reads it."""
    nodes: dict[str, Any] = {
        "list": numbers(1, 2, 3),
        "each": ("control.for_each", {"at_once": at_once}),
        "add": (SET, {"name": "sum", "how": "add"}),
        "note": (SET, {"name": "order", "how": "append"}),
        "get": (GET, {"name": "sum"}),
        "all": "control.collect",
        "after": (GET, {"name": "order"}),
        "sums": "io.flow_output",
        "order": "io.flow_output",
        **more,
    }
    wires = [
        "list.value -> each.items",
        "each.item -> add.value",
        "add.value -> note.value",
        "note.then -> get.after",
        "get.value -> all.value",
        "all.values -> sums.value",
        "all.then -> after.after",
        "after.value -> order.value",
    ]
    return nodes, wires


async def test_items_one_at_a_time_see_what_those_before_them_wrote() -> None:
    assert await outputs(*map_flow(1)) == {"sums": [1, 3, 6], "order": [1, 2, 3]}


async def test_items_at_once_see_what_was_there_when_the_map_began_and_their_own_writes() -> None:
    assert await outputs(*map_flow(3)) == {"sums": [1, 2, 3], "order": [1, 2, 3]}
    assert await outputs(*map_flow(2)) == {"sums": [1, 2, 3], "order": [1, 2, 3]}


async def test_writes_take_effect_in_item_order_however_long_the_items_take() -> None:
    nodes, wires = map_flow(3)
    nodes["slow"] = (
        "control.branch",
        {"cases": [{"label": "First", "when": "value == 1"}, {"label": "Rest"}]},
    )
    nodes["wait"] = ("control.delay", {"seconds": 0.02})
    nodes["join"] = ("control.merge", {})
    wires = [
        *(wire for wire in wires if wire != "each.item -> add.value"),
        "each.item -> slow.value",
        "slow.first -> wait.value",
        "slow.rest -> join.values[0]",
        "wait.value -> join.values[1]",
        "join.value -> add.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs["order"] == [1, 2, 3]
    ended = [step for step in ran.steps("step_finished") if step.endswith("/get")]
    assert ended[-1] == "each.0/get", "the first item ended last"


async def test_a_map_in_an_item_of_a_map_writes_for_that_item() -> None:
    nodes = {
        "list": numbers([1, 2], [3]),
        "each": ("control.for_each", {"at_once": 2}),
        "inner": ("control.for_each", {"at_once": 2}),
        "note": (SET, {"name": "seen", "how": "append"}),
        "gathered": "control.collect",
        "get": (GET, {"name": "seen"}),
        "all": "control.collect",
        "after": (GET, {"name": "seen"}),
        "own": "io.flow_output",
        "out": "io.flow_output",
    }
    wires = [
        "list.value -> each.items",
        "each.item -> inner.items",
        "inner.item -> note.value",
        "note.value -> gathered.value",
        "gathered.then -> get.after",
        "get.value -> all.value",
        "all.then -> after.after",
        "all.values -> own.value",
        "after.value -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"own": [[1, 2], [3]], "out": [1, 2, 3]}
    assert variables(ran) == {"seen": [1, 2, 3]}
    merged = {one.event.scope: one.event.into for one in ran.entries if isinstance(one.event, StateMerged)}
    assert merged == {"each.0/inner.0": "each.0", "each.0/inner.1": "each.0", "each.0": "",
                      "each.1/inner.0": "each.1", "each.1": ""}  # fmt: skip


@pytest.mark.parametrize("failed", ["drop", "keep"])
async def test_what_a_failed_item_wrote_is_lost(failed: str) -> None:
    nodes = {
        "list": numbers({"a": 1}, {}, {"a": 3}),
        "each": "control.for_each",
        "note": (SET, {"name": "seen", "how": "append"}),
        "pick": ("value.pick", {"path": "a"}),
        "all": ("control.collect", {"failed": failed}),
        "get": (GET, {"name": "seen"}),
        "out": "io.flow_output",
    }
    wires = [
        "list.value -> each.items",
        "each.item -> note.value",
        "note.value -> pick.value",
        "pick.value -> all.value",
        "all.then -> get.after",
        "get.value -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": [{"a": 1}, {"a": 3}]}
    assert variables(ran) == {"seen": [{"a": 1}, {"a": 3}]}


async def test_a_variable_that_is_something_else_cannot_be_added_to() -> None:
    nodes = {
        "text": ("value.json", {"value": "owl"}),
        "set": (SET, {"name": "n"}),
        "add": (SET, {"name": "n", "how": "append"}),
    }
    ran = await run(flow_of(nodes, ["text.value -> set.value", "set.value -> add.value"]))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert "`n` is not a list" in ran.outcome.error.message
    assert variables(ran) == {"n": "owl"}


async def test_a_variable_that_nobody_wrote_is_its_default_or_an_error() -> None:
    got = {"get": (GET, {"name": "n", "default": 7}), "out": "io.flow_output"}
    assert await outputs(got, ["get.value -> out.value"]) == {"out": 7}
    strict = {"get": (GET, {"name": "n", "missing": "fail"}), "out": "io.flow_output"}
    ran = await run(flow_of(strict, ["get.value -> out.value"]))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "get"


@pytest.mark.parametrize("at_once", [1, 3])
async def test_a_replay_reads_and_writes_the_same(at_once: int) -> None:
    flow = flow_of(*map_flow(at_once))
    first = await run(flow)
    again = await run(flow, past=replayed(first.entries, flow, REGISTRY))
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None
    assert variables(again) == variables(first)


@pytest.mark.parametrize("at_once", [1, 2, 3])
async def test_a_run_that_is_resumed_anywhere_has_its_variables_as_they_were(at_once: int) -> None:
    flow = flow_of(*map_flow(at_once))
    first = await run(flow)
    for cut in range(2, len(first.entries)):
        entries = first.entries[:cut]
        past, _ = resumed(entries, flow, REGISTRY)
        again = await run(flow, past=past)
        assert again.outputs == first.outputs, f"cut after {entries[-1]}"
        assert variables(again) == variables(first)


async def test_a_fork_keeps_the_writes_of_steps_that_it_keeps() -> None:
    flow = flow_of(*map_flow(1))
    first = await run(flow)
    past = forked(first.entries, flow, REGISTRY, [Root(StepId("each.1/note"))])
    again = await run(flow, past=past)
    assert again.outputs == first.outputs
    assert variables(again) == variables(first)
    kept = forked(first.entries, flow, REGISTRY, [Root(StepId("after"))])
    assert set(kept.writes) == {f"each.{n}/{node}" for n in range(3) for node in ("add", "note")}


async def test_what_read_a_variable_that_a_fork_writes_anew_is_run_again_though_no_wire_leads_there() -> None:
    nodes = {
        "word": ("text.text", {"text": "a"}),
        "set": (SET, {"name": "n"}),
        "wait": ("control.delay", {"seconds": 0.01}),
        "get": (GET, {"name": "n"}),
        "shown": ("text.template", {"template": "{{x}}!"}),
        "out": "io.flow_output",
    }
    wires = [
        "word.text -> set.value",
        "wait.then -> get.after",
        "get.value -> shown.x",
        "shown.text -> out.value",
    ]
    nodes["wait"] = ("control.delay", {"seconds": 0.01}, {"value": "x"})
    first = await run(flow_of(nodes, wires))
    assert first.outputs == {"out": "a!"}
    changed = flow_of({**nodes, "word": ("text.text", {"text": "b"})}, wires)
    past = forked(first.entries, changed, REGISTRY, [Root(StepId("word"))])
    assert set(past.kept) == {"wait"}
    slow = {step: value for step, value in past.kept.items() if step != "wait"}
    again = await run(changed, past=replace(past, kept=slow))
    assert again.outputs == {"out": "b!"}


async def test_an_item_that_runs_at_once_with_another_does_not_depend_on_what_that_wrote() -> None:
    flow = flow_of(*map_flow(3))
    first = await run(flow)
    past = forked(first.entries, flow, REGISTRY, [Root(StepId("each.0/add"))])
    assert "each.1/get" in past.kept
    in_turn = flow_of(*map_flow(1))
    first = await run(in_turn)
    past = forked(first.entries, in_turn, REGISTRY, [Root(StepId("each.0/add"))])
    assert "each.1/get" not in past.kept


def test_writes_of_an_earlier_run_take_effect_in_their_order_whenever_they_come() -> None:
    past = Past(Ran().state.run, Recording.of([]), took_effect={"a": 1, "b": 2, "c": 3})
    layer = Variables(ROOT, past=past)
    for step in ("c", "new", "a", "b"):
        layer.take_in([StateWritten("seen", "append", Shown(step))], step)
    assert layer.known["seen"].data == ["a", "b", "c", "new"]


def test_a_reader_keeps_what_was_there_when_it_looked() -> None:
    layer = Variables(Scope("each.0"))
    layer.take_in([StateWritten("n", "add", Shown(1))], "a")
    before = layer.known
    layer.take_in([StateWritten("n", "add", Shown(1))], "b")
    assert (before["n"].data, layer.known["n"].data) == (1, 2)


async def test_what_was_read_is_told() -> None:
    ran = await run(flow_of({"get": (GET, {"name": "n"})}, []))
    assert [entry.event for entry in ran.entries if entry.step == "get"][2] == StateRead("n")
    assert fold(ran.entries).variables.known == {}
