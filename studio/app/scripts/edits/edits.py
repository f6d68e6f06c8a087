"""What was edited in a script, as edits of its flow: what was, what is instead, and where that stands."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, TypeVar

from studio.flow import edits
from studio.flow.change import Change, difference
from studio.flow.edits import REMOVE, Remove
from studio.flow.records import Flow, Json, Library, Node, RunSettings
from studio.ids import NodeId, PortName

K = TypeVar("K", bound=str)

LABEL: Final = "Apply edits from a Python script"

Place: TypeAlias = Literal["setting", "input", "run", "title", "description"]
"""What of a node an edit changes, or of the flow, whose title and description belong to no node."""
Value: TypeAlias = Json | Literal[Remove.REMOVE]
"""What is to be kept: a value, or that there is none, so that the default counts."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One value that a script has otherwise than its flow."""

    flow: str
    """The called flow that it is in; empty for the flow itself."""
    node: NodeId | None
    place: Place
    name: str
    title: str
    """What the node is called; the flow, where it belongs to none."""
    label: str
    """What the setting is called."""
    before: Json
    after: Json
    value: Value
    """What the flow is to keep: `after`, or nothing where that is the default."""
    line: int
    conflict: str = ""
    """Why it is not taken unless somebody says so; empty for one that nothing speaks against."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something else that a script has otherwise, which cannot be taken."""

    words: str
    line: int = 0
    """Where it stands in the script; 0 for what is not there."""
    flow: str = ""
    node: NodeId | None = None


@dataclass(frozen=True, slots=True)
class ScriptEdits:
    """How a script differs from its flow, and from the flows that it calls."""

    edits: tuple[Edit, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def clear(self) -> tuple[Edit, ...]:
        """The edits that nothing speaks against."""
        return tuple(one for one in self.edits if not one.conflict)


def in_script(one: Edit | Remark) -> int:
    """Where a difference stands among others: they are told in the order of the script's lines."""
    return one.line


@dataclass(slots=True)
class Found:
    """What has been found so far."""

    edits: list[Edit] = field(default_factory=list[Edit])
    remarks: list[Remark] = field(default_factory=list[Remark])

    def add(self, some: Iterable[Edit | Remark]) -> None:
        """Put each where it belongs."""
        for one in some:
            if isinstance(one, Edit):
                self.edits.append(one)
            else:
                self.remarks.append(one)


def changes_of(chosen: Iterable[Edit], flows: Mapping[str, Flow], library: Library) -> dict[str, Change]:
    """Give one change for each flow that these edits are in; the flow itself has the empty name."""
    found: dict[str, list[Edit]] = {}
    for one in chosen:
        found.setdefault(one.flow, []).append(one)
    made = {name: change_of(some, flows[name], library) for name, some in found.items()}
    return {name: change for name, change in made.items() if not change.is_empty}


def change_of(chosen: Sequence[Edit], flow: Flow, library: Library) -> Change:
    """Give the edits of one flow as one change; wires of ports that vanish by them go as well."""
    after = flow
    for name in dict.fromkeys(one.node for one in chosen if one.node is not None):
        if name in after.nodes:
            some = [one for one in chosen if one.node == name]
            after = _with_node(after, name, edited(after.nodes[name], some), library)
    for one in chosen:
        if one.node is None and isinstance(one.after, str):
            title = one.after if one.place == "title" else after.name
            description = one.after if one.place == "description" else after.description
            after = edits.describe(after, title, description).applied_to(after)
    return difference(flow, after, LABEL)


def edited(node: Node, some: Iterable[Edit]) -> Node:
    """Give a node with these edits of it."""
    settings, inputs = dict(node.settings), dict(node.inputs)
    run: dict[str, Json] = node.run.model_dump(mode="json")
    for one in some:
        if one.place == "run":
            run[one.name] = one.after
        elif one.place == "setting":
            _put(settings, one.name, one.value)
        elif one.place == "input":
            _put(inputs, PortName(one.name), one.value)
    kept = node.run if same(run, node.run.model_dump(mode="json")) else RunSettings.model_validate(run)
    return node.model_copy(update={"settings": settings, "inputs": inputs, "run": kept})


def same(one: Json, other: Json) -> bool:
    """Whether two values are the same as JSON; for Python alone, `1` and `true` are equal."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def same_values(one: Value, other: Value) -> bool:
    """The same of values that may not be there."""
    if isinstance(one, Remove) or isinstance(other, Remove):
        return one is other
    return same(one, other)


def _put(values: dict[K, Json], name: K, value: Value) -> None:
    if isinstance(value, Remove):
        values.pop(name, None)
    else:
        values[name] = value


def _with_node(flow: Flow, name: NodeId, node: Node, library: Library) -> Flow:
    was = flow.nodes[name]
    if not same(dict(node.settings), dict(was.settings)):
        flow = edits.set_settings(flow, name, node.settings, library=library).applied_to(flow)
    if node.run != was.run:
        flow = edits.set_run(flow, name, node.run, library=library).applied_to(flow)
    for port in {*was.inputs, *node.inputs}:
        before, after = was.inputs.get(port, REMOVE), node.inputs.get(port, REMOVE)
        if not same_values(before, after):
            flow = edits.set_input(flow, name, port, after).applied_to(flow)
    return flow
