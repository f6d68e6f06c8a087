"""From JSON values to the records of a flow, with every problem on the way gathered instead of raised."""

import re
from collections.abc import Callable, Mapping
from typing import TypeGuard, TypeVar, cast

from pydantic import ValidationError

from studio.flow.files.source import joined
from studio.flow.records import Flow, Frame, Json, Layout, Node, Note, Point, RunSettings, Socket, Wire
from studio.ids import IDENTIFIER, NodeId, PortName, is_identifier

V = TypeVar("V")

FARTHEST = 100_000_000
"""How far from the middle a place can be, and how large a frame: pictures count in 32 bits."""


_NODE_KEYS = frozenset({"kind", "version", "title", "settings", "inputs", "run"})
_FLOW_KEYS = frozenset({"format", "version", "name", "description", "nodes", "wires", "policies", "layout"})
_ESCAPED_LINES = re.compile(r"\$\$+lines")
_NAME = IDENTIFIER.pattern
WIRE = re.compile(rf"({_NAME})\.({_NAME}) -> ({_NAME})\.({_NAME})(?:\[(0|[1-9][0-9]{{0,8}})\])?")
"""How a wire is written (`fullmatch`): source node and port, target node and port, index."""

_ID_RULE = "an id starts with a lowercase letter, followed by letters, digits and `_`, 63 at most."


class Reader:
    """Reads one document; `problems` has each fault as path and words, `notices` what was mended or left."""

    def __init__(self, document: object) -> None:
        self._document = cast("dict[str, object]", document) if isinstance(document, dict) else None
        self._is_newer = False
        self.problems: list[tuple[str, str]] = []
        self.notices: list[tuple[str, str]] = []

    @property
    def variant(self) -> Mapping[str, object] | None:
        """The document, where it is that of a variant: another flow with changes (`variant.py`)."""
        return self._document if self._document is not None and "of" in self._document else None

    def check_header(self, name: str, newest: int) -> int:
        """Check what the file says it is; gives its version."""
        if self._document is None:
            self._say("", "a flow is a JSON object.")
            return newest
        document = self._document
        if document.get("format") != name:
            self._say("format", f"this must be `{name}`.")
        version = document.get("version")
        if not _is_int(version) or version < 1:
            self._say("version", "this must be a whole number from 1.")
            return newest
        if version > newest:
            self._is_newer = True
            self.notices.append(
                ("", f"The file has version {version}, newer than this Stepwire knows: it opens read-only.")
            )
        return version

    def flow(self) -> Flow:
        """Read the whole document as far as it can be read."""
        if self._document is None:
            return Flow()
        document = self._document
        self._check_keys(document, _FLOW_KEYS, "")
        policies = self._list(document.get("policies", []), "policies")
        return Flow(
            self._text(document.get("name", ""), "name"),
            self._text(self.unpacked(document.get("description", ""), "description"), "description"),
            self._entries(document.get("nodes", {}), "nodes", self._node),
            self._wires(document.get("wires", [])),
            tuple(self.unpacked(one, joined("policies", place)) for place, one in enumerate(policies)),
            self._layout(document.get("layout", {})),
        )

    def unpacked(self, value: object, path: str) -> Json:
        """Undo `$lines`."""
        if isinstance(value, list):
            elements = cast("list[object]", value)
            return [self.unpacked(one, joined(path, place)) for place, one in enumerate(elements)]
        if not isinstance(value, dict):
            return cast("Json", value)
        members = cast("dict[str, object]", value)
        if len(members) == 1:
            ((key, content),) = members.items()
            if key == "$lines":
                return self._joined_lines(content, path)
            if _ESCAPED_LINES.fullmatch(key):
                return {key[1:]: self.unpacked(content, joined(path, key))}
        return {key: self.unpacked(one, joined(path, key)) for key, one in members.items()}

    def _joined_lines(self, content: object, path: str) -> str:
        lines = self._list(content, joined(path, "$lines"))
        return "\n".join(
            self._text(line, joined(f"{path}.$lines", place)) for place, line in enumerate(lines)
        )

    def _node(self, value: object, path: str) -> Node:
        record = self._object(value, path)
        self._check_keys(record, _NODE_KEYS, path)
        kind = self._text(record.get("kind"), joined(path, "kind"))
        version = record.get("version", 1)
        if not _is_int(version) or version < 1:
            self._say(joined(path, "version"), "this must be a whole number from 1.")
            version = 1
        return Node(
            kind=kind,
            version=version,
            title=self._text(record.get("title", ""), joined(path, "title")),
            settings=self._values(record.get("settings", {}), joined(path, "settings")),
            inputs=self._inputs(record.get("inputs", {}), joined(path, "inputs")),
            run=self._run(record.get("run", {}), joined(path, "run")),
        )

    def _inputs(self, value: object, path: str) -> dict[PortName, Json]:
        for name in (values := self._values(value, path)):
            if not is_identifier(name):
                self._say(joined(path, name), f"`{name}` cannot be a port: {_ID_RULE}")
        return {PortName(name): one for name, one in values.items()}

    def _run(self, value: object, path: str) -> RunSettings:
        given = self._values(value, path)
        if self._is_newer:
            given = {key: one for key, one in given.items() if key in RunSettings.model_fields}
        try:
            return RunSettings.model_validate(given)
        except ValidationError as error:
            for one in error.errors():
                where = path
                for step in one["loc"]:
                    where = joined(where, step)
                self._say(where, f"{one['msg']}.")
            return RunSettings()

    def _wires(self, value: object) -> tuple[Wire, ...]:
        found: dict[Wire, int] = {}
        for place, text in enumerate(self._list(value, "wires")):
            path = joined("wires", place)
            parts = WIRE.fullmatch(text) if isinstance(text, str) else None
            if parts is None:
                self._say(path, "a wire is written `node.port -> node.port` or `node.port -> node.port[2]`.")
                continue
            source = Socket(NodeId(parts[1]), PortName(parts[2]))
            target = Socket(NodeId(parts[3]), PortName(parts[4]))
            wire = Wire(source, target, None if parts[5] is None else int(parts[5]))
            if wire in found:
                self.notices.append((path, f"The wire `{wire}` was listed twice; it is kept once."))
            found[wire] = place
        return tuple(sorted(found, key=lambda wire: wire.sort_key))

    def _layout(self, value: object) -> Layout:
        record = self._object(value, "layout")
        self._check_keys(record, frozenset({"nodes", "frames", "notes", "bends", "collapsed"}), "layout")
        return Layout(
            self._entries(record.get("nodes", {}), "layout.nodes", self._point),
            self._frames(record.get("frames", {}), "layout.frames"),
            self._notes(record.get("notes", {}), "layout.notes"),
            {
                text: tuple(
                    self._point(one, joined(joined("layout.bends", text), place))
                    for place, one in enumerate(self._list(points, joined("layout.bends", text)))
                )
                for text, points in self._object(record.get("bends", {}), "layout.bends").items()
            },
            frozenset(NodeId(one) for one in self._texts(record.get("collapsed", []), "layout.collapsed")),
        )

    def _frames(self, value: object, path: str) -> dict[str, Frame]:
        found: dict[str, Frame] = {}
        for name, one in self._object(value, path).items():
            here = joined(path, name)
            record = self._object(one, here)
            self._check_keys(record, frozenset({"title", "at", "size", "color", "holds"}), here)
            at, size = self._box(record, here)
            found[name] = Frame(
                self._text(record.get("title", ""), joined(here, "title")),
                *(at.x, at.y, size.x, size.y),
                self._text(record.get("color", ""), joined(here, "color")),
                tuple(self._texts(record.get("holds", []), joined(here, "holds"))),
            )
        return found

    def _notes(self, value: object, path: str) -> dict[str, Note]:
        found: dict[str, Note] = {}
        for name, one in self._object(value, path).items():
            here = joined(path, name)
            record = self._object(one, here)
            self._check_keys(record, frozenset({"text", "at", "size"}), here)
            at, size = self._box(record, here)
            text = self._text(self.unpacked(record.get("text", ""), here), joined(here, "text"))
            found[name] = Note(text, at.x, at.y, size.x, size.y)
        return found

    def _box(self, record: Mapping[str, object], path: str) -> tuple[Point, Point]:
        at, size = record.get("at"), record.get("size")
        return self._point(at, joined(path, "at")), self._point(size, joined(path, "size"))

    def _texts(self, value: object, path: str) -> list[str]:
        return [self._text(one, joined(path, place)) for place, one in enumerate(self._list(value, path))]

    def _point(self, value: object, path: str) -> Point:
        numbers = cast("list[object]", value) if isinstance(value, list) else []
        if len(numbers) == 2 and _is_int(x := numbers[0]) and _is_int(y := numbers[1]):
            if max(abs(x), abs(y)) <= FARTHEST:
                return Point(x, y)
            self._say(path, f"positions and sizes range from -{FARTHEST:,} to {FARTHEST:,}.")
            return Point(0, 0)
        self._say(path, "this must be two whole numbers: `[x, y]`.")
        return Point(0, 0)

    def _entries(self, value: object, path: str, read: Callable[[object, str], V]) -> dict[NodeId, V]:
        """The values of an object whose keys are ids of nodes."""
        found: dict[NodeId, V] = {}
        for name, one in self._object(value, path).items():
            here = joined(path, name)
            if not is_identifier(name):
                self._say(here, f"`{name}` cannot be an id: {_ID_RULE}")
            found[NodeId(name)] = read(one, here)
        return found

    def _values(self, value: object, path: str) -> dict[str, Json]:
        return {key: self.unpacked(one, joined(path, key)) for key, one in self._object(value, path).items()}

    def _check_keys(self, record: Mapping[str, object], known: frozenset[str], path: str) -> None:
        for key in record:
            if key not in known:
                if self._is_newer:
                    self.notices.append(
                        (joined(path, key), "This Stepwire does not know this; it is not shown.")
                    )
                else:
                    self._say(joined(path, key), f"`{key}` means nothing here.")

    def _object(self, value: object, path: str) -> dict[str, object]:
        if isinstance(value, dict):
            return cast("dict[str, object]", value)
        self._say(path, "this must be an object: `{…}`.")
        return {}

    def _list(self, value: object, path: str) -> list[object]:
        if isinstance(value, list):
            return cast("list[object]", value)
        self._say(path, "this must be a list: `[…]`.")
        return []

    def _text(self, value: object, path: str) -> str:
        if isinstance(value, str):
            return value
        self._say(path, "this must be text.")
        return ""

    def _say(self, path: str, words: str) -> None:
        self.problems.append((path, words))


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
