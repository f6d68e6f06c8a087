"""Reading a function's signature: its ports, its settings, its outputs, its help."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from studio.flow.ports import Port, parse_type
from studio.ids import PortName
from studio.sdk.context import Context
from studio.sdk.node_type import REQUIRED, NodeType, SettingSpec
from studio.sdk.ports import DynamicIn, In, Out, ReadAnnotation, Setting, port_type, read_annotation


def read_function(
    kind: str, title: str, function: Callable[..., Any], *, is_binding: bool = False
) -> NodeType:
    """Make a node type of a function; raises `TypeError` for a signature that says too little."""
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
    summary, help_text = split_doc(sys.modules[function.__module__].__doc__ or function.__doc__ or "")
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
    kind_of_port = parse_type(mark.type) if mark.type else port_type(read.plain)
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
        return (_output(mark, read),), False
    plain: Any = read.plain
    if isinstance(plain, type) and is_dataclass(plain):
        hints = get_type_hints(plain, include_extras=True)
        ports: list[Port] = []
        for one in dataclass_fields(plain):
            inner = read_annotation(hints[one.name])
            found = inner.mark(Out)
            ports.append(_output(found if isinstance(found, Out) else Out(one.name), inner))
        return tuple(ports), True
    if get_origin(read.plain) in {dict, Mapping}:
        return (), True
    if annotation is type(None) or annotation is None:
        return (), False
    reason = f"`{kind}`: the return needs an Out mark, or a dataclass of them"
    raise TypeError(reason)


def _output(mark: Out, read: ReadAnnotation) -> Port:
    kind = parse_type(mark.type) if mark.type else port_type(read.plain)
    label = mark.label or mark.name.replace("_", " ")
    return Port(PortName(mark.name), kind, label, mark.help, required=not read.optional)


def settings_of_class(settings: type) -> tuple[SettingSpec, ...]:
    """Make settings of the annotated attributes of a class."""
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
        mark.matters_with,
    )


def _editor_for(plain: object) -> str:
    if get_origin(plain) is Literal:
        return "choice"
    if plain is bool:
        return "flag"
    if plain is int or plain is float:
        return "number"
    if plain is str:
        return "line"
    if get_origin(plain) in {list, tuple, Sequence} and get_args(plain)[:1] == (str,):
        return "list"
    return "json"


def split_doc(text: str) -> tuple[str, str]:
    """Split a module's docstring into the palette line, without its title, and the help below it."""
    summary, _, rest = inspect.cleandoc(text).partition("\n")
    line = summary.partition(": ")[2] or summary
    return line[:1].upper() + line[1:], rest.strip()
