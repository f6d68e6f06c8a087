"""The node library: files and packages in the folders of `nodes/`, each imported when it is first asked for.

A node type is called as its place, so `text/join.py` has `text.join`, and `plan/search/__init__.py` has
`plan.search`: what is there is known from the names of the files. What else such a package holds serves its
node type alone.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

import nodes

if TYPE_CHECKING:
    from studio.sdk.node import NodeType
    from studio.sdk.registry import Registry


class NodeFiles(Mapping[str, "NodeType"]):
    """The node types in the folders of a package, by kind: a file or a package is one of them.

    Whoever goes through their values imports all.
    """

    def __init__(self, places: list[str], package: str) -> None:
        names = (
            f"{folder.name}.{found.name}"
            for place in places
            for folder in pkgutil.iter_modules([place])  # which looks into archives as well
            if folder.ispkg
            for found in pkgutil.iter_modules([f"{place}/{folder.name}"])
        )
        self._modules = {name: f"{package}.{name}" for name in sorted(names)}
        self._loaded: dict[str, NodeType] = {}

    def __getitem__(self, kind: str) -> "NodeType":
        found = self._loaded.get(kind)
        if found is None:
            found = self._loaded[kind] = _only_type(kind, self._modules[kind])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, kind: object) -> bool:
        return kind in self._modules

    def __len__(self) -> int:
        return len(self._modules)


@cache
def builtin_files() -> NodeFiles:
    """Give the library, which is read once in a process."""
    return NodeFiles(list(nodes.__path__), nodes.__name__)


def builtin_types() -> "tuple[NodeType, ...]":
    """Give the node types of the library, by folder and file; imports them all."""
    return tuple(builtin_files().values())


def builtin_registry() -> "Registry":
    """Make a registry of the node types that come with the studio."""
    from studio.sdk.registry import Registry

    return Registry(builtin_files())


def _only_type(kind: str, module: str) -> "NodeType":
    from studio.sdk.node import node_types_in

    found = node_types_in(importlib.import_module(module))
    if [one.kind for one in found] != [kind]:
        reason = f"`{module}` is to declare the node type `{kind}` and no other"
        raise ValueError(reason)
    return found[0]
