"""What a function of a script takes, as the inputs of a flow: by the names and types of its parameters."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_type_hints

from studio.errors import StepwireError
from studio.flow.ports import ANY, PortType
from studio.flow.records import Json, Node
from studio.ids import NodeId
from studio.llm.client import Message
from studio.script.parameters import input_of
from studio.sdk.ports import port_type, read_annotation
from studio.sdk.values import to_plain

__all__ = ["Message", "input_nodes", "parameters_of"]


def input_nodes(function: Callable[..., Any]) -> Iterator[tuple[NodeId, Node]]:
    """The flow inputs that the parameters of a function are; raises as `port_type` for what is no type."""
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        settings: dict[str, Json] = {"type": str(_type_of(hints.get(name, Any)))}
        if parameter.default is not inspect.Parameter.empty:
            settings["default"] = to_plain(parameter.default)
        yield input_of(name), Node(kind="io.flow_input", settings=settings)


def _type_of(annotation: object) -> PortType:
    return port_type(read_annotation(annotation).plain)


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a function takes: its signature, and the type of each parameter that a call can name.

    The type is any for those that say none that ports have.
    """

    signature: inspect.Signature
    types: Mapping[str, PortType]


@lru_cache(1_000)
def parameters_of(function: Callable[..., Any]) -> Parameters:
    """What a function takes, looked at once."""
    found: dict[str, PortType] = {}
    signature = inspect.signature(function)
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError):  # of the script's own
        hints = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            try:
                found[name] = _type_of(hints.get(name, Any))
            except (StepwireError, TypeError, ValueError):
                found[name] = ANY
    return Parameters(signature, found)
