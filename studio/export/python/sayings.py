"""What docstrings say of fields and parameters that were left out of a script: that is left out as well."""

import ast
import re
import textwrap
from collections.abc import Collection, Iterator

NAMED = re.compile(r"`([A-Za-z_]\w*)`")
PIECES = re.compile(r"(?<=[.;])\s+")
WIDTH = 100


def without_sayings(text: str, left_out: Collection[str]) -> str:
    """Give a definition whose docstrings do not speak of what it no longer has."""
    if not left_out or '"""' not in text:
        return text
    tree = ast.parse(text)
    gone = {*left_out} - set(_names(tree))
    lines = text.splitlines()
    for node in reversed(list(ast.walk(tree))):
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0]
        said = ast.get_docstring(node)
        if said is None or first.end_lineno is None or '"""' not in lines[first.lineno - 1]:
            continue
        kept = _kept(said, gone)
        if kept != said and "\\" not in "".join(lines[first.lineno - 1 : first.end_lineno]):
            indent = " " * first.col_offset
            paragraphs = [textwrap.fill(one, WIDTH) for one in kept.split("\n\n")]
            end = "\n" if "\n" in "\n\n".join(paragraphs) else ""
            written = textwrap.indent("\n\n".join(paragraphs) + end, indent)
            lines[first.lineno - 1 : first.end_lineno] = [
                f'{indent}"""{written.lstrip()}{indent if end else ""}"""'
            ]
    return "\n".join(lines)


def _names(tree: ast.AST) -> Iterator[str]:
    """What a definition still has or uses."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case _:
                pass


def _kept(said: str, gone: set[str]) -> str:
    paragraphs = said.split("\n\n")
    found = [_paragraph(one, gone, is_first=not place) for place, one in enumerate(paragraphs)]
    return "\n\n".join(one for one in found if one)


def _paragraph(said: str, gone: set[str], *, is_first: bool) -> str:
    """The sentences, and what stands between semicolons, that speak of nothing that is gone."""
    pieces = PIECES.split(said)
    kept = [
        piece
        for place, piece in enumerate(pieces)
        if (is_first and not place) or gone.isdisjoint(NAMED.findall(piece))
    ]
    if kept == pieces:
        return said
    for place, piece in enumerate(kept):
        follows = kept[place + 1] if place + 1 < len(kept) else ""
        if piece.endswith(";") and not follows[:1].islower() and not follows.startswith("`"):
            kept[place] = f"{piece[:-1]}."
    return " ".join(kept)
