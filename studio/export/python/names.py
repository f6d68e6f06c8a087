"""The names at the top of a script, for what it imports and for what the flow says."""

import keyword
from collections.abc import Iterable


class Names:
    """The names at the top of a script, each given once."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = {*keyword.kwlist, *keyword.softkwlist, *reserved}
        self._hidden: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def hide(self, names: Iterable[str]) -> None:
        """Keep names from all that functions of flows use, which have variables that are called so."""
        self._hidden.update(names)

    def take(self, wanted: str) -> str:
        """Give a free name, as like `wanted` as may be."""
        name, number = wanted, 1
        while name in self._taken or name in self._hidden:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name
