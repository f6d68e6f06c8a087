"""How a script differs from the flow that it is from: value by value, and in what it does."""

from collections.abc import Iterator, Mapping, Sequence

from studio.app.scripts.edits.constants import Written
from studio.app.scripts.edits.edits import Edit, Found, Place, Remark, ScriptEdits
from studio.app.scripts.edits.node_values import NodeValues, Sight
from studio.app.scripts.edits.script import FlowFunction, NodeCall, Script
from studio.app.scripts.edits.structure import structure_remarks
from studio.flow.checks.plain import misfit
from studio.flow.ports import PortType, Structure, parse_type
from studio.flow.records import Flow, Json
from studio.flow.structure.regions import region_tree
from studio.ids import NodeId
from studio.script.parameters import input_of
from studio.sdk.registry import Registry

TITLE = "Title"
DESCRIPTION = "Description"
DEFAULT = "default"
"""The setting of a flow input that says what it gives where nothing is given."""


def compare(
    script: Script, flow: Flow, flows: Mapping[str, Flow], registry: Registry, *, name: str = ""
) -> ScriptEdits:
    """Find what a script has otherwise than its flow, and than the flows that it calls, given by name.

    `name` is what the flow itself is called by flows of its project. Only values that the registry reads
    as others count; a setting that the script does not say has its default there.
    """
    found = Found()
    _header(script, flow, found)
    waiting: list[tuple[str, FlowFunction]] = [("", script.main)]
    seen: set[tuple[str, str]] = set()
    while waiting:
        called, function = waiting.pop(0)
        if (called, function.name) in seen:
            continue
        seen.add((called, function.name))
        known = flows.get(called) if called else flow
        if known is None:
            words = f"The flow “{called}” is not in the project, so `{function.name}` is not compared."
            found.remarks.append(Remark(words, function.line, called))
            continue
        for node, callee in _compare_function(called, function, known, registry, found):
            waiting.append(("" if node == name else node, script.functions[callee]))
    return ScriptEdits(tuple(_once(found.edits)), tuple(dict.fromkeys(found.remarks)))


def _compare_function(
    called: str, function: FlowFunction, flow: Flow, registry: Registry, found: Found
) -> Iterator[tuple[str, str]]:
    """Compare a function with its flow; gives the flows that it calls, each with the function for it."""
    tree = region_tree(flow, registry)
    sight = Sight(called, flow, tree, registry, frozenset(one.node for one in function.calls))
    found.remarks += structure_remarks(function, sight)
    _parameters(function, sight, found)
    for name, calls in _by_node(function.calls).items():
        node = flow.nodes.get(name)
        if node is not None and node.kind in registry and all(one.kind == node.kind for one in calls):
            _compare_calls(name, calls, sight, found)
    for name, callee in function.flows.items():
        node = flow.nodes.get(name)
        target = registry.called_name(node) if node is not None else ""
        if target:
            yield target, callee


def _compare_calls(name: NodeId, calls: Sequence[NodeCall], sight: Sight, found: Found) -> None:
    """Compare all places that say one node; what they say otherwise than one another is not taken."""
    several = [NodeValues(one, sight).found() for one in calls]
    first = several[0]
    told = [[(one.place, one.name, one.value) for one in each.edits] for each in several]
    if all(one == told[0] for one in told):
        found.edits += first.edits
    else:
        lines = " and ".join(str(one.line) for one in calls)
        words = f"“{sight.title(name)}” is called on lines {lines} with different settings."
        found.remarks.append(Remark(words, calls[-1].line, sight.called, name))
    found.remarks += [remark for each in several for remark in each.remarks]


def _parameters(function: FlowFunction, sight: Sight, found: Found) -> None:
    """Compare what the flow's inputs give where nothing is given."""
    flow = sight.flow
    inputs = {
        name: node
        for name, node in flow.nodes.items()
        if (signature := sight.registry.signature(node)) is not None
        and signature.structure is Structure.FLOW_INPUT
    }
    said = {input_of(parameter): one for parameter, one in function.parameters.items()}
    for name, node in inputs.items():
        if name not in said:
            words = f"The input “{sight.title(name)}” is no parameter of `{function.name}`."
            found.remarks.append(Remark(words, function.line, sight.called, name))
            continue
        default = said[name]
        written = default or Written(function.line)
        if not written.is_constant:
            words = f"The default of “{sight.title(name)}” is computed in Python."
            found.remarks.append(Remark(words, written.line, sight.called, name))
            continue
        kind = parse_type(str(node.settings.get("type", "text")))
        edit = sight.edit_of_setting(name, DEFAULT, None if default is None else written, written.line)
        if isinstance(edit, Edit):
            reason = _misfit(edit.after, kind)
            words = f"The default of “{sight.title(name)}” does not fit: {reason}"
            found.remarks += [Remark(words, written.line, sight.called, name)] if reason else []
            found.edits += [] if reason else [edit]
    for parameter in said:
        if NodeId(parameter) not in inputs and NodeId(f"{parameter}_") not in inputs:
            words = f"The parameter `{parameter}` of `{function.name}` is no input of the flow."
            found.remarks.append(Remark(words, function.line, sight.called))


def _misfit(value: Json, kind: PortType) -> str:
    return misfit(value, kind) if value is not None else ""


def _header(script: Script, flow: Flow, found: Found) -> None:
    """Compare the flow's title and its description."""
    title = script.title
    if title is not None and title.is_constant and isinstance(title.value, str):
        if title.value != flow.name and (title.value or flow.name):
            found.edits.append(_of_flow("title", TITLE, flow, flow.name, title.value, title.line))
    elif title is not None:
        found.remarks.append(Remark("The title of the flow is computed in Python.", title.line))
    description = _description(script, flow)
    if description is not None:
        value, line = str(description.value), description.line
        found.edits.append(_of_flow("description", DESCRIPTION, flow, flow.description, value, line))


def _description(script: Script, flow: Flow) -> Written | None:
    """The description where it was edited: below the function's first line, or at the top of the script."""
    for said in (script.main.docstring, script.about):
        if said is None:
            continue
        text = _flat(str(said.value))
        titles = {_flat(name).rstrip(".") for name in (flow.name, str(script.title and script.title.value))}
        if text != _flat(flow.description) and text.rstrip(".") not in titles:
            return said
    return None


def _flat(text: str) -> str:
    return " ".join(text.split())


def _of_flow(place: Place, label: str, flow: Flow, before: str, after: str, line: int) -> Edit:
    return Edit("", None, place, place, flow.name, label, before, after, after, line)


def _by_node(calls: Sequence[NodeCall]) -> Mapping[NodeId, list[NodeCall]]:
    """The calls of each node; one that was followed twice, as a function of two lanes, counts once."""
    found: dict[NodeId, list[NodeCall]] = {}
    for one in calls:
        if one not in found.setdefault(one.node, []):
            found[one.node].append(one)
    return found


def _once(edits: Sequence[Edit]) -> list[Edit]:
    """Edits in the order of flows and lines; the same one of a flow that several functions say, once."""
    found: dict[tuple[object, ...], Edit] = {}
    for one in edits:
        found.setdefault((one.flow, one.node, one.place, one.name, repr(one.value)), one)
    return list(found.values())
