"""Races."""

from typing import Any

from studio.flow.records import Flow
from tests.export.equality import Row
from tests.export.tables.overlap import (
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
from tests.runtime.bench import flow_of


def racing(*wires: str, **nodes: object) -> Flow:
    """A flow that is given a text; each probe is called as its node."""
    return steps(*wires, "first.value -> out.value", first="control.race", **nodes)


CHAINS = [*LEFT_WIRES, *RIGHT_WIRES, "left_b.text -> first.values[0]", "right_b.text -> first.values[1]"]
CAUGHT = ["left_b.text -> safe.value", "safe.error -> sorry.parts[0]", "sorry.text -> first.values[0]"]
AGAIN = ["rounds.result -> first.values[0]", "right_b.text -> first.values[1]"]

IN_A_LOOP_IN_A_MAP: dict[str, Any] = {
    "list": ("value.json", {"value": ["a", "b"]}),
    "each": "control.for_each",
    "begin": "io.read_file",
    "rounds": ("control.loop", {"max_rounds": 2}),
    "read": "io.read_file",
    "lane": "io.read_file",
    "first": "control.race",
    "safe": "control.catch",
    "after": ("text.join", {}),
    "choose": (
        "control.branch",
        {"cases": [{"label": "Yes", "when": "value == 'x'"}, {"label": "No"}]},
    ),
    "seen": "io.read_file",
    "all": ("control.collect", {"failed": "keep"}),
    "out": "io.flow_output",
}
IN_A_LOOP_IN_A_MAP_WIRES = [
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
]
NOT_TOGETHER = racing(
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
PARTLY = racing(
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
LEFT_OUT = steps(
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
MUTED: dict[str, Any] = {"state": "muted"}

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

TIMED = {
    **RACES,
    "racers that do not begin together": (NOT_TOGETHER, 10),
    "a map of which a part leads elsewhere": (PARTLY, 50),
    "a failure before a step that is left out anyway": (LEFT_OUT, 60),
    "a step that reads what was there before the race is decided": (
        racing(*CHAINS, "left_a.text -> beside.one", **LEFT, **RIGHT, beside=probe(50)),
        60,
    ),
    "one that fails before the race is decided": (
        racing(*CHAINS, "left_a.text -> beside.one", **LEFT, **RIGHT, beside=probe(5, fails=100)),
        15,
    ),
    "a muted end of a lane": (racing(*CHAINS, **{**LEFT, "left_b": probe(20, MUTED)}, **RIGHT), 60),
    "a muted lane": (
        racing(*CHAINS, **{**LEFT, "left_a": probe(10, MUTED), "left_b": probe(20, MUTED)}, **RIGHT),
        60,
    ),
}
"""Each with the seconds after which all is over."""

ROWS = {
    f"lanes in a loop in a map, {failed=}": Row(
        flow_of(
            {
                **IN_A_LOOP_IN_A_MAP,
                # Both items fail: which of them ends the run is certain where they come one after the other.
                "each": ("control.for_each", {"at_once": 1 if failed == "fail" else 8}),
                "all": ("control.collect", {"failed": failed}),
            },
            IN_A_LOOP_IN_A_MAP_WIRES,
        ),
        files={"a": "b", "b": "x"},
    )
    for failed in ("keep", "drop", "fail")
}
