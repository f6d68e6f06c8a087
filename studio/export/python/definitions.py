"""Definitions as they stand in their files, so that their comments and their form survive.

`Piece` says which names in them lead elsewhere, and where these stand.
"""

import ast
from collections.abc import Mapping, Sequence
from functools import cache

from studio.export.python.pieces import FUNCTIONS, Definition, Origin, Parameter, Passed, Piece, Use
from studio.export.python.scopes import arguments_of, by_name, locals_of
from studio.export.python.source import Module, is_mark, is_text, read_module

ANY_NUMBER = 100
"""How many arguments a list of them may stand for."""


@cache
def read_definition(origin: Origin) -> Definition:
    """Read a definition once, as it stands in its file; raises `KeyError`."""
    module = read_module(origin.module)
    node, last = module.nodes[origin.name]
    definition = Definition(origin, node, _piece(module, origin.name, node, last))
    if isinstance(node, ast.ClassDef):
        body = node.body
        definition.head = _piece(module, origin.name, node, node, without=body)
        for place, member in enumerate(body):
            if is_text(member):
                continue
            following = body[place + 1 : place + 2]
            end = following[0] if following and is_text(following[0]) else member
            if isinstance(member, FUNCTIONS):
                end = member
            definition.members.append(_piece(module, _name_of(member), member, end))
            if isinstance(member, ast.AnnAssign):
                value = "" if member.value is None else ast.unparse(member.value)
                definition.values[_name_of(member)] = value
        definition.fields = list(definition.values)
    elif isinstance(node, FUNCTIONS):
        definition.fields = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    return definition


def _piece(
    module: Module, name: str, node: ast.stmt, last: ast.stmt, without: Sequence[ast.stmt] = ()
) -> Piece:
    first: ast.AST = node
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.decorator_list:
        first = node.decorator_list[0]
    start = module.above(module.line_start(module.span(first)[0]))
    piece = Piece(name, start, module.span(last)[1], node)
    _Reader(module, piece, frozenset(without)).visit(node)
    return piece


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
        mark = None
        if isinstance(node, ast.If) or (
            self._scopes and isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr)
        ):
            mark = self._module.mark_of(node)
        if mark is None or not isinstance(node, ast.stmt):
            super().visit(node)
            return
        whole = self._piece
        start, end = self._module.span(node)  # of a statement of one line the mark stands behind it
        self._piece = Piece("", start, max(end, mark.end()), node, cuts=[mark.span()], needs=mark[1])
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
                self._annotation(node.args[0], keeps_quotes=True)
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
        whole = self._piece
        for key, value in zip(node.keys, node.values, strict=True):
            mark = None if key is None else self._module.mark_of(key)
            if key is not None and mark is not None:
                start = self._module.span(key)[0]
                self._piece = Piece("", start, mark.end(), whole.node, cuts=[mark.span()], needs=mark[1])
                whole.parts.append(self._piece)
            elif key is not None:
                whole.keywords.update(keys_of(key))
            for one in (key, value):
                if one is not None:
                    self.visit(one)
            self._piece = whole

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
        for argument in arguments_of(node.args):
            if argument.annotation is not None:
                self._annotation(argument.annotation)
        if node.returns is not None:
            self._annotation(node.returns)
        if not self._scopes:
            self._read_parameters(node)
        self._inside(locals_of(node), node.body)

    def _read_parameters(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Note which parameters have a default, and are not assigned to."""
        names = [one for body in node.body for one in ast.walk(body) if isinstance(one, ast.Name)]
        changed = {one.id for one in names if not isinstance(one.ctx, ast.Load)}
        placed = [*node.args.posonlyargs, *node.args.args]
        first = len(placed) - len(node.args.defaults)
        optional = [*zip(placed[first:], node.args.defaults, strict=True)]
        optional += [(one, value) for one, value in by_name(node.args) if value is not None]
        self._handed = {one.arg: _default(value) for one, value in optional if one.arg not in changed}
        self._piece.star, self._piece.by_name = self._star(node.args, placed)
        self._piece.required |= {one.arg for one in placed[:first]}
        self._piece.required |= {one.arg for one, value in by_name(node.args) if value is None}
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
        self._inside(frozenset(one.arg for one in arguments_of(node.args)), [node.body])

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

    def _annotation(self, node: ast.AST, *, keeps_quotes: bool = False) -> None:
        """Visit an annotation, texts in it read as the types that they name, which need no quotes there."""
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
                if one is node and not keeps_quotes:
                    self._piece.cuts += [(start, start + 1), (end - 1, end)]
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
    """What is called, or made ready to be, and how many arguments it is given by position, or may be."""
    count = ANY_NUMBER if any(isinstance(one, ast.Starred) for one in node.args) else len(node.args)
    if isinstance(node.func, ast.Name) and node.func.id == "partial" and node.args:
        return node.args[0], count - 1
    return node.func, count


def keys_of(*keys: ast.expr | None) -> set[str]:
    """The texts among the keys of an object, in the quotes that `ONLY_WITH` has them in."""
    said = (one.value for one in keys if isinstance(one, ast.Constant))
    return {f'"{key}"' for key in said if isinstance(key, str)}


def _default(value: ast.expr) -> str:
    """What a parameter is without a value; no list is another than an empty tuple, for nobody adds to it."""
    return ast.unparse(value).replace("[]", "()")


def _name_of(member: ast.stmt) -> str:
    if isinstance(member, (*FUNCTIONS, ast.ClassDef)):
        return member.name
    target = member.targets[0] if isinstance(member, ast.Assign) else getattr(member, "target", None)
    return target.id if isinstance(target, ast.Name) else ""
