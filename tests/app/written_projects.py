"""Builders of small projects on disk."""

import json
from collections.abc import Mapping
from pathlib import Path

FLOW: Mapping[str, object] = {
    "format": "stepwire.flow",
    "version": 1,
    "name": "One",
    "nodes": {},
    "wires": [],
}


def write_flow(path: Path, flow: Mapping[str, object] = FLOW) -> Path:
    """Write a flow file in a form that people might have typed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(flow, indent=2), "utf-8")
    return path


def write_project(root: Path, *, flow: Mapping[str, object] = FLOW, script: str = "", **more: object) -> Path:
    """Write a project folder; `more` goes into its `project.json`."""
    write_flow(root / "flow.json", flow)
    document = {"format": "stepwire.project", "version": 1, "name": "Trial", "main": "flow.json", **more}
    (root / "project.json").write_text(json.dumps(document), "utf-8")
    if script:
        (root / "scripts").mkdir()
        (root / "scripts" / "answers.yaml").write_text(script, "utf-8")
    return root
