"""Lifting definitions out of the studio's modules into a script: all that is used, and nothing else.

What belongs to the studio alone stays behind: the decorators that make a function a node, the marks of
`Annotated`, methods and fields that nobody in the script asks for, parameters that nobody gives, and
statements of which the file says `# only with: name` where nobody gives a field or parameter of that name.
"""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from studio.export.python.definitions import called_by, keys_of, read_definition
from studio.export.python.given import Wanted
from studio.export.python.imports import is_standard
from studio.export.python.names import Names
from studio.export.python.pieces import FUNCTIONS, Definition, Origin, Piece, Use
from studio.export.python.sayings import without_sayings
from studio.export.python.source import Module, is_mark, read_module, resolve

SCRIPT = "studio.export.lifted.context"
TRACE = "studio.export.lifted.trace"
RULES = "studio.export.lifted.rules"
SCHEMAS = "studio.export.lifted.schemas"
LIBRARIES = "studio.export.lifted.libraries"

STAND_INS: Mapping[Origin, Origin] = {
    Origin("studio.errors", "WaitingError"): Origin("studio.export.lifted.terminal", "WaitingError"),
    Origin("studio.errors", "ChatRefusedError"): Origin("studio.export.lifted.errors", "ChatRefusedError"),
    Origin("studio.sdk.context", "Context"): Origin(SCRIPT, "Context"),
    Origin("studio.sdk.context", "Folder"): Origin("studio.sdk.prelude.folder", "ProjectFolder"),
    Origin("studio.sdk.items", "KeptItems"): Origin("studio.export.lifted.memories", "KeptItems"),
    Origin("studio.sdk.items", "Items"): Origin("studio.sdk.item_layers", "PlainItems"),
    Origin("studio.sdk.ports", "Json"): Origin("typing", "Any"),
    Origin("studio.flow.records", "Json"): Origin("typing", "Any"),
    Origin("studio.sdk.prelude.schema_complaints", "complaints"): Origin(SCHEMAS, "complaints"),
    Origin("studio.sdk.rules", "Rule"): Origin(RULES, "Rule"),
    Origin("studio.sdk.rules", "NO_RULE"): Origin(RULES, "NO_RULE"),
    Origin("studio.sdk.rules", "holds"): Origin(RULES, "holds"),
    Origin("studio.extras", "missing_library"): Origin(LIBRARIES, "missing_library"),
    Origin("studio.places", "vector_files"): Origin(LIBRARIES, "vector_files"),
    Origin("studio.sdk.node", "Yields"): Origin("collections.abc", "AsyncGenerator"),
}
"""What a script has in the place of something that is the studio's."""

UNSAID = frozenset({"__pydantic_config__", "__add__"})
"""Members that nothing in a script asks for by name, nor otherwise: nobody adds tokens up."""

CONTEXT_MANAGER = Origin("contextlib", "asynccontextmanager")

NOQA = re.compile(r"[ \t]*# noqa: (?!B006|BLE001|S102)[^#\n]*(?=#|\n|$)")
"""Marks for our own linter; those of rules that linters know by default stay."""


class Lifter:
    """Collects what a script needs, and gives its text, module by module."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.said: set[str] = set()
        """The names that the script uses in what it has beside what is lifted."""
        self._asked: dict[Origin, None] = {}
        self._definitions: dict[Origin, Definition] = {}
        self._kept: dict[Origin, list[Piece]] = {}
        self._imports: set[Origin] = set()
        self._wanted = Wanted()
        self._traced: dict[Origin, tuple[dict[str, None], str]] = {}

    def trace(self, module: str, name: str, takes: Sequence[str], gives: str) -> None:
        """Let traces know of each call of a function, which is a step."""
        origin = resolve(Origin(module, name)) or Origin(module, name)
        known, _ = self._traced.get(origin, ({}, ""))
        self.use(TRACE, self._tracer(origin).name)
        self._traced[origin] = {**known, **dict.fromkeys(takes)}, gives

    def _tracing(self, origin: Origin) -> str:
        """The decorator of a step."""
        takes, gives = self._traced[origin]
        told = [f'"{one}"' for one in takes] + ([f'gives="{gives}"'] if gives else [])
        return f"@{self.names.of(self._tracer(origin))}({', '.join(told)})\n"

    def _tracer(self, origin: Origin) -> Origin:
        """What tells of a step: one that is waited for, or one that is not."""
        is_waited_for = isinstance(read_definition(origin).node, ast.AsyncFunctionDef)
        return Origin(TRACE, "traced" if is_waited_for else "traced_at_once")

    def use(self, module: str, name: str) -> str:
        """Ask for a definition or an import; gives what it is called in the script."""
        origin = _stand_in(Origin(module, name))
        if origin is None:
            reason = f"`{module}` does not define `{name}`"
            raise KeyError(reason)
        self._asked[origin] = None
        return self.names.of(origin)

    def definition(self, module: str, name: str) -> Definition:
        """A definition, to look at."""
        origin = resolve(Origin(module, name)) or Origin(module, name)
        return read_definition(origin)

    def collect(self, script: str) -> None:
        """Find all that is needed, given the code that the script itself has beside what is lifted."""
        self._wanted = Wanted()
        for definition in self._definitions.values():
            self._wanted.see(definition)
        for node in ast.walk(ast.parse(script)):
            self._note_said(node)
        self._wanted.keywords |= {"gives"} if self._traced else set()
        before = -1
        while before != (now := self._size()):
            before = now
            for origin in [*self._asked, *self._definitions]:
                self._add(origin)
            if before == self._size():
                self._wanted.keywords |= self._handed_all_the_same()

    def _note_said(self, node: ast.AST) -> None:
        """Note what the script itself asks for, gives and says."""
        wanted = self._wanted
        match node:
            case ast.Name(id=name):
                self.said.add(name)
            case ast.Attribute(attr=name):
                wanted.attributes.add(name)
            case ast.Dict(keys=keys):
                wanted.keywords |= keys_of(*keys)
            case ast.Constant(value=value) if "{{" in str(value):
                wanted.keywords.add("{{")
            case ast.Call(keywords=given):
                wanted.keywords.update(one.arg for one in given if one.arg)
                called, count = called_by(node)
                if isinstance(called, ast.Name):
                    wanted.note_positional(called.id, count)
            case _:
                pass

    def collect_imports(self) -> None:
        """Count what was asked for since as well, where it is only imported."""
        for origin in self._asked:
            if not origin.is_own:
                self._imports.add(origin)

    def is_lifted(self, module: str, name: str) -> bool:
        """Whether a definition is part of the script."""
        return _stand_in(Origin(module, name)) in self._definitions

    def keeps(self, module: str, name: str, member: str) -> bool:
        """Whether a lifted class has a member; false when the class is not lifted."""
        origin = _stand_in(Origin(module, name))
        return any(piece.name == member for piece in self._kept.get(origin or Origin("", ""), ()))

    def modules(self) -> Mapping[str, list[tuple[Origin, str]]]:
        """The text of every lifted definition, by module in the order of first use, then as in the file."""
        order = list(dict.fromkeys(origin.module for origin in self._definitions))
        found: dict[str, list[tuple[Origin, str]]] = {}
        for origin, definition in sorted(
            self._definitions.items(), key=lambda one: (order.index(one[0].module), one[1].start)
        ):
            found.setdefault(origin.module, []).append((origin, self._text(definition)))
        return found

    def eager(self, origin: Origin) -> set[Origin]:
        """What has to stand before a definition: what is read when it is made, not when it is called."""
        definition = self._definitions[origin]
        node = definition.node
        read: list[ast.AST] = []
        if isinstance(node, FUNCTIONS):
            read = [*node.decorator_list, *node.args.defaults, *(one for one in node.args.kw_defaults if one)]
        elif isinstance(node, ast.ClassDef):
            members = [one.node for one in self._kept[origin] if one.node is not node]
            read = [*node.decorator_list, *node.bases, *_values(members)]
        else:
            read = _values([node])
        module = read_module(origin.module)
        spans = [module.span(one) for one in read]
        uses = [
            use
            for piece in self._kept[origin]
            for use in piece.uses
            if any(start <= use.start and use.end <= end for start, end in spans)
        ]
        found = {self._origin_of(origin.module, use) for use in uses}
        if origin in self._traced:
            found.add(self._tracer(origin))
        return {one for one in found if one is not None and one in self._definitions and one != origin}

    def imports(self) -> Mapping[str, Origin]:
        """What the script imports, by what it calls it."""
        return {self.names.of(one): one for one in self._imports}

    def is_imported(self, module: str) -> bool:
        """Whether the script imports from a module."""
        return any(one.module.partition(".")[0] == module for one in self._imports)

    def _size(self) -> int:
        """A measure that stays the same only when nothing more was found, nor asked for."""
        asked = self._wanted.size()
        kept = sum(len(one) for one in self._kept.values())
        return asked + kept + len(self._definitions) + len(self._imports)

    def _add(self, origin: Origin) -> None:
        if not origin.is_own:
            self._imports.add(origin)
            self.names.of(origin)
            return
        self.names.of(origin)
        if origin not in self._definitions:
            self._definitions[origin] = read_definition(origin)
            self._wanted.see(self._definitions[origin])
        definition = self._definitions[origin]
        whole = [definition.head, *(one for one in definition.members if self._is_kept(definition, one))]
        pieces = [one for piece in whole for one in self._with_parts(piece)]
        self._kept[origin] = pieces
        skipped = self._decorators(definition)
        self._wanted.note_fields(definition)
        for piece in pieces:
            self._wanted.note(piece)
            cuts = self._left_out(definition, piece)
            for use in piece.uses:
                if any(start <= use.start < end for start, end in cuts):
                    continue
                found = self._origin_of(origin.module, use)
                if found is not None and found not in self._definitions and found not in self._imports:
                    self._add(found)
        if skipped and _is_generator(definition.node):
            self._imports.add(CONTEXT_MANAGER)
            self.names.of(CONTEXT_MANAGER)

    def _origin_of(self, module: str, use: Use) -> Origin | None:
        return _stand_in(Origin(module, use.name)) if use.name in _known(module) else None

    def _with_parts(self, piece: Piece) -> Iterable[Piece]:
        """A piece, and those of its parts that somebody has a use for."""
        yield piece
        for part in piece.parts:
            if self._wanted.is_given(part.needs):
                yield from self._with_parts(part)

    def _left_out(self, definition: Definition, piece: Piece) -> list[tuple[int, int]]:
        """Where the arguments and parameters stand that nobody gives anything."""
        if self.names.of(definition.origin) == definition.origin.name:
            return self._wanted.left_out(definition, piece)
        return [(one.start, one.end) for one in piece.passed if self._wanted.is_idle(one)]

    def _handed_all_the_same(self) -> set[str]:
        """What nobody gives, but is handed to what would take something else without it."""
        handed = [one for kept in self._kept.values() for piece in kept for one in piece.passed]
        wanted = self._wanted
        return {one.keyword for one in handed if not (wanted.is_idle(one) and wanted.is_known(one))}

    def _is_kept(self, definition: Definition, member: Piece) -> bool:
        """Whether anybody asks for a member of a class."""
        name, node = member.name, member.node
        if name in UNSAID:
            return False
        if not isinstance(definition.node, ast.ClassDef):
            return True
        if isinstance(node, FUNCTIONS):
            is_asked_for = name.startswith("__") or name in self._wanted.attributes
            return is_asked_for or _has_foreign_base(definition)
        bases = {ast.unparse(base) for base in definition.node.bases}
        if bases & {"Enum", "StrEnum"} or (name.startswith("__")):
            return True
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return True
        count = self._wanted.positional.get(definition.origin.name, 0)
        return (
            name in self._wanted.attributes
            or name in self._wanted.keywords
            or name in definition.fields[:count]
        )

    def _decorators(self, definition: Definition) -> list[tuple[int, int]]:
        """Where the decorators stand that are the studio's own, whole lines."""
        if not isinstance(definition.node, FUNCTIONS):
            return []
        module = read_module(definition.origin.module)
        found: list[tuple[int, int]] = []
        for one in definition.node.decorator_list:
            if is_mark(module.name, one):
                start, end = module.span(one)
                found.append((module.line_start(start), end + 1))
        return found

    def _text(self, definition: Definition) -> str:
        module = read_module(definition.origin.module)
        pieces = self._kept[definition.origin]
        skipped = self._decorators(definition)
        edits: list[tuple[int, int, str]] = [(start, end, "") for start, end in skipped]
        if skipped and _is_generator(definition.node):
            start, end, _ = edits[0]
            edits[0] = (start, end, f"@{self.names.of(CONTEXT_MANAGER)}\n")
        elif skipped and definition.origin in self._traced:
            start, end, _ = edits[0]
            edits[0] = (start, end, self._tracing(definition.origin))
        parts = [part for piece in pieces for part in piece.parts]
        left_out = [one for one in (*definition.members, *parts) if one not in pieces]
        edits += [(_with_gap(module.text, one.start), one.end, "") for one in left_out]
        for piece in pieces:
            edits += [(start, end, "") for start, end in (*piece.cuts, *self._left_out(definition, piece))]
            edits += self._renames(module.name, piece)
        edits += self._renamed_definition(definition)
        start, end = definition.start, module.span(definition.node)[1]
        end = max(end, definition.head.end)
        text = _edited(module.text, start, end, edits)
        text = without_sayings(text, self._no_longer_there(definition))
        return NOQA.sub(lambda found: "  " if text[found.end() : found.end() + 1] == "#" else "", text).strip(
            "\n"
        )

    def _no_longer_there(self, definition: Definition) -> set[str]:
        """The fields and parameters that were left out."""
        pieces = self._kept[definition.origin]
        gone = {one.name for one in definition.members if one not in pieces}
        for piece in pieces:
            cuts = self._left_out(definition, piece)
            gone |= {one.name for one in piece.parameters if (one.start, one.end) in cuts}
        return gone

    def _renames(self, module: str, piece: Piece) -> list[tuple[int, int, str]]:
        edits: list[tuple[int, int, str]] = []
        for use in piece.uses:
            origin = self._origin_of(module, use)
            if origin is not None and self.names.of(origin) != use.name:
                edits.append((use.start, use.end, self.names.of(origin)))
        return edits

    def _renamed_definition(self, definition: Definition) -> list[tuple[int, int, str]]:
        name, called = definition.origin.name, self.names.of(definition.origin)
        if name == called:
            return []
        module = read_module(definition.origin.module)
        if isinstance(definition.node, ast.Assign):
            return _renamed_variable(module, definition.node.value, name, called)
        start = module.span(definition.node)[0]
        at = module.text.index(name, start)
        return [(at, at + len(name), called)]


@cache
def _stand_in(origin: Origin) -> Origin | None:
    found = resolve(origin)
    return None if found is None else STAND_INS.get(found, found)


def _renamed_variable(module: Module, value: ast.expr, name: str, called: str) -> list[tuple[int, int, str]]:
    """A type variable says its own name; the name that it is assigned to is renamed as a use of it."""
    match value:
        case ast.Call(func=ast.Name(id="TypeVar" | "NewType"), args=[ast.Constant(value=said) as text, *_]):
            return [(*module.span(text), repr(called))] if said == name else []
        case _:
            return []


def _values(statements: Iterable[ast.stmt]) -> list[ast.AST]:
    """What is computed where the statements stand; annotations are not, in a script."""
    values = [getattr(one, "value", None) for one in statements if not isinstance(one, FUNCTIONS)]
    return [one for one in values if one is not None]


@cache
def _known(module: str) -> frozenset[str]:
    read = read_module(module)
    return frozenset({*read.nodes, *read.imports})


@cache
def _is_generator(node: ast.stmt) -> bool:
    return isinstance(node, ast.AsyncFunctionDef) and any(
        isinstance(one, ast.Yield) for one in ast.walk(node)
    )


def _has_foreign_base(definition: Definition) -> bool:
    """Whether a class is another library's as well, which calls its methods by names that we never say."""
    bases = definition.node.bases if isinstance(definition.node, ast.ClassDef) else []
    roots = (ast.unparse(base).partition(".")[0] for base in bases)
    known = _known(definition.origin.module)
    origins = (resolve(Origin(definition.origin.module, root)) for root in roots if root in known)
    return any(one is not None and not one.is_own and not is_standard(one) for one in origins)


def _with_gap(text: str, start: int) -> int:
    """Where the blank lines above a member begin, so that they go with it."""
    while start > 0 and text[start - 1].isspace():
        start -= 1
    return start


def _edited(text: str, start: int, end: int, edits: Iterable[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    at = start
    for first, last, new in sorted(set(edits)):
        if first < at:
            continue  # inside what is cut already
        parts += [text[at:first], new]
        at = last
    return "".join([*parts, text[at:end]])
