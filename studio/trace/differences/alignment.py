"""Which step of one run is the same as which of another: by node and scope, whatever they are called.

A node that was renamed in between is the same node, in called flows too. Rounds of a loop are the same by
their number, items of a map by what they are: where one was put in or left out, the others keep partners.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import cast

import orjson

from studio.errors import FlowFileError
from studio.flow.edits.divergence import renamed_nodes
from studio.flow.files import codec
from studio.flow.records import Flow, Node
from studio.ids import NodeId, Scope, StepId, is_called, segment_node, step_id
from studio.trace.events.values import Plain
from studio.trace.fold.state import RunState

Calls = Callable[[Node], str]
"""Names the flow that a node calls; empty for one that calls none."""

ITEMS = "items"
"""The input by which a map is given its list."""
MOST_ITEMS = 2_000
"""Items above which a map's are the same by their number."""

Names = Mapping[NodeId, NodeId]


def calls_nothing(_: Node) -> str:
    """Where nobody knows the node types, called flows keep the names of their nodes."""
    return ""


def aligned_steps(first: RunState, second: RunState, calls: Calls = calls_nothing) -> dict[StepId, StepId]:
    """Give for each step of the second run the name that it has, or would have, in the first."""
    alignment = _Alignment(first, second, calls)
    return {step: alignment.named(step) for step in second.order}


class _Alignment:
    def __init__(self, first: RunState, second: RunState, calls: Calls) -> None:
        self._first, self._second, self._calls = first, second, calls
        self._flows = {"": read_flow(second.flow)}
        self._flows |= {name: read_flow(text) for name, text in second.flows.items()}
        before = {"": read_flow(first.flow)} | {name: read_flow(text) for name, text in first.flows.items()}
        self._names: dict[str, Names] = {
            name: _back(renamed_nodes(before[name], flow)) if name in before else {}
            for name, flow in self._flows.items()
        }
        self._scopes: dict[str, tuple[str, str]] = {"": ("", "")}
        self._items: dict[tuple[str, str], Mapping[int, int]] = {}

    def named(self, step: StepId) -> StepId:
        scope, _, last = step.rpartition("/")
        inside, flow = self._scope(scope)
        segment = self._renamed(last, flow)
        return StepId(f"{inside}/{segment}" if inside else segment)

    def _scope(self, scope: str) -> tuple[str, str]:
        """Name a scope of the second run as the first has it, and the flow to which its steps belong."""
        known = self._scopes.get(scope)
        if known is not None:
            return known
        around, _, segment = scope.rpartition("/")
        outer, flow = self._scope(around)
        named = self._renamed(segment, flow)
        if not is_called(segment):
            named = self._placed(around, segment, outer, named)
        inside = self._called(segment, flow) if is_called(segment) and "#" not in segment else flow
        found = self._scopes[scope] = f"{outer}/{named}" if outer else named, inside
        return found

    def _renamed(self, segment: str, flow: str) -> str:
        node = segment_node(segment)
        return self._names.get(flow, {}).get(node, node) + segment[len(node) :]

    def _called(self, segment: str, flow: str) -> str:
        node = self._flows[flow].nodes.get(segment_node(segment)) if flow in self._flows else None
        return (self._calls(node) if node is not None else "") or "?"

    def _placed(self, around: str, segment: str, outer: str, named: str) -> str:
        """Name an item after its partner; what has none comes after all that the first run had."""
        owner, _, number = named.rpartition(".")
        if not number.isdecimal():  # a run that came from elsewhere may name its steps as it likes
            return named
        there = step_id(Scope(around), segment_node(segment))
        here = step_id(Scope(outer), NodeId(owner))
        places = self._items.get((here, there))
        if places is None:
            places = self._items[here, there] = same_items(
                _items(self._first, here), _items(self._second, there)
            )
        return f"{owner}.{places.get(int(number), int(number))}"


def same_items(first: Sequence[str] | None, second: Sequence[str] | None) -> dict[int, int]:
    """Give for items of the second list where the first has them; those that it lacks come after its end."""
    if first is None or second is None or first == second or max(len(first), len(second)) > MOST_ITEMS:
        return {}
    places: dict[int, int] = {}
    beyond = len(first)
    for kind, start, end, other, other_end in SequenceMatcher(None, first, second, False).get_opcodes():
        many = other_end - other if kind in {"equal", "insert"} else min(end - start, other_end - other)
        for step in range(other_end - other):
            if kind == "insert" or step >= many:
                places[other + step] = beyond
                beyond += 1
            else:
                places[other + step] = start + step
    return places


def _items(run: RunState, step: StepId) -> list[str] | None:
    """What a map goes through, each item as its text; None where it goes through none."""
    found = run.steps.get(step)
    listed = found.inputs.get(ITEMS) if found is not None else None
    if listed is None or not isinstance(listed.data, list):
        return None
    return [
        orjson.dumps(one, option=orjson.OPT_SORT_KEYS).decode() for one in cast("list[Plain]", listed.data)
    ]


def _back(names: Names) -> Names:
    return {new: old for old, new in names.items()}


def read_flow(text: str) -> Flow:
    """The flow of a run; an empty one where nobody can read it."""
    try:
        return codec.loads(text).flow if text else Flow()
    except FlowFileError:
        return Flow()
