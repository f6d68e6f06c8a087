"""Checks of how nodes are told to run: error policies, retries, time limits, and being taken out of use."""

from collections.abc import Mapping
from typing import Any

from studio.flow.change import Change
from studio.flow.checks.plain import misfit
from studio.flow.checks.problem import Checked, Problem, Remedy, error, warning
from studio.flow.edits import set_run
from studio.flow.ports import ERROR, PortType, Signature, Structure
from studio.flow.records import Json, Node, RunSettings, Socket
from studio.flow.structure.graph import default_ports
from studio.ids import NodeId

_KEPT = RunSettings()
_EMPTY: Mapping[str, Json] = {"text": "", "number": 0, "flag": False, "json": {}}
"""What is taken for nothing, by type."""


def run_settings_problems(seen: Checked) -> list[Problem]:
    """Find settings that could not be followed, or would hide what goes wrong."""
    found: list[Problem] = []
    unread = {name for name, node in seen.flow.nodes.items() if node.run.on_error == "output"} - {
        wire.source.node for wire in seen.flow.wires if wire.source.port == ERROR
    }
    for name, node in seen.flow.nodes.items():
        signature = seen.signatures[name]
        if node.run == _KEPT or signature is None:
            continue
        found += _of_areas(seen, name, node, signature)
        if node.run.on_error == "default" and signature.structure is not Structure.FOR_EACH:
            found += _of_default(seen, name, node, signature)
        elif name in unread and signature.structure is not Structure.FOR_EACH:
            words = f"When “{seen.title(name)}” fails, nothing handles it: its `error` is not wired."
            found.append(warning("error-unread", words, name, remedies=[_fails(seen, name)]))
    return found


def _of_areas(seen: Checked, name: NodeId, node: Node, signature: Signature) -> list[Problem]:
    """What a loop, a map or a collect cannot follow, being no work of its own."""
    run, title, code = node.run, seen.title(name), "not-for-areas"
    found: list[Problem] = []
    is_map = signature.structure in {Structure.FOR_EACH, Structure.COLLECT}
    if not is_map and signature.structure is not Structure.LOOP:
        return []
    if run.retries:
        words = f"“{title}” cannot be retried as a whole; the steps inside it can."
        remedies = [_retried_inside(seen, name), _with(seen, name, "Remove the retries", retries=0)]
        found.append(error(code, words, name, remedies=[one for one in remedies if one is not None]))
    if run.limits:
        words = f"“{title}” spends nothing itself, so a limit on it has no effect; the steps inside it spend."
        found.append(error(code, words, name, remedies=[_with(seen, name, "Remove the limit", limits={})]))
    if is_map and run.state == "bypassed":
        words = f"“{title}” cannot be bypassed, because it turns a list into elements or the other way round."
        mute = _with(seen, name, "Mute it instead", state="muted")
        found.append(error(code, words, name, remedies=[mute, _with(seen, name, "Enable it", state="")]))
    if signature.structure is Structure.FOR_EACH and run.on_error != "fail":
        words = f"“{title}” has no outputs for an error policy; the node that collects its items has."
        remedies = [_moved_to_collects(seen, name), _fails(seen, name)]
        found.append(error(code, words, name, remedies=[one for one in remedies if one is not None]))
    if signature.structure is Structure.COLLECT and run.time_limit is not None:
        words = f"“{title}” only collects; a time limit belongs to the node that splits the list."
        remedies = [_limit_moved(seen, name), _with(seen, name, "Remove the limit", time_limit=None)]
        found.append(error(code, words, name, remedies=[one for one in remedies if one is not None]))
    return found


def _of_default(seen: Checked, name: NodeId, node: Node, signature: Signature) -> list[Problem]:
    """Why a default could not stand in for what the step gives."""
    outputs = {
        str(port.name): seen.types.outputs.get(Socket(name, port.name), port.type)
        for port in signature.outputs
        if not port.type.is_binding
    }
    ports = default_ports(signature.structure, outputs)
    title = seen.title(name)
    if not ports:
        words = f"“{title}” has no outputs for a default."
        return [error("default-misfit", words, name, remedies=[_fails(seen, name)])]
    given = node.run.default
    named = given if isinstance(given, Mapping) and set(given) <= set(ports) else {ports[0]: given}
    for port, value in named.items():
        reason = misfit(value, outputs[port])
        if reason:
            words = f"The default of “{title}” does not fit `{port}`: {reason}"
            empty = _empty(outputs[ports[0]])
            remedies = [_fails(seen, name)]
            if empty is not None:
                label = "Use an empty default"
                remedies.insert(0, _with(seen, name, label, default=empty))
            return [error("default-misfit", words, name, remedies=remedies)]
    return []


def _empty(kind: PortType) -> Json:
    return [] if kind.depth or kind.base == "messages" else _EMPTY.get(kind.base)


def _fails(seen: Checked, name: NodeId) -> Remedy:
    return _with(seen, name, "Let it fail", on_error="fail", default=None)


def _with(seen: Checked, name: NodeId, label: str, **settings: Any) -> Remedy:
    return seen.remedy(label, _changed(seen, name, **settings))


def _changed(seen: Checked, name: NodeId, **settings: Any) -> Change:
    run = seen.flow.nodes[name].run.model_copy(update=settings)
    return set_run(seen.flow, name, run, library=seen.library)


def _joined(seen: Checked, changes: Mapping[NodeId, Mapping[str, Any]]) -> Change:
    """Changes of the run settings of several nodes, as one."""
    whole = Change("")
    for name, settings in changes.items():
        whole = whole.then(_changed(seen, name, **settings))
    return whole


def _retried_inside(seen: Checked, name: NodeId) -> Remedy | None:
    """Move the retries to the steps in the body that do work of their own."""
    region = next((one for one in seen.tree.root.walk() if name in {one.owner, *one.collects}), None)
    retries = seen.flow.nodes[name].run.retries
    inside = sorted(
        node for node in (region.body if region else ()) if seen.tree.graph.structure(node) is None
    )
    if not inside:
        return None
    changes: dict[NodeId, Mapping[str, Any]] = {name: {"retries": 0}}
    changes |= {node: {"retries": max(retries, seen.flow.nodes[node].run.retries)} for node in inside}
    return seen.remedy("Retry its steps instead", _joined(seen, changes))


def _moved_to_collects(seen: Checked, name: NodeId) -> Remedy | None:
    """Move the error policy to what collects the items; a default becomes an empty list."""
    collects = next((one.collects for one in seen.tree.root.walk() if one.owner == name), ())
    if not collects:
        return None
    run = seen.flow.nodes[name].run
    policy: dict[str, Any] = {"on_error": run.on_error}
    if run.on_error == "default":
        policy["default"] = run.default if isinstance(run.default, list) else []
    changes: dict[NodeId, Mapping[str, Any]] = {name: {"on_error": "fail", "default": None}}
    changes |= dict.fromkeys(collects, policy)
    return seen.remedy("Move it to the node that collects them", _joined(seen, changes))


def _limit_moved(seen: Checked, name: NodeId) -> Remedy | None:
    owner = next((one.owner for one in seen.tree.root.walk() if name in one.collects), None)
    if owner is None:
        return None
    limit = seen.flow.nodes[name].run.time_limit
    changes: dict[NodeId, Mapping[str, Any]] = {name: {"time_limit": None}, owner: {"time_limit": limit}}
    return seen.remedy(f"Limit “{seen.title(owner)}”", _joined(seen, changes))
