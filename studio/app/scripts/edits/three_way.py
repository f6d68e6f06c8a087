"""A script beside a flow that was edited as well since the export: what both changed is a conflict."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from studio.app.scripts.edits.comparison import compare
from studio.app.scripts.edits.edits import Edit, Found, Remark, ScriptEdits, in_script, same
from studio.app.scripts.edits.node_values import complete
from studio.app.scripts.edits.script import Script
from studio.flow.edits import REMOVE, wires_into
from studio.flow.records import Flow, Json, Socket
from studio.ids import PortName
from studio.sdk.registry import Registry

BOTH: Final = "It was edited in the flow as well."
UNKNOWN: Final = (
    "The flow was edited since the export, and the exported version is not kept: "
    "this may be an edit of the flow."
)


def edits_since_export(
    script: Script,
    flow: Flow,
    flows: Mapping[str, Flow],
    exported: Mapping[str, Flow | None],
    registry: Registry,
    *,
    name: str = "",
) -> ScriptEdits:
    """Find what was edited in a script since it was exported, as far as the flow does not have it already.

    `exported` has the flows that were edited since, as they were then, the flow itself by the empty name;
    None for those of which nobody knows. Of these every difference is a conflict.
    """
    now = {**flows, "": flow}
    old = {called: before for called, before in exported.items() if before is not None}
    found = compare(script, old.get("", flow), {**flows, **old}, registry, name=name)
    after = Found(remarks=list(found.remarks))
    for one in found.edits:
        if exported.get(one.flow, one) is None:
            after.add([replace(one, conflict=UNKNOWN)])
        elif one.flow not in exported:
            after.add([one])
        else:
            after.add(_again(one, now[one.flow], registry))
    return ScriptEdits(tuple(sorted(after.edits, key=in_script)), tuple(sorted(after.remarks, key=in_script)))


def _again(edit: Edit, flow: Flow, registry: Registry) -> Iterator[Edit | Remark]:
    """Put an edit on the flow as it is now; nothing, where it has it already."""
    node = flow.nodes.get(edit.node) if edit.node is not None else None
    place = edit.line, edit.flow, edit.node
    if edit.node is not None and node is None:
        yield Remark(f"The flow no longer has “{edit.title}”.", *place)
        return
    is_wired = (
        edit.place == "input"
        and edit.node is not None
        and wires_into(flow, Socket(edit.node, PortName(edit.name)))
    )
    if is_wired:
        yield Remark(f"“{edit.label}” of “{edit.title}” is wired in the flow by now.", *place)
        return
    present = _present(edit, flow, registry)
    if same(present, edit.after):
        return
    yield edit if same(present, edit.before) else replace(edit, before=present, conflict=BOTH)


def _present(edit: Edit, flow: Flow, registry: Registry) -> Json:
    """What the flow has now where an edit is."""
    if edit.node is None:
        return flow.name if edit.place == "title" else flow.description
    node = flow.nodes[edit.node]
    if edit.place == "run":
        return node.run.model_dump(mode="json")[edit.name]
    if edit.place == "input":
        return node.inputs.get(PortName(edit.name))
    type_ = registry.get(node.kind)
    spec = next((one for one in type_.settings if one.name == edit.name), None) if type_ else None
    return None if spec is None else complete(spec, node.settings.get(edit.name, REMOVE))
