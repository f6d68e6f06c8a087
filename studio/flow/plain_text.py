"""Plain JSON values and sentences as people read them: text as it stands, everything else as JSON."""

import json
import re
from itertools import islice
from typing import cast

_NAME = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def pretty(value: object) -> str:
    """Write a value on as many lines as it takes, indented."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def on_one_line(value: object) -> str:
    """Write a value on one line, its own line breaks as blanks."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())


def _head(value: object, limit: int) -> object:
    """As many elements of a value as its first `limit` characters can tell of."""
    if isinstance(value, list):
        return [_head(one, limit) for one in cast("list[object]", value)[: limit + 1]]
    if isinstance(value, dict):
        pairs = islice(cast("dict[object, object]", value).items(), limit + 1)
        return {key: _head(one, limit) for key, one in pairs}
    return value


def excerpt(value: object, limit: int = 160) -> str:
    """Write a value on one line, cut where it grows longer than `limit` characters."""
    line = on_one_line(_head(value, limit))
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def quoted(text: str) -> str:
    """Give a message as windows show it: names and code in quotes, and not in the backticks of a terminal."""
    return _NAME.sub(r"“\1”", text)
