"""What types flow along wires, which of them fit, and what becomes of a value on its way.

Types are written as the page writes them: `text`, `number[]`. Every flow of the generator begins with texts,
so what `T` stands for is what arrives first.
"""

import json
from typing import Any

from studio.errors import ValueTypeError
from studio.flow.records import Node, Wire
from studio.llm.client import Message
from studio.sdk.values import to_plain
from tests.reference.document import CALL, CATCH, COLLECT, EACH, LENDER, LOOP, RACE, Document

OUTPUTS: dict[str, dict[str, str]] = {
    "test.probe": {"text": "text"},
    "test.scatter": {"texts": "text[]"},
    "test.taker": {"text": "text"},
    "test.asker": {"text": "text"},
    "test.writer": {"text": "text"},
    "test.lender": {"tool": "tool"},
    "test.giver": {
        "text": "text",
        "number": "number",
        "flag": "flag",
        "json": "json",
        "thing": "any",
        "texts": "text[]",
        "numbers": "number[]",
        "message": "message",
    },
    "control.branch": {"yes": "T value", "no": "T value"},
    "control.retry": {"result": "text", "used": "text"},
    "control.delay": {"value": "T value"},
    "control.merge": {"value": "T values"},
    RACE: {"value": "T values"},
    CATCH: {"value": "T value", "error": "json"},
    LOOP: {"value": "T start", "round": "number", "result": "T start", "history": "T start[]"},
    EACH: {"item": "T items", "others_item": "T others", "index": "number"},
    COLLECT: {"values": "T value[]", "kept": "number[]"},
    CALL: {"gives": "text"},
    "io.flow_input": {"value": "text"},
    "io.flow_output": {},
}
"""Per kind its outputs; `T value[]` is a list of what arrives at `value`, of `items` an element."""

INPUTS: dict[str, dict[str, str]] = {
    "test.probe": {"one": "any", "two": "any", "said": "text", "parts": "any[]*"},
    "test.scatter": {"one": "any"},
    "test.giver": {"one": "any"},
    "test.asker": {"one": "any", "tools": "tool[]*"},
    "test.writer": {"one": "any"},
    "test.lender": {},
    "test.taker": {
        "text": "text",
        "number": "number",
        "flag": "flag",
        "json": "json",
        "texts": "text[]*",
        "message": "message",
        "last": "any",
    },
    "control.branch": {"value": "T", "facts": "any"},
    "control.retry": {"input": "json", "tools": "tool[]*"},
    "control.delay": {"value": "T"},
    "control.merge": {"values": "T*"},
    RACE: {"values": "T*"},
    CATCH: {"value": "T"},
    LOOP: {"start": "T", "again": "T", "done": "T", "also": "any[]*"},
    EACH: {"items": "T[]", "others": "T[]"},
    COLLECT: {"value": "T"},
    CALL: {"given": "text"},
    "io.flow_input": {},
    "io.flow_output": {"value": "any"},
}
"""Per kind its inputs; a star marks those that take several wires."""

NEEDED = {
    "test.probe": ["one"],
    "test.scatter": ["one"],
    "test.giver": ["one"],
    "test.asker": ["one"],
    "test.writer": ["one"],
    "control.branch": ["value"],
    "control.retry": ["input", "tools"],
    "control.delay": ["value"],
    "control.merge": ["values"],
    RACE: ["values"],
    CATCH: ["value"],
    LOOP: ["start"],
    EACH: ["items"],
    CALL: ["given"],
    "io.flow_output": ["value"],
}
"""Per kind the inputs that have to be fed."""

_PLAIN = {("number", "text"), ("flag", "text"), ("message", "text"), ("text", "message"), ("image", "file")}


def has_others(node: Node) -> bool:
    """Whether a map goes through a second list beside the first."""
    return bool(node.settings.get("more"))


def needed(node: Node) -> list[str]:
    """The inputs of a node that have to be fed."""
    return [*NEEDED.get(node.kind, []), *(["others"] if has_others(node) else [])]


def output_type(document: Document, node: str, port: str) -> str | None:
    """The type of an output; None where there is no such output, `T` where nothing settles it."""
    record = document.flow.nodes[node]  # type: ignore[index]
    if port == "others_item" and not has_others(record):
        return None
    if port == "error" and record.run.on_error == "output":
        return "json"
    found = OUTPUTS.get(record.kind, {}).get(port)
    if port == "then" and record.kind != LENDER:  # what only lends takes no part in the order of things
        found = "order"
    if found is None or not found.startswith("T "):
        return found
    feeding = found.removeprefix("T ").removesuffix("[]")
    wires = document.into(node, feeding)
    settled = output_type(document, str(wires[0].source.node), str(wires[0].source.port)) if wires else "T"
    if settled is None:
        return None
    if record.kind == EACH:
        settled = settled.removesuffix("[]")
    if record.kind == "control.merge" and record.settings.get("gives") == "all":
        settled += "[]"
    return settled + "[]" * found.endswith("[]")


def input_type(document: Document, node: str, port: str) -> str | None:
    """The type of an input, of its elements where it takes several wires and they are `T`."""
    record = document.flow.nodes[node]  # type: ignore[index]
    if port == "others" and not has_others(record):
        return None
    found = INPUTS.get(record.kind, {}).get(port)
    if port == "after" and record.kind != LENDER:
        found = "order"
    if found is None or not found.startswith("T"):
        return None if found is None else found.removesuffix("*")
    first = port if record.kind == EACH else next(iter(INPUTS[record.kind]))
    wires = document.into(node, first)
    return output_type(document, str(wires[0].source.node), str(wires[0].source.port)) if wires else "T"


def fits(source: str, target: str) -> bool:
    """Whether a wire may join an output and an input of these types."""
    if "tool" in (source.removesuffix("[]"), target.removesuffix("[]")):
        return source.removesuffix("[]") == target.removesuffix("[]")
    if source == "order" or target == "order":
        return target == "order"
    if source == target or "T" in (source[0], target[0]) or target in {"any", "json"}:
        return True
    if source in {"json", "any"} or (source, target) in _PLAIN:
        return True
    if source.endswith("[]") and target.endswith("[]"):
        one, other = source.removesuffix("[]"), target.removesuffix("[]")
        return other in {"any", "json"} or one in {"json", "any"} or (one, other) in _PLAIN
    return target.endswith("[]") and fits(source, target.removesuffix("[]"))


def convert(value: Any, source: str, target: str) -> Any:
    """What arrives at an input; raises `ValueTypeError` for what turns out to be of another type."""
    if source == target or target in {"any", "order"} or "T" in (source[0], target[0]):
        return value
    if target == "json":
        return to_plain(value)
    if source in {"json", "any"}:
        return _checked(value, target)
    if target.endswith("[]"):
        inner = target.removesuffix("[]")
        if source.endswith("[]"):
            return [convert(one, source.removesuffix("[]"), inner) for one in value]
        return [convert(value, source, inner)]
    if target == "text":
        return value.content if source == "message" else json.dumps(value)
    return Message("user", value)


def _checked(value: Any, target: str) -> Any:
    words = {str: "text", bool: "a boolean", int: "a number", float: "a number", list: "a list"}
    words |= {dict: "a JSON object", type(None): "nothing"}
    if target.endswith("[]") and isinstance(value, list):
        return [_checked(one, target.removesuffix("[]")) for one in value]
    if target == "message" and isinstance(value, dict):
        return Message(value["role"], value["content"])
    expected: dict[str, Any] = {"text": str, "number": (int, float), "flag": bool}
    is_right = target in expected and isinstance(value, expected[target])
    if is_right and (target == "flag" or not isinstance(value, bool)):
        return value
    said = "" if value is None else f": {value!r}"
    said = said if len(said) <= 42 else f"{said[:41]}…"
    raise ValueTypeError(f"Expected `{target}`, got {words[type(value)]}{said}.")


def arriving(document: Document, wire: Wire, value: Any) -> Any:
    """The value at the end of a wire into an input that takes one wire, or one element of `T`s."""
    source = output_type(document, str(wire.source.node), str(wire.source.port))
    target = input_type(document, str(wire.target.node), str(wire.target.port))
    assert source is not None
    assert target is not None
    return convert(value, source, target)


def elements(document: Document, wire: Wire, value: Any) -> list[Any]:
    """The elements that arrive over one wire into a list input: a list's own, or the one value."""
    source = output_type(document, str(wire.source.node), str(wire.source.port))
    target = input_type(document, str(wire.target.node), str(wire.target.port))
    assert source is not None
    assert target is not None
    element = target.removesuffix("[]")
    if source.endswith("[]"):
        return [convert(one, source.removesuffix("[]"), element) for one in value]
    if source in {"json", "any"} and element not in {"json", "any"} and isinstance(value, list):
        return [convert(one, source, element) for one in value]
    return [convert(value, source, element)]
