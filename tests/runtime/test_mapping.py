"""Maps over several lists, side by side."""

from typing import Any

import pytest

from studio.flow.checks.check import check
from studio.flow.records import Flow
from studio.ids import StepId
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.values import USER, Value
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, run_held, until

OUTPUT = "io.flow_output"


def people(names: list[Any], ages: list[Any]) -> Flow:
    return flow_of(
        {
            "names": ("value.json", {"value": names}),
            "ages": ("value.json", {"value": ages}),
            "each": ("control.for_each", {"more": ["Ages"]}),
            "told": ("text.template", {"template": "{{i}} {{name}} {{age}}"}),
            "all": "control.collect",
            "out": OUTPUT,
        },
        [
            "names.value -> each.items",
            "ages.value -> each.ages",
            "each.item -> told.name",
            "each.ages_item -> told.age",
            "each.index -> told.i",
            "told.text -> all.value",
            "all.values -> out.value",
        ],
    )


def error(ran: Ran) -> str:
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    return ran.outcome.error.message


async def test_several_lists_are_gone_through_side_by_side() -> None:
    some = people(["Ada", "Grace"], [36, 85])
    assert check(some, REGISTRY) == []
    assert (await run(some)).outputs == {"out": ["0 Ada 36", "1 Grace 85"]}


async def test_what_only_a_further_list_gives_stands_in_the_map_as_well() -> None:
    nodes = {
        "names": ("value.json", {"value": ["a", "b"]}),
        "each": ("control.for_each", {"more": ["ages"]}),
        "all": "control.collect",
        "out": OUTPUT,
    }
    wires = [
        "names.value -> each.items",
        "names.value -> each.ages",
        "each.ages_item -> all.value",
        "all.values -> out.value",
    ]
    assert (await run(flow_of(nodes, wires))).outputs == {"out": ["a", "b"]}


@pytest.mark.parametrize("names", [[], ["Ada"], ["Ada", "Grace", "Mary"]])
async def test_lists_that_are_not_equally_long_fail_the_step_with_their_lengths(names: list[str]) -> None:
    ran = await run(people(names, [36, 85]))
    assert f"`items` has {len(names)}, `ages` has 2" in error(ran)
    assert ran.steps("step_failed") == ["each"]


async def test_several_empty_lists_give_an_empty_list() -> None:
    assert (await run(people([], []))).outputs == {"out": []}


async def test_elements_carry_the_labels_of_their_own_list() -> None:
    nodes = {
        "names": ("io.flow_input", {"type": "text[]"}),
        "each": ("control.for_each", {"more": ["ages"]}),
        "all": "control.collect",
        "ages": ("value.json", {"value": [1]}),
        "out": OUTPUT,
    }
    wires = [
        "names.value -> each.items",
        "ages.value -> each.ages",
        "each.ages_item -> all.value",
        "all.values -> out.value",
    ]
    ran = await run(flow_of(nodes, wires), {"names": ["Ada"]})
    assert ran.state.outputs["out"].labels == ("flow",)


async def test_going_on_from_a_held_item_holds_the_next_that_waits_behind_it() -> None:
    seen: list[str] = []

    async def drive(_: Ran, gate: DebugGate) -> None:
        for _item in range(2):
            await until(lambda: [ref.step for ref in gate.held] not in ([], seen[-1:]))
            seen.append(gate.held[0].step)
            gate.resume(StepId(seen[-1]), {"name": Value("edited", USER)} if len(seen) == 1 else None)

    ran = await run_held(people(["Ada", "Grace"], [36, 85]), drive, "told")
    assert seen == ["each.0/told", "each.1/told"]
    assert ran.outputs == {"out": ["0 edited 36", "1 Grace 85"]}
