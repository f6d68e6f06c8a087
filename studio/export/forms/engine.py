"""What of the kit a script needs: whole modules, resources, and the libraries that these import.

Modules are found by following imports from those that the script names, and from the files of the node types
that stand in it. What serves nodes alone that the script does not have stays out: see `DOORS`.
"""

import ast
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from studio.export.forms.imports import OURS, Imported, Module, module_of, path_of
from studio.garbage_collection import seldom_collected
from studio.script.nodes import kinds_by_name
from studio.workspace.catalog import builtin_files

KIT: Final = "stepwire_kit"
NODE_FUNCTIONS: Final = f"{KIT}.nodes"
NODES: Final = "nodes"
SCRIPTS: Final = "studio.script"
"""The room whose modules make nodes of their own: the inputs of the flow, and maps."""

LISTS_KINDS: Final = f"{SCRIPTS}.nodes"
"""The one of them that only names kinds which no script calls."""

DOORS: Final[Mapping[str, str]] = {
    "studio.sandbox.building": "run_code",
    "studio.sandbox.worker": "run_code",
    "studio.servers.connection": "server",
    "studio.store.memories.project_memories": "memory",
}
"""Modules that are loaded late, each for a method of the context: of no use without a node that calls it."""

FOR_LENT: Final = frozenset(
    {"studio.building_blocks.memories.capacity", "studio.building_blocks.memories.recall"}
)
"""Modules that call such a method only on what another node lends, which then calls it as well."""

SANDBOX: Final = "sandbox"
"""The folder of resources in which a release has the sandbox."""

RESOURCES: Final[Mapping[str, tuple[str, ...]]] = {
    "studio.workspace.prices": ("prices.toml",),
    "studio.sandbox.worker": (SANDBOX,),
    "studio.building_blocks.memories.embeddings": ("vectors",),
}
"""What modules read of the resources: files, and folders with all that stands in them."""

MAKES_FLOWS: Final = frozenset({"plan.run_flow"})
"""Kinds that run flows which nobody has seen yet, of whatever nodes."""

NAMES_FLOWS: Final = frozenset({"control.subflow", "tools.flow_as_tool"})
"""Kinds that run flows of which their node only has the name."""

DRAWN: Final = frozenset({"fork", "load", "replay", "run", "run_sync"})
"""What of the kit runs drawn flows, of whatever nodes."""

DISTRIBUTIONS: Final[Mapping[str, str]] = {
    "mcp_types": "mcp",
    "pydantic_core": "pydantic",
    "referencing": "jsonschema",
    "sqlite_utils": "sqlite-utils",
    "sqlite_vec": "sqlite-vec",
    "yaml": "pyyaml",
}
"""What brings a module that is not called as its distribution."""

BROUGHT: Final = frozenset({"mcp_types", "pydantic_core", "referencing"})
"""Those of them that are not the distribution's own."""

WHERE_ASKED: Final = frozenset({"keyring", "pip", "wordllama"})
"""Distributions that modules do without: where one is not installed, they say so when it is asked for."""

LEFT_OUT: Final = frozenset({"studio.sandbox.composing"})
"""What only a checkout can do."""

_KIND = re.compile(r'"kind"\s*:\s*"([a-z0-9_.]+)"')


@dataclass(frozen=True, slots=True)
class Needs:
    """What scripts name of the kit: `names` of its interface, and the kinds of their nodes."""

    names: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    def __or__(self, other: "Needs") -> "Needs":
        return Needs(self.names | other.names, self.kinds | other.kinds)

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the kit is named at all."""
        return not self.names and not self.kinds


@dataclass(frozen=True, slots=True)
class Engine:
    """The part of the kit that scripts need."""

    needs: Needs
    modules: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """By name, packages included."""
    resources: tuple[str, ...] = ()
    """Files and folders of resources."""
    libraries: frozenset[str] = frozenset()
    """The distributions that have to be installed."""


def needs_of(script: str) -> Needs:
    """Tell what a script names of the kit.

    Read are its imports, and the kinds in the texts of flows that it gives to `region`. Where it calls flows
    by name, it may need any. Raises `SyntaxError`.
    """
    tree = ast.parse(script)
    module = Module.of_tree("script", tree)
    names: set[str] = set()
    found = set[str]()
    functions = kinds_by_name()
    for one in module.imports:
        if one.module == NODE_FUNCTIONS:
            found.update(functions.values() if one.name in {"", "*"} else _known(functions, one.name))
        elif one.module == KIT and one.name == NODES:
            found.update(functions.values())
        elif one.module == KIT:
            names.update(_interface() if one.name in {"", "*"} else {one.name})
    if names or found:
        found.update(_kinds_within(tree, module))
    if found & NAMES_FLOWS:
        found.update(functions.values())
    return Needs(frozenset(names), frozenset(found))


@seldom_collected()
def engine_of(needs: Needs) -> Engine:
    """Find all that runs when scripts with these needs do."""
    if needs.is_empty:
        return Engine(needs)
    search = _Search()
    search.follow(Imported(one) for one in (KIT, NODE_FUNCTIONS, NODES))
    search.follow(Imported(home, name) for name in needs.names for home in _homes(name))
    for kind in _with_namesakes(_all_kinds(needs, search.modules)):
        search.follow([Imported(f"{NODES}.{kind}")])
    search.open_doors()
    resources = [one for name in search.modules for one in RESOURCES.get(name, ())]
    modules = {name: path for name in sorted(search.modules) if (path := path_of(name)) is not None}
    return Engine(needs, modules, tuple(sorted(resources)), frozenset(search.libraries - WHERE_ASKED))


def import_name(distribution: str) -> str:
    """Give the module by which it is known whether a distribution is installed."""
    named = {owner: module for module, owner in DISTRIBUTIONS.items() if module not in BROUGHT}
    return named.get(distribution, distribution)


class _Search:
    """Follows imports to all that they lead to."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.libraries: set[str] = set()
        self._closed: list[Imported] = []

    def follow(self, imported: Iterable[Imported]) -> None:
        """Take in what is imported, and all that this imports."""
        waiting = list(imported)
        seen: set[Imported] = set()
        while waiting:
            one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            if one.top not in OURS:
                self._ask_for(one.top)
            elif one.module not in LEFT_OUT:
                waiting += self._entered(one)

    def open_doors(self) -> None:
        """Take in what serves the methods that the nodes call, until nothing more comes of it."""
        while opened := [one for one in self._closed if DOORS[one.module] in self._methods()]:
            self._closed = [one for one in self._closed if one not in opened]
            self.follow(opened)

    def _entered(self, one: Imported) -> Iterator[Imported]:
        if path_of(one.module) is None:
            return
        if one.module in DOORS and DOORS[one.module] not in self._methods():
            self._closed.append(one)
            return
        parts = one.module.split(".")
        for end in range(1, len(parts) + 1):
            name = ".".join(parts[:end])
            if name not in self.modules:
                self.modules.add(name)
                yield from _read(name).imports
        yield from self._named(one)

    def _named(self, one: Imported) -> Iterator[Imported]:
        """What a name is that is taken from a package: a module of it, or what one of them has."""
        if not one.name:
            return
        if path_of(f"{one.module}.{one.name}") is not None:
            yield Imported(f"{one.module}.{one.name}")
        elif home := _read(one.module).homes.get(one.name):
            yield Imported(f"{one.module}.{home}")

    def _ask_for(self, library: str) -> None:
        if library not in sys.stdlib_module_names:
            self.libraries.add(DISTRIBUTIONS.get(library, library))

    def _methods(self) -> set[str]:
        """What nodes, and what they share, call."""
        rooms = ("nodes.", "studio.building_blocks.")
        theirs = [one for one in self.modules - FOR_LENT if one.startswith(rooms)]
        return {method for name in theirs for method in _read(name).called_methods}


def _read(name: str) -> Module:
    found = module_of(name)
    if found is None:
        raise ModuleNotFoundError(name=name)
    return found


@cache
def _interface() -> frozenset[str]:
    return frozenset(name for package in ("studio.kit", SCRIPTS) for name in _read(package).homes)


def _homes(name: str) -> Iterator[str]:
    """The packages that have a name of the interface."""
    yield from (one for one in ("studio.kit", SCRIPTS) if name in _read(one).homes)


def _known(functions: Mapping[str, str], name: str) -> Iterator[str]:
    if name in functions:
        yield functions[name]


def _all_kinds(needs: Needs, modules: Collection[str]) -> set[str]:
    """The kinds that scripts name, and those of nodes that the engine makes for them."""
    found = set(needs.kinds)
    if needs.names & DRAWN or found & MAKES_FLOWS:
        return set(builtin_files())
    rooms = [one for one in modules if one.startswith(f"{SCRIPTS}.") and one != LISTS_KINDS]
    return found.union(*(_read(one).texts & frozenset(builtin_files()) for one in rooms)) & frozenset(
        builtin_files()
    )


def _with_namesakes(found: Collection[str]) -> list[str]:
    """Kinds with those that are called alike, for what a function is called follows from all of them."""
    last = {one.rpartition(".")[2] for one in found}
    return [one for one in builtin_files() if one.rpartition(".")[2] in last]


def _kinds_within(tree: ast.Module, module: Module) -> Iterator[str]:
    """The kinds in flows that stand in a script: as texts of JSON, or as dictionaries."""
    for text in module.texts:
        yield from _KIND.findall(text)
    for one in ast.walk(tree):
        match one:
            case ast.Dict(keys, values):
                for key, value in zip(keys, values, strict=True):
                    match key, value:
                        case ast.Constant("kind"), ast.Constant(str(kind)):
                            yield kind
                        case _:
                            pass
            case _:
                pass
