"""Items of maps that write to run variables leave behind in scripts what they leave in the engine."""

from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from tests.export.scripts import both, export
from tests.runtime.bench import flow_of
from tests.runtime.lent import lends

OUT, COLLECT = "io.flow_output", "control.collect"
SET, GET = "value.state_set", "value.state_get"
NOTE = (SET, {"name": "seen", "how": "append"})
READ = (GET, {"name": "seen", "default": "nothing"})
SLOW = ("control.branch", {"cases": [{"label": "Slow", "when": "value == 'a'"}, {"label": "Fast"}]})


def items(
    *wires: str, given: list[Any] | None = None, at_once: int = 8, **more: Any
) -> tuple[dict[str, Any], list[str]]:
    """A map whose items note what they are, the first of them late; what was noted is read after it."""
    nodes: dict[str, Any] = {
        "list": ("value.json", {"value": given or ["a", "b", "c"]}),
        "each": ("control.for_each", {"at_once": at_once}),
        "way": SLOW,
        "wait": ("control.delay", {"seconds": 0.03}),
        "either": "control.merge",
        "note": NOTE,
        "all": COLLECT,
        "out": OUT,
        "last": READ,
        "seen": OUT,
        **more,
    }
    joined = [
        "list.value -> each.items",
        "each.item -> way.value",
        "way.slow -> wait.value",
        "wait.value -> either.values[0]",
        "way.fast -> either.values[1]",
        "either.value -> note.value",
        "note.value -> all.value",
        "all.values -> out.value",
        "all.then -> last.after",
        "last.value -> seen.value",
        *wires,
    ]
    return nodes, list({wire.partition(" -> ")[2]: wire for wire in joined}.values())


READ_INSIDE = ["note.then -> get.after", "get.value -> all.value"]
FAILING = ["note.value -> read.path", "read.text -> all.value"]
DROP, KEEP = (COLLECT, {"failed": "drop"}), (COLLECT, {"failed": "keep"})
CAUGHT = ["all.values -> safe.value", "safe.error -> out.value", "safe.then -> last.after"]
SAFE: dict[str, Any] = {"safe": "control.catch"}
LEFT_OUT: dict[str, Any] = {"all": DROP}
GIVEN: dict[str, Any] = {"s": OUT}
PATHS = ["word.txt", "a", "word.txt"]
"""The second is late, and there is no such file."""
FLOWS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "in the order of the items": items(),
    "each sees its own alone": items(*READ_INSIDE, get=READ),
    "one after the other, each sees those before it": items(*READ_INSIDE, get=READ, at_once=1),
    "what was there before": items(
        "word.text -> first.value",
        "first.then -> each.after",
        *READ_INSIDE,
        word=("text.text", {"text": "x"}),
        first=NOTE,
        get=READ,
    ),
    "failed items are left out": items(*FAILING, given=PATHS, read="io.read_file", all=DROP),
    "errors are kept": items(*FAILING, given=PATHS, read="io.read_file", all=KEEP),
    "a failure ends it": items(*FAILING, given=PATHS, read="io.read_file"),
    "a failure is caught": items(*FAILING, *CAUGHT, given=PATHS, read="io.read_file", safe="control.catch"),
    "a default stands in": items(
        *FAILING,
        given=PATHS,
        read="io.read_file",
        all=(COLLECT, {}, {}, {"on_error": "default", "default": []}),
    ),
    "a step of no collect fails": items(
        "note.value -> read.path", given=PATHS, read="io.read_file", all=DROP
    ),
    **{
        f"two collects, {'both read' if is_read else 'one read'}": items(
            *FAILING,
            "note.value -> some.value",
            *(["some.values -> s.value"] if is_read else []),
            given=PATHS,
            read="io.read_file",
            all=DROP,
            some=KEEP,
            **(GIVEN if is_read else {}),
        )
        for is_read in (True, False)
    },
    "what does not fit": items(note=(SET, {"name": "seen", "how": "add"})),
    **{
        f"sums that are too large, {is_caught=}, {is_dropped=}": items(
            *(CAUGHT if is_caught else []),
            given=[6e307, 6e307, 6e307, 6e307],
            note=(SET, {"name": "seen", "how": "add"}),
            **(SAFE if is_caught else {}),
            **(LEFT_OUT if is_dropped else {}),
        )
        for is_caught in (False, True)
        for is_dropped in (False, True)
    },
    "several writes of an item": items(
        "note.value -> two.value", "two.value -> all.value", two=(SET, {"name": "seen", "how": "append"})
    ),
    "a map in a map": items(
        "list.value -> outer.items",
        "outer.item -> each.items",
        "note.value -> all.value",
        "all.values -> whole.value",
        "whole.values -> out.value",
        "whole.then -> last.after",
        "all.then -> get.after",
        "get.value -> marks.value",
        "marks.values -> m.value",
        given=[["a", "b"], ["c"], ["a", "a"]],
        outer="control.for_each",
        whole=COLLECT,
        get=READ,
        marks=COLLECT,
        m=OUT,
    ),
    "a loop in a map": items(
        "each.item -> rounds.start",
        "rounds.value -> note.value",
        "note.value -> rounds.again",
        "rounds.result -> all.value",
        rounds=("control.loop", {"max_rounds": 2}),
    ),
    "a map in a loop": items(
        "list.value -> rounds.start",
        "rounds.value -> each.items",
        "all.values -> rounds.again",
        "rounds.result -> out.value",
        "rounds.then -> last.after",
        rounds=("control.loop", {"max_rounds": 2}),
    ),
    "a map that takes too long": items(
        *CAUGHT,
        given=["b", "a", "c"],
        each=("control.for_each", {}, {}, {"time_limit": 0.05}),
        wait=("control.delay", {"seconds": 600}),
        safe="control.catch",
    ),
}


@pytest.mark.parametrize("name", FLOWS)
def test_a_script_leaves_behind_what_the_engine_leaves(name: str, tmp_path: Path) -> None:
    (tmp_path / "word.txt").write_text("word")
    engine, script = both(flow_of(*FLOWS[name]), tmp_path)
    assert script == engine


NOTING = flow_of(
    {
        "n": "io.flow_input",
        "way": SLOW,
        "wait": ("control.delay", {"seconds": 0.03}),
        "note": NOTE,
        "out": OUT,
    }
    | {"either": "control.merge", "get": READ},
    [
        "n.value -> way.value",
        "way.slow -> wait.value",
        "wait.value -> either.values[0]",
        "way.fast -> either.values[1]",
        "either.value -> note.value",
        "note.then -> get.after",
        "get.value -> out.value",
    ],
)
"""Notes what it is given, late for the first, and gives what it then sees."""
KNOWN: dict[str, Flow] = {"noting.json": NOTING}
CALLING: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a flow": items(
        "each.item -> call.n", "call.out -> all.value", call=("control.subflow", {"flow": "noting.json"})
    ),
    "a tool": items(
        "each.item -> call.arguments",
        "lender.tool -> call.tool[0]",
        "call.text -> all.value",
        given=[{"n": "a"}, {"n": "b"}, {"n": "c"}],
        lender=lends("noting.json"),
        call="control.call_tool",
    ),
}


@pytest.mark.parametrize("name", CALLING)
def test_what_an_item_calls_writes_for_the_item(name: str, tmp_path: Path) -> None:
    nodes, wires = CALLING[name]
    for idle in ("way", "wait", "either", "note"):
        del nodes[idle]
    kept = [
        one for one in wires if not {one.split(".")[0], one.split(" -> ")[1].split(".")[0]} - nodes.keys()
    ]
    engine, script = both(flow_of(nodes, kept), tmp_path, flows=KNOWN)
    assert script == engine


def test_items_that_only_read_are_not_kept_apart(tmp_path: Path) -> None:
    nodes, wires = items(*READ_INSIDE, get=READ, note=("text.template", {"template": "{{value}}"}))
    engine, script = both(flow_of(nodes, wires), tmp_path)
    assert script == engine
    assert "ItemVariables" not in (tmp_path / "script.py").read_text()


def test_a_step_that_fails_ends_its_item_where_nothing_else_is_left_to_do(tmp_path: Path) -> None:
    for what in (
        "failed items are left out",
        "errors are kept",
        "a failure is caught",
        "a default stands in",
    ):
        text = export(flow_of(*FLOWS[what]), tmp_path / "script.py")
        item = text.partition("async def each_one")[2].partition("each_variables = ")[0]
        assert "try:" not in item


def test_what_does_not_depend_on_a_failed_step_is_still_done_for_its_item(tmp_path: Path) -> None:
    beside = ["each.item -> read.path", "read.text -> all.value"]
    (tmp_path / "word.txt").write_text("word")
    engine, script = both(flow_of(*items(*beside, given=PATHS, read="io.read_file", all=KEEP)), tmp_path)
    assert script == engine
    assert (
        "try:"
        in (tmp_path / "script.py").read_text().partition("async def each_one")[2].partition("return")[0]
    )
