"""The kit as a wheel: all that a flow needs to run, nothing of the window, and the same bytes each time."""

import ast
import base64
import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from email.parser import HeaderParser
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from studio import __version__
from studio.app.scripts import kit_wheel
from studio.app.scripts.kit_wheel import LEFT_OUT, LIBRARIES, ROOMS, kit_files, write_kit

ROOT = Path(__file__).parents[3]

RUN = """
import json, sys
from pathlib import Path

REFUSED = set(sys.argv[2].split())

class Refusal:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in REFUSED:
            raise ModuleNotFoundError(f"`{name}` is refused", name=name)

sys.meta_path.insert(0, Refusal())
from stepwire_kit import Tools, load, run_sync
import studio
given = {"question": "Which birds were seen in the morning?"}
result = run_sync(load(sys.argv[1]), given, Tools(chat="scripted", is_offline=True))
assert result.error is None, result.error
print(json.dumps({"studio": studio.__file__, "answer": result.outputs["answer"]}))
"""


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, taken apart."""
    folder = tmp_path_factory.mktemp("kit")
    with zipfile.ZipFile(write_kit(folder)) as wheel:
        wheel.extractall(folder / "installed")
    return folder / "installed"


@pytest.mark.process
def test_it_runs_a_flow_where_nothing_of_the_window_and_no_extra_is_installed(
    kit: Path, tmp_path: Path
) -> None:
    extras = {name.replace("-", "_") for name, extra in LIBRARIES.items() if extra}
    refused = {"PySide6", "shiboken6", "qasync", "black", "pygments", "componentize_py", "filelock", *extras}
    command = [sys.executable, "-c", RUN, str(ROOT / "projects" / "field_notes"), " ".join(sorted(refused))]
    environ = {**os.environ, "PYTHONPATH": str(kit), "HOME": str(tmp_path)}
    done = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["studio"] == str(kit / "studio" / "__init__.py"), "not the studio that tests run with"
    assert told["answer"]


def test_its_bytes_are_the_same_each_time(tmp_path: Path) -> None:
    first, second = write_kit(tmp_path / "first"), write_kit(tmp_path / "second")
    assert first.name == second.name == f"stepwire_kit-{__version__}-py3-none-any.whl"
    assert first.read_bytes() == second.read_bytes()


def test_its_record_has_every_file_and_its_digest(kit: Path) -> None:
    record = kit / f"stepwire_kit-{__version__}.dist-info" / "RECORD"
    rows = list(csv.reader(io.StringIO(record.read_text(encoding="utf-8"))))
    files = {
        one.relative_to(kit).as_posix(): one
        for one in kit.rglob("*")
        if one.is_file() and one.suffix != ".pyc"
    }
    assert {name for name, _, _ in rows} == set(files)
    for name, digest, size in rows:
        if files[name] != record:
            data = files[name].read_bytes()
            made = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={made}", len(data)), name


def test_installers_are_told_what_it_needs_as_the_studio_bounds_it(kit: Path) -> None:
    [told] = metadata.distributions(name="stepwire-kit", path=[str(kit)])
    headers = HeaderParser().parsestr(told.read_text("METADATA") or "")
    assert set(headers.get_all("Provides-Extra") or []) == {"box", "mcp", "vectors"}
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    bounds = [*project["dependencies"], *project["optional-dependencies"]["vectors"]]
    bounded = {one.name.lower(): one.specifier for one in map(Requirement, bounds)}
    asked = [Requirement(one) for one in told.requires or ()]
    assert {one.name.lower(): one.specifier for one in asked} == {one: bounded[one] for one in LIBRARIES}
    extras = {one.name.lower(): str(one.marker or "") for one in asked}
    assert extras == {one: f'extra == "{extra}"' if extra else "" for one, extra in LIBRARIES.items()}


@pytest.mark.slow
def test_its_modules_import_the_libraries_it_names_and_no_others() -> None:
    """A library that is found without being imported is named by its distribution, in quotes."""
    named: set[str] = set()
    imported: set[str] = set()
    for name, path in kit_files():
        if not name.endswith(".py") or name.startswith("studio/_data"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for one in ast.walk(tree):
            if isinstance(one, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in one.names}
            elif isinstance(one, ast.ImportFrom) and one.module and not one.level:
                imported.add(one.module.partition(".")[0])
            elif isinstance(one, ast.Constant) and isinstance(one.value, str):
                named.add(one.value.replace("-", "_"))
    owners = metadata.packages_distributions()
    foreign = imported - set(sys.stdlib_module_names) - {"studio", "nodes", "stepwire_kit"}
    distributions = {owner.lower() for one in foreign for owner in owners.get(one, [one])}
    brought = {"_typeshed", "mcp-types", "pydantic_core", "referencing"}  # with those, or for types alone
    assert distributions - brought <= set(LIBRARIES)
    assert {one for one in LIBRARIES if one not in distributions} <= {one.replace("_", "-") for one in named}


def test_its_rooms_are_those_that_the_contract_of_imports_holds() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    [contract] = [one for one in contracts if one["name"].startswith("The kit needs neither")]
    assert {one.replace("/", ".") for one in ROOMS} == set(contract["source_modules"])


def test_it_has_its_whole_rooms_but_what_only_a_checkout_can_do() -> None:
    names = {name for name, _ in kit_files()}
    assert "studio/sandbox/worker.py" in names
    assert not names & set(LEFT_OUT)
    assert not [
        one for one in names if one.startswith(("studio/ui", "studio/app", "studio/cli", "studio/export"))
    ]
    assert {"studio/_data/resources/prices.toml", "studio/_data/resources/sandbox/guest.py"} <= names


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    with pytest.raises(kit_wheel.UsageError, match="can't be written"):
        write_kit(tmp_path / "taken" / "below")
