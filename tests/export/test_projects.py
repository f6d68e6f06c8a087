"""The examples as scripts: they give what the engine gives, and read as scripts should."""

import ast
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from studio.app.exporting import export_flow, save_script
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here
from tests.export.in_process import ask
from tests.export.scripts import export
from tests.projects.running import SHOWN
from tests.runtime.bench import flow_of

PROJECTS = SHOWN
every_project = pytest.mark.parametrize("folder", PROJECTS, ids=[folder.name for folder in PROJECTS])
INPUTS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "chapters": ({}, {"words": 12}),
    "field_notes": (
        {"question": "When did the pond freeze?"},
        {"question": "Which moths came to the lamp?"},
        {"question": "What of volcanoes?"},
    ),
    "front_desk": (
        {},
        {"question": "Can I bring two dogs?"},
        {"question": "I am locked out. Whom can I call, at what number?"},
    ),
    "side_by_side": (
        {"question": "How should we name the release?"},
        {"question": 'Say "{x}" \\ {{y}}'},
    ),
}


@cache
def exported(folder: Path) -> str:
    return export_flow(Project.open(folder).main_flow)


@every_project
async def test_the_script_gives_what_the_engine_gives(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(folder, home, ignore=shutil.ignore_patterns(".stepwire", "out"))
    project, script = Project.open(home), tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    save_script(script, exported(folder))
    flow, answers = load_flow(project.main_flow).flow, project.scripts
    assert answers is not None
    registry = project_registry(project, builtin_registry())
    for given in INPUTS.get(folder.name, ()):
        materials = prepare(project, flow, registry, environ={}, inputs=given, pace=0)
        state = await run_here(materials)
        assert state.error is None
        written = {path.name: path.read_text("utf-8") for path in (home / "out").iterdir()}
        shutil.rmtree(home / "out")
        arguments = [*(f"--{name}={value}" for name, value in given.items()), f"--folder={home}"]
        ended = await ask(script, arguments, answers=answers)
        assert ended.outputs == {name: shown.data for name, shown in state.outputs.items()}
        assert {path.name: path.read_text("utf-8") for path in (home / "out").iterdir()} == written


@every_project
def test_exporting_twice_gives_the_same_bytes(folder: Path) -> None:
    assert export_flow(Project.open(folder).main_flow) == exported(folder)


@every_project
def test_nothing_of_the_studio_is_imported(folder: Path) -> None:
    imported = {
        module.partition(".")[0]
        for node in ast.walk(ast.parse(exported(folder)))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for module in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [n.name for n in node.names]
        )
    }
    foreign = imported - set(sys.stdlib_module_names)
    embedding = {"numpy", "safetensors", "tokenizers"} if folder.name == "front_desk" else set[str]()
    assert {"openai"} | embedding <= foreign <= {"openai", "jsonschema", "referencing", "regex"} | embedding


@every_project
def test_the_head_says_what_it_is_and_what_it_needs(folder: Path) -> None:
    text = exported(folder)
    assert text.startswith('#!/usr/bin/env python3\n# /// script\n# requires-python = ">=3.11"\n')
    doc = ast.get_docstring(ast.parse(text)) or ""
    assert doc.startswith(load_flow(Project.open(folder).main_flow).flow.name)
    assert re.search(r"Exported by Stepwire \d+\.\d+\.\d+ from flow\.json \(flow [0-9a-f]{12}\)", doc)


def test_the_loop_is_a_loop_and_the_agents_are_calls() -> None:
    text = exported(next(folder for folder in PROJECTS if folder.name == "field_notes"))
    flow = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.AsyncFunctionDef) and node.name == "answer_a_question_from_notes"
    )
    loop = next(node for node in ast.walk(flow) if isinstance(node, ast.For))
    called = [ast.unparse(node.func) for node in ast.walk(loop) if isinstance(node, ast.Call)]
    assert called.count("ask_agent") == 2
    assert any(isinstance(node, ast.Break) for node in ast.walk(loop))


def test_a_script_that_needs_no_client_depends_on_nothing(tmp_path: Path) -> None:
    flow = flow_of({"t": ("text.text", {"text": "x"}), "out": "io.flow_output"}, ["t.text -> out.value"])
    text = export(flow, tmp_path / "script.py")
    assert "dependencies = []" in text
    assert "openai" not in text


def test_the_version_asked_for_is_the_one_that_is_tried() -> None:
    from studio.export.head import LIBRARIES

    project = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    assert all(f'"{one}"' in project for one in LIBRARIES.values())


BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
"""What tools that run scripts look for: the expression of the specification of inline metadata."""


@every_project
def test_what_runs_scripts_reads_in_the_head_what_has_to_be_installed(folder: Path) -> None:
    text = exported(folder)
    [block] = BLOCK.finditer(text)
    lines = [line[2:] if line.startswith("# ") else line[1:] for line in block["content"].splitlines()]
    said = tomllib.loads("\n".join(lines))
    assert block["type"] == "script"
    assert set(said) == {"requires-python", "dependencies"}
    assert "3.11" in SpecifierSet(said["requires-python"])
    assert {Requirement(one).name for one in said["dependencies"]} >= {"openai"}
