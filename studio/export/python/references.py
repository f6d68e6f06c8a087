"""Which names a stretch of Python takes from outside itself, and which it defines for others."""

import ast
import symtable
from collections.abc import Iterator


def names_used(text: str) -> frozenset[str]:
    """The names that it reads and that are of no scope of its own; those of Python itself are among them."""
    said = [name for one in _types_in_quotes(text) for name in _read(_table(one), is_top=True)]
    return frozenset([*_read(_table(text), is_top=True), *said])


def names_defined(text: str) -> frozenset[str]:
    """The names that it gives to something at its top."""
    return frozenset(one.get_name() for one in _table(text).get_symbols() if one.is_assigned())


def _table(text: str) -> symtable.SymbolTable:
    return symtable.symtable(text, "script", "exec")


def _read(table: symtable.SymbolTable, *, is_top: bool = False) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (is_top or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _read(child)


def _types_in_quotes(text: str) -> Iterator[str]:
    """The types that casts name; annotations are never in quotes."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id="cast"), args=[ast.Constant(value=str(said)), _]):
                yield said
            case _:
                pass
