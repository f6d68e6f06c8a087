"""The node library: every module under `nodes/`, imported and asked for its node types."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache

import nodes
from studio.sdk.node import NodeType, node_types_in
from studio.sdk.registry import Registry


@cache
def builtin_types() -> tuple[NodeType, ...]:
    """Give the node types of the library, by folder and file."""
    return tuple(_types())


def builtin_registry() -> Registry:
    """Make a registry of the node types that come with the studio."""
    return Registry(builtin_types())


def _types() -> Iterator[NodeType]:
    for found in sorted(pkgutil.walk_packages(nodes.__path__, "nodes."), key=lambda one: one.name):
        if not found.ispkg:
            yield from node_types_in(importlib.import_module(found.name))
