"""The installed node types: all of them, or one with its ports and settings."""

import argparse
import difflib
from collections.abc import Sequence

from studio.errors import SettingsError, UnknownKindError
from studio.flow.ports import Port, Signature
from studio.sdk.node import REQUIRED, NodeType, SettingSpec
from studio.sdk.registry import Registry
from studio.terminal.output import print_json, write_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire nodes`."""
    parser.add_argument("kind", nargs="?", metavar="KIND", help="one node type, such as `llm.agent`")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Print the catalogue, or one page of it."""
    from studio.workspace.catalog import builtin_registry

    registry = builtin_registry()
    if arguments.kind:
        node_type = _require(registry, arguments.kind)
        if arguments.json:
            print_json(describe(node_type))
        else:
            _print_page(node_type)
        return 0
    kinds = sorted(registry, key=lambda one: one.kind)
    if arguments.json:
        print_json([describe(one) for one in kinds])
        return 0
    width = max(len(one.kind) for one in kinds)
    for one in kinds:
        write_line(f"{one.kind:<{width}}  {one.title}: {one.summary}")
    return 0


def describe(node_type: NodeType) -> dict[str, object]:
    """Say everything about a node type as plain JSON values; ports as they are when nothing is set yet."""
    ports = _ports_at_first(node_type)
    return {
        "kind": node_type.kind,
        "title": node_type.title,
        "summary": node_type.summary,
        "help": node_type.help,
        "form": node_type.form,
        "version": node_type.version,
        "effect": str(node_type.effect),
        "inputs": [_port(port) for port in ports.inputs],
        "outputs": [_port(port) for port in ports.outputs],
        "has_dynamic_inputs": node_type.inputs_of is not None,
        "has_dynamic_outputs": node_type.outputs_of is not None,
        "settings": [_setting(spec) for spec in node_type.settings],
    }


def _require(registry: Registry, kind: str) -> NodeType:
    try:
        return registry.require(kind)
    except UnknownKindError as error:
        near = difflib.get_close_matches(kind, [one.kind for one in registry], 3, 0.4)
        named = " or ".join(f"`{one}`" for one in near)
        hint = f"Did you mean {named}?" if near else "`stepwire nodes` lists them all."
        raise UnknownKindError(error.message, hint=hint) from None


def _port(port: Port) -> dict[str, object]:
    return {
        "name": port.name,
        "type": str(port.type),
        "label": port.label,
        "help": port.help,
        "required": port.required,
        "many": port.many,
    }


def _setting(spec: SettingSpec) -> dict[str, object]:
    described: dict[str, object] = {
        "name": spec.name,
        "label": spec.label,
        "editor": spec.editor,
        "help": spec.help,
        "required": spec.default is REQUIRED,
        "schema": spec.adapter.json_schema(),
    }
    if spec.default is not REQUIRED:
        described["default"] = spec.write(spec.default)
    bounds = {"choices": list(spec.choices), "minimum": spec.minimum, "maximum": spec.maximum}
    described.update({name: bound for name, bound in bounds.items() if bound not in (None, [])})
    return described


def _print_page(node_type: NodeType) -> None:
    write_line(f"{node_type.title} ({node_type.kind})\n{node_type.summary}")
    if node_type.help:
        write_line(f"\n{node_type.help}")
    ports = _ports_at_first(node_type)
    outputs = "Provides" if node_type.form == "binding" else "Outputs"
    dynamic = "further ports depend on the settings"
    _print_ports("Inputs", ports.inputs, dynamic if node_type.inputs_of else "", are_inputs=True)
    _print_ports(outputs, ports.outputs, dynamic if node_type.outputs_of else "")
    if node_type.settings:
        write_line("\nSettings")
        rows = [(spec.name, _values(spec), spec.help or spec.label) for spec in node_type.settings]
        _print_rows(rows)


def _ports_at_first(node_type: NodeType) -> Signature:
    """The ports that a node has when nothing is set yet."""
    try:
        return node_type.signature({})
    except SettingsError:
        return Signature(node_type.inputs, node_type.outputs)


def _print_ports(title: str, ports: Sequence[Port], note: str, *, are_inputs: bool = False) -> None:
    if not ports and not note:
        return
    write_line(f"\n{title}")
    rows = [
        (
            port.name,
            f"{port.type}{' (optional)' if are_inputs and not port.required else ''}",
            port.help or port.label,
        )
        for port in ports
    ]
    _print_rows(rows)
    if note:
        write_line(f"  …  {note}")


def _print_rows(rows: Sequence[tuple[str, str, str]]) -> None:
    first, second = (max((len(row[place]) for row in rows), default=0) for place in (0, 1))
    for name, values, text in rows:
        write_line(f"  {name:<{first}}  {values:<{second}}  {text}".rstrip())


def _values(spec: SettingSpec) -> str:
    kind = " | ".join(spec.choices) if spec.choices else spec.editor
    if spec.default is REQUIRED:
        return f"{kind}, required"
    default = repr(spec.write(spec.default))
    return f"{kind}, default {default}" if len(default) <= 40 else kind
