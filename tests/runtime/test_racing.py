"""Races: the first value in time is taken, and whoever leads into the race alone is stopped."""

import time
from math import inf
from typing import Any

import pytest

from studio.runtime.limits import pace
from studio.trace.events import RaceDecided, StepFailed, StepSkipped
from tests.runtime.bench import Ran, flow_of, run

OUTPUT = "io.flow_output"
FOREVER = ("control.delay", {"seconds": 600})
BROKEN = ("text.template", {"template": "{{x.name}}"}, {"x": {}})
RACING: dict[str, Any] = {
    "word": ("text.text", {"text": "a"}),
    "slow": FOREVER,
    "after_slow": ("text.template", {"template": "{{x}}"}),
    "quick": ("text.template", {"template": "{{x}}!"}),
    "first": "control.race",
    "out": OUTPUT,
}
RACING_WIRES = [
    "word.text -> slow.value",
    "slow.value -> after_slow.x",
    "after_slow.text -> first.values[0]",
    "word.text -> quick.x",
    "quick.text -> first.values[1]",
    "first.value -> out.value",
]


def decided(ran: Ran) -> list[tuple[str, str, int]]:
    return [
        (str(entry.step), entry.event.winner, entry.event.index)
        for entry in ran.entries
        if isinstance(entry.event, RaceDecided)
    ]


def skipped(ran: Ran) -> dict[str, str]:
    return {str(e.step): e.event.reason for e in ran.entries if isinstance(e.event, StepSkipped)}


async def test_the_first_value_wins_and_is_written_down() -> None:
    ran = await run(flow_of(RACING, RACING_WIRES))
    assert ran.outputs == {"out": "a!"}
    assert decided(ran) == [("first", "quick.text", 1)]


async def test_who_leads_into_the_race_alone_is_stopped_at_once() -> None:
    began = time.monotonic()
    ran = await run(flow_of(RACING, RACING_WIRES))
    assert ran.steps("step_cancelled") == ["slow"]
    assert skipped(ran) == {"after_slow": "another value won the race"}
    assert time.monotonic() - began < 60


async def test_who_leads_elsewhere_as_well_is_not_stopped() -> None:
    nodes = {**RACING, "slow": ("control.delay", {"seconds": 0.02}), "aside": OUTPUT}
    ran = await run(flow_of(nodes, [*RACING_WIRES, "slow.value -> aside.value"]))
    assert ran.outputs == {"out": "a!", "aside": "a"}
    assert skipped(ran) == {"after_slow": "another value won the race"}


async def test_failed_and_absent_contenders_are_passed_over() -> None:
    nodes = {
        **RACING,
        "word": ("text.text", {"text": "a"}),
        "slow": ("text.text", {"text": ""}, {}, {"state": "muted"}),
        "broken": BROKEN,
        "quick": ("control.delay", {"seconds": 0.01}),
    }
    wires = [
        "slow.text -> first.values[0]",
        "broken.text -> first.values[1]",
        "word.text -> quick.value",
        "quick.value -> first.values[2]",
        "first.value -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": "a"}
    assert decided(ran) == [("first", "quick.value", 2)]


LOSING = {"one": BROKEN, "two": ("io.read_file", {}, {"path": "missing.txt"}), "first": "control.race"}
LOSING_WIRES = ["one.text -> first.values[0]", "two.text -> first.values[1]"]


async def test_a_race_that_nobody_wins_fails_with_the_error_of_the_first_wire() -> None:
    nodes = {**LOSING, "caught": "control.catch", "why": OUTPUT}
    wires = [*LOSING_WIRES, "first.value -> caught.value", "caught.error -> why.value"]
    ran = await run(flow_of(nodes, wires))
    failed = {str(e.step): e.event for e in ran.entries if isinstance(e.event, StepFailed)}
    assert failed["first"].origin == "one"
    assert ran.outputs["why"]["message"] == failed["one"].message


async def test_a_race_that_nobody_wins_ends_the_run_where_nothing_catches_it() -> None:
    ran = await run(flow_of({**LOSING, "out": OUTPUT}, [*LOSING_WIRES, "first.value -> out.value"]))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "one"
    assert ran.steps("step_failed")[-1] == "first"


async def test_a_race_without_any_value_is_skipped() -> None:
    muted = ("text.text", {"text": ""}, {}, {"state": "muted"})
    nodes = {"one": muted, "two": muted, "first": "control.race", "out": OUTPUT}
    wires = ["one.text -> first.values[0]", "two.text -> first.values[1]", "first.value -> out.value"]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {}
    assert "first" in skipped(ran)


async def test_a_value_from_outside_wins_each_round_before_anything_begins() -> None:
    nodes = {
        "word": ("text.text", {"text": "a"}),
        "rounds": ("control.loop", {"max_rounds": 2}),
        "slow": FOREVER,
        "first": "control.race",
        "out": OUTPUT,
    }
    wires = [
        "word.text -> rounds.start",
        "rounds.value -> slow.value",
        "slow.value -> first.values[0]",
        "word.text -> first.values[1]",
        "first.value -> rounds.again",
        "rounds.result -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": "a"}
    assert decided(ran) == [("rounds.1/first", "word.text", 1), ("rounds.2/first", "word.text", 1)]


async def test_a_whole_map_can_lose() -> None:
    nodes = {
        **RACING,
        "words": ("value.json", {"value": ["a", "b"]}),
        "each": "control.for_each",
        "all": "control.collect",
        "quick": ("value.json", {"value": ["c"]}),
    }
    del nodes["after_slow"]
    del nodes["word"]
    wires = [
        "words.value -> each.items",
        "each.item -> slow.value",
        "slow.value -> all.value",
        "all.values -> first.values[0]",
        "quick.value -> first.values[1]",
        "first.value -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": ["c"]}
    assert not [step for step in ran.steps("step_finished") if "slow" in step or step == "all"]


async def test_a_race_waits_for_what_it_comes_after() -> None:
    nodes = {
        **RACING,
        "slow": ("control.delay", {"seconds": 0}),
        "gate": ("control.delay", {"seconds": 0.02}),
    }
    wires = [*RACING_WIRES, "word.text -> gate.value", "gate.then -> first.after"]
    ran = await run(flow_of(nodes, wires))
    done = ran.steps("step_finished")
    assert done.index("gate") < done.index("first")
    assert ran.outputs["out"] in {"a", "a!"}


@pytest.mark.parametrize("limit", [0.01])
async def test_a_delay_counts_against_the_time_limit_of_its_step(limit: float) -> None:
    nodes = {"slow": (*FOREVER, {"value": "a"}, {"time_limit": limit}), "out": OUTPUT}
    ran = await run(flow_of(nodes, ["slow.value -> out.value"]))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.error == "TimeLimitError"


async def test_who_is_stopped_before_it_began_is_told_as_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "BREATH", inf)  # however busy the machine is, no pause lets the other begin
    nodes = {**RACING, "a_slow": FOREVER, "aside": OUTPUT}
    del nodes["slow"], nodes["after_slow"]
    wires = [
        "word.text -> a_slow.value",
        "a_slow.value -> first.values[0]",
        *RACING_WIRES[3:],
        "quick.text -> aside.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": "a!", "aside": "a!"}
    assert skipped(ran) == {"a_slow": "another value won the race"}


PARTLY: dict[str, Any] = {
    "words": ("value.json", {"value": ["a", "b", "c"]}),
    "each": ("control.for_each", {"at_once": 1}),
    "brief": ("control.delay", {"seconds": 0.001}),
    "slow": FOREVER,
    "all": "control.collect",
    "others": "control.collect",
    "first": "control.race",
    "quick": ("control.delay", {"seconds": 0.01}, {"value": ["c"]}),
    "out": OUTPUT,
    "rest": OUTPUT,
}
PARTLY_WIRES = [
    "words.value -> each.items",
    "each.item -> slow.value",
    "slow.value -> all.value",
    "all.values -> first.values[0]",
    "each.item -> brief.value",
    "brief.value -> others.value",
    "others.values -> rest.value",
    "quick.value -> first.values[1]",
    "first.value -> out.value",
]


async def test_of_a_map_that_leads_elsewhere_too_only_the_steps_that_lead_into_the_race_lose() -> None:
    ran = await run(flow_of(PARTLY, PARTLY_WIRES))
    assert ran.outputs == {"out": ["c"], "rest": ["a", "b", "c"]}
    assert ran.steps("step_cancelled") == ["each.0/slow"]
    assert {step for step in skipped(ran) if "slow" in step} == {"each.1/slow", "each.2/slow"}
    assert skipped(ran)["all"] == "another value won the race"


async def test_a_step_of_a_map_that_leads_nowhere_runs_on_when_the_others_have_lost() -> None:
    nodes = {**PARTLY, "note": ("control.delay", {"seconds": 0.001})}
    del nodes["others"], nodes["rest"], nodes["brief"]
    kept = [wire for wire in PARTLY_WIRES if "brief" not in wire and "others" not in wire]
    ran = await run(flow_of(nodes, [*kept, "each.item -> note.value"]))
    assert ran.outputs == {"out": ["c"]}
    assert [step for step in ran.steps("step_finished") if "note" in step] == [
        f"each.{n}/note" for n in range(3)
    ]


async def test_a_loser_outside_a_map_does_not_keep_the_rest_of_the_map_from_running() -> None:
    nodes = {**PARTLY, "before": ("control.delay", {"seconds": 600}), "slow": "text.join"}
    wires = [wire for wire in PARTLY_WIRES if "slow" not in wire]
    ran = await run(
        flow_of(
            nodes,
            [
                *wires,
                "words.value -> before.value",
                "before.value -> slow.parts[0]",
                "each.item -> slow.parts[1]",
                "slow.text -> all.value",
            ],
        )
    )
    assert ran.outputs == {"out": ["c"], "rest": ["a", "b", "c"]}
    assert ran.steps("step_cancelled") == ["before"]


@pytest.mark.parametrize("partly", [True, False])
async def test_a_race_in_a_loop_stops_what_stands_deeper_in_every_round(partly: bool) -> None:  # noqa: FBT001
    nodes = {
        **PARTLY,
        "rounds": ("control.loop", {"max_rounds": 2}),
        "quick": ("control.delay", {"seconds": 0.01}),
    }
    wires = [wire for wire in PARTLY_WIRES if wire.split(" ")[0] not in {"words.value", "first.value"}]
    wires += [
        "words.value -> rounds.start",
        "rounds.value -> each.items",
        "rounds.value -> quick.value",
        "first.value -> rounds.again",
        "rounds.result -> out.value",
    ]
    del nodes["rest"]
    wires = [wire.replace("rest.value", "rounds.also[0]") for wire in wires]
    if not partly:
        del nodes["others"], nodes["brief"]
        wires = [wire for wire in wires if "others" not in wire and "brief" not in wire]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs["out"] == ["a", "b", "c"]
    assert {step for step in ran.steps("step_cancelled") if "slow" in step} == {
        "rounds.1/each.0/slow",
        "rounds.2/each.0/slow",
    }
    assert decided(ran) == [("rounds.1/first", "quick.value", 1), ("rounds.2/first", "quick.value", 1)]


async def test_a_loop_loses_whole() -> None:
    nodes = {
        "word": ("text.text", {"text": "a"}),
        "rounds": ("control.loop", {"max_rounds": 3}),
        "slow": FOREVER,
        "quick": ("text.template", {"template": "{{x}}!"}),
        "first": "control.race",
        "out": OUTPUT,
    }
    wires = [
        "word.text -> rounds.start",
        "rounds.value -> slow.value",
        "slow.value -> rounds.again",
        "rounds.result -> first.values[0]",
        "word.text -> quick.x",
        "quick.text -> first.values[1]",
        "first.value -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": "a!"}
    assert not [step for step in ran.steps("step_finished") if "slow" in step or step == "rounds"]
    assert not [step for step, one in ran.state.steps.items() if not one.status.is_final]
