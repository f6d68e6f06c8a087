"""How an edit of a script is shown: lines that were, and lines that are instead."""

import difflib
import json
from collections.abc import Iterator
from typing import Literal, NamedTuple

from studio.app.script_edits.edits import Edit
from studio.flow.records import Json

AROUND = 2
"""How many lines around each difference are shown."""


class Line(NamedTuple):
    """A line of a difference: `-` was, `+` is instead, a blank is in both, `@` stands for lines left out."""

    mark: Literal["-", "+", " ", "@"]
    text: str


def lines_of(edit: Edit) -> list[Line]:
    """Tell an edit line by line, as a unified difference does."""
    return list(_lines(shown(edit.before).split("\n"), shown(edit.after).split("\n")))


def shown(value: Json) -> str:
    """A text as it is; anything else as JSON, over several lines where it has parts."""
    if isinstance(value, str):
        return value
    if value is None:
        return "none"
    has_parts = isinstance(value, dict | list) and bool(value)
    return json.dumps(value, ensure_ascii=False, indent=2 if has_parts else None)


def _lines(before: list[str], after: list[str]) -> Iterator[Line]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(AROUND)):
        if number or group[0][1]:
            yield Line("@", f"line {group[0][1] + 1}")
        for kind, first, last, new_first, new_last in group:
            if kind == "equal":
                yield from (Line(" ", one) for one in before[first:last])
                continue
            yield from (Line("-", one) for one in before[first:last])
            yield from (Line("+", one) for one in after[new_first:new_last])
