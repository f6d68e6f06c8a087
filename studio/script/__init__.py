"""Flows that are written in Python: their steps are steps of a run, as those of drawn flows are."""

import importlib
from functools import cache
from typing import TYPE_CHECKING

from studio.script.later import Later

if TYPE_CHECKING:
    from studio.script.calls import call
    from studio.script.conversions import converted, elements, holds
    from studio.script.flow import Flow, RunFailedError
    from studio.script.inputs import Message
    from studio.script.items import each
    from studio.script.no_value import Failure, nothing
    from studio.script.regions import region
    from studio.script.schemas import fields
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
    "fields",
    "gather",
    "holds",
    "lanes",
    "nothing",
    "region",
    "rounds",
]

_HOMES = {
    "Flow": "flow",
    "Failure": "no_value",
    "Message": "inputs",
    "RunFailedError": "flow",
    "call": "calls",
    "converted": "conversions",
    "each": "items",
    "elements": "conversions",
    "fields": "schemas",
    "gather": "scopes",
    "holds": "conversions",
    "lanes": "scopes",
    "nothing": "no_value",
    "region": "regions",
    "rounds": "scopes",
}
"""The module of each name."""


_CALLED = frozenset(
    {"call", "converted", "each", "elements", "fields", "gather", "holds", "lanes", "region", "rounds"}
)
"""Those that are only called, and load their module then."""


def __getattr__(name: str) -> object:
    """Give a name, loaded with the module that it stands in, or when it is first called."""
    home = _HOMES.get(name)
    if home is None:
        message = f"module `{__name__}` has no attribute `{name}`"
        raise AttributeError(message)
    if name in _CALLED:
        return _later(name)
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)


@cache
def _later(name: str) -> Later:
    return Later(lambda: getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name))
