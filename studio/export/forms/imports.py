"""What a module of ours imports, as its text says: at its top, late, and by name.

An import within a function counts, for it is needed as soon as the function is called; one for the type
checker alone does not. A text that is the name of a module counts as well: so modules are named that are
imported by `importlib`, or started as processes.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
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
    """A module by its text."""

    name: str
    is_package: bool
    tree: ast.Module

    @classmethod
    def of(cls, name: str, text: str, *, is_package: bool = False) -> "Module":
        """Read the text of a module; raises `SyntaxError`."""
        return cls(name, is_package, ast.parse(text))

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        """All that it imports when it runs, now or later."""
        return tuple(dict.fromkeys(self._imports(self.tree)))

    @cached_property
    def homes(self) -> Mapping[str, str]:
        """In which of its modules the names are that a package loads late."""
        for one in self.tree.body:
            match one:
                case ast.Assign([ast.Name(id=name)], value) if name == _HOMES:
                    return {str(key): str(home) for key, home in ast.literal_eval(value).items()}
                case _:
                    pass
        return {}

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts that stand in it."""
        found = (one.value for one in ast.walk(self.tree) if isinstance(one, ast.Constant))
        return frozenset(one for one in found if isinstance(one, str))

    @cached_property
    def called_methods(self) -> frozenset[str]:
        """The names of the methods that it calls, whatever they belong to."""
        calls = (one.func for one in ast.walk(self.tree) if isinstance(one, ast.Call))
        return frozenset(one.attr for one in calls if isinstance(one, ast.Attribute))

    def _imports(self, tree: ast.AST) -> Iterator[Imported]:
        for one in ast.iter_child_nodes(tree):
            match one:
                case ast.If(ast.Name("TYPE_CHECKING")):
                    for other in one.orelse:
                        yield from self._imports(ast.Module([other], []))
                case ast.Import(names):
                    yield from (Imported(alias.name) for alias in names)
                case ast.ImportFrom(module, names, level):
                    home = self._absolute(module or "", level)
                    yield from (Imported(home, alias.name) for alias in names)
                case ast.Constant(str(text)) if _is_ours(text):
                    yield Imported(text)
                case ast.Call(func, [ast.Constant(str(text)), *_]) if _name_of(func) in _BY_NAME:
                    yield Imported(text)
                case _:
                    yield from self._imports(one)

    def _absolute(self, module: str, level: int) -> str:
        if not level:
            return module
        parts = self.name.split(".")
        above = parts[: len(parts) - level + self.is_package]
        return ".".join([*above, module] if module else above)


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
