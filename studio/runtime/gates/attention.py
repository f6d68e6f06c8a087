"""Which steps have to ask a gate just now: known before they come to it, for most never have to ask.

Steps of nodes at which nothing stands do not ask the gate at all.
"""

import threading
from collections.abc import Container
from dataclasses import dataclass


class _Everybody:
    def __contains__(self, _node: object) -> bool:
        return True


NOBODY: frozenset[str] = frozenset()
EVERYBODY: Container[str] = _Everybody()


@dataclass(slots=True)
class Asked:
    """The nodes of one flow whose steps have to ask; it is looked at anew before each step."""

    nodes: Container[str] = NOBODY


class Attention:
    """What one gate is attentive to, told to whoever runs steps; looking costs a step less than a call would.

    All but `insist` belong to the run's event loop.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flows: dict[str, Asked] = {}
        self._places: frozenset[str] | None = NOBODY
        self._reasons: set[str] = set()

    def of(self, flow: str) -> Asked:
        """Give those of a called flow, or (empty) of the run's own; the same for all that ask."""
        with self._lock:
            found = self._flows.get(flow)
            if found is None:
                found = self._flows[flow] = Asked(self._nodes(flow))
            return found

    def turn_to(self, places: frozenset[str] | None) -> None:
        """Have the steps of these nodes ask, named as breakpoints name them; None: all."""
        if places is not self._places:
            with self._lock:
                self._places = places
                self._tell()

    def insist(self, reason: str, *, on: bool) -> None:
        """Have all steps ask while there is a reason beside the places; from any thread."""
        with self._lock:
            (self._reasons.add if on else self._reasons.discard)(reason)
            self._tell()

    def _tell(self) -> None:
        for flow, asked in self._flows.items():
            asked.nodes = self._nodes(flow)

    def _nodes(self, flow: str) -> Container[str]:
        if self._reasons or self._places is None:
            return EVERYBODY
        if not flow:
            return self._places
        return frozenset(one.removeprefix(f"{flow}:") for one in self._places if one.startswith(f"{flow}:"))
