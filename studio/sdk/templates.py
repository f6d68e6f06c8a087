"""Texts with `{{name}}` and `{{name.field}}` placeholders."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from studio.bounds.weights import refuse_larger
from studio.errors import ToolError
from studio.llm.client import Message

PLACEHOLDER = re.compile(r"\{\{\s*([a-z][a-z0-9_]{0,62})((?:\.\w+)*)\s*\}\}")


def placeholders(text: str) -> tuple[str, ...]:
    """Name what `text` asks for, each name once, in order of appearance; fields go unsaid."""
    return tuple(dict.fromkeys(found[1] for found in PLACEHOLDER.finditer(text)))


def fill(text: str, values: Mapping[str, object]) -> str:
    """Put `values` in the place of their placeholders.

    Raises `ToolError` for a name without a value, and for a field that its value does not have.
    """
    refuse_larger(filled_size(text, values))
    return PLACEHOLDER.sub(lambda found: as_text(value_at(found[1], found[2], values)), text)


def filled_size(text: str, values: Mapping[str, object]) -> int:
    """Tell how long a text gets when it is filled, about; raises `ToolError` as `fill` does."""
    places = Counter(found.group(1, 2) for found in PLACEHOLDER.finditer(text))
    sizes = (many * len(as_text(value_at(name, path, values))) for (name, path), many in places.items())
    return len(text) + sum(sizes)


def as_text(value: object) -> str:
    """Say `value` as a text: texts as they are, nothing as an empty text, the rest as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, Message):
        return value.content
    return json.dumps(value, ensure_ascii=False, default=str)


def value_at(name: str, path: str, values: Mapping[str, Any]) -> Any:
    """The value that a placeholder stands for, its `path` a part of it; raises `ToolError` as `fill` does."""
    if name not in values:
        raise ToolError(f"The template uses `{name}`, which has no value.")
    value = values[name]
    for part in path.split(".")[1:]:
        try:
            value = value[int(part) if isinstance(value, list) else part]
        except (LookupError, TypeError, ValueError) as error:
            raise ToolError(f"The template uses `{name}{path}`, but there is no `{part}`.") from error
    return value
