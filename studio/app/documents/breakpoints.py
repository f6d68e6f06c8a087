"""Where a flow shall be held: its breakpoints and catches, switched on or off, kept beside the project.

Each is known by its key: the place of a breakpoint, such as `critic.reply`, or what a catch looks for.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, cast

from studio.app.listeners import Listeners
from studio.flow.change import Change
from studio.ids import NodeId
from studio.runtime.gates.breakpoints import Breakpoint, breakpoint_from_json, breakpoint_to_json, place_parts
from studio.runtime.gates.step_ref import calls_of
from studio.sdk.node_type import NodeType
from studio.workspace.project import Project
from studio.workspace.stored_documents import Kept, Trouble

__all__ = ["Breakpoint", "Breakpoints", "Row", "call_places", "place_parts"]

ENABLED = "enabled"


class Row(NamedTuple):
    """A breakpoint or catch, whether it is switched on, and the flow that it was set in."""

    breakpoint: Breakpoint
    is_on: bool
    flow: str

    @property
    def key(self) -> str:
        """What it is known by."""
        return self.breakpoint.key


class Breakpoints:
    """The breakpoints and catches of one flow; those of flows that it calls are set where these are."""

    def __init__(self, project: Project, flow_name: str, on_trouble: Trouble | None = None) -> None:
        self._project = project
        self._on_trouble = on_trouble
        self._kept = Kept(project.private / "breakpoints.json", on_trouble)
        self._flow_name = flow_name
        self._rows = _read(self._kept.read().get(flow_name), flow_name)
        self._asleep: dict[str, Row] = {}
        self._changed: Listeners[()] = Listeners()

    @property
    def rows(self) -> list[Row]:
        """All of them: catches, then breakpoints, by key."""
        return [row for _, row in sorted(self._rows.items())]

    @property
    def all(self) -> dict[str, bool]:
        """Each place that has a breakpoint, and whether it is switched on."""
        return {key: row.is_on for key, row in self._rows.items() if row.breakpoint.on == "step"}

    @property
    def enabled(self) -> frozenset[str]:
        """The places at which a run is held."""
        return frozenset(place for place, is_on in self.all.items() if is_on)

    @property
    def everywhere(self) -> tuple[Breakpoint, ...]:
        """Those that are on, and those of the project's flows where they are called: `summary.json:critic`.

        What another flow catches anywhere is its own runs' business.
        """
        found = {row.key: row.breakpoint for row in self._rows.values() if row.is_on}
        for flow, plain in self._kept.read().items():
            inner = [row.breakpoint.in_flow(flow) for row in _read(plain, flow).values() if _is_called(row)]
            found.update((one.key, one) for one in inner)
        return tuple(one for _, one in sorted(found.items()))

    def elsewhere(self, flows: Iterable[str]) -> list[Row]:
        """Those that were set in these other flows and hold where they are called, switched off or on."""
        kept = self._kept.read()
        return [
            row
            for flow in flows
            if flow != self._flow_name
            for _, row in sorted(_read(kept.get(flow), flow).items())
            if row.breakpoint.place
        ]

    def get(self, key: str) -> Breakpoint | None:
        """The breakpoint or catch of this key; None where there is none."""
        row = self._rows.get(key)
        return None if row is None else row.breakpoint

    def state(self, key: str) -> bool | None:
        """Tell whether the breakpoint of a place, or the catch of a key, is switched on; None for none."""
        row = self._rows.get(key)
        return None if row is None else row.is_on

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when breakpoints change; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def cycle(self, place: str) -> None:
        """Set a breakpoint; again: switch it off; again: remove it."""
        state = self.state(place)
        self.set(place, state=True if state is None else False if state else None)

    def set(self, key: str, *, state: bool | None) -> None:
        """Set (True), switch off (False) or remove (None) the breakpoint of a place, or a catch."""
        row = self._rows.get(key)
        if state is None:
            self._replace({name: one for name, one in self._rows.items() if name != key})
        else:
            one = Breakpoint(key) if row is None else row.breakpoint
            self._replace({**self._rows, key: Row(one, state, self._flow_name)})

    def put(self, one: Breakpoint, *, is_on: bool = True, instead_of: str = "") -> None:
        """Set a breakpoint or catch as it is, in the place of that with its key, or with another one."""
        rest = {key: row for key, row in self._rows.items() if key != instead_of}
        self._replace({**rest, one.key: Row(one, is_on, self._flow_name)})

    def of_flow(self, flow: str) -> "Breakpoints":
        """Those of another flow of the project, to be changed; whoever listens here hears of it.

        Where that flow is open, its session has them (`Studio.breakpoints`).
        """
        other = Breakpoints(self._project, flow, self._on_trouble)
        other.on_change(self._changed.tell)
        return other

    def switch_all(self, *, is_on: bool) -> None:
        """Switch every one of this flow's on, or off."""
        self._replace({key: row._replace(is_on=is_on) for key, row in self._rows.items()})

    def clear(self) -> None:
        """Remove every breakpoint and catch of this flow."""
        self._replace({})

    def follow(self, change: Change) -> None:
        """Go along with an edit: those of a removed node sleep until it is back."""
        rows = dict(self._rows)
        for node, (old, new) in change.nodes.items():
            if new is None:
                heir = next(
                    (other for other, (was, now) in change.nodes.items() if was is None and now == old), None
                )
                _move(rows, node, self._asleep if heir is None else rows, heir or node)
            elif old is None:
                _move(self._asleep, node, rows, node)
        self._replace(rows)

    def move_to(self, project: Project, flow_name: str) -> None:
        """Belong to a flow of another name, or in another project, from now on."""
        self._project = project
        self._kept = Kept(project.private / "breakpoints.json", self._on_trouble)
        self._flow_name = flow_name
        self._rows = {key: row._replace(flow=flow_name) for key, row in self._rows.items()}
        if self._rows:
            self._keep()

    def _replace(self, rows: dict[str, Row]) -> None:
        if rows != self._rows:
            self._rows = rows
            self._keep()

    def _keep(self) -> None:
        document = self._kept.read()
        document.pop(self._flow_name, None)
        if self._rows:
            document[self._flow_name] = {key: _plain(row) for key, row in sorted(self._rows.items())}
        self._kept.write(document)
        self._changed.tell()


def call_places(node: str, kind: NodeType) -> list[str]:
    """The places of the calls that a node of this kind makes, before and after them."""
    return [f"{node}#{call}{side}" for call in calls_of(kind) for side in ("", ".answer")]


def _is_called(row: Row) -> bool:
    return row.is_on and bool(row.breakpoint.place)


def _move(source: dict[str, Row], node: NodeId, target: dict[str, Row], new: NodeId) -> None:
    moved = [key for key, row in source.items() if place_parts(row.breakpoint.place)[0] == node]
    for key in moved:
        row = source.pop(key)
        one = row.breakpoint.moved_to(new)
        target[one.key] = row._replace(breakpoint=one)


def _plain(row: Row) -> object:
    """How it is kept: a breakpoint that is nothing but that, as whether it is on."""
    if row.breakpoint.is_plain:
        return row.is_on
    return {ENABLED: row.is_on, **breakpoint_to_json(row.breakpoint)}


def _read(plain: object, flow: str) -> dict[str, Row]:
    """Read those of a flow; what cannot be read is left out."""
    if not isinstance(plain, dict):
        return {}
    rows = (_row(key, given, flow) for key, given in cast("dict[object, object]", plain).items())
    return {row.key: row for row in rows if row is not None}


def _row(key: object, given: object, flow: str) -> Row | None:
    if isinstance(key, str) and isinstance(given, bool):
        return Row(Breakpoint(key), given, flow)
    if not isinstance(given, dict):
        return None
    fields = cast("dict[str, object]", given)
    is_on = fields.get(ENABLED)
    try:
        one = breakpoint_from_json({name: field for name, field in fields.items() if name != ENABLED})
    except ValueError:
        return None
    return Row(one, is_on is not False, flow)
