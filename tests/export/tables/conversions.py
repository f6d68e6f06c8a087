"""Values that cannot become what a step wants, given to steps that happen, and to those that do not.

Items of a map that failed are kept, so that an object stands among lists.
"""

from typing import Any

from tests.export.equality import Row, row
from tests.runtime.bench import flow_of

INPUT, OUTPUT, KEPT = "io.flow_input", "io.flow_output", ("control.collect", {"failed": "keep"})
MUTED = ("text.text", {"text": "wren"}, {}, {"state": "muted"})
DROPPED: dict[str, Any] = {"told": ("control.collect", {"failed": "drop"})}
MIXED = ("each_made.item -> tell.words[0]", "name.text -> tell.words[1]")

TELLER = flow_of(
    {
        "words": (INPUT, {"type": "text[]"}),
        "name": (INPUT, {"type": "text", "default": "wren"}),
        "tell": "test.tell",
        "text": OUTPUT,
    },
    ["words.value -> tell.words", "name.value -> tell.name", "tell.text -> text.value"],
)


def told(*wires: str, **more: Any) -> Row:
    """Two lists, of which one fails, and somebody who tells them."""
    nodes: dict[str, Any] = {
        "list": ("value.json", {"value": [2, 0]}),
        "each": "control.for_each",
        "made": KEPT,
        "each_made": "control.for_each",
        "name": ("text.text", {"text": "wren"}),
        "tell": "test.tell",
        "told": KEPT,
        "out": OUTPUT,
        **more,
    }
    joined = [
        "list.value -> each.items",
        "each.item -> make.most",
        "made.values -> each_made.items",
        *(() if MIXED[0] in wires else ("each_made.item -> tell.words",)),
        "name.text -> tell.name",
        "tell.text -> told.value",
        "told.values -> out.value",
        *wires,
    ]
    found = {wire.partition(" -> ")[2]: wire for wire in joined}
    return Row(flow_of(nodes, list(found.values())), flows={"teller.json": TELLER})


FLOWS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "a step fails of it": ((), {}),
    "a step is skipped": ((), {"name": MUTED}),
    "one of several": (MIXED, DROPPED),
    "one of several, skipped": (MIXED, {"name": MUTED}),
    "its error is given": ((), {"tell": ("test.tell", {}, {}, {"on_error": "output"})}),
    "there is a default": ((), {"tell": ("test.tell", {}, {}, {"on_error": "default", "default": "?"})}),
    "it is taken in": (("tell.text -> safe.value", "safe.error -> told.value"), {"safe": "control.catch"}),
    "a race reads it": (
        ("tell.text -> first.values[0]", "name.text -> first.values[1]", "first.value -> told.value"),
        {"first": "control.race"},
    ),
    "a flow is called": ((), {"tell": ("control.subflow", {"flow": "teller.json"}), **DROPPED}),
}
ROWS = {
    f"{port}, {what}": told(f"make.{port} -> made.value", *wires, make=kind, **more)
    for port, kind in (("numbers", "test.count"), ("words", "test.spell"))
    for what, (wires, more) in FLOWS.items()
}
ROWS["a failure is one of several"] = row(
    {
        "read": ("io.read_file", {}, {"path": "missing.txt"}),
        "word": ("text.text", {"text": "wren"}),
        "joined": "text.join",
        "safe": "control.catch",
        "out": OUTPUT,
    },
    [
        "read.text -> joined.parts[0]",
        "word.text -> joined.parts[1]",
        "joined.text -> safe.value",
        "safe.error -> out.value",
    ],
)
