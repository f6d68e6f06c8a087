"""Scripts whose agents keep notes, triples and files by the tools of their memories."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from tests.export.scripts import complaints, export
from tests.export.verifying import edited, verified
from tests.runtime.bench import flow_of

OUT = "io.flow_output"
BOARD: dict[str, Any] = {"permissions": ["writer: write *", "critic: read draft*"]}


def called(tool: str, **arguments: object) -> dict[str, object]:
    """A call of a tool, as an answer of a language model has it."""
    return {"name": tool, "arguments": arguments}


def two_agents(kind: str, settings: Mapping[str, Any]) -> Flow:
    """A writer that keeps something, and a critic that looks for it after it, with a step that looks last."""
    return flow_of(
        {
            "memory": (kind, settings),
            "writer": ("llm.agent", {}, {"prompt": "Keep what is known of the heron."}),
            "critic": ("llm.agent", {}, {"prompt": "What of the heron?"}),
            "look": ("memory.recall", {}, {"query": "heron"}),
            **dict.fromkeys(("written", "read", "out"), OUT),
        },
        [
            "memory.memory -> writer.memory[0]",
            "memory.memory -> critic.memory[0]",
            "memory.memory -> look.memory",
            "writer.then -> critic.after",
            "critic.then -> look.after",
            "writer.reply -> written.value",
            "critic.reply -> read.value",
            "look.text -> out.value",
        ],
    )


def rules(writes: list[dict[str, object]], reads: list[dict[str, object]]) -> str:
    """A language model that has the writer call these, and the critic those."""
    answers = [
        {"when": {"node": "writer", "turn": 0}, "tool_calls": writes},
        {"when": {"node": "critic", "turn": 0}, "tool_calls": reads},
        {"reply": "{{ last }}"},
    ]
    return json.dumps({"rules": answers})


FLOWS: dict[str, tuple[Flow, str]] = {
    "notes": (
        two_agents("memory.notes", BOARD),
        rules(
            [called("write_note", key=key, text=f"A heron in {key}.") for key in ("draft/1", "x")],
            [called("find_notes", text="heron"), called("read_note", key="x")],
        ),
    ),
    "graph": (
        two_agents("memory.graph", {}),
        rules(
            [
                called("add_relation", subject="the heron", relation="fishes in", object="the pond"),
                called("add_relation", subject="the pond", relation="lies by", object="the shed"),
            ],
            [called("find_related", about="What of the heron?")],
        ),
    ),
    "files": (
        two_agents("memory.files", {}),
        rules(
            [
                called("memory_create", path="birds/heron.txt", file_text="heron\n1 seen"),
                called("memory_str_replace", path="birds/heron.txt", old_str="1", new_str="2"),
                called("memory_insert", path="birds/heron.txt", insert_line=0, insert_text="The"),
                called("memory_rename", old_path="birds", new_path="old"),
            ],
            [
                called("memory_view"),
                called("memory_view", path="old/heron.txt"),
                called("memory_delete", path="x"),
            ],
        ),
    ),
}

DRAWN: Flow = flow_of(
    {
        "memory": ("memory.graph", {"triples": "drawn"}),
        "first": ("memory.remember", {}, {"texts": ["Ada wrote the Notes."]}),
        "look": ("memory.recall", {}, {"query": "What did Ada do?"}),
        "out": OUT,
    },
    [
        "memory.memory -> first.memory",
        "memory.memory -> look.memory",
        "first.then -> look.after",
        "look.text -> out.value",
    ],
)
TRIPLES = {"triples": [{"subject": "Ada", "relation": "wrote", "object": "the Notes"}]}


@pytest.mark.parametrize("name", FLOWS)
def test_a_script_keeps_and_finds_what_the_run_did(name: str, tmp_path: Path) -> None:
    flow, answers = FLOWS[name]
    assert verified(flow, tmp_path, rules=answers).difference is None


def test_a_script_draws_triples_as_the_run_did(tmp_path: Path) -> None:
    answers = json.dumps({"rules": [{"reply": json.dumps(TRIPLES)}]})
    assert verified(DRAWN, tmp_path, rules=answers).difference is None


def test_a_script_that_permits_more_is_found_out(tmp_path: Path) -> None:
    flow, answers = FLOWS["notes"]
    more = edited('"critic: read draft*"', '"critic: write *"')
    assert verified(flow, tmp_path, rules=answers, edit=more).difference is not None


def test_the_scripts_are_well_typed(tmp_path: Path) -> None:
    for name, flow in {"drawn": DRAWN, **{name: flow for name, (flow, _) in FLOWS.items()}}.items():
        export(flow, tmp_path / f"{name}.py")
    assert complaints(tmp_path) == ""
