"""Flows that are written in Python: their steps are steps of a run, as those of drawn flows are."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.script.flow import Flow, RunFailedError
    from studio.script.regions import region
    from studio.script.scopes import call, each, gather, rounds

__all__ = ["Flow", "RunFailedError", "call", "each", "gather", "region", "rounds"]

_HOMES = {
    "Flow": "flow",
    "RunFailedError": "flow",
    "call": "scopes",
    "each": "scopes",
    "gather": "scopes",
    "region": "regions",
    "rounds": "scopes",
}
"""The module of each name."""


def __getattr__(name: str) -> object:
    """Load a name with the module that it stands in."""
    home = _HOMES.get(name)
    if home is None:
        message = f"module `{__name__}` has no attribute `{name}`"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
