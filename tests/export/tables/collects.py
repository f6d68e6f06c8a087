"""Error policies of collects, for items that fail and for what else may fail in a map."""

from typing import Any

from tests.export.equality import Row
from tests.runtime.bench import flow_of

OUTPUT, COLLECT = "io.flow_output", "control.collect"
NONE: dict[str, Any] = {"on_error": "default", "default": []}
TOLD: dict[str, Any] = {"on_error": "output"}


def items(
    paths: list[str], run: dict[str, Any], *wires: str, **more: Any
) -> tuple[dict[str, Any], list[str]]:
    """A map whose items read files, and what stands behind it; wires of its own take the place of these."""
    nodes: dict[str, Any] = {
        "list": ("value.json", {"value": paths}),
        "each": "control.for_each",
        "read": "io.read_file",
        "all": (COLLECT, {}, {}, run),
        "out": OUTPUT,
        **more,
    }
    joined = ["list.value -> each.items", "each.item -> read.path", "read.text -> all.value", *wires]
    return nodes, list({wire.partition(" -> ")[2]: wire for wire in joined}.values())


RESULT = "all.values -> out.value"
GOOD, BAD = ["word.txt", "word.txt"], ["word.txt", "missing.txt"]
SHORT: dict[str, Any] = {"time_limit": 30}
TWO = ["read.text -> some.value", "some.values -> s.value", RESULT]
SEEN = [
    "read.text -> seen.x",
    "seen.text -> some.value",
    "some.values -> s.value",
]
FLOWS: dict[str, tuple[dict[str, Any], list[str]]] = {
    f"{what}, {told}": flow
    for told, paths in (("no failure", GOOD), ("a failure", BAD), ("no items", []))
    for what, flow in {
        "a default": items(paths, {"on_error": "default", "default": ["none"]}, RESULT),
        "an empty default that a step reads": items(
            paths,
            NONE,
            "all.values -> said.x",
            "said.text -> out.value",
            said=("text.template", {"template": "{{x}}"}),
        ),
        "an error that is a value": items(
            paths, TOLD, "all.error -> out.value", "all.values -> v.value", v=OUTPUT
        ),
        "an error that is all that is read": items(paths, TOLD, "all.error -> out.value"),
        "a default of which nobody hears": items(
            paths, NONE, "word.text -> out.value", word=("text.text", {"text": "x"})
        ),
        "a default that leaves the places out": items(paths, NONE, RESULT, "all.kept -> k.value", k=OUTPUT),
        "a default with places": items(
            paths,
            {"on_error": "default", "default": {"values": ["x"], "kept": [7]}},
            RESULT,
            "all.kept -> k.value",
            k=OUTPUT,
        ),
        "what comes after": items(
            paths,
            NONE,
            RESULT,
            "all.then -> last.after",
            "last.text -> l.value",
            last=("text.template", {"template": "x"}),
            l=OUTPUT,
        ),
        "a collect that comes after a step": items(
            paths,
            NONE,
            RESULT,
            "first.text -> all.after",
            first=("text.template", {"template": "x"}),
        ),
        "a collect that comes after what fails": items(
            paths,
            NONE,
            "first.text -> all.after",
            "all.values -> safe.value",
            "safe.error -> out.value",
            first=("io.read_file", {"file": "gone.txt"}),
            safe="control.catch",
        ),
        "a list that failed": items(
            paths,
            NONE,
            "name.text -> first.path",
            "first.text -> split.text",
            "split.pieces -> each.items",
            "all.values -> safe.value",
            "safe.error -> e.value",
            "safe.value -> out.value",
            name=("text.text", {"text": "gone.txt"}),
            first="io.read_file",
            split="text.split",
            safe="control.catch",
            e=OUTPUT,
        ),
        "a step that leads to no collect": items(
            paths,
            NONE,
            RESULT,
            "each.item -> beside.path",
            "each.item -> said.x",
            "said.text -> all.value",
            beside="io.read_file",
            said=("text.template", {"template": "{{x}}"}),
        ),
        "an absent item that fails": items(
            paths,
            NONE,
            RESULT,
            "each.item -> way.value",
            "way.yes -> read.path",
            way=("control.branch", {"cases": [{"label": "Yes", "when": "value == 'x'"}, {"label": "No"}]}),
            all=(COLLECT, {"absent": "fail"}, {}, NONE),
        ),
        "two policies": items(paths, NONE, *TWO, some=(COLLECT, {}, {}, TOLD), s=OUTPUT),
        "two policies, the error read": items(
            paths, NONE, *TWO, "some.error -> e.value", some=(COLLECT, {}, {}, TOLD), s=OUTPUT, e=OUTPUT
        ),
        "beside one that drops": items(paths, NONE, *TWO, some=(COLLECT, {"failed": "drop"}), s=OUTPUT),
        "beside one that keeps, with a step of its own": items(
            paths,
            NONE,
            RESULT,
            *SEEN,
            "each.item -> seen.y",
            seen=("text.template", {"template": "{{x}} {{y}}"}),
            some=(COLLECT, {"failed": "keep"}),
            s=OUTPUT,
        ),
        "beside one that is caught": items(
            paths,
            NONE,
            RESULT,
            "read.text -> some.value",
            "some.values -> safe.value",
            "safe.error -> e.value",
            "safe.value -> s.value",
            some=COLLECT,
            safe="control.catch",
            e=OUTPUT,
            s=OUTPUT,
        ),
        "beside one that fails": items(paths, NONE, *TWO, some=COLLECT, s=OUTPUT),
        "beside one that fails of something else": items(
            paths,
            NONE,
            RESULT,
            "each.item -> some.value",
            "some.values -> s.value",
            some=COLLECT,
            s=OUTPUT,
        ),
        "a default and failed items left out": items(
            paths, NONE, RESULT, all=(COLLECT, {"failed": "drop"}, {}, NONE)
        ),
        "a time limit": items(
            paths,
            {"on_error": "default", "default": ["late"]},
            RESULT,
            "each.item -> wait.value",
            "wait.value -> read.path",
            wait=("control.delay", {"seconds": 600 if paths is GOOD else 0}),
            each=("control.for_each", {}, {}, SHORT if paths is GOOD else {"time_limit": 60}),
        ),
        "lists of two lengths": items(
            paths,
            NONE,
            RESULT,
            "short.value -> each.others",
            each=("control.for_each", {"more": ["others"]}),
            short=("value.json", {"value": [1]}),
        ),
    }.items()
}

ROWS = {name: Row(flow_of(*one), files={"word.txt": "word"}) for name, one in FLOWS.items()}
