"""Modules read as text: what they define, what they import, and which names each definition uses.

Nothing is executed. Definitions are taken as they stand in the file, so that their comments and their form
survive; `Piece` says which names in them lead elsewhere, and where these stand.
"""

import ast
import importlib.util
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from studio.errors import ExportError
from studio.export.joining import joined

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MARKS = frozenset({"studio.sdk.node"})
"""Modules whose decorators say what a function is to the studio; they are never lifted."""
OWN = ("studio", "nodes")

ONLY_WITH = re.compile(r"[ \t]*# only with: ([\w\".]+(?:, [\w\".]+)*)$", re.MULTILINE)
"""Marks, behind its first line, a statement that is lifted only where the field of this name is given.

Or, in quotes, where there is an object with this key among what the script says itself; or, behind a dot,
where somebody reads an attribute of this name. Of several, one will do.
"""


COMMA = re.compile(r"\s*,(?:[ \t]*#[^\n]*)?")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a name comes from: a module, and what it is called there (empty: the module itself)."""

    module: str
    name: str

    @property
    def is_own(self) -> bool:
        """Whether it is defined in code that can be lifted, instead of imported by the script."""
        return self.module.partition(".")[0] in OWN or self.module.startswith("stepwire_")


@dataclass(frozen=True, slots=True)
class Use:
    """A name in a piece of source that is not its own: where it stands, as offsets in the file."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passed:
    """An argument `keyword=parameter` that only hands on what a function was given, where it stands."""

    called: str
    keyword: str
    parameter: str
    default: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that may be left out, where it stands, and where it is used."""

    name: str
    default: str
    start: int
    end: int
    uses: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Piece:
    """A stretch of a file that is lifted or left out as one: a definition, a member, a marked statement."""

    name: str
    start: int
    end: int
    node: ast.stmt
    uses: list[Use] = field(default_factory=list[Use])
    attributes: set[str] = field(default_factory=set[str])
    keywords: set[str] = field(default_factory=set[str])
    positional: dict[str, int] = field(default_factory=dict[str, int])
    """How many arguments calls pass by position, by the name of what is called."""
    referred: set[str] = field(default_factory=set[str])
    """The names that stand elsewhere than where they are called."""
    passed: list[Passed] = field(default_factory=list[Passed])
    """The arguments that hand on what the function was given; they are not among the `keywords`."""
    parameters: list[Parameter] = field(default_factory=list[Parameter])
    """Its parameters, in a function, that may be left out."""
    required: set[str] = field(default_factory=set[str])
    """Its parameters without a default."""
    star: tuple[int, int] | None = None
    """Where the star stands behind which its parameters are given by name."""
    by_name: set[str] = field(default_factory=set[str])
    cuts: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """What is never lifted: the marks of `Annotated`, and `ONLY_WITH`."""
    needs: str = ""
    """The field without which it is left out, where that is said of it."""
    parts: list["Piece"] = field(default_factory=list["Piece"])
    """What of it may be left out: its marked statements, whose names are not among its own."""


@dataclass(slots=True)
class Definition:
    """A top-level definition; a class has its members apart."""

    origin: Origin
    node: ast.stmt
    head: Piece
    members: list[Piece] = field(default_factory=list[Piece])

    @property
    def start(self) -> int:
        """Where it begins in its file."""
        return self.head.start


class Module:
    """One module of the studio or of a node, as text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = joined(_text_of(name), _text_of)
        self._starts = _line_starts(self.text)
        self._lines = self.text.splitlines(keepends=True)
        self.tree = ast.parse(self.text)
        self.imports = dict(self._imported())
        self.nodes = dict(self._defined())
        self._definitions: dict[str, Definition] = {}

    def definition(self, name: str) -> Definition:
        """The definition of `name`; raises `KeyError`."""
        if name not in self._definitions:
            self._definitions[name] = self._read(name, *self.nodes[name])
        return self._definitions[name]

    def offset(self, line: int, column: int) -> int:
        """The offset of a place that `ast` gives: a line from 1, and a column in UTF-8 bytes."""
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node of the tree begins and ends."""
        place: ast.expr = node  # pyright: ignore[reportAssignmentType]  # any node that has a place
        return (
            self.offset(place.lineno, place.col_offset),
            self.offset(place.end_lineno or place.lineno, place.end_col_offset or 0),
        )

    def listed_span(self, node: ast.AST) -> tuple[int, int]:
        """Where a part of a list begins and ends, with its comma if it has one."""
        start, end = self.span(node)
        comma = COMMA.match(self.text, end)
        return start, comma.end() if comma else end

    def line_start(self, offset: int) -> int:
        """Where the line of `offset` begins."""
        return self.text.rfind("\n", 0, offset) + 1

    def mark_of(self, node: ast.stmt) -> re.Match[str] | None:
        """What is said behind the first line of a statement of where it is lifted."""
        start = self._starts[node.lineno - 1]
        return ONLY_WITH.search(self.text, start, start + len(self._lines[node.lineno - 1]))

    def _imported(self) -> Iterator[tuple[str, Origin]]:
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    yield alias.asname or alias.name, Origin(node.module, alias.name)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.asname or alias.name.partition(".")[0], Origin(alias.name, "")

    def _defined(self) -> Iterator[tuple[str, tuple[ast.stmt, ast.stmt]]]:
        """Each top-level name with its statement, and the last statement that belongs to it."""
        for place, node in enumerate(self.tree.body):
            following = self.tree.body[place + 1 : place + 2]
            last = following[0] if following and _is_text(following[0]) else node
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                yield node.name, (node, node)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        yield target.id, (node, last)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield node.target.id, (node, last)

    def _read(self, name: str, node: ast.stmt, last: ast.stmt) -> Definition:
        definition = Definition(Origin(self.name, name), node, self._piece(name, node, last))
        if isinstance(node, ast.ClassDef):
            body = node.body
            definition.head = self._piece(name, node, node, without=body)
            for place, member in enumerate(body):
                if _is_text(member):
                    continue
                following = body[place + 1 : place + 2]
                end = following[0] if following and _is_text(following[0]) else member
                if isinstance(member, FUNCTIONS):
                    end = member
                definition.members.append(self._piece(_name_of(member), member, end))
        return definition

    def _piece(self, name: str, node: ast.stmt, last: ast.stmt, without: Sequence[ast.stmt] = ()) -> Piece:
        first: ast.AST = node
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.decorator_list:
            first = node.decorator_list[0]
        start = self._comments_above(self.line_start(self.span(first)[0]))
        piece = Piece(name, start, self.span(last)[1], node)
        _Reader(self, piece, frozenset(without)).visit(node)
        return piece

    def _comments_above(self, start: int) -> int:
        while start > 0:
            above = self.line_start(start - 1)
            line = self.text[above : start - 1].strip()
            if not line.startswith("#") or line.startswith(("# -", "#!")):
                break
            start = above
        return start


@cache
def read_module(name: str) -> Module:
    """Read a module once; raises `ExportError` where it has no source."""
    return Module(name)


def resolve(origin: Origin) -> Origin | None:
    """Follow a name to where it is defined; None for names of Python itself and unknown ones."""
    seen: set[Origin] = set()
    while origin.is_own and origin not in seen:
        seen.add(origin)
        module = read_module(origin.module)
        if origin.name in module.nodes:
            return origin
        if origin.name not in module.imports:
            return None
        origin = module.imports[origin.name]
    return origin


def is_mark(module: str, decorator: ast.expr) -> bool:
    """Tell whether a decorator only says what a function is to the studio."""
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    origin = resolve(Origin(module, name.id)) if isinstance(name, ast.Name) else None
    return origin is not None and origin.module in MARKS


class _Reader(ast.NodeVisitor):
    """Finds the names in a piece that its module defines or imports, not those of its own scopes."""

    def __init__(self, module: Module, piece: Piece, without: frozenset[ast.stmt]) -> None:
        self._module = module
        self._piece = piece
        self._without = without
        self._scopes: list[frozenset[str]] = []
        self._handed: Mapping[str, str] = {}
        self._called: set[int] = set()

    def visit(self, node: ast.AST) -> None:
        if node in self._without:
            return
        mark = self._module.mark_of(node) if isinstance(node, ast.If) else None
        if mark is None or not isinstance(node, ast.stmt):
            super().visit(node)
            return
        whole = self._piece
        self._piece = Piece("", *self._module.span(node), node, cuts=[mark.span()], needs=mark[1])
        whole.parts.append(self._piece)
        super().visit(node)
        self._piece = whole

    def visit_Name(self, node: ast.Name) -> None:
        if id(node) not in self._called:
            self._piece.referred.add(node.id)
        self._use(node.id, *self._module.span(node))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._piece.attributes.add(node.attr)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called, given = called_by(node)
        name = called.attr if isinstance(called, ast.Attribute) else ast.unparse(called)
        for one in node.keywords:
            if self._is_handed_on(one):
                handed = ast.unparse(one.value)
                names = name, str(one.arg), handed, self._handed[handed]
                self._piece.passed.append(Passed(*names, *self._module.listed_span(one)))
            elif one.arg is not None:
                self._piece.keywords.add(one.arg)
        if isinstance(called, ast.Name):
            self._called.add(id(called))
            counts = self._piece.positional
            counts[called.id] = max(counts.get(called.id, 0), given)
            if called.id == "cast" and node.args:
                self._annotation(node.args[0])
        self.generic_visit(node)

    def _is_handed_on(self, argument: ast.keyword) -> bool:
        """Whether an argument is what the function was given, as it is."""
        value = argument.value
        return (
            argument.arg is not None
            and isinstance(value, ast.Name)
            and value.id in self._handed
            and not any(value.id in scope for scope in self._scopes[1:])
        )

    def visit_Dict(self, node: ast.Dict) -> None:
        self._piece.keywords.update(keys_of(node))
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        marked = node.slice
        if (
            isinstance(node.value, ast.Name)
            and node.value.id == "Annotated"
            and isinstance(marked, ast.Tuple)
        ):
            start, end = self._module.span(node)
            inner = self._module.span(marked.elts[0])
            self._piece.cuts += [(start, inner[0]), (inner[1], end)]
            self._annotation(marked.elts[0])
            return
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._annotation(node.annotation)
        if node in self._module.tree.body:
            self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        kept = [one for one in node.decorator_list if not is_mark(self._module.name, one)]
        for one in (*kept, *node.args.defaults, *node.args.kw_defaults):
            if one is not None:
                self.visit(one)
        for argument in _arguments(node.args):
            if argument.annotation is not None:
                self._annotation(argument.annotation)
        if node.returns is not None:
            self._annotation(node.returns)
        if not self._scopes:
            self._read_parameters(node)
        self._inside(_locals(node), node.body)

    def _read_parameters(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Note which parameters have a default, and are not assigned to."""
        names = [one for body in node.body for one in ast.walk(body) if isinstance(one, ast.Name)]
        changed = {one.id for one in names if not isinstance(one.ctx, ast.Load)}
        placed = [*node.args.posonlyargs, *node.args.args]
        first = len(placed) - len(node.args.defaults)
        optional = [*zip(placed[first:], node.args.defaults, strict=True)]
        optional += [(one, value) for one, value in _by_name(node.args) if value is not None]
        self._handed = {one.arg: _default(value) for one, value in optional if one.arg not in changed}
        self._piece.star, self._piece.by_name = self._star(node.args, placed)
        self._piece.required |= {one.arg for one in placed[:first]}
        self._piece.required |= {one.arg for one, value in _by_name(node.args) if value is None}
        for one, value in optional:
            uses = tuple(self._module.span(name) for name in names if name.id == one.arg)
            start, end = self._module.span(one)[0], self._module.listed_span(value)[1]
            self._piece.parameters.append(Parameter(one.arg, _default(value), start, end, uses))

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def _star(
        self, given: ast.arguments, placed: Sequence[ast.arg]
    ) -> tuple[tuple[int, int] | None, set[str]]:
        if given.vararg is not None or not given.kwonlyargs:
            return None, set()
        before = [self._module.span(one)[1] for one in (*placed, *given.defaults)]
        first = self._module.span(given.kwonlyargs[0])[0]
        start = self._module.text.rindex("*", max(before, default=0), first)
        return (start, first), {one.arg for one in given.kwonlyargs}

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for one in (*node.args.defaults, *node.args.kw_defaults):
            if one is not None:
                self.visit(one)
        self._inside(frozenset(one.arg for one in _arguments(node.args)), [node.body])

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        names = {
            name.id for one in node.generators for name in ast.walk(one.target) if isinstance(name, ast.Name)
        }
        self._inside(frozenset(names), list(ast.iter_child_nodes(node)))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815

    def _inside(self, names: frozenset[str], body: Sequence[ast.AST]) -> None:
        self._scopes.append(names)
        for one in body:
            self.visit(one)
        self._scopes.pop()

    def _annotation(self, node: ast.AST) -> None:
        """Visit an annotation, texts in it read as the types that they name."""
        self.visit(node)
        for one in ast.walk(node):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                start, end = self._module.span(one)
                if self._module.text[start + 1 : end - 1] != one.value:
                    continue
                try:
                    inner = ast.parse(one.value, mode="eval")
                except SyntaxError:
                    continue
                for name in ast.walk(inner):
                    if isinstance(name, ast.Name):
                        at = start + 1 + name.col_offset
                        self._use(name.id, at, at + len(name.id))

    def _use(self, name: str, start: int, end: int) -> None:
        if any(name in scope for scope in self._scopes):
            return
        if name in self._module.nodes or name in self._module.imports:
            self._piece.uses.append(Use(name, start, end))


def called_by(node: ast.Call) -> tuple[ast.expr, int]:
    """What is called, or made ready to be, and how many arguments it is given by position."""
    if isinstance(node.func, ast.Name) and node.func.id == "partial" and node.args:
        return node.args[0], len(node.args) - 1
    return node.func, len(node.args)


def keys_of(node: ast.Dict) -> set[str]:
    """The texts among the keys of an object, in the quotes that `ONLY_WITH` has them in."""
    keys = (one.value for one in node.keys if isinstance(one, ast.Constant))
    return {f'"{key}"' for key in keys if isinstance(key, str)}


def _locals(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The names that a function binds."""
    names = {one.arg for one in _arguments(node.args)}
    outer: set[str] = set()
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        one = waiting.pop()
        if isinstance(one, (*FUNCTIONS, ast.ClassDef)):
            names.add(one.name)
            continue
        if isinstance(one, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        if isinstance(one, ast.Global | ast.Nonlocal):
            outer.update(one.names)
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            names.add(one.id)
        elif isinstance(one, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and one.name:
            names.add(one.name)
        elif isinstance(one, ast.MatchMapping) and one.rest:
            names.add(one.rest)
        waiting.extend(ast.iter_child_nodes(one))
    return frozenset(names - outer)


def _arguments(given: ast.arguments) -> list[ast.arg]:
    found = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [*found, *(one for one in (given.vararg, given.kwarg) if one is not None)]


def _default(value: ast.expr) -> str:
    """What a parameter is without a value; no list is another than an empty tuple, for nobody adds to it."""
    return ast.unparse(value).replace("[]", "()")


def _by_name(given: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    return list(zip(given.kwonlyargs, given.kw_defaults, strict=True))


def _name_of(member: ast.stmt) -> str:
    if isinstance(member, (*FUNCTIONS, ast.ClassDef)):
        return member.name
    target = member.targets[0] if isinstance(member, ast.Assign) else getattr(member, "target", None)
    return target.id if isinstance(target, ast.Name) else ""


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _text_of(name: str) -> str:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None or not found.origin.endswith(".py"):
        reason = f"The source of `{name}` cannot be found."
        raise ExportError(reason, hint="Install the package that brings it with its source.")
    return Path(found.origin).read_text("utf-8")


def _line_starts(text: str) -> Mapping[int, int]:
    starts = {0: 0}
    offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        offset += len(line)
        starts[number] = offset
    return starts
