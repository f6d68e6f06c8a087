"""A value stands in its frame until nobody can read it any more, and no longer."""

import gc
from collections.abc import Mapping, Sequence
from typing import Any

from studio.runtime.gates.debug_gate import OpenGate, StepRef
from studio.runtime.state.frame import Frame
from studio.runtime.values import Resolved
from tests.runtime.bench import Ran, flow_of, run


class Looking(OpenGate):
    """A gate at which nothing is held, and which notes the nodes whose values stand in the frames then."""

    is_open = False

    def __init__(self) -> None:
        self.seen: dict[str, dict[str, set[str]]] = {}
        """By step, by scope."""

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        frames = (one for one in gc.get_objects() if isinstance(one, Frame))
        self.seen[ref.step] = {one.scope: {str(node) for node in one.values} for one in frames}
        return inputs


async def watched(
    nodes: Mapping[str, Any], wires: Sequence[str]
) -> tuple[Ran, dict[str, dict[str, set[str]]]]:
    gate = Looking()
    gc.collect()
    gc.freeze()  # what stood before the run is not looked through at each of its steps
    return await run(flow_of(nodes, wires), make_gate=lambda _: gate), gate.seen


def text(template: str) -> tuple[str, dict[str, Any]]:
    return ("text.template", {"template": template})


GIVEN = ("text.text", {"text": "x"})


async def test_a_chain_keeps_what_its_next_step_reads() -> None:
    _, seen = await watched(
        {"a": GIVEN, "b": text("{{a}}"), "c": text("{{b}}"), "d": text("{{c}}")},
        ["a.text -> b.a", "b.text -> c.b", "c.text -> d.c"],
    )
    assert [seen[step][""] for step in "abcd"] == [set(), {"a"}, {"b"}, {"c"}]


async def test_what_several_read_stays_until_the_last_of_them_is_over() -> None:
    ran, seen = await watched(
        {
            "a": GIVEN,
            "b": text("{{a}}"),
            "c": text("{{b}}"),
            "d": text("{{a}}{{c}}"),
            "e": text("{{d}}"),
            "out": "io.flow_output",
        },
        [
            "a.text -> b.a",
            "b.text -> c.b",
            "a.text -> d.a",
            "c.text -> d.c",
            "d.text -> e.d",
            "e.text -> out.value",
        ],
    )
    assert "a" in seen["c"][""]
    assert seen["e"][""] == {"d"}
    assert ran.outputs == {"out": "xx"}


async def test_what_nobody_reads_is_let_go_of_at_once() -> None:
    _, seen = await watched(
        {"a": GIVEN, "b": text("{{a}}"), "c": ("text.text", {"text": "y"}), "d": text("{{c}}")},
        ["a.text -> b.a", "b.then -> c.after", "c.text -> d.c"],
    )
    assert seen["d"][""] == {"c"}


async def test_what_the_body_of_a_loop_reads_stays_for_all_its_rounds() -> None:
    ran, seen = await watched(
        {
            "a": GIVEN,
            "rounds": ("control.loop", {"max_rounds": 3}),
            "b": text("{{value}}{{a}}"),
            "out": "io.flow_output",
        },
        [
            "a.text -> rounds.start",
            "a.text -> b.a",
            "rounds.value -> b.value",
            "b.text -> rounds.again",
            "rounds.result -> out.value",
        ],
    )
    assert "a" in seen["rounds.3/b"][""]
    assert "a" not in seen["out"][""]
    assert ran.outputs == {"out": "xxxx"}


async def test_what_is_read_after_a_loop_leaves_its_last_round_and_nothing_else() -> None:
    ran, seen = await watched(
        {
            "a": GIVEN,
            "rounds": ("control.loop", {"max_rounds": 2}),
            "b": text("{{value}}b"),
            "c": text("{{b}}c"),
            "d": text("{{c}}d"),
            "later": text("{{b}}{{round}}"),
            "out": "io.flow_output",
        },
        [
            "a.text -> rounds.start",
            "rounds.value -> b.value",
            "b.text -> c.b",
            "c.text -> d.c",
            "d.text -> rounds.again",
            "b.text -> later.b",
            "rounds.round -> later.round",
            "later.text -> out.value",
        ],
    )
    assert ran.outputs == {"out": "xbcdb2"}
    assert seen["later"][""] == {"rounds", "b"}
    assert seen["rounds.2/d"]["rounds.2"] == {"rounds", "b", "c"}


async def test_a_collect_reads_what_its_items_gave_and_no_more_of_them_stands() -> None:
    ran, seen = await watched(
        {
            "list": ("value.json", {"value": [1, 2, 3]}),
            "each": "control.for_each",
            "b": text("{{item}}"),
            "c": text("{{b}}c"),
            "all": "control.collect",
            "out": "io.flow_output",
        },
        [
            "list.value -> each.items",
            "each.item -> b.item",
            "b.text -> c.b",
            "c.text -> all.value",
            "all.values -> out.value",
        ],
    )
    assert ran.outputs == {"out": ["1c", "2c", "3c"]}
    assert [seen["all"][f"each.{index}"] for index in range(3)] == [{"c"}] * 3


async def test_a_race_sees_all_that_may_come_to_it() -> None:
    ran, _ = await watched(
        {
            "a": GIVEN,
            "b": text("{{a}}1"),
            "c": text("{{b}}2"),
            "first": "control.race",
            "late": text("{{b}}{{first}}"),
            "out": "io.flow_output",
        },
        [
            "a.text -> b.a",
            "b.text -> c.b",
            "b.text -> first.values[0]",
            "c.text -> first.values[1]",
            "first.value -> late.first",
            "b.text -> late.b",
            "late.text -> out.value",
        ],
    )
    assert ran.outputs == {"out": "x1x1"}
