"""What a module of ours imports, as its text says: at its top, late, and by name.

An import within a function counts, for it is needed as soon as the function is called; one for the type
checker alone does not. A text that is the name of a module counts as well: so modules are named that are
imported by `importlib`, or started as processes.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

OURS: Final = frozenset({"studio", "nodes", "stepwire_kit"})
"""The packages that the kit consists of."""

_HOMES = "_HOMES"
"""The table of a package that says in which of its modules the names are that it loads late."""
_BY_NAME = frozenset({"find_spec", "import_module"})


class Imported(NamedTuple):
    """A module, and what is taken from it; nothing where it is imported as it is."""

    module: str
    name: str = ""

    @property
    def top(self) -> str:
        """The package in which it is found."""
        return self.module.partition(".")[0]


@dataclass(frozen=True)
class Module:
    """What the text of a module says of it; its tree, which is large, is let go of."""

    name: str
    is_package: bool
    imports: tuple[Imported, ...]
    """All that it imports when it runs, now or later."""
    homes: Mapping[str, str]
    """In which of its modules the names are that a package loads late."""
    texts: frozenset[str]
    """The texts that stand in it."""
    called_methods: frozenset[str]
    """The names of the methods that it calls, whatever they belong to."""

    @classmethod
    def of(cls, name: str, text: str, *, is_package: bool = False) -> "Module":
        """Read the text of a module; raises `SyntaxError`."""
        return cls.of_tree(name, ast.parse(text), is_package=is_package)

    @classmethod
    def of_tree(cls, name: str, tree: ast.Module, *, is_package: bool = False) -> "Module":
        """Read a module that is parsed already."""
        reader = _Reader(name, is_package=is_package)
        reader.read(tree)
        return cls(
            name,
            is_package,
            tuple(dict.fromkeys(reader.imports)),
            _homes(tree),
            frozenset(reader.texts),
            frozenset(reader.called_methods),
        )


class _Reader:
    """Goes through a tree once, in the order of its text."""

    def __init__(self, name: str, *, is_package: bool) -> None:
        self._name, self._is_package = name, is_package
        self.imports: list[Imported] = []
        self.texts: set[str] = set()
        self.called_methods: set[str] = set()

    def read(self, tree: ast.AST) -> None:
        """Note what stands in a tree."""
        waiting = [tree]
        while waiting:
            one = waiting.pop()
            inside = self._inside(one)
            if inside is not None:
                waiting += reversed(inside)

    def _inside(self, one: ast.AST) -> Sequence[ast.AST] | None:
        """Note what stands here, and give what has parts of its own."""
        match one:
            case ast.If(ast.Name("TYPE_CHECKING")):
                return one.orelse
            case ast.Import(names):
                self.imports += (Imported(alias.name) for alias in names)
                return None
            case ast.ImportFrom(module, names, level):
                home = self._absolute(module or "", level)
                self.imports += (Imported(home, alias.name) for alias in names)
                return None
            case ast.Constant(value):
                if isinstance(value, str):
                    self.texts.add(value)
                    if _is_ours(value):
                        self.imports.append(Imported(value))
                return None
            case ast.Name():
                return None
            case ast.Call(func, args):
                self._note_call(func, args)
            case _:
                pass
        return list(ast.iter_child_nodes(one))

    def _note_call(self, func: ast.expr, args: Sequence[ast.expr]) -> None:
        if isinstance(func, ast.Attribute):
            self.called_methods.add(func.attr)
        match args:
            case [ast.Constant(str(text)), *_] if _name_of(func) in _BY_NAME:
                self.imports.append(Imported(text))
            case _:
                pass

    def _absolute(self, module: str, level: int) -> str:
        if not level:
            return module
        parts = self._name.split(".")
        above = parts[: len(parts) - level + self._is_package]
        return ".".join([*above, module] if module else above)


def _homes(tree: ast.Module) -> Mapping[str, str]:
    for one in tree.body:
        match one:
            case ast.Assign([ast.Name(id=name)], value) if name == _HOMES:
                return {str(key): str(home) for key, home in ast.literal_eval(value).items()}
            case _:
                pass
    return {}


@lru_cache(maxsize=1024)
def module_of(name: str) -> Module | None:
    """Read a module of ours where it is installed; None where there is none of this name."""
    path = path_of(name)
    if path is None:
        return None
    return Module.of(name, path.read_text("utf-8"), is_package=path.name == "__init__.py")


@lru_cache(maxsize=4096)
def path_of(name: str) -> Path | None:
    """Where the text of a module of ours lies; nothing is imported to find it."""
    package, *rest = name.split(".")
    if package not in OURS or not all(one.isidentifier() for one in rest):
        return None
    place = _package(package).joinpath(*rest)
    if (place / "__init__.py").is_file():
        return place / "__init__.py"
    file = place.with_name(f"{place.name}.py")
    return file if rest and file.is_file() else None


@lru_cache(maxsize=8)
def _package(name: str) -> Path:
    found = find_spec(name)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(name=name)
    return Path(found.origin).parent


def _is_ours(text: str) -> bool:
    """Whether a text is the whole name of a module of ours, which is no package as a whole."""
    return "." in text and text.partition(".")[0] in OURS and path_of(text) is not None


def _name_of(function: ast.expr) -> str:
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""
