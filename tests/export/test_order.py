"""A script has the same bytes, whatever the order in the file, and however texts are hashed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from studio.app.exporting import export_flow
from studio.flow import codec
from studio.flow.records import Flow
from studio.workspace.catalog import builtin_registry
from tests.export import test_equal as equal
from tests.export import test_nodes as nodes
from tests.projects.running import SHOWN
from tests.runtime.bench import REGISTRY, flow_of

PROJECTS = [folder for folder in SHOWN if folder.name not in {"chapters", "front_desk"}]
"""Those whose flow calls no other: it is read here without its project."""


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_the_order_of_wires_in_the_file_makes_no_difference(folder: Path) -> None:
    plain = json.loads((folder / "flow.json").read_text("utf-8"))
    scripts = {
        export_flow(codec.loads(json.dumps(one)).flow, registry=builtin_registry(), name="flow.json")
        for one in (plain, {**plain, "wires": plain["wires"][::-1]})
    }
    assert len(scripts) == 1


def backwards(document: dict[str, Any]) -> str:
    """A flow file whose nodes, with their settings and inputs, and whose layout come in another order."""
    nodes = {
        name: {**node, **{part: turned(node[part]) for part in ("settings", "inputs") if part in node}}
        for name, node in turned(document["nodes"]).items()
    }
    layout = {part: turned(places) for part, places in document.get("layout", {}).items()}
    return json.dumps({**document, "nodes": nodes, "layout": layout})


def turned(value: dict[str, Any]) -> dict[str, Any]:
    return dict(reversed(value.items()))


FLOWS: list[Flow] = [codec.loads((folder / "flow.json").read_text("utf-8")).flow for folder in PROJECTS]
FLOWS += [flow_of(nodes, wires) for nodes, wires, *_ in (*equal.FLOWS.values(), *nodes.FLOWS.values())][::4]


@pytest.mark.parametrize("flow", FLOWS)
def test_two_files_that_are_saved_alike_are_one_script(flow: Flow) -> None:
    text = codec.dumps(flow)
    other = codec.loads(backwards(json.loads(text))).flow
    assert codec.dumps(other) == text
    assert [*other.nodes][::-1] == sorted(flow.nodes)
    assert export_flow(flow, registry=REGISTRY) == export_flow(other, registry=REGISTRY)


def test_how_texts_are_hashed_makes_no_difference() -> None:
    code = """
import sys
from pathlib import Path
from studio.app.exporting import export_flow
print(export_flow(Path(sys.argv[1])))
"""
    flow, seed = SHOWN[0] / "flow.json", "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    other = subprocess.run(  # noqa: S603  # our own code
        [sys.executable, "-c", code, str(flow)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=True,
    ).stdout
    assert other.decode() == f"{export_flow(flow)}\n"
