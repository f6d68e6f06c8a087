"""Run variables."""

from typing import Any

from tests.export.equality import Row
from tests.runtime.bench import flow_of

OUT = "io.flow_output"
SET, GET = "value.state_set", "value.state_get"
FLOWS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "set, append and read": (
        {
            "word": ("text.text", {"text": "owl"}),
            "one": (SET, {"name": "seen", "how": "append"}),
            "two": (SET, {"name": "seen", "how": "append"}),
            "get": (GET, {"name": "seen"}),
            "none": (GET, {"name": "other", "default": 7}),
            "out": OUT,
            "also": OUT,
        },
        [
            "word.text -> one.value",
            "one.value -> two.value",
            "two.then -> get.after",
            "get.value -> out.value",
            "none.value -> also.value",
        ],
    ),
    "a sum in rounds": (
        {
            "start": ("value.json", {"value": 2}),
            "rounds": ("control.loop", {"max_rounds": 4}),
            "add": (SET, {"name": "sum", "how": "add"}),
            "get": (GET, {"name": "sum"}),
            "out": OUT,
        },
        [
            "start.value -> rounds.start",
            "rounds.value -> add.value",
            "add.then -> get.after",
            "get.value -> rounds.again",
            "rounds.history -> out.value",
        ],
    ),
    "a file, which is a text as JSON says it": (
        {
            "file": ("io.flow_input", {"type": "file", "default": "a/owl.txt"}),
            "note": (SET, {"name": "seen"}),
            "get": (GET, {"name": "seen"}),
            "same": ("value.compare", {"operator": "equal"}, {"b": "a/owl.txt"}),
            "out": OUT,
        },
        [
            "file.value -> note.value",
            "note.then -> get.after",
            "get.value -> same.a",
            "same.result -> out.value",
        ],
    ),
    "what does not fit": (
        {
            "word": ("text.text", {"text": "owl"}),
            "one": (SET, {"name": "seen"}),
            "two": (SET, {"name": "seen", "how": "add"}),
            "out": OUT,
        },
        ["word.text -> one.value", "one.value -> two.value", "two.value -> out.value"],
    ),
}

ROWS = {name: Row(flow_of(*one)) for name, one in FLOWS.items()}
