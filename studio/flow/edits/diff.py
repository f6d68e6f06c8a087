"""What changed between two flows, by meaning, in sentences that people read in a review."""

import difflib
import json
from collections.abc import Mapping

from studio.flow.change import difference
from studio.flow.records import Flow, Json, Node, Wire, title_of
from studio.ids import NodeId

_LONGEST_VALUE = 40


def describe_difference(before: Flow, after: Flow) -> list[str]:
    """Tell every difference in one line each: header, nodes, wires, then the layout in a single line."""
    change = difference(before, after, "")
    lines: list[str] = []
    if before.name != after.name:
        lines.append(f"The flow is called {_shown(after.name)} instead of {_shown(before.name)}.")
    if before.description != after.description:
        lines.append(_changed("the description", before.description, after.description))
    if before.policies != after.policies:
        lines.append("The policies changed.")
    for name in sorted(change.nodes):
        lines += _node_lines(name, before, after)
    lines += [f"Removed the wire {_drawn(before, wire)}." for wire in _sorted(change.removed)]
    lines += [f"Added the wire {_drawn(after, wire)}." for wire in _sorted(change.added)]
    moved = [name for name in change.places if name in before.nodes and name in after.nodes]
    if moved:
        lines.append(f"Moved {len(moved)} node{'s' if len(moved) > 1 else ''}.")
    if change.frames or change.notes or change.bends:
        lines.append("Frames, notes or bends changed.")
    if change.collapsed or change.expanded:
        lines.append("Nodes were collapsed or expanded.")
    return lines


def _node_lines(name: NodeId, before: Flow, after: Flow) -> list[str]:
    old, new = before.nodes.get(name), after.nodes.get(name)
    if old is None and new is not None:
        return [f"Added “{title_of(after, name)}” ({new.kind})."]
    if new is None and old is not None:
        return [f"Removed “{title_of(before, name)}” ({old.kind})."]
    return _changes_of(title_of(after, name), old, new) if old is not None and new is not None else []


def _changes_of(title: str, old: Node, new: Node) -> list[str]:
    lines: list[str] = []
    if old.title != new.title:
        lines.append(f"“{old.title}” is now called “{new.title}”.")
    if (old.kind, old.version) != (new.kind, new.version):
        lines.append(
            f"“{title}” is now a {new.kind} (version {new.version}) instead of a {old.kind} ({old.version})."
        )
    lines += _value_lines(title, "setting", old.settings, new.settings)
    lines += _value_lines(title, "value at", _inputs(old), _inputs(new))
    if old.run != new.run:
        lines += _value_lines(title, "run setting", _run(old), _run(new))
    return lines


def _inputs(node: Node) -> dict[str, Json]:
    return {str(name): value for name, value in node.inputs.items()}


def _run(node: Node) -> dict[str, Json]:
    return node.run.model_dump(mode="json")


def _value_lines(title: str, what: str, old: Mapping[str, Json], new: Mapping[str, Json]) -> list[str]:
    lines: list[str] = []
    for name in sorted({*old, *new}):
        place = f"the {what} `{name}` of “{title}”"
        if name not in old:
            lines.append(f"Set {place} to {_shown(new[name])}.")
        elif name not in new:
            lines.append(f"Reset {place} (it was {_shown(old[name])}).")
        elif old[name] != new[name]:
            lines.append(_changed(place, old[name], new[name]))
    return lines


def _changed(place: str, old: Json, new: Json) -> str:
    if isinstance(old, str) and isinstance(new, str) and ("\n" in old or "\n" in new):
        marks = [line[:2] for line in difflib.ndiff(old.split("\n"), new.split("\n"))]
        added = marks.count("+ ")
        lines = "line" if added == 1 else "lines"
        return f"Changed {place}: {added} {lines} added, {marks.count('- ')} removed."
    return f"Changed {place} from {_shown(old)} to {_shown(new)}."


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _drawn(flow: Flow, wire: Wire) -> str:
    source, target = title_of(flow, wire.source.node), title_of(flow, wire.target.node)
    return f"“{source}” {wire.source.port} → “{target}” {wire.target.port}"


def _sorted(wires: frozenset[Wire]) -> list[Wire]:
    return sorted(wires, key=lambda wire: wire.sort_key)
