"""Time limits and error policies of loops and maps as wholes."""

import asyncio
from typing import Any

import pytest

from studio.flow.checks.check import check, errors_of
from studio.trace.events import StepFailed
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

OUTPUT = "io.flow_output"
FOREVER = ("control.delay", {"seconds": 600})
DEFAULT = {"on_error": "default", "default": "given up"}


def looping(body: Any, **policy: Any) -> tuple[dict[str, Any], list[str]]:
    nodes = {
        "word": ("value.json", {"value": {"name": "a"}}),
        "rounds": ("control.loop", {"max_rounds": 3}, {}, policy),
        "body": body,
        "out": OUTPUT,
        "all": OUTPUT,
    }
    port = "value" if body is FOREVER else "x"
    wires = [
        "word.value -> rounds.start",
        f"rounds.value -> body.{port}",
        f"body.{'value' if body is FOREVER else 'text'} -> rounds.again",
        "rounds.result -> out.value",
        "rounds.history -> all.value",
    ]
    return nodes, wires


READ = ("text.template", {"template": "{{x.name}}"})
"""Fails in the second round, when there is no name any more."""


def failure(ran: Ran, step: str) -> StepFailed:
    return next(e.event for e in ran.entries if e.step == step and isinstance(e.event, StepFailed))


async def test_a_loop_that_takes_too_long_fails_and_all_in_it_is_stopped() -> None:
    before = asyncio.all_tasks()
    ran = await run(flow_of(*looping(FOREVER, time_limit=0.02)))
    assert failure(ran, "rounds").error == "TimeLimitError"
    assert ran.steps("step_cancelled") == ["rounds.1/body"]
    assert asyncio.all_tasks() == before


async def test_a_map_that_takes_too_long_fails_and_all_its_items_are_stopped() -> None:
    nodes = {
        "words": ("value.json", {"value": [1, 2]}),
        "each": ("control.for_each", {}, {}, {"time_limit": 0.02}),
        "slow": FOREVER,
        "all": "control.collect",
        "caught": "control.catch",
        "why": OUTPUT,
    }
    wires = [
        "words.value -> each.items",
        "each.item -> slow.value",
        "slow.value -> all.value",
        "all.values -> caught.value",
        "caught.error -> why.value",
    ]
    before = asyncio.all_tasks()
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs["why"]["error"] == "TimeLimitError"
    assert sorted(ran.steps("step_cancelled")) == ["each.0/slow", "each.1/slow"]
    assert asyncio.all_tasks() == before


async def test_a_loop_that_is_quick_enough_is_not_stopped() -> None:
    nodes, wires = looping(("text.template", {"template": "{{x}}!"}), time_limit=60)
    ran = await run(
        flow_of(
            {**nodes, "word": ("text.text", {"text": "a"})},
            [
                "word.text -> rounds.start",
                *wires[1:],
            ],
        )
    )
    assert ran.outputs["out"] == "a!!!"


@pytest.mark.parametrize("body", [READ, FOREVER])
async def test_a_default_stands_in_for_a_loop_that_failed(body: Any) -> None:
    some = flow_of(*looping(body, time_limit=0.02 if body is FOREVER else None, **DEFAULT))
    assert errors_of(check(some, REGISTRY)) == []
    ran = await run(some)
    assert ran.outputs == {"out": "given up"}
    assert ran.events("rounds")[-1] == "step_finished"
    assert ran.steps("step_skipped") == ["all"]


async def test_a_default_can_name_the_outputs_of_a_loop() -> None:
    policy = {"on_error": "default", "default": {"result": "none", "history": []}}
    assert (await run(flow_of(*looping(READ, **policy)))).outputs == {"out": "none", "all": []}


async def test_the_error_of_a_loop_can_be_its_output() -> None:
    nodes, wires = looping(READ, on_error="output")
    ran = await run(flow_of({**nodes, "why": OUTPUT}, [*wires, "rounds.error -> why.value"]))
    assert set(ran.outputs) == {"why"}
    assert ran.outputs["why"]["message"] == failure(ran, "rounds.2/body").message


async def test_what_reads_the_last_round_of_a_loop_that_failed_reads_nothing() -> None:
    nodes, wires = looping(READ, **DEFAULT)
    ran = await run(flow_of({**nodes, "last": OUTPUT}, [*wires, "body.text -> last.value"]))
    assert ran.outputs == {"out": "given up"}


async def test_a_loop_whose_start_failed_fails_unrun_whatever_its_policy() -> None:
    nodes, wires = looping(READ, **DEFAULT)
    nodes["word"] = ("text.template", {"template": "{{x.y}}"}, {"x": {}})
    ran = await run(flow_of(nodes, ["word.text -> rounds.start", *wires[1:]]))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "word"


MAPPING = {
    "words": ("value.json", {"value": [{"name": "a"}, {}, {"name": "c"}]}),
    "each": "control.for_each",
    "read": READ,
    "out": OUTPUT,
}
MAP_WIRES = [
    "words.value -> each.items",
    "each.item -> read.x",
    "read.text -> all.value",
    "all.values -> out.value",
]
NONE_LEFT = {"on_error": "default", "default": {"values": ["none"], "kept": []}}


async def test_a_default_stands_in_for_a_collect_when_an_item_failed() -> None:
    some = flow_of({**MAPPING, "all": ("control.collect", {}, {}, NONE_LEFT)}, MAP_WIRES)
    assert errors_of(check(some, REGISTRY)) == []
    ran = await run(some)
    assert ran.outputs == {"out": ["none"]}
    assert failure(ran, "each").origin == "each.1/read"
    assert ran.events("all")[-1] == "step_finished"


async def test_the_error_of_a_failed_item_can_be_an_output_of_the_collect() -> None:
    nodes = {**MAPPING, "all": ("control.collect", {}, {}, {"on_error": "output"}), "why": OUTPUT}
    ran = await run(flow_of(nodes, [*MAP_WIRES, "all.error -> why.value"]))
    assert ran.outputs == {"why": {**ran.outputs["why"], "message": failure(ran, "each.1/read").message}}


async def test_a_collect_that_misses_a_value_can_have_a_default() -> None:
    cases = [{"label": "A", "when": "value == 'a'"}]
    nodes = {
        **MAPPING,
        "words": ("value.json", {"value": ["a", "b"]}),
        "read": ("control.branch", {"cases": cases}),
        "all": ("control.collect", {"absent": "fail"}, {}, NONE_LEFT),
    }
    wires = ["words.value -> each.items", "each.item -> read.value", "read.a -> all.value", MAP_WIRES[-1]]
    assert (await run(flow_of(nodes, wires))).outputs == {"out": ["none"]}


async def test_a_default_of_one_collect_leaves_the_items_of_a_tolerant_one_alone() -> None:
    nodes = {
        **MAPPING,
        "all": ("control.collect", {"failed": "drop"}),
        "strict": ("control.collect", {}, {}, NONE_LEFT),
        "both": OUTPUT,
    }
    wires = [*MAP_WIRES, "read.text -> strict.value", "strict.values -> both.value"]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": ["a", "c"], "both": ["none"]}


async def test_a_strict_collect_beside_one_with_a_default_still_ends_the_run() -> None:
    nodes = {
        **MAPPING,
        "all": ("control.collect", {}, {}, NONE_LEFT),
        "strict": "control.collect",
        "both": OUTPUT,
    }
    wires = [*MAP_WIRES, "read.text -> strict.value", "strict.values -> both.value"]
    ran = await run(flow_of(nodes, wires))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "each.1/read"


async def test_lists_that_do_not_fit_together_are_a_failure_that_a_default_stands_in_for() -> None:
    nodes = {
        "words": ("value.json", {"value": [1, 2]}),
        "ages": ("value.json", {"value": [1]}),
        "each": ("control.for_each", {"more": ["ages"]}),
        "all": ("control.collect", {}, {}, {"on_error": "default", "default": [0]}),
        "out": OUTPUT,
    }
    wires = [
        "words.value -> each.items",
        "ages.value -> each.ages",
        "each.item -> all.value",
        "all.values -> out.value",
    ]
    assert (await run(flow_of(nodes, wires))).outputs == {"out": [0]}
