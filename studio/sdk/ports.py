"""What a node's signature says of its parameters: the marks that go into `Annotated`.

Positional parameters are inputs, keyword-only parameters are settings, the return is the output.
"""

import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, Union, get_args, get_origin

from pydantic import JsonValue

from studio.flow.ports import Port, PortType
from studio.ids import PortName
from studio.llm.client import Message
from studio.sdk.agent import Agent
from studio.sdk.memory import Memory
from studio.sdk.tool import Tool

Json: TypeAlias = JsonValue
"""What JSON can say; a parameter of this type is a `json` port."""

T = TypeVar("T")
"""The port type that the wires decide."""


@dataclass(frozen=True, slots=True)
class In:
    """Marks a parameter as an input port, and says in words for the inspector what arrives there.

    `type` names the port's type where the annotation does not: a `Path` may be an `image`.
    """

    help: str = ""
    label: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class Out:
    """Marks a result as an output port: its name, and what leaves there; `type` as for an input."""

    name: str
    help: str = ""
    label: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class DynamicIn:
    """Marks `**inputs`: ports that the settings decide (`dynamic_inputs` tells them)."""

    help: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """Marks a keyword-only parameter as a setting: its label, how it is edited, and its bounds.

    `editor` is one of `EDITORS`; left empty, the annotation decides.
    """

    label: str
    editor: str = ""
    help: str = ""
    minimum: float | None = None
    maximum: float | None = None
    language: str = ""
    """What a `code` or `prompt` editor highlights."""
    matters_with: str = ""
    """At which value of another setting it matters, as `method=profile`; empty: always."""


EDITORS = (
    "line",  # one line of text
    "text",  # several lines
    "prompt",  # several lines in which {{names}} are placeholders
    "code",  # several lines, highlighted as `language`
    "expression",  # one line of the expression language
    "number",
    "flag",
    "choice",  # one of the values of a Literal
    "list",  # a list of lines
    "json",
    "schema",  # a JSON Schema of type object, or none
    "cases",  # a list of {label, when} records
    "criteria",  # the same, where `when` says what the label means
    "profile",  # the name of a chat profile
    "profiles",  # names of chat profiles, one a line
    "folder",  # a folder inside the project
    "file",  # a file inside the project
    "type",  # a port type
    "flow",  # a flow of the project, by its path in it; the node that has it calls that flow
)
"""The editors that the inspector knows how to show."""

_SCALARS: Mapping[object, PortType] = {
    str: PortType("text"),
    int: PortType("number"),
    float: PortType("number"),
    bool: PortType("flag"),
    Message: PortType("message"),
    Path: PortType("file"),
    Tool: PortType("tool"),
    Agent: PortType("agent"),
    Memory: PortType("memory"),
    object: PortType("any"),
    Any: PortType("any"),
    Json: PortType("json"),
    T: PortType("T"),
}


@dataclass(frozen=True, slots=True)
class ReadAnnotation:
    """An annotation taken apart: the plain type, its marks, and whether None is allowed."""

    plain: object
    marks: tuple[object, ...] = field(default=())
    optional: bool = False

    def mark(self, kind: type[Any]) -> Any | None:
        """The first mark of the given class."""
        return next((mark for mark in self.marks if isinstance(mark, kind)), None)


def read_annotation(annotation: object) -> ReadAnnotation:
    """Take `Annotated[X | None, In(...)]` apart."""
    marks: tuple[object, ...] = ()
    if get_origin(annotation) is Annotated:
        annotation, *found = get_args(annotation)
        marks = tuple(found)
    if annotation is Json:
        return ReadAnnotation(annotation, marks)
    if get_origin(annotation) in {Union, types.UnionType}:
        members = [member for member in get_args(annotation) if member is not type(None)]
        if len(members) < len(get_args(annotation)):
            inner = members[0] if len(members) == 1 else Union[tuple(members)]  # noqa: UP007
            return ReadAnnotation(inner, marks, optional=True)
    return ReadAnnotation(annotation, marks)


def port_type(plain: object) -> PortType:
    """Give the port type of a Python type: `list[str]` is `text[]`, `list[Message]` is `messages`.

    Raises `TypeError` for a type that no port carries.
    """
    try:
        if plain in _SCALARS:
            return _SCALARS[plain]
    except TypeError:
        pass
    origin, arguments = get_origin(plain), get_args(plain)
    if origin in {list, Sequence} and len(arguments) == 1:
        if arguments[0] is Message:
            return PortType("messages")
        element = port_type(arguments[0])
        return element if element.is_binding else element.listed
    if origin in {int | str, Union, types.UnionType} and set(arguments) <= {int, float}:
        return PortType("number")
    if plain is dict or origin in {dict, Mapping}:
        return PortType("json")
    reason = f"no port carries values of type `{plain}`"
    raise TypeError(reason)


def ports_named(names: Iterable[str], help_text: str = "") -> tuple[Port, ...]:
    """Make inputs that take any value, such as a template's placeholders."""
    return tuple(Port(PortName(name), PortType("any"), name.replace("_", " "), help_text) for name in names)
