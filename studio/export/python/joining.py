"""Classes that are written in parts, by job, and stand in scripts as one: with what they inherit."""

import ast
from collections.abc import Callable, Iterator

PARTS = ("studio.export.lifted.",)
"""Modules whose classes stand in scripts within the class that inherits from them."""
WHOLE = "studio.export.lifted.context"
"""The module whose class is whole: what inherits from it stands beside it."""


def joined(text: str, read: Callable[[str], str]) -> str:
    """Give a module in which classes have the members of their parts; `read` gives the text of a module."""
    tree = ast.parse(text)
    homes = {
        alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(PARTS)
        if node.module != WHOLE
        for alias in node.names
    }
    classes = [one for one in tree.body if isinstance(one, ast.ClassDef)]
    parts = {one.name: [base.id for base in one.bases if isinstance(base, ast.Name)] for one in classes}
    if not any(base in homes for bases in parts.values() for base in bases):
        return text
    lines = text.splitlines()
    above: dict[str, None] = {}
    for node in reversed(classes):
        found = [base for base in parts[node.name] if base in homes]
        if not found:
            continue
        own = _members(node, lines)
        taken: list[tuple[list[str], list[str]]] = []
        for base in found:
            part = joined(read(homes[base]), read)
            above |= dict.fromkeys(_imports(part, homes[base], base))
            inherited = next(
                one for one in ast.parse(part).body if isinstance(one, ast.ClassDef) and one.name == base
            )
            taken.append(_members(inherited, part.splitlines()))
        fields = [one for members in [own, *taken] for one in members[0]]
        methods = [one for members in [*taken, own] for one in members[1]]
        first, *_ = node.body
        body = [*lines[first.lineno - 1 : first.end_lineno], "", *dict.fromkeys(fields)]
        for one in dict.fromkeys(methods):
            body += ["", one]
        lines[node.lineno - 1 : node.end_lineno] = [f"class {node.name}:", *body]
    return "\n".join([*above, *lines, ""])


def _members(node: ast.ClassDef, lines: list[str]) -> tuple[list[str], list[str]]:
    """The fields of a class with what is said of them, and its methods."""
    fields: list[str] = []
    methods: list[str] = []
    for one in node.body[1:]:
        text = "\n".join(lines[one.lineno - 1 : one.end_lineno])
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            methods.append(text)
        elif isinstance(one, ast.Expr):
            fields[-1] += f"\n{text}"
        else:
            fields.append(text)
    return fields, methods


def _imports(text: str, module: str, part: str) -> Iterator[str]:
    """The lines that bring what a part uses: what its module imports, and what it defines."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.unparse(node)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name != part:
                yield f"from {module} import {node.name}"
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield f"from {module} import {ast.unparse(target)}"
