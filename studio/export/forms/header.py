"""What a script says at its top of how it is run: a block for installers (PEP 723), and a paragraph."""

import ast
import json
import re
import textwrap
from collections.abc import Sequence
from typing import Final

_BLOCK = re.compile(r"# /// script\n(?:#.*\n)*?# ///\n")
_SHEBANG = "#!/usr/bin/env python3\n"
_QUOTES: Final = '"""'
_WIDTH: Final = 100


def with_dependencies(text: str, requirements: Sequence[str]) -> str:
    """Give a script with a block that names what has to be installed, in the place of the one that it has."""
    listed = "".join(f"#   {json.dumps(one, ensure_ascii=False)},\n" for one in requirements)
    block = f'# /// script\n# requires-python = ">=3.11"\n# dependencies = [\n{listed}# ]\n# ///\n'
    return f"{_SHEBANG}{block}{without_block(text)}"


def without_block(text: str) -> str:
    """Give a script without the block at its top, and without the line by which a system starts it."""
    text = text.removeprefix(_SHEBANG)
    found = _BLOCK.match(text)
    return text if found is None else text[found.end() :]


def started(text: str) -> str:
    """Give a script with the line by which a system starts it, and without the block."""
    return f"{_SHEBANG}{without_block(text)}"


def with_paragraph(text: str, paragraph: str) -> str:
    """Give a script with a paragraph at the end of its docstring; one without a docstring stays as it is."""
    first = next(iter(ast.parse(text).body), None)
    match first:
        case ast.Expr(ast.Constant(str(_)), end_lineno=int(last), end_col_offset=int(column)):
            pass
        case _:
            return text
    lines = text.splitlines(keepends=True)
    end = sum(map(len, lines[: last - 1])) + len(lines[last - 1].encode()[:column].decode())
    before, quotes, after = text[: end - 3].rstrip(), text[end - 3 : end], text[end:]
    if quotes != _QUOTES:
        return text
    filled = textwrap.fill(paragraph, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{before}\n\n{filled}\n{quotes}{after}"
