"""Where a flow shall be held: breakpoints on nodes and ports, switched on or off, kept beside the project.

A place is a node's id (held before its steps) or a socket `node.port` (held before an input is read, or after
an output was given); `node#chat` and `node#tool` are the calls that its steps make (held before each), and
`node#chat.answer` what they are answered.
"""

from collections.abc import Callable, Iterable
from typing import cast

from studio.app.kept import Kept, Trouble
from studio.app.listeners import Listeners
from studio.app.project import Project
from studio.flow.change import Change
from studio.ids import NodeId
from studio.runtime.step_ref import calls_of
from studio.sdk.node_type import NodeType


class Breakpoints:
    """The breakpoints of one flow: True for those that hold, False for those that are switched off."""

    def __init__(self, project: Project, flow_name: str, on_trouble: Trouble | None = None) -> None:
        self._on_trouble = on_trouble
        self._kept = Kept(project.private / "breakpoints.json", on_trouble)
        self._flow_name = flow_name
        self._places = _read(self._kept.read().get(flow_name))
        self._asleep: dict[str, bool] = {}
        self._changed: Listeners[()] = Listeners()

    @property
    def all(self) -> dict[str, bool]:
        """Each place that has a breakpoint, and whether it is switched on."""
        return dict(self._places)

    @property
    def enabled(self) -> frozenset[str]:
        """The places at which a run is held."""
        return frozenset(place for place, is_on in self._places.items() if is_on)

    @property
    def everywhere(self) -> frozenset[str]:
        """The same, and those of the project's flows where they are called: `summary.json:critic`."""
        found = set(self.enabled)
        for flow, plain in self._kept.read().items():
            found.update(f"{flow}:{place}" for place, is_on in _read(plain).items() if is_on)
        return frozenset(found)

    def elsewhere(self, flows: Iterable[str]) -> list[tuple[str, str, bool]]:
        """Those that were set in these other flows: the flow, the place in it, and whether it is on."""
        kept = self._kept.read()
        return [
            (flow, place, is_on)
            for flow in flows
            if flow != self._flow_name
            for place, is_on in sorted(_read(kept.get(flow)).items())
        ]

    def state(self, place: str) -> bool | None:
        """Tell whether the place's breakpoint is switched on; None when it has none."""
        return self._places.get(place)

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when breakpoints change; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def cycle(self, place: str) -> None:
        """Set a breakpoint; again: switch it off; again: remove it."""
        state = self._places.get(place)
        self.set(place, state=True if state is None else False if state else None)

    def set(self, place: str, *, state: bool | None) -> None:
        """Set (True), switch off (False) or remove (None) the breakpoint of a place."""
        if self._places.get(place) is state:
            return
        if state is None:
            del self._places[place]
        else:
            self._places[place] = state
        self._keep()

    def clear(self) -> None:
        """Remove every breakpoint."""
        if self._places:
            self._places.clear()
            self._keep()

    def follow(self, change: Change) -> None:
        """Go along with an edit: those of a removed node sleep until it is back."""
        before = dict(self._places)
        for node, (old, new) in change.nodes.items():
            if new is None:
                heir = next(
                    (other for other, (was, now) in change.nodes.items() if was is None and now == old), None
                )
                self._move(self._places, node, self._asleep if heir is None else self._places, heir or node)
            elif old is None:
                self._move(self._asleep, node, self._places, node)
        if self._places != before:
            self._keep()

    def move_to(self, project: Project, flow_name: str) -> None:
        """Belong to a flow of another name, or in another project, from now on."""
        self._kept = Kept(project.private / "breakpoints.json", self._on_trouble)
        self._flow_name = flow_name
        if self._places:
            self._keep()

    @staticmethod
    def _move(source: dict[str, bool], node: NodeId, target: dict[str, bool], new: NodeId) -> None:
        for place in [one for one in source if place_parts(one)[0] == node]:
            target[new + place[len(node) :]] = source.pop(place)

    def _keep(self) -> None:
        document = self._kept.read()
        document.pop(self._flow_name, None)
        if self._places:
            document[self._flow_name] = dict(sorted(self._places.items()))
        self._kept.write(document)
        self._changed.tell()


def place_parts(place: str) -> tuple[str, str, str]:
    """Split a place into node, kind of call (empty for the node itself) and port (empty for none)."""
    before, _, port = place.partition(".")
    node, _, call = before.partition("#")
    return node, call, port


def call_places(node: str, kind: NodeType) -> list[str]:
    """The places of the calls that a node of this kind makes, before and after them."""
    return [f"{node}#{call}{side}" for call in calls_of(kind) for side in ("", ".answer")]


def _read(plain: object) -> dict[str, bool]:
    if not isinstance(plain, dict):
        return {}
    pairs = cast("dict[object, object]", plain).items()
    return {place: state for place, state in pairs if isinstance(place, str) and isinstance(state, bool)}
