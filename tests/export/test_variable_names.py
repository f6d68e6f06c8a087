"""Nodes may be called as variables that stand beside others, and as functions that their flow uses."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from tests.export.equality import Row, both, script_of
from tests.export.moments import watched
from tests.export.tables.overlap import CASES, END, ITEMS, LEFT, LEFT_WIRES, RIGHT, RIGHT_WIRES, probe, steps
from tests.export.tables.structures import ROWS as TABLE
from tests.reference.generator import Case
from tests.runtime.bench import flow_of

OUTPUT = {"on_error": "output"}
ROUNDS = ["word.value -> rounds.start", "rounds.result -> out.value"]

FLOWS: dict[str, Flow] = {
    "what goes round in a loop": steps(
        *ROUNDS,
        "rounds.value -> rounds_value.one",
        "rounds_value.text -> rounds_next.one",
        "rounds.value -> rounds_next.two",
        "rounds_next.text -> rounds.again",
        "rounds.value -> rounds_round.one",
        "rounds_round.text -> more.value",
        rounds=("control.loop", {"max_rounds": 2}),
        rounds_value=probe(1),
        rounds_next=probe(1),
        rounds_round=probe(1),
        more=END,
    ),
    "an item, and the function of one": steps(
        "list.value -> each.items",
        "each.item -> each_item.one",
        "each_item.text -> each_one.one",
        "each.item -> each_one.two",
        "each_one.text -> all.value",
        "all.values -> all_kept.one",
        "all.kept -> all_kept.two",
        "all_kept.text -> out.value",
        each_item=probe(1),
        each_one=probe(1),
        all_kept=probe(1),
        **ITEMS,
    ),
    "an item of a map that is called by a number": steps(
        "list.value -> each_2.items",
        "each_2.item -> marked.one",
        "marked.text -> all.value",
        "all.values -> out.value",
        marked=probe(1),
        **{"each_2" if name == "each" else name: node for name, node in ITEMS.items()},
    ),
    "the function of a branch": steps(
        "word.value -> fork.value",
        "fork.yes -> choose_fork.one",
        "choose_fork.text -> out.value",
        fork=("control.branch", CASES),
        choose_fork=probe(1),
    ),
    "the function by which a loop ends": steps(
        *ROUNDS,
        "rounds.value -> stop_rounds.one",
        "stop_rounds.text -> rounds.again",
        rounds=("control.loop", {"max_rounds": 5, "stop_when": "round >= 2"}),
        stop_rounds=probe(1),
    ),
    "a lane, and what lanes are begun with": steps(
        *LEFT_WIRES,
        *RIGHT_WIRES,
        "left_b.text -> left_b_lane.one",
        "right_b.text -> left_b_lane.two",
        "left_b_lane.text -> cast.one",
        "left_b.text -> cast.two",
        "cast.text -> out.value",
        left_b_lane=probe(1),
        cast=probe(1, OUTPUT),
        **LEFT,
        **RIGHT,
    ),
    "what keeps an error": steps(
        "word.value -> suppress.one",
        "word.value -> suppress_error.one",
        "suppress.error -> suppress_error.two",
        "suppress_error.text -> safe.value",
        "safe.error -> safe_error.one",
        "safe.value -> safe_error.two",
        "word.value -> quiet.one",
        "quiet.then -> suppress_error.after",
        "suppress_error.text -> out.value",
        suppress=probe(1, OUTPUT, fails=100),
        suppress_error=probe(1),
        quiet=probe(1, OUTPUT, fails=100),
        safe="control.catch",
        safe_error=probe(1),
    ),
    "a list that is put together": steps(
        "word.value -> fork.value",
        "fork.yes -> join_parts.one",
        "fork.no -> no.one",
        "join_parts.text -> join.parts[0]",
        "no.text -> join.parts[1]",
        "join_parts.text -> join.one",
        "join.text -> out.value",
        fork=("control.branch", CASES),
        join_parts=probe(1),
        no=probe(1),
        join=probe(1),
    ),
}


@pytest.mark.parametrize("name", FLOWS)
def test_a_node_that_is_called_as_something_else_of_the_script_is_told_apart(name: str) -> None:
    assert watched(Case(FLOWS[name], {"word": "a"})).differences() == []


def titled(**titles: str) -> Flow:
    """A map whose nodes are called like that."""
    flow = TABLE["a map"].flow
    named = {
        node: record.model_copy(update={"title": titles.get(node, "")}) for node, record in flow.nodes.items()
    }
    return replace(flow, nodes=named)


def test_a_map_that_is_called_after_its_items_reads_so() -> None:
    text = script_of(titled(each="Each bird", all="All names"))
    assert "async def each_bird(bird: Any, bird_index: Any) -> Any:" in text
    assert "x=bird" in text
    assert "all_names = await each(" in text
    assert "# Each bird" not in text


@pytest.mark.parametrize(
    "title", ["Each word", "Each words", "Each item", "Each list", "Each mark", "Each", "Each Ü"]
)
def test_a_map_may_be_called_after_what_is_called_so_already(title: str, tmp_path: Path) -> None:
    assert both(Row(titled(each=title)), tmp_path).differences() == []


WORDS = {
    "words of Python": ("class", "import", "match", "lambda", "async", "none", "type"),
    "names that are built in": ("print", "list", "dict", "open", "str", "len", "id", "repr", "sorted"),
    "words of the kit": ("flow", "rounds", "each", "call", "gather", "region", "nothing", "elements"),
    "more words of the kit": ("converted", "holds", "run", "message", "failure", "tools", "any", "path"),
    "functions of nodes": ("template", "join", "json", "split", "pick", "agent", "nodes", "main", "text"),
    "what a step is told": ("after", "name", "on", "state", "retries", "self", "args", "kwargs"),
}


@pytest.mark.parametrize("what", WORDS)
def test_inputs_steps_and_outputs_may_be_called_like_anything(what: str, tmp_path: Path) -> None:
    nodes: dict[str, Any] = {}
    wires: list[str] = []
    for word in WORDS[what]:
        nodes |= {
            word: "io.flow_input",
            f"{word}_2": ("text.template", {"template": f"{{{{{word}}}}}!{{{{parts}}}}"}),
            f"{word}_3": "io.flow_output",
        }
        wires += [f"{word}.value -> {word}_2.{word}", f"{word}_2.text -> {word}_3.value"]
        wires += [f"{word}.value -> {word}_2.parts"]
    given = {word: f"a {word}" for word in WORDS[what]}
    assert both(Row(flow_of(nodes, wires), given), tmp_path).differences() == []


@pytest.mark.parametrize("what", WORDS)
def test_steps_that_overlap_may_be_called_like_anything(what: str) -> None:
    nodes = {word: probe(place + 1) for place, word in enumerate(WORDS[what])}
    wires = [f"word.value -> {word}.one" for word in nodes]
    wires += [f"{word}.text -> last.parts[{place}]" for place, word in enumerate(nodes)]
    flow = steps(
        *wires, "last.text -> out.value", last=("test.probe", {"name": "last"}, {"one": "x"}), **nodes
    )
    assert watched(Case(flow, {"word": "a"})).differences() == []
