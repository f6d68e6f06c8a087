"""The names at the top of a script, for what is lifted or imported and for what the flow says."""

import keyword
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from studio.export.python.pieces import Origin


class Names:
    """The names at the top of a script, each given once."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = {*keyword.kwlist, *keyword.softkwlist, *reserved}
        self._of: dict[Origin, str] = {}
        self._hidden: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def hide(self, names: Iterable[str]) -> None:
        """Keep names from all that functions of flows use, which have variables that are called so."""
        self._hidden.update(names)

    def take(self, wanted: str) -> str:
        """Give a free name, as like `wanted` as may be."""
        return self._take(wanted, self._hidden)

    def _take(self, wanted: str, hidden: AbstractSet[str]) -> str:
        name, number = wanted, 1
        while name in self._taken or name in hidden:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name

    def of(self, origin: Origin) -> str:
        """The name of something lifted or imported; two of one name are told apart by their modules."""
        if origin not in self._of:
            name = origin.name or origin.module.partition(".")[0]
            if name in self._taken:
                module = origin.module.rpartition(".")[2]
                name = f"_{module}{name}" if name.startswith("_") else f"{module}_{name}"
            self._of[origin] = self._take(name, frozenset())  # none that flows use: `variable_names`
        return self._of[origin]
