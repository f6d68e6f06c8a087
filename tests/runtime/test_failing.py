"""Where a failure goes: along the wires to where it is taken in, or to the end of the run."""

from typing import Any

import pytest

from studio.trace.events import StepFailed
from tests.runtime.bench import Ran, flow_of, run

OUTPUT = "io.flow_output"
BROKEN = ("text.template", {"template": "{{x.name}}"}, {"x": {}})
MARK = ("text.template", {"template": "{{x}}!"})
CATCHING: dict[str, Any] = {
    "broken": BROKEN,
    "mark": MARK,
    "caught": "control.catch",
    "out": OUTPUT,
    "why": OUTPUT,
}
CATCHING_WIRES = [
    "broken.text -> mark.x",
    "mark.text -> caught.value",
    "caught.value -> out.value",
    "caught.error -> why.value",
]


def failure(ran: Ran, step: str) -> StepFailed:
    return next(
        entry.event for entry in ran.entries if entry.step == step and isinstance(entry.event, StepFailed)
    )


async def test_a_failure_travels_to_the_catch_and_comes_out_as_a_value() -> None:
    ran = await run(flow_of(CATCHING, CATCHING_WIRES))
    assert set(ran.outputs) == {"why"}
    assert ran.outputs["why"]["message"] == failure(ran, "broken").message
    assert ran.steps("step_skipped") == ["out"]


async def test_a_step_whose_input_failed_is_not_run_and_names_the_step_that_the_error_came_from() -> None:
    ran = await run(flow_of(CATCHING, CATCHING_WIRES))
    assert ran.events("mark") == ["step_failed"]
    first, then = failure(ran, "broken"), failure(ran, "mark")
    assert (then.error, then.message, then.origin) == (first.error, first.message, "broken")
    assert first.origin == ""


async def test_a_catch_passes_on_what_did_not_fail() -> None:
    nodes = {**CATCHING, "broken": ("text.text", {"text": "a"})}
    assert (await run(flow_of(nodes, CATCHING_WIRES))).outputs == {"out": "a!"}


@pytest.mark.parametrize("state", ["muted", "bypassed"])
async def test_a_catch_that_is_out_of_use_catches_nothing(state: str) -> None:
    nodes = {**CATCHING, "caught": ("control.catch", {}, {}, {"state": state})}
    ran = await run(flow_of(nodes, CATCHING_WIRES))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "broken"


@pytest.mark.parametrize("wire", ["broken.text -> aside.value", "mark.text -> aside.value"])
async def test_a_failure_with_one_way_past_the_catch_ends_the_run(wire: str) -> None:
    ran = await run(flow_of({**CATCHING, "aside": OUTPUT}, [*CATCHING_WIRES, wire]))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "broken"


async def test_order_wires_carry_failures_too() -> None:
    nodes = {**CATCHING, "mark": ("text.text", {"text": "late"})}
    ran = await run(flow_of(nodes, ["broken.then -> mark.after", *CATCHING_WIRES[1:]]))
    assert set(ran.outputs) == {"why"}
    assert failure(ran, "mark").origin == "broken"


async def test_what_does_not_hang_on_the_failure_goes_on() -> None:
    nodes = {**CATCHING, "other": ("text.text", {"text": "b"}), "fine": MARK, "also": OUTPUT}
    wires = [*CATCHING_WIRES, "other.text -> fine.x", "fine.text -> also.value"]
    assert (await run(flow_of(nodes, wires))).outputs["also"] == "b!"


LOOP = {
    "start": ("value.json", {"value": {"name": "a"}}),
    "rounds": ("control.loop", {"max_rounds": 3}),
    "read": ("text.template", {"template": "{{x.name}}"}),
    "caught": "control.catch",
    "out": OUTPUT,
    "why": OUTPUT,
}
LOOP_WIRES = [
    "start.value -> rounds.start",
    "rounds.value -> read.x",
    "read.text -> rounds.again",
    "rounds.result -> caught.value",
    "caught.value -> out.value",
    "caught.error -> why.value",
]


async def test_a_failure_in_a_loop_fails_the_loop_and_is_caught_after_it() -> None:
    ran = await run(flow_of(LOOP, LOOP_WIRES))
    assert set(ran.outputs) == {"why"}
    assert failure(ran, "rounds").origin == "rounds.2/read"
    assert "rounds.2/read" in ran.steps("step_failed")
    assert not [step for step in ran.state.steps if step.startswith("rounds.3")]


async def test_a_loop_that_reaches_its_limit_can_be_caught() -> None:
    nodes = {
        **LOOP,
        "start": ("text.text", {"text": "a"}),
        "rounds": ("control.loop", {"max_rounds": 2, "on_limit": "fail"}),
        "read": MARK,
    }
    ran = await run(flow_of(nodes, ["start.text -> rounds.start", *LOOP_WIRES[1:]]))
    assert "after 2 rounds" in ran.outputs["why"]["message"]


async def test_a_loop_whose_start_failed_is_not_run() -> None:
    nodes = {**LOOP, "start": BROKEN}
    ran = await run(flow_of(nodes, ["start.text -> rounds.start", *LOOP_WIRES[1:]]))
    assert set(ran.outputs) == {"why"}
    assert failure(ran, "rounds").origin == "start"
    assert not [step for step in ran.state.steps if "/" in step]


EACH = {
    "words": ("value.json", {"value": [{"name": "a"}, {}, {"name": "c"}]}),
    "each": "control.for_each",
    "mark": ("text.template", {"template": "{{x.name}}"}),
    "all": ("control.collect", {"failed": "drop"}),
    "out": OUTPUT,
}
EACH_WIRES = [
    "words.value -> each.items",
    "each.item -> mark.x",
    "mark.text -> all.value",
    "all.values -> out.value",
]


async def test_independent_branches_of_a_failed_item_go_on() -> None:
    nodes = {**EACH, "beside": MARK, "others": ("control.collect", {"failed": "drop"}), "second": OUTPUT}
    wires = [
        *EACH_WIRES,
        "each.index -> beside.x",
        "beside.text -> others.value",
        "others.values -> second.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": ["a", "c"], "second": ["0!", "1!", "2!"]}


async def test_a_failure_that_leads_to_no_collect_fails_its_item() -> None:
    nodes = {**EACH, "mark": MARK, "aside": ("text.template", {"template": "{{x.name}}"})}
    ran = await run(flow_of(nodes, [*EACH_WIRES, "each.item -> aside.x"]))
    assert len(ran.outputs["out"]) == 2


async def test_the_error_of_an_item_can_be_kept_as_its_value() -> None:
    nodes = {**EACH, "all": ("control.collect", {"failed": "keep"})}
    first, kept, last = (await run(flow_of(nodes, EACH_WIRES))).outputs["out"]
    assert (first, last) == ("a", "c")
    assert kept["message"]


async def test_a_map_that_fails_with_an_item_can_be_caught() -> None:
    nodes = {**EACH, "all": "control.collect", "caught": "control.catch", "why": OUTPUT}
    wires = [
        *EACH_WIRES[:3],
        "all.values -> caught.value",
        "caught.value -> out.value",
        "caught.error -> why.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert set(ran.outputs) == {"why"}
    assert failure(ran, "each").origin == failure(ran, "all").origin == "each.1/mark"


async def test_a_map_whose_list_failed_does_not_make_do_with_an_empty_one() -> None:
    nodes = {**EACH, "words": BROKEN}
    ran = await run(flow_of(nodes, ["words.text -> each.items", *EACH_WIRES[1:]]))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "words"


async def test_each_item_can_catch_its_own_failure() -> None:
    nodes = {**EACH, "all": "control.collect", "caught": "control.catch", "either": "control.merge"}
    wires = [
        *EACH_WIRES[:2],
        "mark.text -> caught.value",
        "caught.value -> either.values[0]",
        "caught.error -> either.values[1]",
        "either.value -> all.value",
        "all.values -> out.value",
    ]
    outputs = (await run(flow_of(nodes, wires))).outputs["out"]
    assert outputs[0] == "a"
    assert len(outputs) == 3


@pytest.mark.parametrize(("reader", "fails"), [(OUTPUT, True), ("control.catch", False)])
async def test_a_loop_that_fails_takes_with_it_whoever_reads_its_last_round(
    reader: str, *, fails: bool
) -> None:
    nodes = {
        "word": ("text.text", {"text": "a"}),
        "rounds": "control.loop",
        "mark": MARK,
        "broken": ("text.template", {"template": "{{x.name}}"}),
        "caught": "control.catch",
        "why": OUTPUT,
        "aside": reader,
    }
    wires = [
        "word.text -> rounds.start",
        "rounds.value -> mark.x",
        "mark.text -> broken.x",
        "broken.text -> rounds.again",
        "rounds.result -> caught.value",
        "caught.error -> why.value",
        "mark.text -> aside.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outcome is not None
    assert (ran.outcome.error is not None) == fails
    assert ("why" in ran.outcome.outputs) != fails


async def test_behind_a_failed_item_no_other_begins() -> None:
    nodes = {
        "numbers": ("value.json", {"value": [0, 1, 2]}),
        "each": ("control.for_each", {"at_once": 1}),
        "part": ("value.formula", {"formula": "10 / x"}),
        "all": "control.collect",
        "out": OUTPUT,
    }
    wires = [
        "numbers.value -> each.items",
        "each.item -> part.x",
        "part.value -> all.value",
        "all.values -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.steps("step_failed") == ["each.0/part", "each"]
    assert ran.steps("step_started") == ["numbers", "each", "each.0/part"]
