"""Races of lanes run in scripts as they do in the engine; what no script can run is refused by name."""

import pytest

from studio.app.exporting import export_flow
from studio.errors import ExportError
from studio.flow.records import Flow
from tests.export.moments import assert_overlapping, moments_of_run, moments_of_script
from tests.export.random_flows import script_of
from tests.export.test_overlap import (
    ITEMS,
    LEFT,
    LEFT_WIRES,
    RIGHT,
    RIGHT_WIRES,
    ROUNDS,
    ROUNDS_WIRES,
    apart,
    probe,
    steps,
)
from tests.reference.generator import Case
from tests.runtime.bench import REGISTRY, flow_of


def test_a_race_of_lanes_in_a_loop_in_a_map_is_refused() -> None:
    """What its rounds hand on depends on its failure, which depends on when the loop takes place."""
    read = "io.read_file"
    flow = flow_of(
        {
            "list": ("value.json", {"value": ["a", "b"]}),
            "each": "control.for_each",
            "begin": read,
            "rounds": ("control.loop", {"max_rounds": 2}),
            "read": read,
            "lane": read,
            "first": "control.race",
            "safe": "control.catch",
            "after": ("text.join", {}),
            "choose": (
                "control.branch",
                {"cases": [{"label": "Yes", "when": "value == 'x'"}, {"label": "No"}]},
            ),
            "seen": read,
            "all": ("control.collect", {"failed": "keep"}),
            "out": "io.flow_output",
        },
        [
            "list.value -> each.items",
            "each.item -> begin.path",
            "begin.text -> rounds.start",
            "rounds.value -> read.path",
            "read.text -> lane.path",
            "read.text -> first.values[0]",
            "lane.text -> first.values[1]",
            "rounds.round -> first.after",
            "first.value -> safe.value",
            "safe.value -> after.parts[0]",
            "safe.error -> after.parts[1]",
            "after.text -> choose.value",
            "choose.yes -> rounds.done",
            "choose.no -> rounds.again",
            "rounds.result -> seen.path",
            "seen.text -> all.value",
            "all.values -> out.value",
        ],
    )
    with pytest.raises(ExportError, match="“first” cannot be exported: “read” leads elsewhere too") as told:
        export_flow(flow, registry=REGISTRY)
    assert told.value.node == "first"


def racing(*wires: str, **nodes: object) -> Flow:
    """A flow that is given a text; each probe is called as its node."""
    return steps(*wires, "first.value -> out.value", first="control.race", **nodes)


CHAINS = [*LEFT_WIRES, *RIGHT_WIRES, "left_b.text -> first.values[0]", "right_b.text -> first.values[1]"]
CAUGHT = ["left_b.text -> safe.value", "safe.error -> sorry.parts[0]", "sorry.text -> first.values[0]"]
AGAIN = ["rounds.result -> first.values[0]", "right_b.text -> first.values[1]"]

RACES: dict[str, tuple[Flow, float]] = {
    "two chains": (racing(*CHAINS, **LEFT, **RIGHT), 30),
    "two chains, of which the faster fails": (
        racing(*CHAINS, **{**LEFT, "left_b": probe(20, fails=100)}, **RIGHT),
        60,
    ),
    "two chains that both fail": (
        racing(
            *CHAINS, **{**LEFT, "left_b": probe(20, fails=100)}, **{**RIGHT, "right_a": probe(5, fails=100)}
        ),
        30,
    ),
    "two chains, of which the faster gives nothing": (
        racing(*CHAINS, **{**LEFT, "left_b": probe(20, gives_nothing=100)}, **RIGHT),
        60,
    ),
    "a loop and a chain": (racing(*ROUNDS_WIRES, *RIGHT_WIRES, *AGAIN, **ROUNDS, **RIGHT), 30),
    "a lane that mends its failure": (
        racing(
            *LEFT_WIRES,
            *RIGHT_WIRES,
            *CAUGHT,
            "right_b.text -> first.values[1]",
            safe="control.catch",
            sorry=("test.probe", {"seconds": 1}, {"one": "typed"}),
            **{**LEFT, "left_b": probe(20, fails=100)},
            **RIGHT,
        ),
        31,
    ),
    "chains after a step, of which one is given a constant": (
        racing(
            "word.value -> begin.one",
            *apart("left", 10, start="begin.text")[1],
            *apart("right", 20, start="begin.text")[1],
            *CHAINS[-2:],
            "hint.value -> left_a.two",
            begin=probe(5),
            hint=("value.json", {"value": "hint"}),
            **LEFT,
            **RIGHT,
        ),
        35,
    ),
    "chains after a step that fails": (
        racing(
            "word.value -> begin.one",
            *apart("left", 10, start="begin.text")[1],
            *apart("right", 20, start="begin.text")[1],
            *CHAINS[-2:],
            begin=probe(5, fails=100),
            **LEFT,
            **RIGHT,
        ),
        5,
    ),
}


@pytest.mark.parametrize("name", RACES)
def test_lanes_race_in_a_script_as_in_the_engine(name: str) -> None:
    flow, seconds = RACES[name]
    ran, ended = assert_overlapping(Case(flow, {"word": "a"}), seconds)
    assert ran.outcome is not None
    if ran.outcome.error is not None:
        assert ran.outcome.error.message.partition("failed: ")[2] in ended.error


def test_a_race_whose_racers_do_not_begin_together_is_refused() -> None:
    flow = racing(
        "word.value -> slow.one",
        "slow.text -> left.one",
        "slow.text -> also.value",
        "word.value -> right.one",
        "left.text -> first.values[0]",
        "right.text -> first.values[1]",
        slow=probe(10),
        left=probe(10),
        right=probe(10),
        also="io.flow_output",
    )
    with pytest.raises(
        ExportError, match="“first” cannot be exported: not all of its racers begin at the same"
    ):
        script_of(Case(flow, {"word": "a"}))


def test_a_race_with_a_failure_that_it_does_not_take_in_is_refused() -> None:
    """The failure of a step before a muted one ends the run, and not a lane of the race."""
    muted = {"state": "muted"}
    late = racing(*CHAINS, **{**LEFT, "left_b": probe(20, muted)}, **RIGHT)
    whole = racing(*CHAINS, **{**LEFT, "left_a": probe(10, muted), "left_b": probe(20, muted)}, **RIGHT)
    with pytest.raises(ExportError, match="“left_a” leads into it by way of a muted step"):
        script_of(Case(late, {"word": "a"}))
    assert "first_value" in script_of(Case(whole, {"word": "a"}))


def test_a_race_with_a_map_of_which_a_part_leads_elsewhere_is_refused() -> None:
    """What leads nowhere goes on in the engine when the race is over."""
    flow = racing(
        "list.value -> each.items",
        "each.item -> item.one",
        "each.item -> noted.one",
        "item.text -> all.value",
        "all.values -> left.one",
        "word.value -> right.one",
        "left.text -> first.values[0]",
        "right.text -> first.values[1]",
        item=probe(10),
        noted=probe(50),
        left=probe(10),
        right=probe(10),
        **ITEMS,
    )
    with pytest.raises(ExportError, match="not all that stands in “each” leads into it"):
        script_of(Case(flow, {"word": "a"}))


def test_a_failure_before_a_step_that_is_left_out_anyway_is_none_of_the_race() -> None:
    flow = steps(
        "word.value -> nobody.one",
        *(f"nobody.text -> {socket}" for socket in ("left_b.one", "left_a.two", "right_a.two")),
        "word.value -> left_a.one",
        "left_a.text -> left_b.after",
        *RIGHT_WIRES,
        *CHAINS[-2:],
        "first.value -> safe.value",
        "safe.error -> last.parts[0]",
        "last.text -> out.value",
        nobody=probe(1, {"state": "muted"}),
        left_a=probe(10, fails=100),
        left_b=probe(20),
        **{**RIGHT, "right_b": probe(40, gives_nothing=100)},
        first="control.race",
        safe="control.catch",
        last=("test.probe", {"name": "last"}, {"one": "typed"}),
    )
    case = Case(flow, {"word": "a"})
    ran, _ = moments_of_run(case)
    ended, _ = moments_of_script(case)
    assert ended.ended.outputs == dict(ran.outputs)
