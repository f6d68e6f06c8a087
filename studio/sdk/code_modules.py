"""Which modules code in the box may import, and what to do where it wants others."""

import ast
import sys
from collections.abc import Iterator

NAMES = """
__future__ abc annotationlib array ast atexit base64 binascii bisect builtins calendar cmath codecs codeop
collections colorsys configparser contextlib contextvars copy copyreg csv dataclasses datetime decimal
difflib dis encodings enum errno faulthandler fnmatch fractions functools gc genericpath glob graphlib
hashlib heapq hmac html importlib inspect io ipaddress itertools json keyword linecache locale marshal math
ntpath numbers opcode operator os pathlib pickle posix posixpath pprint pyexpat random re reprlib secrets
select shlex site stat statistics string stringprep struct sys sysconfig textwrap threading time token
tokenize tomllib traceback types typing unicodedata urllib uuid warnings weakref xml zipimport zlib zoneinfo
"""
BOX_MODULES = frozenset(NAMES.split())
"""All that can be imported there, by its first name; a test holds it to what the box says."""

CATCHES = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


def boxed_code(code: str) -> str:
    """Validate that code imports what is in the box; raises `ValueError` with the line and the remedy.

    Imports whose failure the code itself expects are left to it. What cannot be read is nobody's import.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    for name, line in _imported(tree.body):
        if name not in BOX_MODULES:
            raise ValueError(f"line {line}: {why_missing(name)}")
    return code


def why_missing(module: str) -> str:
    """Say why a module is not in the box, and what to use instead, in one sentence."""
    if module in sys.stdlib_module_names:
        return (
            f"`{module}` is not available in the sandbox, which has no files, network or "
            "processes; use other nodes and tools for these"
        )
    return (
        f"`{module}` is a package, and packages can't be isolated yet; use Python's standard "
        "library, or a tool server"
    )


def _imported(body: list[ast.stmt]) -> Iterator[tuple[str, int]]:
    for statement in body:
        match statement:
            case ast.Import(names=names):
                yield from ((one.name.partition(".")[0], statement.lineno) for one in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0], statement.lineno
            case ast.Try(handlers=handlers) if any(_catches(one) for one in handlers):
                pass
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                pass
            case _:
                for field in ("body", "orelse", "finalbody"):
                    yield from _imported(_statements(getattr(statement, field, None)))
                for part in getattr(statement, "handlers", ()) or getattr(statement, "cases", ()):
                    yield from _imported(part.body)


def _statements(found: object) -> list[ast.stmt]:
    return [one for one in found if isinstance(one, ast.stmt)] if isinstance(found, list) else []  # pyright: ignore[reportUnknownVariableType]


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in CATCHES for kind in kinds)
