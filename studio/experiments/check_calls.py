"""Checks that compute alone are called as the functions that they are: a run of one would say no more."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from inspect import iscoroutinefunction
from typing import Any

from studio.flow.ports import PortType
from studio.flow.records import Json
from studio.runtime.steps.threads import on_a_thread
from studio.runtime.values import apart
from studio.sdk.node import NodeType
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.sdk.values import from_plain, to_plain

_FILES = ("file", "image")

SHORT = 20_000
"""Characters, about, up to which nobody has to wait for a check that may work for long."""


@dataclass(frozen=True, slots=True)
class CheckCall:
    """A check with its settings, and the types of what it is given."""

    type: NodeType
    settings: Mapping[str, Any]
    inputs: Mapping[str, PortType]

    @classmethod
    def of(cls, kind: str, settings: Mapping[str, Json], registry: Registry) -> "CheckCall | None":
        """Make it of a node; None where its function needs a run: it asks, waits, or works in a sandbox."""
        found = registry.get(kind)
        if found is None:
            return None
        complete = found.complete_settings(settings)
        chosen = found.of_variant(complete)
        names = {spec.name for spec in chosen.settings}
        if (
            chosen.function is None
            or chosen.context_name
            or chosen.effect is not Effect.PURE
            or chosen.inputs_of is not None
            or chosen.outputs_of is not None
            or iscoroutinefunction(chosen.function)
            or any(port.type.is_binding or port.type.base in _FILES for port in chosen.inputs)
        ):
            return None
        types = {str(port.name): port.type for port in chosen.inputs}
        return cls(chosen, {name: one for name, one in complete.items() if name in names}, types)

    async def outputs(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Give what it says of these values, by output; raises as its function does."""
        arguments = {
            name: apart(from_plain(value, self.inputs[name]))
            for name, value in given.items()
            if name in self.inputs
        }
        function = self.type.function
        assert function is not None  # noqa: S101  # or it would not have been made
        call = partial(function, **arguments, **{name: apart(one) for name, one in self.settings.items()})
        result = await on_a_thread(call) if self.type.heavy and _is_long(given) else call()
        return {name: to_plain(value) for name, value in self.type.outputs_from(result).items()}


def _is_long(given: Mapping[str, Json]) -> bool:
    return any(len(one if isinstance(one, str) else repr(one)) > SHORT for one in given.values())
