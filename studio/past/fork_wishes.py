"""What a fork of an old run is to have otherwise: values, settings, inputs, or another flow."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.errors import UsageError
from studio.flow import edits
from studio.flow.records import Flow, Json
from studio.ids import NodeId, PortName, StepId
from studio.runtime.plans.pinned_plan import Pins


@dataclass(frozen=True, slots=True)
class Setting:
    """One value that is to be another: `rounds.2/critic.prompt` and what to put there."""

    step: StepId
    port: PortName
    value: Json

    @staticmethod
    def read(text: str) -> "Setting":
        """Read `STEP.PORT=JSON`; raises `UsageError`."""
        step, port, value = _read(text, "--set", "STEP.PORT", "critic.reply='\"No.\"'")
        return Setting(StepId(step), PortName(port), value)


@dataclass(frozen=True, slots=True)
class Fork:
    """What is to be different in a fork.

    It starts at `step`, or where something is different first. `flow` is the edited flow, None for the one
    that ran; `inputs` are those of the flow that are to be others.
    """

    step: str = ""
    values: Sequence[Setting] = ()
    flow: Flow | None = None
    inputs: Mapping[str, Json] = field(default_factory=dict[str, Json])
    flows: Mapping[str, Flow] | None = None
    """The flows that it may call, by name; None for those of the run."""
    pins: Pins | None = None
    """What is given without being executed; None for what was in the run."""


def with_settings(flow: Flow, texts: Iterable[str]) -> Flow:
    """Give the flow with settings of nodes changed, each `NODE.NAME=JSON`; raises `UsageError`."""
    for text in texts:
        node, name, value = _read(text, "--setting", "NODE.NAME", "critic.instructions='\"Be kind.\"'")
        if NodeId(node) not in flow.nodes:
            hint = f"There are {', '.join(flow.nodes)}. To edit a called flow, use `--flow`."
            raise UsageError(f"The flow has no node `{node}`.", hint=hint)
        flow = edits.set_setting(flow, NodeId(node), name, value).applied_to(flow)
    return flow


def _read(text: str, option: str, form: str, example: str) -> tuple[str, str, Json]:
    place, equals, written = text.partition("=")
    owner, dot, name = place.rpartition(".")
    if not equals or not dot:
        message = f"`{option} {text}` is not of the form `{form}=JSON`."
        raise UsageError(message, hint=f"For example: `{example}`.")
    try:
        return owner, name, json.loads(written)
    except ValueError as error:
        message = f"The value in `{option} {place}` is not JSON: {error}."
        raise UsageError(message, hint="Text needs quotes: `'\"Yes.\"'`.") from error
