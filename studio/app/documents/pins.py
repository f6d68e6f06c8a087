"""Outputs that are pinned, kept beside the project: runs that the window starts take them as they are.

They are a person's own, as breakpoints are: never part of the flow's file, of its script, or of runs from the
command line.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import cast

from pydantic import TypeAdapter, ValidationError

from studio.app.listeners import Listeners
from studio.flow.change import Change
from studio.flow.records import Flow, Json, Library
from studio.ids import NodeId
from studio.runtime.plans.pinned_plan import misfit
from studio.runtime.values import USER
from studio.trace.events.run import Pin
from studio.trace.events.values import Shown, Values
from studio.trace.fold.steps import StepState, StepStatus
from studio.workspace.project import Project
from studio.workspace.stored_documents import Kept, Trouble

FILE = "pins.json"

_PIN: TypeAdapter[Pin] = TypeAdapter(Pin)


class PinnedOutputs:
    """The pins of one flow, by node; those of the flows that it calls are read when a run asks for them."""

    def __init__(self, project: Project, flow_name: str, on_trouble: Trouble | None = None) -> None:
        self._on_trouble = on_trouble
        self._kept = Kept(project.private / FILE, on_trouble)
        self._flow_name = flow_name
        self._pins = _read(self._kept.read().get(flow_name))
        self._asleep: dict[NodeId, Pin] = {}
        self._changed: Listeners[()] = Listeners()

    @property
    def all(self) -> Mapping[NodeId, Pin]:
        """What is pinned in the flow."""
        return dict(self._pins)

    def of(self, node: NodeId) -> Pin | None:
        """What is pinned to a node."""
        return self._pins.get(node)

    def everywhere(self, called: Collection[str]) -> dict[str, Pin]:
        """The same for a run that may call these flows, whose pins stand as `summary.json:critic`."""
        found: dict[str, Pin] = {**self._pins}
        kept = self._kept.read() if called else {}
        for flow in called:
            found.update({f"{flow}:{node}": pin for node, pin in _read(kept.get(flow)).items()})
        return found

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when something was pinned or unpinned; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def pin_step(self, run: str, step: StepState) -> None:
        """Pin what a step gave; a step that has not ended well has nothing to pin."""
        if step.status is StepStatus.DONE and step.outputs:
            self._put(step.node, Pin(dict(step.outputs), run, step.id))

    def edit(self, node: NodeId, port: str, value: Json) -> None:
        """Pin another value to one output; the others stay as they are pinned, or absent."""
        before = self._pins.get(node) or Pin({})
        self.put(node, {**before.values, port: Shown(value, tuple(sorted(USER)))})

    def put(self, node: NodeId, values: Values) -> None:
        """Pin these values, which a person gave, to the outputs of a node."""
        self._put(node, replace(self._pins.get(node) or Pin({}), values=dict(values), edited=True))

    def unpin(self, nodes: Collection[NodeId]) -> None:
        """Let nodes be executed again."""
        if any(self._pins.pop(node, None) is not None for node in tuple(nodes)):
            for node in nodes:
                self._pins.pop(node, None)
            self._keep()

    def clear(self) -> None:
        """Let all be executed again."""
        self.unpin(tuple(self._pins))

    def misfits(self, flow: Flow, library: Library) -> dict[NodeId, str]:
        """The pins that the nodes cannot give as they are now, with the reason."""
        reasons = {
            node: misfit(flow, library, node, pin.values)
            for node, pin in self._pins.items()
            if node in flow.nodes and not flow.nodes[node].run.state
        }
        return {node: reason for node, reason in reasons.items() if reason}

    def follow(self, change: Change) -> None:
        """Go along with an edit: what was pinned to a removed node sleeps until it is back."""
        before = dict(self._pins)
        for node, (old, new) in change.nodes.items():
            if new is None and node in self._pins:
                heirs = (one for one, (was, now) in change.nodes.items() if was is None and now == old)
                heir = next(heirs, None)
                (self._asleep if heir is None else self._pins)[heir or node] = self._pins.pop(node)
            elif old is None and node in self._asleep:
                self._pins[node] = self._asleep.pop(node)
        if self._pins != before:
            self._keep()

    def move_to(self, project: Project, flow_name: str) -> None:
        """Belong to a flow of another name, or in another project, from now on."""
        self._kept = Kept(project.private / FILE, self._on_trouble)
        self._flow_name = flow_name
        if self._pins or flow_name in self._kept.read():
            self._keep()

    def _put(self, node: NodeId, pin: Pin) -> None:
        if self._pins.get(node) != pin:
            self._pins[node] = pin
            self._keep()

    def _keep(self) -> None:
        document = self._kept.read()
        document.pop(self._flow_name, None)
        if self._pins:
            document[self._flow_name] = {
                node: _PIN.dump_python(pin, mode="json") for node, pin in sorted(self._pins.items())
            }
        self._kept.write(document)
        self._changed.tell()


def _read(plain: object) -> dict[NodeId, Pin]:
    found: dict[NodeId, Pin] = {}
    for node, one in cast("Mapping[object, object]", plain).items() if isinstance(plain, dict) else ():
        try:
            found[NodeId(str(node))] = _PIN.validate_python(one)
        except ValidationError:  # not ours, or of another version: the node is executed
            continue
    return found
