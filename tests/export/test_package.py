"""Flows as packages: what the one file does, cut into files that need those before them alone."""

import ast
import asyncio
import builtins
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, reject, settings

from studio.app.exporting import export_package, script_of
from studio.app.package_files import save_package
from studio.app.verification import verify_script
from studio.errors import ExportError, UsageError
from studio.export.package import FILES, make_package
from studio.export.python.references import names_defined, names_used
from studio.export.script import make_script
from studio.export.writing.parts import Script
from studio.flow.calls import GivenFlows
from studio.flow.records import Flow
from studio.llm.answer_server import serve
from studio.llm.scripted import ScriptBook
from studio.past.replays import OldRun
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here
from tests import examples
from tests.export.in_process import ask
from tests.export.packages import call_package, export_into
from tests.export.random_flows import KINDS
from tests.export.scripts import call, export
from tests.export.test_equal import FLOWS
from tests.export.test_judged import FEWER, flows
from tests.export.test_subflow import FLOWS as CALLING
from tests.export.test_subflow import KNOWN
from tests.projects.running import SHOWN
from tests.reference.generator import Case, cases
from tests.reference.profile import random_flows
from tests.runtime.bench import REGISTRY, flow_of

PROJECTS = SHOWN
every_project = pytest.mark.parametrize("folder", PROJECTS, ids=[folder.name for folder in PROJECTS])
SAYS = flow_of({"t": ("text.text", {"text": "x"}), "out": "io.flow_output"}, ["t.text -> out.value"])
CUT = 9 * FEWER
"""Of how many flows of the tests one is cut."""
ORDER = [name for name, _, _ in FILES]


def exported(folder: Path) -> dict[str, str]:
    return dict(export_package(Project.open(folder).main_flow, "pond_notes").files)


def wrong_with(script: Script, files: Mapping[str, str]) -> list[str]:
    """What a package says otherwise than its script; empty where it is that script, cut."""
    modules = {Path(name).stem: (ast.parse(text), text) for name, text in files.items() if name[-3:] == ".py"}
    found: list[str] = []
    kept: list[str] = []
    for name, (tree, text) in modules.items():
        imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        near = [str(node.module) for node in imports if isinstance(node, ast.ImportFrom) and node.level]
        place = ORDER.index(name) if name in ORDER else len(ORDER)
        found += [f"{name} imports {one}" for one in near if ORDER.index(one) >= place]
        known = names_defined(text) | {alias.asname or alias.name for node in imports for alias in node.names}
        found += [f"{name}: {one}" for one in names_used(text) - known - set(dir(builtins)) - {"__file__"}]
        if name in ORDER:
            kept += [ast.dump(node) for node in tree.body[1:] if node not in imports]
    whole = [ast.dump(node) for node in ast.parse(script.text).body[1:-1] if not is_import(node)]
    found += [f"twice, or not at all: {one}" for one in (Counter(kept) - Counter(whole))]
    return [*found, *(f"lost: {one}" for one in (Counter(whole) - Counter(kept)))]


def is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def cut(flow: Flow, registry: Registry) -> list[str]:
    script = make_script(flow, registry, source_name="bench", package="pond")
    return wrong_with(script, make_package(script, "pond").files)


def test_the_files_are_the_one_file_cut_so_that_each_needs_those_before_it_alone() -> None:
    for number, (_, flow, known) in enumerate(flows()):
        if number % CUT == 0:
            assert cut(flow, REGISTRY.with_flows(GivenFlows(known))) == []


@every_project
def test_so_are_those_of_an_example(folder: Path) -> None:
    source = Project.open(folder).main_flow
    assert wrong_with(script_of(source, package="pond_notes"), exported(folder)) == []


@settings(random_flows, deadline=None, max_examples=examples.examples(12))
@given(cases(most_crossings=2))
def test_so_are_those_of_a_random_flow(case: Case) -> None:
    assume(not case.is_refused)
    try:
        wrong = cut(case.flow, KINDS.with_flows(GivenFlows(case.flows)))
    except ExportError:
        reject()  # that nothing else is refused than may be is shown where they are run
    assert wrong == []


@every_project
async def test_a_package_is_started_by_its_name_and_gives_what_the_script_gives(
    folder: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(folder, home, ignore=shutil.ignore_patterns(".stepwire", "out"))
    project = Project.open(home)
    assert project.scripts is not None
    for name, text in exported(folder).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "one.py").write_text(script_of(project.main_flow).text, "utf-8")
    async with await serve(ScriptBook.load(project.scripts), pace=0) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "pond_notes", "--model=scripted", f"--folder={home}"),
            cwd=tmp_path,
            env={**os.environ, "OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"},
            stdout=subprocess.PIPE,
        )
        out, _ = await process.communicate()
    assert process.returncode == 0
    script = await ask(tmp_path / "one.py", [f"--folder={home}"], answers=project.scripts)
    assert out.decode() == script.out != ""


@every_project
async def test_a_package_is_played_against_a_run_as_a_script_is(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(folder, home, ignore=shutil.ignore_patterns(".stepwire", "out"))
    project = Project.open(home)
    flow, registry = load_flow(project.main_flow).flow, project_registry(project, builtin_registry())
    assert (await run_here(prepare(project, flow, registry, environ={}, pace=0))).error is None
    save_package(tmp_path / "pond", export_package(project.main_flow, "pond"))
    store = RunStore(project.private)
    old = OldRun.read(store, store.find("latest"))
    found = verify_script(tmp_path / "pond" / "pond", old, flow, registry)
    assert found.difference is None
    assert found.compared >= 5


@pytest.mark.parametrize("name", [*FLOWS, *CALLING])
def test_a_package_does_what_the_script_does(name: str, tmp_path: Path) -> None:
    nodes, wires, inputs = {**FLOWS, **CALLING}[name]
    if name == "inputs called as options are":
        nodes = {**nodes, "model": ("io.flow_input", {"default": "m"})}
    flow = flow_of(nodes, wires)
    (tmp_path / "word.txt").write_text("early")
    text = export(flow, tmp_path / "script.py", KNOWN)
    arguments = [f"--{key.replace('_', '-')}={said(value)}" for key, value in inputs.items()]
    if '"--folder"' in text:
        arguments.append(f"--folder={tmp_path}")
    package = call_package(export_into(tmp_path / "package", flow, KNOWN), arguments)
    assert package == call(tmp_path / "script.py", arguments)


def said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@every_project
def test_exporting_twice_gives_the_same_files(folder: Path) -> None:
    assert exported(folder) == exported(folder)


@every_project
def test_what_is_installed_is_said_as_installers_want_it(folder: Path) -> None:
    files = exported(folder)
    told = tomllib.loads(files["pyproject.toml"])
    assert told["project"]["name"] == "pond-notes"
    assert told["project"]["scripts"] == {"pond-notes": "pond_notes.command_line:main"}
    assert any(one.startswith("openai>=") for one in told["project"]["dependencies"])
    assert told["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["pond_notes"]


@pytest.mark.parametrize(
    "text", ['two\nlines "quoted"', "back\\slash", "\x7f\u2028 a\ud800", "Ü🐦", "[tool]"]
)
def test_no_name_of_a_flow_breaks_the_project_file(text: str) -> None:
    flow = replace(SAYS, name=text)
    project = export_package(flow, "pond", registry=REGISTRY).files["pyproject.toml"]
    told = tomllib.loads(project.encode().decode())
    assert told["project"]["description"].isprintable()
    assert list(told) == ["build-system", "project", "tool"]


def test_a_flow_that_says_nothing_and_uses_nothing_has_no_files_for_it() -> None:
    files = export_package(SAYS, "pond", registry=REGISTRY).files
    absent = {f"pond/{name}.py" for name in ("errors", "shared", "steps", "called_flows")}
    assert absent.isdisjoint(files)


def test_a_package_is_not_called_as_what_it_imports() -> None:
    nodes: dict[str, Any] = {"chat": ("llm.chat", {}, {"prompt": "x"}), "out": "io.flow_output"}
    flow = flow_of(nodes, ["chat.reply -> out.value"])
    with pytest.raises(UsageError, match="import itself"):
        export_package(flow, "openai", registry=REGISTRY)


USED: list[tuple[str, set[str]]] = [
    ("def f(a: Sound) -> Bird: return call(a)", {"Sound", "Bird", "call"}),
    ("def f(call): return call(1)", set()),
    ("def f():\n    from x import call\n    return call", set()),
    ("X = [one for one in given if one in known]", {"given", "known"}),
    ("class A(B):\n    x: Sound = field()\n    def f(self): return x", {"B", "Sound", "field", "x"}),
    ('X = cast("Sound", [cast("Bird | None", 1)])', {"cast", "Sound", "Bird"}),
    (
        "@deco(key=1)\nasync def f(*, a=default):\n    def g(): return default_2",
        {"deco", "default", "default_2"},
    ),
]


@pytest.mark.parametrize(("text", "used"), USED)
def test_a_name_is_imported_where_it_is_no_name_of_the_place(text: str, used: set[str]) -> None:
    assert names_used(text) == used


def test_what_stands_at_the_top_can_be_imported() -> None:
    text = "A: int = 1\nB = C = 2\ndef f(): x = 1\nclass D: y = 1\n"
    assert names_defined(text) == {"A", "B", "C", "f", "D"}
