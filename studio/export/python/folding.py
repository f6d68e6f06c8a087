"""What is lifted, made plainer: classes that only others inherit from, and methods that only call another."""

import ast
import re
from collections.abc import Collection, Mapping

from studio.export.python.pieces import Origin

METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


def folded(texts: Mapping[Origin, str], said: Collection[str]) -> dict[Origin, str]:
    """Give the definitions without what the others do as well; `said` are the names that the rest uses."""
    found = dict(texts)
    _fold_classes(found, said)
    for origin, text in list(found.items()):
        if text.lstrip().startswith(("class ", "@dataclass")):
            _fold_methods(found, origin)
    return found


def _fold_classes(texts: dict[Origin, str], said: Collection[str]) -> None:
    """Take away classes that say nothing and that nobody names but where others inherit from them."""
    trees = {origin: ast.parse(text).body[0] for origin, text in texts.items() if "class " in text}
    for origin in trees:
        tree = ast.parse(texts[origin]).body[0]  # its base may have changed
        if not isinstance(tree, ast.ClassDef) or len(tree.body) > 1 or len(tree.bases) != 1 or tree.keywords:
            continue
        if tree.name in said or tree.decorator_list or ast.get_docstring(tree) is None:
            continue
        base, word = ast.unparse(tree.bases[0]), re.compile(rf"\b{tree.name}\b")
        heirs = [
            one
            for one, other in trees.items()
            if one in texts
            and isinstance(other, ast.ClassDef)
            and f"class {other.name}({tree.name}):" in texts[one]
        ]
        uses = sum(len(word.findall(text)) for one, text in texts.items() if one != origin)
        if not heirs or uses != len(heirs):
            continue
        for one in heirs:
            texts[one] = word.sub(base, texts[one])
        del texts[origin]


def _fold_methods(texts: dict[Origin, str], origin: Origin) -> None:
    """Let what only calls another method with what it is given be that method."""
    while found := _forwarding(texts[origin]):
        outer, inner = found
        lines = texts[origin].splitlines()
        told = lines[outer.body[0].lineno - 1 : outer.body[0].end_lineno]
        changes = [(inner.body[0], told), (outer, list[str]())]
        for node, new in sorted(changes, key=lambda one: -one[0].lineno):
            lines[node.lineno - 1 : node.end_lineno] = new
        name = re.search(r"class (\w+)", texts[origin])
        texts[origin] = "\n".join(lines)
        heirs = [one for one, text in texts.items() if name and f"({name[1]}):" in text]
        for one in (origin, *heirs):
            texts[one] = re.sub(
                rf"((?:self|super\(\))\.|def ){inner.name}\b", rf"\g<1>{outer.name}", texts[one]
            )


def _forwarding(
    text: str,
) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.FunctionDef | ast.AsyncFunctionDef] | None:
    """A method that only calls another one of its class, which nobody else there calls, and that one."""
    tree = ast.parse(text).body[-1]
    if not isinstance(tree, ast.ClassDef):
        return None
    methods = {one.name: one for one in tree.body if isinstance(one, METHODS)}
    for outer in methods.values():
        match outer.body:
            case [
                ast.Expr(value=ast.Constant()),
                ast.Return(value=ast.Await(value=ast.Call(func=ast.Attribute(attr=name)) as call)),
            ] if name in methods and name != outer.name:
                inner = methods[name]
            case _:
                continue
        handed = [ast.unparse(one) for one in (*call.args, *(key.value for key in call.keywords))]
        own = [one.arg for one in (*outer.args.args, *outer.args.kwonlyargs)][1:]
        is_same = ast.unparse(outer.args) == ast.unparse(inner.args) and type(outer) is type(inner)
        if is_same and handed == own and text.count(f".{name}(") == 1 and ast.get_docstring(inner):
            return outer, inner
    return None
