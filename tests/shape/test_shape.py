"""What a reader of the code may rely on and imports alone cannot show."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDIO = sorted((ROOT / "studio").rglob("*.py"))
NODES = sorted((ROOT / "nodes").rglob("*.py"))
CODE = [*STUDIO, *NODES]
WINDOW = [path for path in STUDIO if path.is_relative_to(ROOT / "studio" / "ui")]

EMPTY_NAMES = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
"""Names that say nothing of what is in a file."""

OF_THE_RUN = {
    *("asyncio", "socket", "random", "secrets", "time", "threading", "subprocess", "multiprocessing"),
    *("concurrent", "PySide6", "studio.runtime", "studio.store", "studio.app", "studio.host", "studio.ui"),
}
"""What a node gets from its `Context` or not at all: tasks, sockets, clock and chance are the run's."""

WITHOUT_THE_STUDIO = {
    "studio/app/gallery/gallery_tests.py",
    "studio/extras.py",
    "studio/export/forms/archive_start.py",
}
"""What has pytest look at a checkout, in its folder; what only names a line; what starts an archive."""

OF_NO_RUN = {"asyncio.Lock", "random.Random"}
"""What begins nothing and knows no chance by itself: who comes next, and the type of what a context gives."""

COLOR = re.compile(r"#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3})")
STATIC_DIALOG = re.compile(r"Q\w*Dialog\.get\w+|QMessageBox\.(question|warning|information|critical|about)")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), filename=str(path))


@cache
def walked(module: ast.Module) -> tuple[ast.AST, ...]:
    """All that stands in a module: walked once for every question."""
    return tuple(ast.walk(module))


def offences(paths: Sequence[Path], finder: Callable[[ast.Module], Iterable[str]]) -> list[str]:
    """What `finder` objects to, each with its file."""
    return [f"{name(path)}: {offence}" for path in paths for offence in finder(tree(path))]


def calls(module: ast.Module) -> Iterator[ast.Call]:
    return (found for found in walked(module) if isinstance(found, ast.Call))


def test_a_node_takes_tasks_clock_and_chance_from_its_context() -> None:
    assert offences(NODES, _what_belongs_to_the_run) == []


def _what_belongs_to_the_run(module: ast.Module) -> Iterator[str]:
    for found in walked(module):
        names: list[str] = []
        if isinstance(found, ast.Import):
            names = [alias.name for alias in found.names]
        elif isinstance(found, ast.ImportFrom) and found.module:
            taken = {f"{found.module}.{alias.name}" for alias in found.names} - OF_NO_RUN
            names = [found.module, *taken] if taken else []
        if any(part == taken or part.startswith(f"{taken}.") for part in names for taken in OF_THE_RUN):
            yield f"line {found.lineno}: {ast.unparse(found)}"


def test_a_node_reaches_files_through_the_folder_that_it_is_given() -> None:
    assert offences(NODES, _files_opened) == []


def _files_opened(module: ast.Module) -> Iterator[str]:
    for call in calls(module):
        source: ast.expr = call.func
        if isinstance(source, ast.Name) and source.id == "open":
            yield f"line {call.lineno} opens a file"
        while isinstance(source, ast.Attribute):
            source = source.value
        if source is not call.func and isinstance(source, ast.Call) and ast.unparse(source.func) == "Path":
            yield f"line {call.lineno} asks the disk: {ast.unparse(call.func)}"


def test_a_module_is_named_for_what_is_in_it() -> None:
    assert [name(path) for path in CODE if set(Path(name(path)).with_suffix("").parts) & EMPTY_NAMES] == []


def test_a_module_says_what_it_is_for() -> None:
    assert [name(path) for path in CODE if not ast.get_docstring(tree(path))] == []


def test_the_window_never_waits_inside_a_loop_of_its_own() -> None:
    paths = [path for path in WINDOW if name(path) != "studio/ui/start.py"]  # where the one loop is started
    assert offences(paths, _inner_loops) == []


def _inner_loops(module: ast.Module) -> Iterator[str]:
    for call in calls(module):
        if isinstance(call.func, ast.Attribute) and call.func.attr in {"exec", "exec_", "processEvents"}:
            yield f"line {call.lineno} calls {ast.unparse(call.func)}"


def test_the_window_asks_no_static_dialog() -> None:
    assert offences(WINDOW, _static_dialogs) == []


def _static_dialogs(module: ast.Module) -> Iterator[str]:
    for call in calls(module):
        if STATIC_DIALOG.fullmatch(ast.unparse(call.func)):
            yield f"line {call.lineno} calls {ast.unparse(call.func)}"


def test_python_is_started_in_one_way_that_looks_for_no_module_where_the_user_is() -> None:
    ours = [path for path in STUDIO if name(path) not in {"studio/sandbox/process.py", *WITHOUT_THE_STUDIO}]
    assert offences(ours, _interpreters) == []


def _interpreters(module: ast.Module) -> Iterator[str]:
    for found in walked(module):
        if isinstance(found, ast.Attribute) and ast.unparse(found) == "sys.executable":
            yield f"line {found.lineno}: {ast.unparse(found)}"


def test_no_colour_and_no_font_stands_in_code() -> None:
    assert offences(CODE, _looks) == []


def _looks(module: ast.Module) -> Iterator[str]:
    for found in walked(module):
        if isinstance(found, ast.Constant) and isinstance(found.value, str) and COLOR.fullmatch(found.value):
            yield f"line {found.lineno} has the colour {found.value}"
        elif (
            isinstance(found, ast.Call)
            and ast.unparse(found.func) in {"QColor", "QFont"}
            and any(isinstance(argument, ast.Constant) for argument in found.args)
        ):
            yield f"line {found.lineno} chooses {ast.unparse(found)}"


def test_everything_public_is_explained() -> None:
    assert offences(CODE, _silent) == []


def _silent(module: ast.Module) -> Iterator[str]:
    for scope in walked(module):
        if not isinstance(scope, ast.Module | ast.ClassDef) or getattr(scope, "name", "").startswith("_"):
            continue
        for found in scope.body:
            if not isinstance(found, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if not found.name.startswith("_") and not _is_inherited(found) and not ast.get_docstring(found):
                yield f"line {found.lineno}: {found.name}"


def _is_inherited(found: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell Qt's virtual functions by their camel case, and other overrides by their decorator."""
    decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in found.decorator_list}
    is_camel_case = found.name[0].islower() and found.name != found.name.lower()
    return is_camel_case or bool(decorators & {"override", "overload", "setter"})


def test_nothing_else_stands_at_the_top_of_the_project() -> None:
    fixed = {"studio", "nodes", "themes", "projects", "tests", "resources", "pyproject.toml", "README.md"}
    beside = {"stepwire_kit", "LICENSE", "Makefile", "build", "dist"}
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found <= fixed | beside


@pytest.mark.parametrize(
    ("finder", "code"),
    [
        (_what_belongs_to_the_run, "from studio import runtime"),
        (_what_belongs_to_the_run, "import asyncio.subprocess"),
        (_what_belongs_to_the_run, "from asyncio import Lock, create_task"),
        (_files_opened, "open('x')"),
        (_files_opened, "Path('x').read_text()"),
        (_files_opened, "Path('x').parent.mkdir()"),
        (_inner_loops, "dialog.exec()"),
        (_static_dialogs, "QFileDialog.getOpenFileName(self)"),
        (_interpreters, "run([sys.executable, '-m', 'json'])"),
        (_looks, "look('#1e2128')"),
        (_looks, "QColor(1, 2, 3)"),
        (_looks, "QFont('Arial')"),
        (_silent, "class Thing:\n    'A thing.'\n    def act(self): ..."),
    ],
)
def test_each_of_these_finds_what_it_looks_for(
    finder: Callable[[ast.Module], Iterable[str]], code: str
) -> None:
    assert len(list(finder(ast.parse(code)))) == 1
