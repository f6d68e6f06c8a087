"""A node type, read from one typed function (or declared, for the few that shape a flow).

From the one signature come the ports, the inspector form, the validation, the catalogue page and the
exported call.
"""

import inspect
import json
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from dataclasses import fields as dataclass_fields
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticUndefined

from studio.errors import SettingsError
from studio.flow.ports import AFTER, Port, PortType, Signature, Structure
from studio.flow.records import Json
from studio.ids import PortName
from studio.sdk.context import Context
from studio.sdk.ports import DynamicIn, In, Out, ReadAnnotation, Setting, port_type, read_annotation
from studio.sdk.tool import Effect

F = TypeVar("F", bound=Callable[..., Any])

Form = Literal["function", "binding", "structural"]
Ports = Callable[..., Sequence[Port]]
"""Given a node's settings as keywords, tells its dynamic ports."""

MARK = "__node_type__"
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

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """Validates values, and knows their JSON Schema."""
        return TypeAdapter(self.annotation)

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
    requires: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    defaults: Mapping[str, object] = field(default_factory=dict[str, object])
    """What optional inputs take when nothing arrives."""
    context_name: str = ""
    """The parameter that takes the `Context`, if the function has one."""
    inputs_of: Ports | None = None
    outputs_of: Ports | None = None
    returns_fields: bool = False
    """Whether the function returns a dataclass (or, with dynamic outputs, a mapping) of its outputs."""

    @property
    def category(self) -> str:
        """The folder that the kind stands in, such as `llm`."""
        return self.kind.partition(".")[0]

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

    def signature(self, given: Mapping[str, Json]) -> Signature:
        """The ports of a node with these settings; raises `SettingsError` where they do not fit."""
        inputs, outputs = self.inputs, self.outputs
        if self.inputs_of is not None or self.outputs_of is not None:
            settings = self.complete_settings(given)
            if self.inputs_of is not None:
                inputs = (*inputs, *self._free(self.inputs_of(**settings)))
            if self.outputs_of is not None:
                outputs = (*self.outputs_of(**settings), *outputs)
        return Signature(inputs, outputs, self.structure, is_binding=self.form == "binding")

    def outputs_from(self, result: Any) -> dict[str, object]:
        """The values by port of what the function returned; a missing name is absent.

        So is None, save where it is a value: at a `json` or `any` port.
        """
        if not self.returns_fields:
            values = {port.name: result for port in self.outputs}
        elif isinstance(result, Mapping):
            return dict(result)
        else:
            names = (one.name for one in dataclass_fields(result))
            values = {
                port.name: getattr(result, name) for port, name in zip(self.outputs, names, strict=True)
            }
        nullable = {port.name for port in self.outputs if port.type.base in {"json", "any"}}
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


def node(
    kind: str,
    *,
    title: str,
    structure: Structure | None = None,
    effect: Effect = Effect.PURE,
    version: int = 1,
    requires: tuple[str, ...] = (),
    keywords: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Make the decorated function a node type; it stays an ordinary function.

    Raises `TypeError` at import for a signature that says too little or too much.
    """

    def register(function: F) -> F:
        read = _read_function(kind, title, function)
        made = replace(
            read,
            structure=structure,
            effect=effect,
            version=version,
            requires=requires,
            keywords=keywords,
            form="structural" if structure else "function",
        )
        setattr(function, MARK, made)
        return function

    return register


def binding(
    kind: str,
    *,
    title: str,
    lends: str = "tool",
    effect: Effect = Effect.PURE,
    version: int = 1,
    requires: tuple[str, ...] = (),
    keywords: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Make the decorated async generator a node type that lends what it yields once.

    Whatever stands after the `yield` runs when the binding is closed.
    """

    def register(function: F) -> F:
        read = _read_function(kind, title, function, is_binding=True)
        port = Port(PortName(lends), PortType(lends), lends, f"Lends this {lends}", required=False)
        made = replace(
            read,
            form="binding",
            outputs=(port,),
            effect=effect,
            version=version,
            requires=requires,
            keywords=keywords,
        )
        setattr(function, MARK, made)
        return function

    return register


def structural(
    kind: str,
    structure: Structure,
    *,
    title: str,
    inputs: Sequence[Port] = (),
    outputs: Sequence[Port] = (),
    settings: type | None = None,
    inputs_of: Ports | None = None,
    outputs_of: Ports | None = None,
    keywords: tuple[str, ...] = (),
) -> NodeType:
    """Declare a kind that shapes execution and computes nothing; help is its module's docstring.

    `settings` is a class whose annotated attributes, with defaults, are the settings.
    """
    frame = sys._getframe(1)  # noqa: SLF001  # the declaring module's docstring is the help page
    summary, help_text = _split_doc(frame.f_globals.get("__doc__") or "")
    return NodeType(
        kind,
        title,
        summary,
        help_text,
        "structural",
        tuple(inputs),
        tuple(outputs),
        _settings_of_class(settings) if settings is not None else (),
        structure=structure,
        inputs_of=inputs_of,
        outputs_of=outputs_of,
        keywords=keywords,
    )


def dynamic_inputs(function: Callable[..., Any]) -> Callable[[Ports], Ports]:
    """Register, on a node's function, the function that tells its dynamic inputs from its settings."""

    def register(tell: Ports) -> Ports:
        setattr(function, MARK, replace(node_type_of(function), inputs_of=tell))
        return tell

    return register


def dynamic_outputs(function: Callable[..., Any]) -> Callable[[Ports], Ports]:
    """Register the function that tells dynamic outputs; the node then returns a mapping by name."""

    def register(tell: Ports) -> Ports:
        made = replace(node_type_of(function), outputs_of=tell, outputs=(), returns_fields=True)
        setattr(function, MARK, made)
        return tell

    return register


def node_type_of(thing: object) -> NodeType:
    """The node type that `thing` declares; raises `TypeError` when it declares none."""
    found = thing if isinstance(thing, NodeType) else getattr(thing, MARK, None)
    if not isinstance(found, NodeType):
        reason = f"`{thing}` is no node type"
        raise TypeError(reason)
    return found


def node_types_in(module: object) -> list[NodeType]:
    """The node types that a module itself declares (not those it imports)."""
    name = getattr(module, "__name__", "")
    return [
        node_type_of(thing)
        for thing in vars(module).values()
        if isinstance(thing, NodeType) or (hasattr(thing, MARK) and getattr(thing, "__module__", "") == name)
    ]


def _read_function(
    kind: str, title: str, function: Callable[..., Any], *, is_binding: bool = False
) -> NodeType:
    hints = get_type_hints(function, include_extras=True)
    inputs: list[Port] = []
    settings: list[SettingSpec] = []
    defaults: dict[str, object] = {}
    context_name = ""
    for parameter in inspect.signature(function).parameters.values():
        read = read_annotation(hints.get(parameter.name))
        if read.plain is Context:
            context_name = parameter.name
        elif parameter.kind is parameter.VAR_KEYWORD:
            if read.mark(DynamicIn) is None:
                reason = f"`{kind}`: `**{parameter.name}` needs a DynamicIn mark"
                raise TypeError(reason)
        elif parameter.kind is parameter.KEYWORD_ONLY:
            settings.append(_setting(parameter.name, read, parameter.default, hints[parameter.name]))
        else:
            inputs.append(_input(kind, parameter, read))
            if parameter.default is not parameter.empty:
                defaults[parameter.name] = parameter.default
    outputs, returns_fields = ((), False) if is_binding else _outputs(kind, hints.get("return"))
    summary, help_text = _split_doc(sys.modules[function.__module__].__doc__ or function.__doc__ or "")
    return NodeType(
        kind,
        title,
        summary,
        help_text,
        "function",
        tuple(inputs),
        outputs,
        tuple(settings),
        function,
        defaults=defaults,
        context_name=context_name,
        returns_fields=returns_fields,
    )


def _input(kind: str, parameter: inspect.Parameter, read: ReadAnnotation) -> Port:
    mark = read.mark(In)
    if not isinstance(mark, In):
        reason = f"`{kind}`: the input `{parameter.name}` needs an In mark"
        raise TypeError(reason)
    is_list = get_origin(read.plain) in {list, Sequence}
    kind_of_port = port_type(read.plain)
    return Port(
        PortName(parameter.name),
        kind_of_port,
        mark.label or parameter.name.replace("_", " "),
        mark.help,
        required=parameter.default is parameter.empty,
        many=(is_list and kind_of_port.base != "messages"),
    )


def _outputs(kind: str, annotation: object) -> tuple[tuple[Port, ...], bool]:
    read = read_annotation(annotation)
    mark = read.mark(Out)
    if isinstance(mark, Out):
        return (_output(mark, read.plain),), False
    if isinstance(read.plain, type) and is_dataclass(read.plain):
        hints = get_type_hints(read.plain, include_extras=True)
        ports: list[Port] = []
        for one in dataclass_fields(read.plain):
            inner = read_annotation(hints[one.name])
            found = inner.mark(Out)
            ports.append(_output(found if isinstance(found, Out) else Out(one.name), inner.plain))
        return tuple(ports), True
    if get_origin(read.plain) in {dict, Mapping}:
        return (), True
    if annotation is type(None) or annotation is None:
        return (), False
    reason = f"`{kind}`: the return needs an Out mark, or a dataclass of them"
    raise TypeError(reason)


def _output(mark: Out, plain: object) -> Port:
    return Port(PortName(mark.name), port_type(plain), mark.label or mark.name.replace("_", " "), mark.help)


def _settings_of_class(settings: type) -> tuple[SettingSpec, ...]:
    hints = get_type_hints(settings, include_extras=True)
    return tuple(
        _setting(name, read_annotation(hint), getattr(settings, name, inspect.Parameter.empty), hint)
        for name, hint in hints.items()
    )


def _setting(name: str, read: ReadAnnotation, default: object, annotation: object) -> SettingSpec:
    mark = read.mark(Setting) or Setting(name.replace("_", " ").capitalize())
    choices = tuple(str(one) for one in get_args(read.plain)) if get_origin(read.plain) is Literal else ()
    return SettingSpec(
        name,
        mark.label,
        mark.editor or _editor_for(read.plain),
        annotation,
        REQUIRED if default is inspect.Parameter.empty else default,
        mark.help,
        mark.minimum,
        mark.maximum,
        mark.language,
        choices,
    )


def _editor_for(plain: object) -> str:
    if get_origin(plain) is Literal:
        return "choice"
    if plain is bool:
        return "flag"
    if plain in {int, float}:
        return "number"
    if plain is str:
        return "line"
    if get_origin(plain) in {list, tuple, Sequence} and get_args(plain)[:1] == (str,):
        return "list"
    return "json"


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
    said = first["msg"].removeprefix("Value error, ")
    said = said[:1].lower() + said[1:]
    return f"{place}: {said}" if place else said


def _split_doc(text: str) -> tuple[str, str]:
    summary, _, rest = inspect.cleandoc(text).partition("\n")
    return summary.partition(": ")[2] or summary, rest.strip()


Yields = AsyncIterator
"""The return annotation of a binding: `async def text_search(...) -> Yields[Tool]`."""
