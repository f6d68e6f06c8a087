"""The engine as a library: what a script imports, each name loaded when it is first asked for.

`stepwire_kit` is the same under the name that scripts write. `README.md` shows the interface by example;
`tests/kit/interface.txt` holds it.
"""

import importlib
from typing import TYPE_CHECKING

from studio.garbage_collection import seldom_collected

if TYPE_CHECKING:
    from studio.kit.execution import Result, fork, replay, run, run_sync
    from studio.kit.ready_flow import PreparedFlow, load
    from studio.kit.tools import Tools

__all__ = ["PreparedFlow", "Result", "Tools", "fork", "load", "replay", "run", "run_sync"]

_HOMES = {
    "PreparedFlow": "ready_flow",
    "Result": "execution",
    "Tools": "tools",
    "fork": "execution",
    "load": "ready_flow",
    "replay": "execution",
    "run": "execution",
    "run_sync": "execution",
}
"""The module of each name."""


def __getattr__(name: str) -> object:
    """Load a name with the module that it stands in."""
    home = _HOMES.get(name)
    if home is None:
        message = f"module `{__name__}` has no attribute `{name}`"
        raise AttributeError(message)
    with seldom_collected():  # modules are no garbage
        return getattr(importlib.import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
