"""What the names in a script mean: functions of the kit, under whatever names it imports them."""

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from studio.script.nodes import kinds_by_name

KITS: Final = ("stepwire_kit", "studio.script")
"""The packages that have the kit's words."""
NODES: Final = "nodes"
"""The module of a kit that has the node types as functions."""
WORDS: Final = frozenset({"Flow", "rounds", "each", "call", "gather", "region", "fields"})
"""What scripts import of the kit itself."""


class Names:
    """The names that a script imports, each with the dotted path of what it stands for."""

    def __init__(self, module: ast.Module) -> None:
        self._imported = dict(_imports(module))

    def path_of(self, expression: ast.expr, hidden: Collection[str] = ()) -> str | None:
        """The path of what a name or an attribute stands for; None for what was not imported."""
        if isinstance(expression, ast.Name):
            return None if expression.id in hidden else self._imported.get(expression.id)
        if isinstance(expression, ast.Attribute):
            before = self.path_of(expression.value, hidden)
            return f"{before}.{expression.attr}" if before is not None else None
        return None

    def kind_of(self, expression: ast.expr, hidden: Collection[str] = ()) -> str:
        """The kind of node whose function an expression names; empty for anything else."""
        before, _, name = (self.path_of(expression, hidden) or "").rpartition(".")
        kit, _, module = before.rpartition(".")
        return kinds_by_name().get(name, "") if module == NODES and _is_kit(kit) else ""

    def word_of(self, expression: ast.expr, hidden: Collection[str] = ()) -> str:
        """The word of the kit that an expression names, such as `rounds`; empty for anything else."""
        before, _, name = (self.path_of(expression, hidden) or "").rpartition(".")
        is_kit = _is_kit(before) or _is_kit(before.rpartition(".")[0])
        return name if name in WORDS and is_kit else ""


def _is_kit(path: str) -> bool:
    return any(path == kit or path.endswith(f".{kit}") for kit in KITS)


def _imports(module: ast.Module) -> Iterator[tuple[str, str]]:
    for one in ast.walk(module):
        if isinstance(one, ast.Import):
            for alias in one.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
        elif isinstance(one, ast.ImportFrom):
            for alias in one.names:
                for name in _all_of(one.module or "") if alias.name == "*" else (alias.name,):
                    yield alias.asname or name, f"{one.module}.{name}" if one.module else name


def _all_of(module: str) -> Iterable[str]:
    return kinds_by_name() if module.rpartition(".")[2] == NODES else WORDS
