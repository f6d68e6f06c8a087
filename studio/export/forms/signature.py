"""Whether a script is still as it was exported: its docstring has a digest of all its other lines."""

import ast
import hashlib
import io
import re
import tokenize
from typing import Final

EXPORTED: Final = "Exported by Stepwire "
"""Begins the line of a script's docstring that says where it comes from."""

_ORIGIN = re.compile(rf"^{EXPORTED}.*\n(?:[^\S\n]*[^\s\"'].*\n)*", re.MULTILINE)
"""That line, and those of the same paragraph."""
_LINE = "Digest of this export: {}\n"
_SIGNED = re.compile(r"^Digest of this export: ([0-9a-f]+)\n", re.MULTILINE)


def signed(text: str) -> str:
    """Give a script with the digest of what it says, below the line that says where it comes from.

    Whoever writes an exported script calls this last; a text without such a line stays as it is.
    """
    plain = _SIGNED.sub("", text, count=1)
    found = _ORIGIN.search(plain)
    if found is None:
        return text
    said, closed, rest = found[0].partition('"""')  # where the docstring ends with that line
    before = plain[: found.start()] + (f"{said}\n" if closed else said)
    after = closed + rest + plain[found.end() :]
    return before + _LINE.format(_digest(before + after)) + after


def is_as_exported(text: str) -> bool | None:
    """Tell whether a script still says what was exported; None for what is no exported script.

    One that was exported before scripts had digests may have been edited, and so counts as edited. How lines
    end does not count.
    """
    text = text.replace("\r\n", "\n")
    if f"\n{EXPORTED}" not in text:
        return None
    found = _SIGNED.search(text)
    return found is not None and found[1] == _digest(_SIGNED.sub("", text, count=1))


def says_the_same(one: str, other: str) -> bool:
    """Tell whether two scripts say the same, but for their layout and what is said of how they are run."""
    try:
        return _said(one) == _said(other)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _said(text: str) -> tuple[str, str, list[str]]:
    """What a script is about, its statements, and the comments between them; imports follow from these."""
    module = ast.parse(text)
    about, start = ast.get_docstring(module) or "", 0
    if about:
        start = module.body.pop(0).end_lineno or 0
    module.body = [one for one in module.body if not isinstance(one, ast.Import | ast.ImportFrom)]
    for call in ast.walk(module):
        if isinstance(call, ast.Call):
            call.keywords.sort(key=lambda word: word.arg or "")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT and token.start[0] > start]
    return about.partition(EXPORTED)[0], ast.unparse(module), comments


def is_signed(text: str) -> bool:
    """Tell whether a script has a digest, be it the right one."""
    return _SIGNED.search(text.replace("\r\n", "\n")) is not None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
