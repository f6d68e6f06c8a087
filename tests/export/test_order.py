"""A script has the same bytes, whatever the order of wires in the file, and however texts are hashed."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.app.catalog import builtin_registry
from studio.app.exporting import export_flow
from studio.flow import codec
from studio.places import example_projects

PROJECTS = [folder for folder in example_projects() if folder.name != "chapters"]
"""Those whose flow calls no other: it is read here without its project."""


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_the_order_of_wires_in_the_file_makes_no_difference(folder: Path) -> None:
    plain = json.loads((folder / "flow.json").read_text("utf-8"))
    scripts = {
        export_flow(codec.loads(json.dumps(one)).flow, registry=builtin_registry(), name="flow.json")
        for one in (plain, {**plain, "wires": plain["wires"][::-1]})
    }
    assert len(scripts) == 1


def test_how_texts_are_hashed_makes_no_difference() -> None:
    code = """
import sys
from pathlib import Path
from studio.app.exporting import export_flow
print(export_flow(Path(sys.argv[1])))
"""
    flow = next(iter(example_projects())) / "flow.json"
    digests = {
        hashlib.sha256(
            subprocess.run(  # noqa: S603  # our own code
                [sys.executable, "-c", code, str(flow)],
                env={**os.environ, "PYTHONHASHSEED": seed},
                cwd=Path(__file__).parents[2],
                capture_output=True,
                check=True,
            ).stdout
        ).hexdigest()
        for seed in ("1", "2")
    }
    assert len(digests) == 1
