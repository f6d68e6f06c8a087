"""Items of maps that write to run variables."""

from typing import Any

from studio.flow.records import Flow
from tests.export.equality import Row
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
        "wait": ("control.delay", {"seconds": 30}),
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
        each=("control.for_each", {}, {}, {"time_limit": 60}),
        wait=("control.delay", {"seconds": 600}),
        safe="control.catch",
    ),
}


NOTING = flow_of(
    {
        "n": "io.flow_input",
        "way": SLOW,
        "wait": ("control.delay", {"seconds": 30}),
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
CALLING: dict[str, dict[str, Any]] = {
    "a flow": {"call": ("control.subflow", {"flow": "noting.json"})},
    "a tool": {"lender": lends("noting.json"), "call": "control.call_tool"},
}


def calling(**nodes: Any) -> tuple[dict[str, Any], list[str]]:
    """A map each of whose items calls the flow that notes."""
    is_lent = "lender" in nodes
    made: dict[str, Any] = {
        "list": ("value.json", {"value": [{"n": one} if is_lent else one for one in "abc"]}),
        "each": "control.for_each",
        "all": COLLECT,
        "out": OUT,
        "last": READ,
        "seen": OUT,
        **nodes,
    }
    wires = ["list.value -> each.items", "all.values -> out.value", "all.then -> last.after"]
    wires += ["last.value -> seen.value"]
    if is_lent:
        wires += ["each.item -> call.arguments", "lender.tool -> call.tool[0]", "call.text -> all.value"]
    else:
        wires += ["each.item -> call.n", "call.out -> all.value"]
    return made, wires


UNREAD = items(
    "each.item -> read.path",
    "each.item -> sort.value",
    "sort.there -> rounds.start",
    "rounds.value -> both.parts[0]",
    "read.text -> both.parts[1]",
    "both.text -> rounds.done",
    "both.text -> noted.value",
    "rounds.result -> all.value",
    given=PATHS,
    read="io.read_file",
    sort=("control.branch", {"cases": [{"label": "There", "when": "value != 'a'"}, {"label": "Not"}]}),
    rounds="control.loop",
    both="text.join",
    noted=(SET, {"name": "both"}),
    all=KEEP,
)
"""A loop that is left out where the step fails that it reads; of its last round somebody takes note."""
BESIDE = items("each.item -> read.path", "read.text -> all.value", given=PATHS, read="io.read_file", all=KEEP)
ROWS = {
    **{name: Row(flow_of(*one), files={"word.txt": "word"}) for name, one in FLOWS.items()},
    **{
        f"{name} that an item calls": Row(flow_of(*calling(**one)), flows=KNOWN)
        for name, one in CALLING.items()
    },
    "items that only read": Row(
        flow_of(*items(*READ_INSIDE, get=READ, note=("text.template", {"template": "{{value}}"})))
    ),
    "what does not depend on a failed step": Row(flow_of(*BESIDE), files={"word.txt": "word"}),
    "a failure that leads to what nobody reads": Row(flow_of(*UNREAD), files={"word.txt": "word"}),
}
