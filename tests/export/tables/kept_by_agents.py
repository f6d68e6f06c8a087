"""Agents that keep notes, triples and files by the tools of their memories."""

import json
from typing import Any

from tests.export.equality import Row
from tests.runtime.bench import flow_of

OUT = "io.flow_output"
MEMORIES: dict[str, Any] = {
    "board": ("memory.notes", {"permissions": ["writer: write *", "critic: read draft*"]}),
    "facts": ("memory.graph", {"triples": "drawn"}),
    "pages": "memory.files",
}
FLOW = flow_of(
    {
        **MEMORIES,
        "writer": ("llm.agent", {}, {"prompt": "Keep what is known of the heron."}),
        "told": ("memory.remember", {}, {"texts": ["It fishes in the pond."]}),
        "critic": ("llm.agent", {}, {"prompt": "What of the heron?"}),
        "look": ("memory.recall", {}, {"query": "heron"}),
        **dict.fromkeys(("written", "read", "out"), OUT),
    },
    [
        *(f"{name}.memory -> writer.memory[{place}]" for place, name in enumerate(MEMORIES)),
        *(f"{name}.memory -> critic.memory[{place}]" for place, name in enumerate(MEMORIES)),
        "facts.memory -> told.memory",
        "facts.memory -> look.memory",
        "writer.then -> told.after",
        "told.then -> critic.after",
        "critic.then -> look.after",
        "writer.reply -> written.value",
        "critic.reply -> read.value",
        "look.text -> out.value",
    ],
)
TRIPLE = {"subject": "the heron", "relation": "fishes in", "object": "the pond"}


def called(tool: str, **arguments: object) -> dict[str, object]:
    """A call of a tool, as an answer of a language model has it."""
    return {"name": tool, "arguments": arguments}


WRITES = [
    *(called("write_note", key=key, text=f"A heron in {key}.") for key in ("draft/1", "x")),
    called("add_relation", subject="the pond", relation="lies by", object="the shed"),
    called("memory_create", path="birds/heron.txt", file_text="heron\n1 seen"),
    called("memory_str_replace", path="birds/heron.txt", old_str="1", new_str="2"),
    called("memory_insert", path="birds/heron.txt", insert_line=0, insert_text="The"),
    called("memory_rename", old_path="birds", new_path="old"),
]
READS = [
    called("find_notes", text="heron"),
    called("read_note", key="x"),
    called("find_related", about="What of the heron?"),
    called("memory_view"),
    called("memory_view", path="old/heron.txt"),
    called("memory_delete", path="x"),
]
RULES = json.dumps(
    {
        "rules": [
            {"when": {"schema": True}, "reply": {"triples": [TRIPLE]}},
            {"when": {"node": "writer", "turn": 0}, "tool_calls": WRITES},
            {"when": {"node": "critic", "turn": 0}, "tool_calls": READS},
            {"reply": "{{ last }}"},
        ]
    }
)

ROWS = {"notes, triples and files": Row(FLOW, rules=RULES)}
