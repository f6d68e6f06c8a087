"""Absent values: what is skipped, what goes on without, and what an absent value means to each structure."""

from typing import Any

import pytest

from studio.trace.events import StepSkipped
from tests.runtime.bench import Ran, flow_of, run

OUTPUT = "io.flow_output"
NOTHING = ("text.text", {"text": "never"}, {}, {"state": "muted"})
TEXT = ("text.text", {"text": "a"})
LATE = ("control.delay", {"seconds": 0.01}, {"value": "late"})
MARK = ("text.template", {"template": "{{x}}!"})
BROKEN = ("text.template", {"template": "{{x.name}}"}, {"x": {}})


def why(ran: Ran) -> dict[str, str]:
    return {str(e.step): e.event.reason for e in ran.entries if isinstance(e.event, StepSkipped)}


async def test_a_required_input_that_is_absent_skips_the_step_and_all_that_needs_it() -> None:
    nodes = {"nothing": NOTHING, "mark": MARK, "again": MARK, "out": OUTPUT}
    wires = ["nothing.text -> mark.x", "mark.text -> again.x", "again.text -> out.value"]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {}
    assert why(ran) == {
        "nothing": "muted",
        "mark": "`x` is absent",
        "again": "`x` is absent",
        "out": "`value` is absent",
    }


async def test_an_optional_input_that_is_absent_takes_its_default() -> None:
    nodes = {"nothing": NOTHING, "fields": ("value.set_fields", {"places": ["a"]}, {"a": 1}), "out": OUTPUT}
    ran = await run(flow_of(nodes, ["nothing.text -> fields.into", "fields.object -> out.value"]))
    assert ran.outputs == {"out": {"a": 1}}


async def test_a_list_input_leaves_absent_elements_out() -> None:
    nodes = {"a": TEXT, "nothing": NOTHING, "b": LATE, "all": "text.join", "out": OUTPUT}
    wires = [
        "a.text -> all.parts[0]",
        "nothing.text -> all.parts[1]",
        "b.value -> all.parts[2]",
        "all.text -> out.value",
    ]
    assert (await run(flow_of(nodes, wires))).outputs == {"out": "a\nlate"}


async def test_a_list_input_is_absent_when_all_its_elements_are() -> None:
    nodes = {"one": NOTHING, "two": NOTHING, "all": "text.join", "out": OUTPUT}
    wires = ["one.text -> all.parts[0]", "two.text -> all.parts[1]", "all.text -> out.value"]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {}
    assert why(ran)["all"] == "`parts` is absent"


@pytest.mark.parametrize(("gives", "expected"), [("first", "late"), ("all", ["late", "a"])])
async def test_a_merge_waits_for_all_and_gives_what_is_present_in_wire_order(
    gives: str, expected: Any
) -> None:
    nodes = {
        "nothing": NOTHING,
        "b": LATE,
        "a": TEXT,
        "either": ("control.merge", {"gives": gives}),
        "out": OUTPUT,
    }
    wires = [
        "nothing.text -> either.values[0]",
        "b.value -> either.values[1]",
        "a.text -> either.values[2]",
        "either.value -> out.value",
    ]
    assert (await run(flow_of(nodes, wires))).outputs == {"out": expected}


async def test_a_merge_of_nothing_is_skipped() -> None:
    nodes = {"one": NOTHING, "two": NOTHING, "either": "control.merge", "out": OUTPUT}
    wires = ["one.text -> either.values[0]", "two.text -> either.values[1]", "either.value -> out.value"]
    assert set(why(await run(flow_of(nodes, wires)))) == {"one", "two", "either", "out"}


async def test_a_step_after_one_that_did_not_happen_does_not_happen() -> None:
    nodes = {"nothing": NOTHING, "mark": MARK, "a": TEXT, "out": OUTPUT}
    wires = ["a.text -> mark.x", "nothing.then -> mark.after", "mark.text -> out.value"]
    assert why(await run(flow_of(nodes, wires)))["mark"] == "what it comes after did not happen"


async def test_an_absent_input_skips_a_step_even_where_another_one_failed() -> None:
    nodes = {
        "broken": BROKEN,
        "nothing": NOTHING,
        "both": ("text.template", {"template": "{{a}}{{b}}"}),
        "caught": "control.catch",
        "why": OUTPUT,
    }
    wires = [
        "broken.text -> both.a",
        "nothing.text -> both.b",
        "both.text -> caught.value",
        "caught.error -> why.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert why(ran) == {
        "nothing": "muted",
        "both": "`b` is absent",
        "caught": "`value` is absent",
        "why": "`value` is absent",
    }


def looping(body: Any, **loop: Any) -> dict[str, Any]:
    return {"word": TEXT, "rounds": ("control.loop", {"max_rounds": 3, **loop}), "body": body, "out": OUTPUT}


UNTIL_LONG = ("control.branch", {"cases": [{"label": "Short", "when": "len(value) < 3"}, {"label": "Long"}]})


async def test_a_loop_whose_body_gives_nothing_back_ends_with_what_the_round_began_with() -> None:
    nodes = {**looping(MARK), "short": UNTIL_LONG}
    wires = [
        "word.text -> rounds.start",
        "rounds.value -> body.x",
        "body.text -> short.value",
        "short.short -> rounds.again",
        "rounds.result -> out.value",
    ]
    assert (await run(flow_of(nodes, wires))).outputs == {"out": "a!"}


async def test_what_leaves_a_loop_is_what_its_last_round_gave_even_where_that_is_nothing() -> None:
    nodes = {**looping(MARK), "short": UNTIL_LONG, "last": OUTPUT}
    wires = [
        "word.text -> rounds.start",
        "rounds.value -> body.x",
        "body.text -> short.value",
        "short.short -> rounds.again",
        "short.long -> rounds.done",
        "rounds.result -> out.value",
        "short.short -> last.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": "a!!"}
    assert why(ran)["last"] == "`value` is absent"


MAP = {
    "words": ("value.json", {"value": ["a", "bbb", "c"]}),
    "each": "control.for_each",
    "short": UNTIL_LONG,
    "out": OUTPUT,
    "kept": OUTPUT,
}
MAP_WIRES = [
    "words.value -> each.items",
    "each.item -> short.value",
    "short.short -> all.value",
    "all.values -> out.value",
    "all.kept -> kept.value",
]


@pytest.mark.parametrize(
    ("policy", "values", "kept"), [("drop", ["a", "c"], [0, 2]), ("null", ["a", None, "c"], [0, 1, 2])]
)
async def test_items_that_give_nothing_are_left_out_or_are_null(policy: str, values: Any, kept: Any) -> None:
    nodes = {**MAP, "all": ("control.collect", {"absent": policy})}
    assert (await run(flow_of(nodes, MAP_WIRES))).outputs == {"out": values, "kept": kept}


async def test_an_item_that_gives_nothing_can_fail_the_collect() -> None:
    ran = await run(flow_of({**MAP, "all": ("control.collect", {"absent": "fail"})}, MAP_WIRES))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert (ran.outcome.error.step, "Item 1 has no value" in ran.outcome.error.message) == ("all", True)


async def test_a_map_without_one_of_its_lists_is_skipped_with_its_collects() -> None:
    nodes = {
        **MAP,
        "each": ("control.for_each", {"more": ["ages"]}),
        "all": "control.collect",
        "nothing": NOTHING,
    }
    ran = await run(flow_of(nodes, [*MAP_WIRES, "nothing.text -> each.ages"]))
    assert ran.outputs == {}
    assert {"each", "all", "out", "kept"} <= set(why(ran))
    assert not [step for step in ran.state.steps if "/" in step]
