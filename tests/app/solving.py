"""A project whose flows are measured: one agent, a vote of three, and two in turn."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.app.written_projects import write_flow, write_project

Nodes = Mapping[str, Any]


def solving_project(root: Path, count: int = 10, **stated: Any) -> Path:
    """Write it; `stated` is what its solvers are said to be."""
    solver = {
        "problems": "data/problems.jsonl",
        "accuracy": 0.6,
        "correlation": 0,
        "says": "{answer}",
        **stated,
    }
    chat = {"default": "scripted", "profiles": {"solvers": {"provider": "simulated", "solver": solver}}}
    write_project(
        root,
        flow=_flow({"w": _agent("alone")}, ["question.value -> w.prompt", "w.reply -> answer.value"]),
        chat=chat,
    )
    (root / "data").mkdir()
    lines = [
        {"id": f"p{n}", "question": f"What is in box {n}?", "answer": f"r{n}", "wrong": [f"w{n}"]}
        for n in range(count)
    ]
    (root / "data" / "problems.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    names = ("one", "two", "three")
    all_at_once = [f"question.value -> {name}.prompt" for name in names]
    most = {
        "kind": "value.formula",
        "title": "Most",
        "settings": {"formula": "one if one == two or one == three else two"},
    }
    write_flow(
        root / "voting.json",
        _flow(
            {**{name: _agent(name) for name in names}, "most": most},
            [*all_at_once, *(f"{name}.reply -> most.{name}" for name in names), "most.value -> answer.value"],
        ),
    )
    write_flow(
        root / "twice.json",
        _flow(
            {"first": _agent("alone"), "second": _agent("second")},
            [
                "question.value -> first.prompt",
                "question.value -> second.prompt",
                "first.then -> second.after[0]",
                "second.reply -> answer.value",
            ],
        ),
    )
    return root


def _agent(name: str) -> Nodes:
    return {"kind": "llm.chat", "title": name.title(), "settings": {"instructions": f"You are {name}."}}


def _flow(nodes: Nodes, wires: Sequence[str]) -> Mapping[str, Any]:
    ends = {
        "question": {"kind": "io.flow_input", "title": "Question"},
        "answer": {"kind": "io.flow_output", "title": "Answer"},
    }
    document = {"format": "stepwire.flow", "version": 1, "name": "Solve"}
    return {**document, "nodes": {**ends, **nodes}, "wires": list(wires)}
