"""What is different in a variant: typed edits of a flow, applied through the edits that the canvas uses."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, TypeAlias, assert_never

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.errors import EditRefusedError, SettingsError, StepwireError
from studio.flow.change import Change
from studio.flow.edits import set_input, set_run, set_setting
from studio.flow.records import Flow, Json, RunSettings
from studio.ids import NodeId, PortName
from studio.sdk.registry import Registry


class _Edit(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    node: str


class SettingEdit(_Edit):
    """Gives a setting of a node another value."""

    edit: Literal["setting"]
    name: str
    value: Json


class PromptEdit(_Edit):
    """Gives a node another text: its instructions, or the setting `name`."""

    edit: Literal["prompt"]
    name: str = "instructions"
    text: str


class ProfileEdit(_Edit):
    """Has a node ask another chat profile."""

    edit: Literal["profile"]
    profile: str


class InputEdit(_Edit):
    """Types a value at an unwired port."""

    edit: Literal["input"]
    port: str
    value: Json


class LimitsEdit(_Edit):
    """Says what a node may spend: `tokens`, `cost`, `steps`, `calls`; what is not named stays."""

    edit: Literal["limits"]
    limits: Mapping[str, float]


class RunEdit(_Edit):
    """Says how a node's steps run (`RunSettings`); what is not named stays."""

    edit: Literal["run"]
    run: Mapping[str, Json]


Edit: TypeAlias = Annotated[
    SettingEdit | PromptEdit | ProfileEdit | InputEdit | LimitsEdit | RunEdit, Field(discriminator="edit")
]
"""One difference; `edit` says of which kind."""


def patched(flow: Flow, patch: Sequence[Edit], registry: Registry) -> tuple[Flow, Sequence[tuple[int, str]]]:
    """Apply a patch, and tell what of it is wrong: the place of each edit that was left out, and why.

    The flow is not checked as a whole; whoever runs it does so.
    """
    wrong: list[tuple[int, str]] = []
    for place, edit in enumerate(patch):
        reason = _misfit(flow, edit, registry)
        if reason:
            wrong.append((place, reason))
            continue
        try:
            changed = _change(flow, edit, registry).applied_to(flow)
            registry.require(changed.nodes[NodeId(edit.node)].kind).complete_settings(
                changed.nodes[NodeId(edit.node)].settings
            )
        except SettingsError as error:
            wrong.append((place, " ".join((error.message, *error.details))))
        except EditRefusedError as error:
            wrong.append((place, error.message))
        except ValidationError as error:
            wrong.append(
                (place, "; ".join(f"`{one['loc'][0]}`: {one['msg'].lower()}" for one in error.errors()))
            )
        else:
            flow = changed
    return flow, wrong


def _misfit(flow: Flow, edit: Edit, registry: Registry) -> str:
    """Why an edit means nothing here; empty where it does."""
    node = flow.nodes.get(NodeId(edit.node))
    if node is None:
        return f"The flow has no node `{edit.node}`. It has {_listed(flow.nodes)}."
    try:
        known = {spec.name for spec in registry.require(node.kind).settings}
    except StepwireError as error:
        return error.message
    match edit:
        case SettingEdit(name=name) | PromptEdit(name=name):
            wanted = name
        case ProfileEdit():
            wanted = "profile"
        case InputEdit(port=port):
            signature = registry.signature(node)
            ports = [str(one.name) for one in signature.inputs] if signature is not None else []
            if port not in ports:
                return f"`{edit.node}` has no input `{port}`. It has {_listed(ports)}."
            if any(wire.target.node == edit.node and wire.target.port == port for wire in flow.wires):
                return f"The input `{port}` of `{edit.node}` is wired, so no value can be typed there."
            return ""
        case LimitsEdit() | RunEdit():
            return ""
        case _:
            assert_never(edit)
    return "" if wanted in known else f"`{edit.node}` has no setting `{wanted}`. It has {_listed(known)}."


def _change(flow: Flow, edit: Edit, registry: Registry) -> Change:
    node = NodeId(edit.node)
    run = flow.nodes[node].run
    match edit:
        case SettingEdit(name=name, value=value):
            return set_setting(flow, node, name, value, library=registry)
        case PromptEdit(name=name, text=text):
            return set_setting(flow, node, name, text, library=registry)
        case ProfileEdit(profile=profile):
            return set_setting(flow, node, "profile", profile, library=registry)
        case InputEdit(port=port, value=value):
            return set_input(flow, node, PortName(port), value)
        case LimitsEdit(limits=limits):
            return set_run(flow, node, _run_with(run, {"limits": {**run.limits, **limits}}), library=registry)
        case RunEdit(run=settings):
            return set_run(flow, node, _run_with(run, settings), library=registry)
        case _:
            assert_never(edit)


def _run_with(run: RunSettings, settings: Mapping[str, Json]) -> RunSettings:
    return RunSettings.model_validate({**run.model_dump(exclude_defaults=True), **settings})


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{one}`" for one in sorted(names)) or "none"
