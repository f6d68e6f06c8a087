"""The node library as functions of scripts: `from stepwire_kit.nodes import agent`."""

from typing import Any

from studio.script import nodes


def __getattr__(name: str) -> Any:
    """Give the function of a node type, whose module is loaded then."""
    return getattr(nodes, name)


def __dir__() -> list[str]:
    """List the functions."""
    return dir(nodes)
