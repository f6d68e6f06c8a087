"""What a project from elsewhere executes is approved, part by part, before it runs; ours is not."""

import ast
import json
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import UntrustedError
from studio.flow.files import codec
from studio.flow.records import Flow
from studio.places import projects
from studio.sdk.node_type import Access
from studio.workspace.catalog import builtin_files, builtin_registry
from studio.workspace.grants import KeptGrants
from studio.workspace.project import Project
from studio.workspace.runs import prepare
from studio.workspace.trust import (
    TRUSTED_FOLDERS,
    Executable,
    Trust,
    UnapprovedError,
    executables,
    executables_of,
    hash_of,
    require_trust,
)
from studio.workspace.user_folder import CONFIG_VARIABLE
from tests.app.written_projects import write_flow, write_project
from tests.examples import examples

REGISTRY = builtin_registry()


def flow_of(*nodes: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    named = {f"n{at}": {"kind": kind, "settings": settings} for at, (kind, settings) in enumerate(nodes)}
    return {"format": "stepwire.flow", "version": 1, "name": "Trial", "nodes": named, "wires": []}


def code(text: str) -> tuple[str, dict[str, Any]]:
    return "control.python", {"code": f"def main() -> str:\n    return {text!r}\n"}


def read(flow: dict[str, Any]) -> Flow:
    return codec.loads(json.dumps(flow)).flow


def unapproved(environ: dict[str, str], project: Project, *flows: Flow) -> tuple[Executable, ...]:
    """What of flows nobody has approved, and that they are refused just then."""
    found = Trust(environ).unapproved(project, executables(project, flows, REGISTRY))
    if found:
        with pytest.raises(UnapprovedError):
            require_trust(project, flows, REGISTRY, environ)
    else:
        require_trust(project, flows, REGISTRY, environ)
    return found


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {CONFIG_VARIABLE: str(tmp_path / "config")}


def project_with(folder: Path, *nodes: tuple[str, dict[str, Any]], **more: object) -> Project:
    return Project.open(write_project(folder, flow=flow_of(*nodes), **more))  # pyright: ignore[reportArgumentType]


# --- what is asked about --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "given", "accesses"),
    [
        ("control.python", {}, ("code",)),
        ("tools.python_function", {}, ("code",)),
        ("tools.code_interpreter", {}, ("code",)),
        ("check.unit_tests", {}, ("code",)),
        ("check.score", {}, ()),
        ("check.score", {"by": "Python"}, ("code",)),
        ("environment.environment", {}, ("code",)),
        ("tools.mcp_server", {"command": "python x.py"}, ("programs",)),
        ("tools.mcp_server", {"over": "address", "url": "https://example.org"}, ("network",)),
        ("tools.http_request", {"url": "https://example.org"}, ("network",)),
        ("tools.files", {}, ()),
        ("tools.files", {"write": True}, ("files",)),
        ("tools.sqlite_query", {"write": True}, ("files",)),
        ("io.write_file", {}, ("files",)),
        ("text.template", {"template": "{{ x }}"}, ()),
        ("llm.chat", {}, ()),
    ],
)
def test_a_part_is_asked_about_for_what_it_does_as_it_is_set(
    tmp_path: Path, kind: str, given: dict[str, Any], accesses: tuple[Access, ...]
) -> None:
    project = project_with(tmp_path, (kind, given))
    assert tuple(access for one in executables_of(project, REGISTRY) for access in one.accesses) == accesses


USES: dict[str, Access] = {
    "run_code": "code",
    "server": "programs",
    "fetch": "network",
    "write_text": "files",
    "append_text": "files",
}


@cache
def uses_of(module: str) -> frozenset[Access]:
    """What a module, and those of its package, ask of a context by name."""
    found = find_spec(module)
    assert found is not None
    assert found.origin is not None
    path = Path(found.origin)
    files = path.parent.rglob("*.py") if path.name == "__init__.py" else [path]
    trees = [ast.parse(one.read_text("utf-8")) for one in files]
    called = (node.func for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    return frozenset(USES[one.attr] for one in called if isinstance(one, ast.Attribute) and one.attr in USES)


@pytest.mark.parametrize("kind", list(builtin_files()))
def test_every_node_type_declares_what_it_reaches(kind: str) -> None:
    declared = builtin_files()[kind].accesses
    assert uses_of(f"nodes.{kind}") <= set(declared)
    assert builtin_files()[kind].effect.value != "side_effect" or declared or kind == "tools.tool_search"


@pytest.mark.parametrize("kind", [one for one in builtin_files() if builtin_files()[one].accesses])
def test_a_declaration_names_a_setting_and_a_value_that_it_can_have(kind: str) -> None:
    node_type = builtin_files()[kind]
    for condition in filter(None, node_type.accesses.values()):
        name, _, value = condition.partition("=")
        (spec,) = [one for one in node_type.settings if one.name == name]
        plain = json.loads(value) if value in {"true", "false"} else value
        assert spec.write(spec.read(plain)) == plain


def test_addresses_of_chat_profiles_are_asked_about_where_a_flow_asks_a_chat(tmp_path: Path) -> None:
    chat = {"profiles": {"theirs": {"base_url": "https://example.org/v1", "llm": "x"}}}
    (asked,) = executables_of(project_with(tmp_path / "a", ("llm.chat", {}), chat=chat), REGISTRY)
    assert asked.seen["address"] == "https://example.org/v1"
    assert executables_of(project_with(tmp_path / "b", ("text.text", {}), chat=chat), REGISTRY) == ()


def test_scripts_that_a_command_names_are_asked_about_with_what_stands_in_them(tmp_path: Path) -> None:
    project = project_with(tmp_path, ("tools.mcp_server", {"command": "python serve.py"}))
    (tmp_path / "serve.py").write_text("print(1)")
    (before,) = executables_of(project, REGISTRY)
    (tmp_path / "serve.py").write_text("print(2)")
    (after,) = executables_of(project, REGISTRY)
    assert before.seen["serve.py"] == "print(1)"
    assert before.fingerprint != after.fingerprint


def test_a_command_that_is_approved_is_not_asked_about_again_by_the_run(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    servers = [("tools.mcp_server", {"command": f"python {name}.py"}) for name in ("one", "two")]
    flow = flow_of(*servers)
    for node in flow["nodes"].values():
        node["title"] = "Server"
    project = Project.open(write_project(tmp_path, flow=flow))
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(name)
    one, two = executables_of(project, REGISTRY)
    assert [{*part.seen} & {"one.py", "two.py"} for part in (one, two)] == [{"one.py"}, {"two.py"}]
    Trust(environ).approve(project, [one])
    asked = [KeptGrants(environ).has(grant) for part in (one, two) for grant in part.grants]
    assert asked == [True, False]
    Trust(environ).revoke(project, [one])
    assert not KeptGrants(environ).has(one.grants[0])


# --- when it is approved --------------------------------------------------------------------------------


def test_a_project_from_elsewhere_runs_once_what_it_executes_is_approved(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    project = project_with(tmp_path / "p", code("a"))
    flow = read(flow_of(code("a")))
    with pytest.raises(UnapprovedError) as refused:
        prepare(project, flow, REGISTRY, environ=environ, inputs={})
    assert refused.value.exit_code == 5
    assert refused.value.details == ("n0 (Python): Python code, in the sandbox",)
    assert not (tmp_path / "p" / ".stepwire").exists()
    refused.value.approve()
    assert unapproved(environ, project, flow) == ()


def test_what_executes_nothing_runs_at_once(tmp_path: Path, environ: dict[str, str]) -> None:
    project = project_with(tmp_path / "p", ("text.text", {"text": "x"}))
    assert not made_here(environ, tmp_path / "p")
    assert unapproved(environ, project, read(flow_of(("text.text", {"text": "x"})))) == ()


def test_a_part_that_changed_is_asked_about_again_with_a_difference(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    project = project_with(tmp_path / "p", code("a"), code("b"))
    Trust(environ).approve(project, executables(project, [read(flow_of(code("a"), code("b")))], REGISTRY))
    with pytest.raises(UnapprovedError) as refused:
        require_trust(project, [read(flow_of(code("a"), code("evil")))], REGISTRY, environ)
    (changed,) = refused.value.found
    assert changed.where == "n1"
    assert "-    return 'b'" in refused.value.changes(changed)
    assert "+    return 'evil'" in refused.value.changes(changed)


def test_what_was_approved_earlier_stays_so_for_runs_of_then(tmp_path: Path, environ: dict[str, str]) -> None:
    project = project_with(tmp_path / "p", code("a"))
    flows = [read(flow_of(code(one))) for one in "ab"]
    for flow in flows:
        Trust(environ).approve(project, executables(project, [flow], REGISTRY))
    assert unapproved(environ, project, *flows) == ()


texts = st.text(st.characters(codec="utf-8"), max_size=8)


@settings(max_examples=examples(40))
@given(st.lists(texts, min_size=1, max_size=4), st.data())
def test_whatever_is_approved_is_all_that_runs(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("trust")
    environ = {CONFIG_VARIABLE: str(folder / "config")}
    project = project_with(folder / "p", ("text.text", {}))
    flow = flow_of(*(code(one) for one in names))
    for node in flow["nodes"].values():
        node["title"] = "Same name"  # of whom all are meant
    Trust(environ).approve(project, executables(project, [read(flow)], REGISTRY))
    require_trust(project, [read(flow)], REGISTRY, environ)
    other = data.draw(texts.filter(lambda one: one not in names))
    flow["nodes"][f"n{data.draw(st.integers(0, len(names) - 1))}"]["settings"] = code(other)[1]
    with pytest.raises(UntrustedError):
        require_trust(project, [read(flow)], REGISTRY, environ)


def test_the_hash_stands_for_all_parts_in_any_order(tmp_path: Path) -> None:
    found = executables_of(project_with(tmp_path / "a", code("a"), code("b")), REGISTRY)
    turned = executables_of(project_with(tmp_path / "b", code("b"), code("a")), REGISTRY)
    assert hash_of(found) == hash_of(turned)
    assert hash_of(found) != hash_of(found[:1])


# --- what was made here ---------------------------------------------------------------------------------


def made_here(environ: dict[str, str], path: Path) -> bool:
    return Trust(environ).is_made_here(Project.open(path))


def test_what_was_made_here_is_not_asked_about_until_that_is_taken_back(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    project = project_with(tmp_path / "p", code("a"))
    assert not made_here(environ, tmp_path / "p")
    Trust(environ).note_made_here(tmp_path / "p")
    require_trust(project, [read(flow_of(code("a")))], REGISTRY, environ)
    Trust(environ).revoke(project, ())
    assert not made_here(environ, tmp_path / "p")


def test_of_a_flow_on_its_own_the_file_was_made_here_and_not_its_neighbours(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    mine, theirs = (write_flow(tmp_path / f"{name}.json", flow_of(code("a"))) for name in ("mine", "theirs"))
    Trust(environ).note_made_here(mine)
    assert made_here(environ, mine)
    assert not made_here(environ, theirs)


def shipped() -> Iterator[Path]:
    yield from sorted(one.parent for one in projects().glob("*/project.json"))


def test_what_came_with_the_studio_was_made_here(environ: dict[str, str]) -> None:
    assert all(made_here(environ, one) for one in shipped())


def test_a_folder_can_be_trusted_by_the_environment_for_machines_that_build(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    write_project(tmp_path / "work" / "p")
    write_project(tmp_path / "workshop")
    environ = {**environ, TRUSTED_FOLDERS: str(tmp_path / "work")}
    assert made_here(environ, tmp_path / "work" / "p")
    assert not made_here(environ, tmp_path / "workshop")


def test_what_was_opened_before_anybody_was_asked_is_taken_as_made_here_once(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    old, new = write_project(tmp_path / "old"), write_project(tmp_path / "new")
    Trust(environ).take_over([old])
    Trust(environ).take_over([old, new])
    assert made_here(environ, old)
    assert not made_here(environ, new)


def test_what_cannot_be_kept_is_not_approved(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environ = {CONFIG_VARIABLE: str(tmp_path / "file")}
    project = project_with(tmp_path / "p", code("a"))
    with pytest.raises(UnapprovedError) as refused:
        require_trust(project, [read(flow_of(code("a")))], REGISTRY, environ)
    with pytest.raises(Exception, match="could not be kept"):
        refused.value.approve()
