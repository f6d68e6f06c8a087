"""Flows that call one another, for tests: `project(main, **{"summary.json": flow})`."""

from collections.abc import Mapping
from typing import Any

from studio.flow.records import Flow
from studio.flow.subflows.calls import GivenFlows
from studio.sdk.registry import Registry
from tests.runtime.bench import REGISTRY, flow_of

OUT = "io.flow_output"

UPPER = flow_of(
    {
        "text": "io.flow_input",
        "mark": ("io.flow_input", {"default": "!"}),
        "join": ("text.join", {"separator": ""}),
        "loud": OUT,
    },
    ["text.value -> join.parts[0]", "mark.value -> join.parts[1]", "join.text -> loud.value"],
)
"""Gives a text with a mark behind it."""


def bound(flows: Mapping[str, Flow]) -> Registry:
    """The node types, bound to these flows."""
    return REGISTRY.with_flows(GivenFlows(flows))


def calls(name: str, inputs: Mapping[str, Any] | None = None, run: Mapping[str, Any] | None = None) -> Any:
    """A node that calls a flow, for `flow_of`."""
    return ("control.subflow", {"flow": name}, dict(inputs or {}), dict(run or {}))
