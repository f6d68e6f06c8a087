"""Steps that take place at the same time."""

from collections.abc import Mapping
from typing import Any

from studio.flow.records import Flow
from tests.runtime.bench import flow_of

START, END = "io.flow_input", "io.flow_output"


def probe(seconds: float, run: dict[str, Any] | None = None, **settings: Any) -> tuple[Any, ...]:
    """A step that takes that long."""
    return ("test.probe", {"seconds": seconds, **settings}, {}, run or {})


def steps(*wires: str, **nodes: Any) -> Flow:
    """A flow that is given a text; each probe is called as its node."""
    for name, node in nodes.items():
        if isinstance(node, tuple) and node[0] == "test.probe":
            nodes[name] = (*node[:1], {**node[1], "name": name}, *node[2:])
    return flow_of({"word": (START, {"type": "text"}), **nodes, "out": END}, list(wires))


def apart(name: str, seconds: float, *, start: str = "word.value") -> tuple[dict[str, Any], list[str]]:
    """A chain of two steps, of which the second takes twice as long."""
    nodes = {f"{name}_a": probe(seconds), f"{name}_b": probe(2 * seconds)}
    return nodes, [f"{start} -> {name}_a.one", f"{name}_a.text -> {name}_b.one"]


LEFT, LEFT_WIRES = apart("left", 10)
RIGHT, RIGHT_WIRES = apart("right", 20)
BOTH_ENDS = ["left_b.text -> last.parts[0]", "right_b.text -> last.parts[1]", "last.text -> out.value"]
LAST = {"last": ("test.probe", {"seconds": 5}, {"one": "typed"})}
ROUNDS = {"rounds": ("control.loop", {"max_rounds": 3}), "work": probe(10)}
ROUNDS_WIRES = ["word.value -> rounds.start", "rounds.value -> work.one", "work.text -> rounds.again"]
ITEMS = {
    "list": ("value.json", {"value": ["a", "b"]}),
    "each": "control.for_each",
    "all": "control.collect",
}
CASES = {"cases": [{"label": "Yes", "when": "value != ''"}, {"label": "No"}]}

FLOWS: dict[str, tuple[Flow, float]] = {
    "two chains": (steps(*LEFT_WIRES, *RIGHT_WIRES, *BOTH_ENDS, **LEFT, **RIGHT, **LAST), 65),
    "a loop beside a chain": (
        steps(
            *ROUNDS_WIRES,
            *RIGHT_WIRES,
            "rounds.result -> last.parts[0]",
            "right_b.text -> last.parts[1]",
            "last.text -> out.value",
            **ROUNDS,
            **RIGHT,
            **LAST,
        ),
        65,
    ),
    "a map beside a call": (
        steps(
            "list.value -> each.items",
            "each.item -> item.one",
            "item.text -> all.value",
            "word.value -> left.one",
            "all.values -> last.parts[0]",
            "left.text -> last.parts[1]",
            "last.text -> out.value",
            item=probe(30),
            left=probe(40),
            **ITEMS,
            **LAST,
        ),
        45,
    ),
    "chains in an item": (
        steps(
            "list.value -> each.items",
            *apart("left", 10, start="each.item")[1],
            *apart("right", 20, start="each.item")[1],
            "left_b.text -> joined.one",
            "right_b.text -> joined.two",
            "joined.text -> all.value",
            "all.values -> out.value",
            joined=probe(1),
            **ITEMS,
            **LEFT,
            **RIGHT,
        ),
        61,
    ),
    "chains in a round": (
        steps(
            "word.value -> rounds.start",
            *apart("left", 10, start="rounds.value")[1],
            *apart("right", 20, start="rounds.value")[1],
            "left_b.text -> joined.one",
            "right_b.text -> joined.two",
            "joined.text -> rounds.again",
            "rounds.result -> out.value",
            rounds=("control.loop", {"max_rounds": 2}),
            joined=probe(1),
            **LEFT,
            **RIGHT,
        ),
        122,
    ),
    "a way of a branch beside a chain": (
        steps(
            "word.value -> ask.one",
            "ask.text -> fork.value",
            "fork.yes -> yes.one",
            "fork.no -> no.one",
            "yes.text -> either.values[0]",
            "no.text -> either.values[1]",
            *RIGHT_WIRES,
            "either.value -> last.parts[0]",
            "right_b.text -> last.parts[1]",
            "last.text -> out.value",
            ask=probe(10),
            fork=("control.branch", CASES),
            yes=probe(20),
            no=probe(30),
            either="control.merge",
            **RIGHT,
            **LAST,
        ),
        65,
    ),
    "what needs one, and what needs two": (
        steps(
            "word.value -> first.one",
            "word.value -> second.one",
            "first.text -> third.one",
            "first.text -> fourth.one",
            "second.text -> fourth.two",
            "third.text -> last.parts[0]",
            "fourth.text -> last.parts[1]",
            "last.text -> out.value",
            first=probe(10),
            second=probe(30),
            third=probe(40),
            fourth=probe(5),
            **LAST,
        ),
        55,
    ),
    "a catch beside a chain": (
        steps(
            *LEFT_WIRES,
            *RIGHT_WIRES,
            "left_b.text -> safe.value",
            "safe.error -> last.parts[0]",
            "right_b.text -> last.parts[1]",
            "last.text -> out.value",
            safe="control.catch",
            **{**LEFT, "left_b": probe(20, fails=100)},
            **RIGHT,
            **LAST,
        ),
        65,
    ),
    "a caught chain whose second step waits for another": (
        steps(
            *LEFT_WIRES,
            "word.value -> slow.one",
            "slow.text -> left_b.two",
            "slow.text -> last.parts[2]",
            "left_b.text -> safe.value",
            "safe.error -> last.parts[0]",
            "safe.value -> last.parts[1]",
            "last.text -> out.value",
            safe="control.catch",
            slow=probe(30),
            **LEFT,
            **LAST,
        ),
        55,
    ),
    "two steps whose failures are values": (
        steps(
            "word.value -> left.one",
            "word.value -> right.one",
            "left.error -> last.parts[0]",
            "right.error -> last.parts[1]",
            "last.text -> out.value",
            left=probe(10, {"on_error": "output"}, fails=100),
            right=probe(20, {"on_error": "output", "time_limit": 15}),
            **LAST,
        ),
        20,
    ),
    "a round that is done while another step works": (
        steps(
            "word.value -> rounds.start",
            "rounds.value -> fork.value",
            "rounds.value -> seen.one",
            "fork.no -> rounds.done",
            "fork.yes -> work.one",
            "work.text -> rounds.again",
            "seen.text -> rounds.also[0]",
            "rounds.result -> out.value",
            rounds=("control.loop", {"max_rounds": 2}),
            fork=("control.branch", CASES),
            work=probe(20),
            seen=probe(30),
        ),
        60,
    ),
    "one that fails beside a long one": (
        steps(
            *LEFT_WIRES,
            *RIGHT_WIRES,
            *BOTH_ENDS,
            **{**LEFT, "left_a": probe(10, fails=100)},
            **RIGHT,
            **LAST,
        ),
        10,
    ),
    "one that fails in an item leaves what is beside it there alone": (
        steps(
            "list.value -> each.items",
            *apart("left", 10, start="each.item")[1],
            *apart("right", 20, start="each.item")[1],
            "left_b.text -> joined.one",
            "right_b.text -> joined.two",
            "joined.text -> all.value",
            "all.values -> out.value",
            joined=probe(1),
            **{**ITEMS, "all": ("control.collect", {"failed": "drop"})},
            **{**LEFT, "left_a": probe(10, fails=100)},
            **RIGHT,
        ),
        60,
    ),
    "ways that are joined in lanes that wait for one another": (
        steps(
            "word.value -> side.one",
            "word.value -> ask.one",
            "ask.text -> fork.value",
            "fork.yes -> yes.one",
            "side.text -> yes.two",
            "fork.no -> no.one",
            "no.text -> noted.one",
            "no.text -> either.values[0]",
            "yes.text -> either.values[1]",
            "either.value -> after.one",
            "after.text -> last.parts[0]",
            "noted.text -> last.parts[1]",
            "last.text -> out.value",
            side=probe(30),
            ask=probe(10),
            fork=("control.branch", CASES),
            yes=probe(20),
            no=probe(30),
            noted=probe(5),
            either="control.merge",
            after=probe(5),
            **LAST,
        ),
        60,
    ),
    "more calls than a gather tells apart": (
        steps(
            *(f"word.value -> step_{place}.one" for place in range(8)),
            *(f"step_{place}.text -> last.parts[{place}]" for place in range(8)),
            "last.text -> out.value",
            **{f"step_{place}": probe(10 + place) for place in range(8)},
            **LAST,
        ),
        22,
    ),
}


def waiting(*wires: str, **nodes: Any) -> tuple[dict[str, Any], list[str]]:
    """A flow of delays, whose texts come together in `last`."""
    made = {name: node or ("control.delay", {"seconds": 0}) for name, node in nodes.items()}
    template = ("text.template", {"template": "{{a}} {{b}}"})
    return {"word": (START, {"type": "text"}), **made, "last": template, "out": END}, list(wires)


def flows_with_lanes() -> Mapping[str, tuple[dict[str, Any], list[str]]]:
    """Those of nodes that everybody has, so that type checkers can look at their scripts."""
    pairs = ["a.value -> b.value", "c.value -> d.value", "b.value -> last.a", "d.value -> last.b"]
    delays: dict[str, Any] = dict.fromkeys("abcd")
    loop = {"rounds": ("control.loop", {"max_rounds": 2})}
    return {
        "lanes": waiting(
            *pairs, "word.value -> a.value", "word.value -> c.value", "last.text -> out.value", **delays
        ),
        "threads": waiting(
            *pairs,
            "word.value -> a.value",
            "word.value -> c.value",
            "a.then -> d.after",
            "last.text -> out.value",
            **delays,
        ),
        "rounds": waiting(
            *pairs,
            "word.value -> rounds.start",
            "rounds.value -> a.value",
            "rounds.value -> c.value",
            "last.text -> rounds.again",
            "rounds.result -> out.value",
            **loop,
            **delays,
        ),
        "race": waiting(
            *pairs[:2],
            "word.value -> a.value",
            "word.value -> c.value",
            "b.value -> first.values[0]",
            "d.value -> first.values[1]",
            "first.value -> last.a",
            "word.value -> last.b",
            "last.text -> out.value",
            first="control.race",
            **delays,
        ),
    }


def with_history() -> Flow:
    """A loop that keeps its rounds, in a lane that others wait for."""
    return steps(
        *ROUNDS_WIRES,
        "rounds.history -> seen.one",
        "word.value -> left.one",
        "left.text -> right.one",
        "left.text -> seen.two",
        "rounds.result -> right.two",
        "right.text -> last.parts[0]",
        "seen.text -> last.parts[1]",
        "last.text -> out.value",
        left=probe(15),
        right=probe(5),
        seen=probe(7),
        **ROUNDS,
        **LAST,
    )


def beside_what_is_left_out(fails: int) -> Flow:
    """A step that may do without one before it, and a catch behind it."""
    return steps(
        "word.value -> fork.value",
        "fork.yes -> more.value",
        "fork.no -> maybe.one",
        "maybe.text -> always.parts[0]",
        "always.text -> safe.value",
        "safe.value -> last.parts[0]",
        "safe.error -> last.parts[1]",
        "last.text -> out.value",
        fork=("control.branch", CASES),
        more=END,
        maybe=probe(1),
        always=("test.probe", {"seconds": 5, "name": "always", "fails": fails}, {"one": "typed"}),
        safe="control.catch",
        last=("test.probe", {"name": "last"}, {"one": "typed"}),
    )


def after_what_fails(fails: int) -> Flow:
    """Items with a policy of their own, which come after a step outside that fails or does not."""
    return steps(
        "word.value -> before.one",
        "before.text -> quiet.after",
        "list.value -> each.items",
        "each.item -> quiet.one",
        "quiet.error -> sorry.one",
        "quiet.text -> way.values[0]",
        "sorry.text -> way.values[1]",
        "way.value -> item.one",
        "item.text -> all.value",
        "all.values -> safe.value",
        "safe.value -> last.parts[0]",
        "safe.error -> last.parts[1]",
        "last.text -> out.value",
        before=probe(2, fails=fails),
        quiet=probe(1, {"on_error": "output"}, fails=50),
        sorry=probe(1),
        way="control.merge",
        item=probe(1),
        safe="control.catch",
        last=("test.probe", {"name": "last"}, {"one": "typed"}),
        **ITEMS,
    )


TIMED: dict[str, tuple[Flow, float]] = {
    **FLOWS,
    "a loop that keeps its rounds beside a step": (with_history(), 42),
    **{
        f"a step that may do without one before it, {fails=}": (beside_what_is_left_out(fails), 5)
        for fails in (0, 100)
    },
    **{
        f"an item after a step that fails outside, {fails=}": (after_what_fails(fails), 2 if fails else 5)
        for fails in (0, 100)
    },
}
"""Each with the seconds after which all is over."""
