"""What the studio knows of a kind of node, and of its settings."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from functools import cached_property
from typing import Any, Literal, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticUndefined

from studio.errors import SettingsError
from studio.flow.ports import AFTER, Port, Shared, Signature, Structure
from studio.flow.records import Json
from studio.sdk.tool import Effect

Form = Literal["function", "binding", "structural"]
Access = Literal["code", "programs", "network", "files"]
"""What a node executes or reaches beyond its inputs: Python, programs, the network, files that it writes."""

Ports = Callable[..., Sequence[Port]]
"""Given a node's settings as keywords, tells its dynamic ports."""

MORE = "fields"
"""Where a dataclass of outputs has those that the settings name, as a mapping."""

REQUIRED = PydanticUndefined
"""The default of a setting that has none."""


@dataclass(frozen=True)
class SettingSpec:
    """One setting of a node type: what the inspector shows and what values it takes."""

    name: str
    label: str
    editor: str
    annotation: object
    default: object = REQUIRED
    help: str = ""
    minimum: float | None = None
    maximum: float | None = None
    language: str = ""
    choices: tuple[str, ...] = ()
    matters_with: str = ""

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """Validates values, and knows their JSON Schema."""
        annotation: Any = self.annotation
        return TypeAdapter(annotation)

    def read(self, plain: Json) -> Any:
        """Give the value that the JSON `plain` stands for; raises `ValueError` in words for people."""
        try:
            value = self.adapter.validate_json(json.dumps(plain), strict=True)
        except ValidationError as error:
            raise ValueError(_first_problem(error)) from error
        if isinstance(value, int | float) and not isinstance(value, bool):
            if self.minimum is not None and value < self.minimum:
                raise ValueError(f"must be at least {self.minimum:g}")
            if self.maximum is not None and value > self.maximum:
                raise ValueError(f"must be at most {self.maximum:g}")
        return value

    def write(self, value: object) -> Json:
        """Give `value` as a flow file keeps it; the inverse of `read`."""
        return self.adapter.dump_python(value, mode="json")


@dataclass(frozen=True, slots=True)
class Variant:
    """The function that stands in for a node type's own where settings have certain values."""

    settings: Mapping[str, str]
    """The settings, each with the value that it has to have."""
    function: Callable[..., Any]
    takes: frozenset[str]
    """The inputs and settings that it takes."""
    heavy: bool = False


@dataclass(frozen=True, slots=True)
class NodeType:
    """A kind of node. `function` is None only for structural kinds that compute nothing of their own."""

    kind: str
    title: str
    summary: str
    help: str
    form: Form
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    settings: tuple[SettingSpec, ...] = ()
    function: Callable[..., Any] | None = None
    structure: Structure | None = None
    version: int = 1
    effect: Effect = Effect.PURE
    keywords: tuple[str, ...] = ()
    defaults: Mapping[str, object] = field(default_factory=dict[str, object])
    """What optional inputs take when nothing arrives."""
    context_name: str = ""
    """The parameter that takes the `Context`, if the function has one."""
    inputs_of: Ports | None = None
    outputs_of: Ports | None = None
    returns_fields: bool = False
    """Whether the function returns a dataclass of its outputs (or, with dynamic outputs, a mapping)."""
    variants: tuple[Variant, ...] = ()
    heavy: bool = False
    """Whether the function, a plain one, works for so long that a run calls it on a thread."""
    variable: Literal["", "reads", "writes"] = ""
    """What it does with the run variable that its setting `named_by` names, where it names one."""
    named_by: str = "name"
    only_reads: bool = False
    """Whether it changes nothing of the memories that are lent to it."""
    keeps_items: bool = False
    """Whether what it lends reads and writes the items of a memory that is called after it."""
    unavailable: str = ""
    """Why no node of the kind can run here, in one sentence with the remedy; empty where it can."""
    accesses: Mapping[Access, str] = field(default_factory=dict[Access, str])
    """What it executes or reaches outside its inputs, each with the setting by which it does, `write=true`.

    A person approves that before a project from elsewhere runs; what has none runs at once.
    """

    @property
    def category(self) -> str:
        """The folder that the kind stands in, such as `llm`."""
        return self.kind.partition(".")[0]

    def matters(self, spec: SettingSpec, given: Mapping[str, Json]) -> bool:
        """Tell whether one of its settings matters at all, with what is given for the others."""
        return self._holds(spec.matters_with, given)

    def accesses_of(self, given: Mapping[str, Json]) -> tuple[Access, ...]:
        """Give what a node with these settings executes or reaches outside of its inputs."""
        return tuple(one for one, condition in self.accesses.items() if self._holds(condition, given))

    def _holds(self, condition: str, given: Mapping[str, Json]) -> bool:
        name, _, value = condition.partition("=")
        default = next((one.default for one in self.settings if one.name == name), None)
        found = given.get(name, default)
        return not name or (str(found).lower() if isinstance(found, bool) else found) == value

    def complete_settings(self, given: Mapping[str, Json]) -> dict[str, Any]:
        """Validate `given` and fill in defaults; raises `SettingsError` with every problem."""
        problems = [f"there is no setting `{name}`" for name in given if name not in self._setting_names()]
        result: dict[str, Any] = {}
        for spec in self.settings:
            if spec.name not in given:
                if spec.default is REQUIRED:
                    problems.append(f"`{spec.label}` is not set")
                result[spec.name] = spec.default
                continue
            try:
                result[spec.name] = spec.read(given[spec.name])
            except ValueError as error:
                problems.append(f"`{spec.label}`: {error}")
        if problems:
            message = f"The settings of `{self.kind}` do not fit."
            raise SettingsError(message, problems)
        return result

    def of_variant(self, settings: Mapping[str, Any]) -> "NodeType":
        """The node type as it is with these complete settings, with the function that they choose."""
        for one in self.variants:
            if all(settings[name] == value for name, value in one.settings.items()):
                return replace(
                    self,
                    function=one.function,
                    inputs=tuple(port for port in self.inputs if port.name in one.takes),
                    settings=tuple(spec for spec in self.settings if spec.name in one.takes),
                    context_name=self.context_name if self.context_name in one.takes else "",
                    heavy=one.heavy,
                    variants=(),
                )
        return self

    def signature(self, given: Mapping[str, Json]) -> Signature:
        """The ports of a node with these settings; raises `SettingsError` where they do not fit."""
        inputs, outputs = self.inputs, self.outputs
        if self.inputs_of is not None or self.outputs_of is not None:
            settings = self.complete_settings(given)
            if self.inputs_of is not None:
                inputs = (*inputs, *self._free(self.inputs_of(**settings)))
            if self.outputs_of is not None:
                outputs = (*self.outputs_of(**settings), *outputs)
        shares: tuple[Shared, ...] = ()
        if self.variable:
            name = str(given.get(self.named_by, self._default(self.named_by)))
            shares = (Shared(name, is_written=self.variable == "writes"),) if name else ()
        is_binding, is_kept = self.form == "binding", self.keeps_items
        return Signature(inputs, outputs, self.structure, is_binding, shares, self.only_reads, is_kept)

    def _default(self, setting: str) -> object:
        return next((spec.default for spec in self.settings if spec.name == setting), "")

    def outputs_from(self, result: Any) -> dict[str, object]:
        """The values by port of what the function returned; a missing name is absent.

        So is None, save where it is a value: at a `json` or `any` port of a field that is not optional.
        """
        if not self.returns_fields:
            values = {port.name: result for port in self.outputs}
        elif isinstance(result, Mapping):
            return dict(cast("Mapping[str, object]", result))
        else:
            values = fields_by_port(result, [port.name for port in self.outputs], by_name=not self.outputs)
        nullable = {port.name for port in self.outputs if port.required and port.type.base in {"json", "any"}}
        return {name: value for name, value in values.items() if value is not None or name in nullable}

    def _free(self, ports: Sequence[Port]) -> Sequence[Port]:
        """Check that the names of dynamic inputs are not those of the function's own parameters."""
        taken = {*self._setting_names(), *(port.name for port in self.inputs), self.context_name, AFTER}
        problems = [
            f"`{port.name}` has another meaning here: choose another name"
            for port in ports
            if port.name in taken
        ]
        if problems:
            raise SettingsError(f"The settings of `{self.kind}` do not fit.", problems)
        return ports

    def _setting_names(self) -> set[str]:
        return {spec.name for spec in self.settings}


def fields_by_port(result: Any, ports: Sequence[str], *, by_name: bool) -> dict[str, object]:
    """Give what a dataclass of outputs has, by port.

    Outputs that the settings decide are called as the fields are; where there are more of them, they stand
    in its last field, `fields`, by name, and None is absent there. Others go by their order.
    """
    names = [one.name for one in dataclass_fields(result)]
    if not by_name:
        return {port: getattr(result, name) for port, name in zip(ports, names, strict=False)}
    found = {name: getattr(result, name) for name in names if name != MORE}
    more = cast("Mapping[str, object]", getattr(result, MORE, {}))
    return {**found, **{name: one for name, one in more.items() if one is not None}}


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
    said = first["msg"].removeprefix("Value error, ")
    said = said[:1].lower() + said[1:]
    return f"{place}: {said}" if place else said
