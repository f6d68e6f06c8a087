"""Plain JSON values as people read them: text as it stands, everything else as JSON."""

import json


def pretty(value: object) -> str:
    """Write a value on as many lines as it takes, indented."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def on_one_line(value: object) -> str:
    """Write a value on one line, its own line breaks as blanks."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())


def excerpt(value: object, limit: int = 160) -> str:
    """Write a value on one line, cut where it grows longer than `limit` characters."""
    line = on_one_line(value)
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"
