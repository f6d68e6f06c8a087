"""Flows as canonical JSON: the same flow always gives the same text, and a broken text is reported whole."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import itemgetter
from typing import TypeAlias, cast

from studio.errors import FlowFileError
from studio.flow.files.document_reader import Reader
from studio.flow.files.file_text import Short, encodable, encode, file_text
from studio.flow.files.source import find_duplicates, lines_of
from studio.flow.files.variant import KEYS, base_problem, difference, merged, place_in
from studio.flow.records import Flow, Frame, Json, Layout, Node, Point
from studio.garbage_collection import seldom_collected

FORMAT = "stepwire.flow"
VERSION = 1
MOST_NESTED = 100
"""How deep lists and objects may be nested; more is an attack, not a flow."""

_ESCAPED_LINES = re.compile(r"\$+lines")


Bases: TypeAlias = Callable[[str], Flow]
"""Gives the flow of a file beside a variant by its name; raises `FlowFileError` where it cannot be read."""

_UNREADABLE = "The file is not a readable flow."


@dataclass(frozen=True, slots=True)
class Loaded:
    """A flow as it was read. A file of a newer version is not to be saved over: `read_only`."""

    flow: Flow
    notices: tuple[str, ...] = ()
    read_only: bool = False
    of: str = ""
    """The file that it is a variant of, beside its own; empty for a flow that stands alone."""


@seldom_collected()
def dumps(flow: Flow) -> str:
    """Write a flow as canonical JSON; raises `FlowFileError` for a number that JSON cannot say."""
    document = _document(flow)
    document["layout"] = {
        name: one for name, one in cast("dict[str, object]", document["layout"]).items() if one
    }
    for part in ("policies", "layout"):
        if not document[part]:
            del document[part]
    return file_text({"format": FORMAT, "version": VERSION, **document})


@seldom_collected()
def digest_text(flow: Flow) -> str:
    """Write all of a flow, one thing a line: what versions are told by, whatever files look like.

    It never changes, for scripts and experiments keep digests of it. Raises as `dumps` does.
    """
    return _text_of({"format": FORMAT, "version": VERSION, **_document(flow)})


@seldom_collected()
def dumps_variant(flow: Flow, base: Flow, of: str) -> str:
    """Write a flow as what differs in it from `base`, whose file is called `of`; raises as `dumps` does."""
    told = difference(_document(base), _document(flow))
    head = {"format": FORMAT, "version": VERSION, "of": of}
    return file_text(head | {key: told[key] for key in KEYS if key in told})


def _text_of(document: object) -> str:
    return encodable(_written(document, "") + "\n")


def _document(flow: Flow) -> dict[str, object]:
    return {
        "name": flow.name,
        "description": _packed(flow.description, "description"),
        "nodes": {name: _node(flow.nodes[name], f"nodes.{name}") for name in sorted(flow.nodes)},
        "wires": [str(wire) for wire in flow.wires],
        "policies": [_packed(one, "policies") for one in flow.policies],
        "layout": _layout(flow.layout),
    }


@seldom_collected()
def loads(text: str, bases: Bases | None = None) -> Loaded:
    """Read a flow; raises `FlowFileError` whose `details` name every problem by line and path.

    A variant is made whole with what `bases` gives; where nobody can give it, it is refused.
    """
    text = text.removeprefix("\ufeff")
    document = _parsed(text)
    reader = Reader(document)
    if reader.variant is not None:
        return _variant(reader.variant, text, bases)
    version = reader.check_header(FORMAT, VERSION)
    flow = reader.flow()
    if reader.problems:
        raise FlowFileError(_UNREADABLE, lines_of(text, reader.problems))
    return Loaded(flow, _notices(reader), read_only=version > VERSION)


def _variant(document: Mapping[str, object], text: str, bases: Bases | None) -> Loaded:
    of = document["of"]
    if words := base_problem(of):
        raise FlowFileError(_UNREADABLE, lines_of(text, [("of", words)]))
    name = str(of)
    if bases is None:
        hint = "Open its file: what it is a variant of is found beside it."
        raise FlowFileError(f"This is a variant of `{name}` and means nothing without it.", hint=hint)
    base = bases(name)
    plain = cast("dict[str, object]", json.loads(dumps(base)))
    whole, wrong = merged(plain, document)
    reader = Reader(whole | {key: document[key] for key in ("format", "version") if key in document})
    version = reader.check_header(FORMAT, VERSION)
    flow = reader.flow()
    if version <= VERSION and (problems := [*wrong, *_led_back(whole, document, reader.problems)]):
        raise FlowFileError(_UNREADABLE, lines_of(text, problems))
    return Loaded(flow, _notices(reader), read_only=version > VERSION, of=name)


def _led_back(
    whole: Mapping[str, object], variant: Mapping[str, object], problems: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """The problems of the whole flow by their places in the file of the variant, which made them."""
    wires = variant.get("wires")
    added = len(cast("list[object]", wires)) if isinstance(wires, list) else 0
    kept = len(cast("list[object]", whole["wires"])) - added
    return ((place_in(path, kept), words) for path, words in problems)


def _notices(reader: Reader) -> tuple[str, ...]:
    return tuple(f"{path}: {words}" if path else words for path, words in reader.notices)


def document_text(document: Json) -> str:
    """Write any JSON document with one thing a line, long texts line by line (`$lines`).

    Keys keep their order. Raises `FlowFileError` for a number that JSON cannot say.
    """
    return _text_of(_packed(document, ""))


def short_document_text(document: Mapping[str, object]) -> str:
    """Write a JSON document as `document_text` does, but what is `Short` on one line."""
    return _text_of(document)


def document_of(text: str) -> tuple[Json, Sequence[tuple[str, str]]]:
    """Read what `document_text` writes, and what is wrong with it, as paths and words.

    Raises `FlowFileError` for what is not JSON, for keys that occur twice, and for what is nested too deep.
    """
    parsed = _parsed(text.removeprefix("\ufeff"))
    reader = Reader(parsed)
    return reader.unpacked(parsed, ""), reader.problems


def in_order(flow: Flow) -> Flow:
    """The same flow with its nodes, their settings and inputs in the order of a saved file."""
    return replace(flow, nodes={name: _node_in_order(flow.nodes[name]) for name in sorted(flow.nodes)})


def _node_in_order(node: Node) -> Node:
    settings, inputs = dict(sorted(node.settings.items())), dict(sorted(node.inputs.items()))
    return node.model_copy(update={"settings": settings, "inputs": inputs})


def _parsed(text: str) -> object:
    """The JSON in `text`; what Python would let pass and JSON does not have is refused."""
    if _nesting(text) > MOST_NESTED:
        raise FlowFileError(
            "The file is not a readable flow.", [f"Lists and objects are nested deeper than {MOST_NESTED}."]
        )
    duplicated = False

    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal duplicated
        found = dict(items)
        duplicated = duplicated or len(found) < len(items)
        return found

    try:
        document: object = json.loads(
            text, object_pairs_hook=pairs, parse_constant=_refuse_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        raise FlowFileError(
            "The file is not JSON.", [f"line {error.lineno}, column {error.colno}: {error.msg}"]
        ) from error
    except ValueError as error:
        raise FlowFileError(
            "The file is not a readable flow.", [_where_not_json(text, str(error))]
        ) from error
    if duplicated:
        raise FlowFileError("The file is not a readable flow.", find_duplicates(text))
    return document


_OPENS = {"[": 1, "{": 1, "]": -1, "}": -1}


def _nesting(text: str) -> int:
    """How deep the brackets outside strings go; an upper bound of it where no text could go too deep."""
    most = text.count("[") + text.count("{")
    if most <= MOST_NESTED:
        return most
    # A string that is never closed is taken whole too: looked for anew from each quote, it took the square.
    brackets = re.sub(r'"(?:[^"\\]|\\.)*+"?|[^"\[\]{}]++', "", text)
    return max(accumulate(map(_OPENS.__getitem__, brackets)), default=0)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"`{name}` is not a JSON number.")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"`{digits[:40]}` is too large a number.")
    return number


def _where_not_json(text: str, words: str) -> str:
    name = re.search(r"`([^`]+)`", words)
    place = text.find(name[1]) if name is not None else -1
    return f"line {text.count(chr(10), 0, place) + 1}: {words}" if place >= 0 else words


def _node(node: Node, path: str) -> dict[str, object]:
    record: dict[str, object] = {"kind": node.kind}
    if node.version > 1:
        record["version"] = node.version
    if node.title:
        record["title"] = node.title
    if node.settings:
        record["settings"] = _packed_values(node.settings.items(), f"{path}.settings")
    if node.inputs:
        record["inputs"] = _packed_values(node.inputs.items(), f"{path}.inputs")
    run: dict[str, Json] = {}
    if node.run.model_fields_set:
        run = cast("dict[str, Json]", node.run.model_dump(exclude_defaults=True))
    if run:
        if isinstance(limits := run.get("limits"), dict):
            run["limits"] = {name: limits[name] for name in sorted(limits)}
        record["run"] = {name: _packed(value, f"{path}.run.{name}") for name, value in run.items()}
    return record


def _layout(layout: Layout) -> dict[str, object]:
    def point(one: Point) -> list[int]:
        return [one.x, one.y]

    frames, notes = layout.frames, layout.notes
    document: dict[str, object] = {
        "nodes": {name: Short(point(layout.nodes[name])) for name in sorted(layout.nodes)},
        "frames": {name: Short(_frame(one)) for name, one in sorted(frames.items())},
        "notes": {
            name: {
                "text": _packed(one.text, f"layout.notes.{name}"),
                "at": Short([one.x, one.y]),
                "size": Short([one.width, one.height]),
            }
            for name, one in sorted(notes.items())
        },
        "bends": {
            text: Short([point(one) for one in points]) for text, points in sorted(layout.bends.items())
        },
    }
    if layout.collapsed:
        document["collapsed"] = Short(sorted(layout.collapsed))
    return document


def _frame(frame: Frame) -> dict[str, object]:
    record: dict[str, object] = {
        "title": frame.title,
        "at": [frame.x, frame.y],
        "size": [frame.width, frame.height],
    }
    if frame.color:
        record["color"] = frame.color
    if frame.holds:
        record["holds"] = list(frame.holds)
    return record


def _packed_values(values: Iterable[tuple[str, Json]], path: str) -> dict[str, object]:
    return {name: _packed(one, f"{path}.{name}") for name, one in sorted(values, key=itemgetter(0))}


def _packed(value: Json, path: str) -> object:
    """Texts with line breaks as `$lines`; an object that looks like one gets one more `$`."""
    if isinstance(value, str):
        return {"$lines": value.split("\n")} if "\n" in value else value
    if isinstance(value, float) and not math.isfinite(value):
        raise FlowFileError("The flow cannot be saved.", [f"{path}: `{value}` is not a JSON number."])
    if isinstance(value, list):
        return [_packed(one, f"{path}[{place}]") for place, one in enumerate(value)]
    if isinstance(value, dict):
        escape = "$" if len(value) == 1 and _ESCAPED_LINES.fullmatch(next(iter(value))) else ""
        return {escape + key: _packed(one, f"{path}.{key}") for key, one in value.items()}
    return value


def _written(value: object, margin: str) -> str:
    """JSON with two spaces and one entry to a line; what is `Short` stands on one."""
    if isinstance(value, Short):
        return encode(cast("object", value))
    inner = f"{margin}  "
    if isinstance(value, dict) and value:
        members = cast("dict[str, object]", value).items()
        entries = [f"{encode(key)}: {_written(one, inner)}" for key, one in members]
        return "{\n" + ",\n".join(inner + entry for entry in entries) + f"\n{margin}}}"
    if isinstance(value, list) and value:
        elements = cast("list[object]", value)
        return "[\n" + ",\n".join(inner + _written(one, inner) for one in elements) + f"\n{margin}]"
    return encode(cast("object", value))
