"""What stands at the outputs of a step once it is over, however it ended."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import cast

from studio.errors import StepError
from studio.flow.ports import ERROR, JSON, THEN, PortType
from studio.flow.structure.graph import default_ports
from studio.ids import step_id
from studio.runtime.failures import told_value
from studio.runtime.plans.plan import PlannedNode
from studio.runtime.recorder import Recorder
from studio.runtime.state.frame import Frame
from studio.runtime.values import ABSENT, FLOW, Absent, Failed, Resolved, Value, apart
from studio.sdk.node_type import fields_by_port
from studio.sdk.values import fits, from_plain, to_plain
from studio.trace.events import StepSkipped
from studio.trace.events.values import Values

DONE = Value(None)
"""What stands at `then` once a step is over."""


def restored(node: PlannedNode, values: Values, labels: frozenset[str]) -> dict[str, Resolved]:
    """Outputs as events carry them, made values again; `labels` are those of what has none of its own."""
    return {
        name: Value(from_plain(one.data, node.outputs.get(name, JSON)), frozenset(one.labels) or labels)
        for name, one in values.items()
    }


def failed_outputs(node: PlannedNode, failed: Failed) -> dict[str, Resolved]:
    """What stands at the outputs of a step that failed, order and error ports included."""
    return dict.fromkeys((*node.outputs, THEN, ERROR), failed)


def fitted(node: PlannedNode, result: object, labels: frozenset[str]) -> dict[str, Resolved]:
    """Check what the function of `node` returned, and make it values; raises `ValueTypeError`."""
    single = node.single
    if single is not None and type(result) in single.immediate:
        return {single.name: Value(result, labels)}
    if not node.outputs:
        return {}
    named: Mapping[str, object]
    if not node.type.returns_fields:
        named = {next(iter(node.outputs)): result}
    elif is_dataclass(result):
        named = fields_by_port(result, list(node.outputs), by_name=node.type.outputs_of is not None)
    else:
        named = cast("Mapping[str, object]", result)
    outputs: dict[str, Resolved] = {}
    for name, kind in node.outputs.items():
        data = named.get(name, ABSENT)
        if isinstance(data, Absent) or (data is None and not _may_be_null(node, name, kind)):
            outputs[name] = ABSENT
            continue
        fits(data, kind)
        outputs[name] = Value(apart(data), labels)
    return outputs


def _may_be_null(node: PlannedNode, name: str, kind: PortType) -> bool:
    """Whether None is a value there: not where a field says by it that nothing is given."""
    declared = next((port for port in node.type.outputs if port.name == name), None)
    is_optional = declared is not None and not declared.required
    return kind.base in {"json", "any", "T"} and not is_optional


def merged(node: PlannedNode, values: Value) -> Value:
    """All present values in wire order, or the first of them."""
    return values if node.settings["gives"] == "all" else first(values)


def first(values: Value) -> Value:
    """The first element of a list; raises `StepError` where there is none."""
    listed = cast("list[object]", values.data)
    if not listed:
        message = "There is no value to take."
        raise StepError(message)
    return Value(listed[0], values.labels)


def passed_through(node: PlannedNode, inputs: Mapping[str, Resolved]) -> dict[str, Resolved]:
    """What a bypassed step gives: at each output the first input of the same type."""
    outputs: dict[str, Resolved] = {}
    for name, kind in node.outputs.items():
        fitting = (one.port.name for one in node.inputs if one.type == kind)
        outputs[name] = inputs.get(next(fitting, ""), ABSENT)
    return outputs


def stand_in(node: PlannedNode, error: Exception, labels: frozenset[str]) -> dict[str, Resolved]:
    """What a step gives that failed and has an error policy: the error, or its default."""
    if node.run.on_error == "output":
        return {ERROR: told_value(error, labels)}
    given, names = node.run.default, default_ports(node.type.structure, node.outputs)
    if not names:
        return {}
    named = given if isinstance(given, Mapping) and set(given) <= set(names) else {names[0]: given}
    return {
        name: Value(from_plain(to_plain(value), node.outputs[name]), FLOW) for name, value in named.items()
    }


def skip(recorder: Recorder, node: PlannedNode, frame: Frame, reason: str) -> None:
    """Record that a step does not happen; all that it would have given is absent."""
    recorder.record(StepSkipped(reason), step_id(frame.scope, node.id), frame.step)
    frame.values[node.id] = {}
