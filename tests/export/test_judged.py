"""Linter, formatter and type checker find nothing in a script, whatever its flow does.

CI looks at all scripts, the loop at a quarter of them. All are judged together: what they import is read
once, which takes the type checker longer than most of them.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from tests import examples
from tests.export.equality import script_of
from tests.export.gallery import FLOWS, NAMES, exported
from tests.export.tables import overlap
from tests.export.test_code import ROWS as CODE
from tests.export.test_equal import ROWS
from tests.export.test_people import FLOWS as PEOPLE
from tests.runtime.bench import flow_of

FEWER = max(1, examples.USUAL // examples.EFFORT)
"""How many times as many are looked at in CI."""
CHECKOUT = Path(__file__).parents[2]


def texts() -> Iterator[tuple[str, str]]:
    """The scripts of the gallery, and those of the other tests, by name."""
    for name, path in islice(zip(NAMES, FLOWS, strict=True), 0, None, FEWER):
        yield name, exported(path).text
    lanes = {name: flow_of(*one) for name, one in overlap.flows_with_lanes().items()}
    people = {name: flow_of(*one) for name, one in PEOPLE.items()}
    flows = [*((one.flow, one.flows) for one in {**ROWS, **CODE}.values())]
    flows += [(flow, {}) for flow in (*lanes.values(), *people.values())]
    for number, (flow, known) in enumerate(islice(flows, 0, None, FEWER)):
        yield f"flow_{number}", script_of(flow, known)


def complaints(folder: Path) -> str:
    """What ruff, with its own rules, and pyright say about the scripts in a folder; empty for nothing."""
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "extraPaths": [str(CHECKOUT)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    said = ""
    for command in (
        ("ruff", "format", "--check", "--isolated", "--no-cache", str(folder)),
        ("ruff", "check", "--isolated", "--no-cache", str(folder)),
        ("basedpyright", "--pythonpath", sys.executable, "--project", str(folder)),
    ):
        places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        path = shutil.which(command[0], path=places)
        if path is None:
            pytest.skip(f"{command[0]} is not installed")
        ended = subprocess.run([path, *command[1:]], capture_output=True, text=True, check=False)  # noqa: S603
        said += ended.stdout if ended.returncode else ""
    return said


@pytest.mark.timeout(900)
@pytest.mark.slow
def test_linter_formatter_and_type_checker_find_nothing_in_any_script(tmp_path: Path) -> None:
    for name, text in texts():
        (tmp_path / f"{name.replace('/', '_')}.py").write_text(text, "utf-8")
    assert complaints(tmp_path) == ""
