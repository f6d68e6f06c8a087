"""Values of a flow as Python literals, so that no text of a flow can become code."""

import keyword
import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

from studio.errors import ExportError
from studio.script.schemas import fields

WIDTH = 80
"""Characters of a line of a docstring."""

_BLOCK = re.compile(r"^#(?= ///)", re.MULTILINE)
"""Lines that an installer would take for those that say what a script needs (PEP 723)."""

LONG = 60
"""Characters from which on a text stands better by itself, under a name."""


Word: TypeAlias = Callable[[], str]
"""Uses a word of the kit, and gives what it is called."""


def literal(value: object, fields_word: Word | None = None) -> str:
    """Write a value, of what JSON has, as Python; schemas of objects by `fields` where that is at hand."""
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, int):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        words = _given_to_fields(members) if fields_word is not None else None
        if words is not None and fields_word is not None:
            given = ", ".join(f"{name}={literal(one, fields_word)}" for name, one in words.items())
            return f"{fields_word()}({given})"
        pairs = (f"{literal(key)}: {literal(one, fields_word)}" for key, one in members.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, Sequence):
        elements = cast("Sequence[object]", value)
        return f"[{', '.join(literal(one, fields_word) for one in elements)}]"
    reason = f"a value of type `{type(value).__name__}` cannot be written as Python"
    raise ExportError(reason)


def number_literal(number: float) -> str:
    """Write a number, a whole one without a fraction."""
    return repr(number).removesuffix(".0")


def text_literal(text: str) -> str:
    r"""Write a text in double quotes, whatever it says; only what can be printed stands as it is."""
    quote = "'" if '"' in text and "'" not in text else '"'
    return quote + "".join(_escaped(one, quote) for one in text) + quote


def block_literal(text: str) -> str:
    """Write a text of several lines between triple quotes, its lines as lines."""
    before = text.rstrip('"')
    escaped = _BLOCK.sub(r"\\x23", "".join("\n" if one == "\n" else _escaped(one, "") for one in before))
    # Only what would end the literal is escaped.
    escaped = escaped.replace('"""', r"\"\"\"") + r"\"" * (len(text) - len(before))
    lines = escaped.split("\n")
    # Spaces before a line break would be lost in an editor.
    lines = [_hold_end(line) if place < len(lines) - 1 else line for place, line in enumerate(lines)]
    return '"""\\\n' + "\n".join(lines) + '"""'


def doc_literal(text: str) -> str:
    """Write a text as a docstring; how its lines are broken is nobody's business but the reader's."""
    lines = [
        part
        for line in text.split("\n")
        for part in textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
    ]
    escaped = "\n".join("".join(_escaped(one, '"') for one in line) for line in lines)
    escaped = _BLOCK.sub(r"\\x23", escaped)
    return f'"""{escaped}\n"""' if len(lines) > 1 else f'"""{escaped}"""'


def is_long(value: object) -> bool:
    """Whether a value reads better as a constant than in the midst of a call."""
    if isinstance(value, str):
        return len(value) > LONG or "\n" in value.strip("\n")
    if not isinstance(value, Mapping | list):
        return False
    table = cast("object", value)
    return _is_plain(table) and len(literal(table)) > LONG


def long_literal(value: object, fields_word: Word | None = None) -> str:
    """Write the value of a constant, as `literal` does."""
    if isinstance(value, str) and "\n" in value.strip("\n"):
        return block_literal(value)
    return literal(value, fields_word)


def has_empty_part(value: object) -> bool:
    """Whether a list or object is empty, or one in it: of what, nobody could tell."""
    if isinstance(value, Mapping):
        value = list(cast("Mapping[object, object]", value).values())
    return isinstance(value, list) and (
        not value or any(has_empty_part(one) for one in cast("list[object]", value))
    )


def _is_plain(value: object) -> bool:
    """Whether JSON can say it."""
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return all(isinstance(key, str) and _is_plain(one) for key, one in items)
    if isinstance(value, list):
        return all(_is_plain(one) for one in cast("list[object]", value))
    return value is None or isinstance(value, str | int | float)


def _given_to_fields(schema: Mapping[object, object]) -> Mapping[str, object] | None:
    """What `fields` gives just this schema for, in this order; None where it gives no such."""
    named = schema.get("properties")
    if not isinstance(named, Mapping) or not named:
        return None
    said = cast("Mapping[object, object]", named)
    words = {str(name): _description(one) for name, one in said.items() if _is_word(name)}
    return words if literal(fields(**words)) == literal(schema) else None


def _description(schema: object) -> object:
    """The description of a text, by which `fields` knows it; any other schema as it is."""
    match schema:
        case {"type": "string", "description": str(text)} if len(cast("Mapping[str, object]", schema)) == 2:
            return text
        case _:
            return schema


def _is_word(name: object) -> bool:
    """Whether a call may give an argument of this name."""
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)


def _hold_end(line: str) -> str:
    return f"{line[:-1]}\\x20" if line.endswith(" ") else line


def _escaped(character: str, quote: str) -> str:
    if character == "\\":
        return "\\\\"
    if character == quote:
        return f"\\{character}"
    if character.isprintable():
        return character
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if known is not None:
        return known
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
