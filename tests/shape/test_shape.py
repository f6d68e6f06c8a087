"""What a reader of the code may rely on and imports alone cannot show."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDIO = sorted((ROOT / "studio").rglob("*.py"))
NODES = sorted(path for path in (ROOT / "nodes").rglob("*.py"))
CODE = [*STUDIO, *NODES]
WINDOW = [path for path in STUDIO if path.is_relative_to(ROOT / "studio" / "ui")]

EMPTY_NAMES = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
"""Names that say nothing of what is in a file."""

OF_THE_RUN = {
    *("asyncio", "socket", "random", "secrets", "time", "threading", "subprocess", "multiprocessing"),
    *("concurrent", "PySide6", "studio.runtime", "studio.store", "studio.app", "studio.host", "studio.ui"),
}
"""What a node gets from its `Context` or not at all: tasks, sockets, clock and chance are the run's."""

WITHIN_A_TOOL = {"nodes/tools"}
"""Node types that lend a tool, whose whole purpose is to reach out: they may open files and databases."""

COLOR = re.compile(r"#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
NAMED_COLOR = {"QColor", "QPen", "QBrush"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def imported(module: ast.Module) -> Iterator[str]:
    for found in ast.walk(module):
        if isinstance(found, ast.Import):
            yield from (alias.name for alias in found.names)
        elif isinstance(found, ast.ImportFrom) and found.module:
            yield found.module
            yield from (f"{found.module}.{alias.name}" for alias in found.names)


def is_within(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def calls(module: ast.Module) -> Iterator[ast.Call]:
    return (found for found in ast.walk(module) if isinstance(found, ast.Call))


def docstrings(module: ast.Module) -> set[ast.AST]:
    """The constants that are documentation, and so may speak of colours."""
    return {found.value for found in ast.walk(module) if isinstance(found, ast.Expr)}


@pytest.mark.parametrize("path", NODES, ids=name)
def test_a_node_takes_tasks_clock_and_chance_from_its_context(path: Path) -> None:
    assert [module for module in imported(tree(path)) if is_within(module, OF_THE_RUN)] == []


@pytest.mark.parametrize("path", [path for path in NODES if name(path.parent) not in WITHIN_A_TOOL], ids=name)
def test_a_node_that_is_no_tool_opens_no_file(path: Path) -> None:
    opens = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "mkdir", "unlink"}
    module = tree(path)
    named = {
        call.func.id if isinstance(call.func, ast.Name) else call.func.attr
        for call in calls(module)
        if isinstance(call.func, ast.Name | ast.Attribute) and not _goes_through_the_context(call.func)
    }
    assert named & opens == set()


def _goes_through_the_context(function: ast.expr) -> bool:
    """Tell `context.files.read_text(…)` from `Path(…).read_text(…)`."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and function.id in {"context", "files"}


@pytest.mark.parametrize("path", CODE, ids=name)
def test_a_module_is_named_for_what_is_in_it(path: Path) -> None:
    assert not set(path.relative_to(ROOT).with_suffix("").parts) & EMPTY_NAMES


@pytest.mark.parametrize("path", CODE, ids=name)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(tree(path))


@pytest.mark.parametrize("path", WINDOW, ids=name)
def test_the_window_never_waits_inside_a_loop_of_its_own(path: Path) -> None:
    waiting = [
        call.lineno
        for call in calls(tree(path))
        if isinstance(call.func, ast.Attribute) and call.func.attr in {"exec", "exec_", "processEvents"}
    ]
    if name(path) == "studio/ui/start.py":
        return  # the one loop is started here
    assert waiting == []


@pytest.mark.parametrize("path", WINDOW, ids=name)
def test_the_window_asks_no_static_dialog(path: Path) -> None:
    asked = [
        f"{call.func.value.id}.{call.func.attr}"
        for call in calls(tree(path))
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    ]
    static = re.compile(r"Q\w*Dialog\.get\w+|QMessageBox\.(question|warning|information|critical|about)")
    assert [call for call in asked if static.fullmatch(call)] == []


@pytest.mark.parametrize("path", CODE, ids=name)
def test_no_colour_stands_in_code(path: Path) -> None:
    module = tree(path)
    documentation = docstrings(module)
    literals = [
        found.value
        for found in ast.walk(module)
        if isinstance(found, ast.Constant) and isinstance(found.value, str) and found not in documentation
    ]
    assert [text for text in literals if COLOR.fullmatch(text)] == []
    mixed = [
        call.lineno
        for call in calls(module)
        if isinstance(call.func, ast.Name)
        and call.func.id in NAMED_COLOR
        and any(isinstance(argument, ast.Constant) for argument in call.args)
    ]
    assert mixed == []


@pytest.mark.parametrize("path", CODE, ids=name)
def test_everything_public_is_explained(path: Path) -> None:
    silent = [
        found.name
        for scope in ast.walk(tree(path))
        if isinstance(scope, ast.Module | ast.ClassDef) and not getattr(scope, "name", "").startswith("_")
        for found in scope.body
        if isinstance(found, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and not found.name.startswith("_")
        and not _is_qt_s_or_written_elsewhere(found)
        and not ast.get_docstring(found)
    ]
    assert silent == []


def _is_qt_s_or_written_elsewhere(found: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Qt's virtual functions keep Qt's camel case and Qt's explanation; an override keeps its parent's."""
    decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in found.decorator_list}
    is_camel_case = found.name[0].islower() and found.name != found.name.lower()
    return is_camel_case or bool(decorators & {"override", "overload", "setter"})


def test_no_leftover_stands_at_the_top_of_the_project() -> None:
    fixed = {"studio", "nodes", "themes", "projects", "tests", "resources", "pyproject.toml", "README.md"}
    beside = {"LICENSE", "Makefile", "build", "dist"}
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found <= fixed | beside
