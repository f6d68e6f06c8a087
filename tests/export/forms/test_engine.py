"""What of the kit a script brings along: all that it can come to, and nothing for other nodes."""

from itertools import chain

import pytest

from studio.export.forms.engine import (
    DOORS,
    LEFT_OUT,
    Engine,
    Needs,
    engine_of,
    needs_of,
)
from studio.export.forms.imports import OURS, Module, module_of, path_of
from studio.export.forms.requirements import LIBRARIES, bounded
from studio.workspace.catalog import builtin_files
from tests.export.forms.subjects import subject

ENGINES_OWN = {"io.flow_input", "control.for_each", "control.collect", "control.merge", "control.subflow"}
"""The kinds of which the engine makes nodes by itself."""


def engine(name: str) -> Engine:
    return engine_of(needs_of(subject(name)))


def nodes_in(found: Engine) -> set[str]:
    return {one.removeprefix("nodes.") for one in found.modules if one.count(".") == 2 and one[:5] == "nodes"}


@pytest.mark.parametrize(
    ("script", "own"),
    [
        ("answer", {"llm.agent", "tools.text_search", "io.write_file"}),
        ("debate", {"team.debate", "team.member"}),
        ("remembering", {"memory.vector", "memory.remember", "memory.recall"}),
        ("counting", {"control.python"}),
        ("chapters", {"text.template", "text.join", "io.flow_output"}),
    ],
)
def test_a_script_brings_the_node_files_of_its_steps_and_no_others(script: str, own: set[str]) -> None:
    assert own <= nodes_in(engine(script)) <= own | ENGINES_OWN


@pytest.mark.parametrize("script", ["answer", "debate", "remembering", "counting", "chapters"])
def test_all_that_its_modules_import_of_ours_is_there_but_what_only_other_nodes_need(script: str) -> None:
    found = engine(script)
    for name in found.modules:
        module = module_of(name)
        assert module is not None
        for one in module.imports:
            if one.top not in OURS or one.module in LEFT_OUT:
                continue
            wanted = one.module
            if one.name and path_of(f"{one.module}.{one.name}") is not None:
                wanted = f"{one.module}.{one.name}"
            assert wanted in found.modules or wanted in DOORS, f"{name} imports {wanted}"


def test_servers_sandbox_and_files_of_memories_come_with_the_nodes_that_use_them() -> None:
    plain = engine("answer")
    assert not plain.modules.keys() & DOORS.keys()
    assert not plain.libraries & {"apsw", "sqlite-vec", "mcp", "wasmtime", "numpy", "keyring"}
    assert plain.resources == ("prices.toml",)
    memory = engine("remembering")
    assert {"apsw", "sqlite-vec", "numpy", "tokenizers", "safetensors"} <= memory.libraries
    assert "vectors" in memory.resources
    code = engine("counting")
    assert "wasmtime" in code.libraries
    assert "sandbox" in code.resources
    assert {"studio.sandbox.worker", "studio.sandbox.building"} <= code.modules.keys()
    servers = engine_of(Needs(frozenset({"Flow"}), frozenset({"tools.mcp_server"})))
    assert "mcp" in servers.libraries
    assert "studio.servers.connection" in servers.modules


@pytest.mark.parametrize("kind", ["tools.code_interpreter", "environment.environment", "check.score"])
def test_nodes_that_run_code_by_what_they_share_bring_the_sandbox(kind: str) -> None:
    found = engine_of(Needs(frozenset({"Flow"}), frozenset({kind})))
    assert "studio.sandbox.worker" in found.modules


def test_nothing_of_the_window_or_of_what_writes_scripts_is_ever_brought() -> None:
    found = engine_of(Needs(frozenset({"Flow", "run"}), frozenset(builtin_files())))
    rooms = {one.split(".")[1] for one in found.modules if one.startswith("studio.")}
    assert not rooms & {"ui", "app", "cli", "export"}
    assert found.libraries <= LIBRARIES.keys()
    assert len(bounded(found.libraries)) == len(found.libraries)


def test_what_runs_drawn_flows_brings_the_whole_library() -> None:
    for needs in (
        needs_of("from stepwire_kit import run_sync\n"),
        needs_of("from stepwire_kit.nodes import run_flow\n"),
        needs_of("from stepwire_kit.nodes import flow_as_tool\n"),
    ):
        assert nodes_in(engine_of(needs)) == set(builtin_files())


def test_nodes_that_are_called_alike_come_together_so_that_their_functions_keep_their_names() -> None:
    needs = needs_of("from stepwire_kit import Flow\nfrom stepwire_kit.nodes import tools_files\n")
    assert {"tools.files", "memory.files"} <= nodes_in(engine_of(needs))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from stepwire_kit.nodes import agent as asked", {"llm.agent"}),
        ("def late():\n    from stepwire_kit.nodes import agent", {"llm.agent"}),
        ("from stepwire_kit.nodes import no_such_node", set[str]()),
        ('from stepwire_kit import region\nDRAWN = \'{"kind": "text.join"}\'', {"text.join"}),
        ("from stepwire_kit import region\nDRAWN = {'a': {'kind': 'text.join'}}", {"text.join"}),
        ('print(\'{"kind": "text.join"}\')', set[str]()),
    ],
)
def test_kinds_are_read_from_imports_and_from_drawn_parts(text: str, found: set[str]) -> None:
    assert needs_of(text).kinds == found


def test_a_script_without_the_kit_brings_nothing() -> None:
    found = engine_of(needs_of("import json\n"))
    assert (found.modules, found.resources, found.libraries) == ({}, (), frozenset())


def test_imports_for_the_type_checker_do_not_count_and_names_of_modules_do() -> None:
    text = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from studio.flow.checks import check\n"
        "else:\n    from studio.flow.structure import types\n"
        "from ..flow.structure import graph\n"
        "VISIT = 'studio.host.visit'\n"
        "SAID = 'studio.nowhere'\n"
    )
    module = Module.of("studio.runtime.made_up", text)
    found = set(chain.from_iterable((one.module, f"{one.module}.{one.name}") for one in module.imports))
    assert {"studio.flow.structure.types", "studio.flow.structure.graph", "studio.host.visit"} <= found
    assert not found & {"studio.flow.checks.check", "studio.nowhere"}
