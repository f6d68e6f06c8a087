"""What passed last at a port or along a wire, in the run and the round that are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QCoreApplication

from studio.flow.records import Flow, Socket, Wire
from studio.ids import StepId
from studio.trace.events.values import Shown
from studio.ui.viewmodels.run.shown_run import ShownRun
from studio.ui.viewmodels.words import count_words

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Passed:
    """A value, and where it passed: the node's title, the port and the round."""

    value: Shown
    place: str
    is_pinned: bool = False

    @property
    def caption(self) -> str:
        """Place, kind and size in a line."""
        said = [self.place, describe(self.value.data)]
        if self.is_pinned:
            said.append(translate("values", "pinned"))
        return " · ".join(said)


def passed_at(
    flow: Flow, shown: ShownRun, socket: Socket, chosen: StepId | None, *, is_output: bool
) -> Passed | None:
    """What a step of a node gave or read last at a port; None where nothing did.

    What a loop or map gives into its body stands in no step of its own: it is what was read of it there.
    """
    found = _passed(flow, shown, socket, chosen, is_output=is_output)
    if found is not None or not is_output:
        return found
    targets = (wire.target for wire in flow.wires if wire.source == socket and wire.index is None)
    read = (_passed(flow, shown, target, chosen, is_output=False) for target in targets)
    return next((one for one in read if one is not None), None)


def passed_along(flow: Flow, shown: ShownRun, wire: Wire, chosen: StepId | None) -> Passed | None:
    """What passed along a wire last: what its source gave, or, off an area's border, what its target read."""
    found = _passed(flow, shown, wire.source, chosen, is_output=True)
    if found is not None or wire.index is not None:
        return found
    return _passed(flow, shown, wire.target, chosen, is_output=False)


def describe(data: object) -> str:
    """What a value is and how large: `text, 412 characters`, `list of 3`, `message from the assistant`."""
    if isinstance(data, str):
        return _counted(
            len(data),
            translate("values", "text, 1 character"),
            translate("values", "text, {count} characters"),
        )
    if isinstance(data, bool):
        return translate("values", "yes or no")
    if isinstance(data, int | float):
        return translate("values", "number")
    if isinstance(data, Mapping):
        return _described_object(cast("Mapping[str, object]", data))
    if isinstance(data, Sequence):
        many = len(cast("Sequence[object]", data))
        return _counted(many, translate("values", "list of 1"), translate("values", "list of {count}"))
    return translate("values", "nothing (null)")


def _described_object(data: Mapping[str, object]) -> str:
    role = data.get("role")
    if isinstance(role, str) and "content" in data:
        return translate("values", "message from {role}").format(role=role)
    many = len(data)
    return _counted(
        many, translate("values", "object with 1 field"), translate("values", "object with {count} fields")
    )


def _counted(count: int, one: str, many: str) -> str:
    return one if count == 1 else many.format(count=f"{count:,}")


def _passed(
    flow: Flow, shown: ShownRun, socket: Socket, chosen: StepId | None, *, is_output: bool
) -> Passed | None:
    step = shown.shown_step(socket.node, chosen)
    if step is None or step.call or step.node != socket.node:
        return None
    value = (step.outputs if is_output else step.inputs).get(socket.port)
    if value is None:
        return None
    title = count_words.step_title(flow, step.id)
    return Passed(value, f"{title}: {socket.port}", step.is_pinned)
