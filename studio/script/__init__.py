"""Flows that are written in Python: their steps are steps of a run, as those of drawn flows are."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.script.absence import Failure, nothing
    from studio.script.calls import call
    from studio.script.conversions import converted, elements, holds
    from studio.script.flow import Flow, RunFailedError
    from studio.script.inputs import Message
    from studio.script.items import each
    from studio.script.regions import region
    from studio.script.scopes import gather, lanes, rounds

__all__ = [
    "Failure",
    "Flow",
    "Message",
    "RunFailedError",
    "call",
    "converted",
    "each",
    "elements",
    "gather",
    "holds",
    "lanes",
    "nothing",
    "region",
    "rounds",
]

_HOMES = {
    "Flow": "flow",
    "Failure": "absence",
    "Message": "inputs",
    "RunFailedError": "flow",
    "call": "calls",
    "converted": "conversions",
    "each": "items",
    "elements": "conversions",
    "gather": "scopes",
    "holds": "conversions",
    "lanes": "scopes",
    "nothing": "absence",
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
