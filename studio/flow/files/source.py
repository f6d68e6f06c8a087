"""Where things stand in the text of a JSON file: the line of every path, and keys that occur twice.

Python's reader tells neither. This one is slower and runs only when there is something to report.
"""

import json
import re
from collections.abc import Iterable, Sequence

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')


def find_duplicates(text: str) -> list[str]:
    """Name every key that stands twice in one object, with both lines."""
    return [
        f"{path}: the key occurs twice, on line {first} and on line {second}."
        for path, first, second in _walk(text)[1]
    ]


def lines_of(text: str, problems: Iterable[tuple[str, str]]) -> list[str]:
    """Put the line before each problem, a path and its words, as far as the path leads."""
    lines = _walk(text)[0]
    found: list[tuple[int, str]] = []
    for path, words in problems:
        line = lines.get(path) or lines.get(path.rpartition(".")[0]) or 1
        found.append((line, f"line {line}: {path}: {words}" if path else words))
    return [words for _, words in sorted(found, key=lambda one: one[0])]


def line_of_node(text: str, node: str) -> int:
    """Give the line on which the file of a flow or variant begins to tell of a node; 0 where none does."""
    lines = _walk(text)[0]
    return lines.get(f"nodes.{node}") or lines.get(f"set.{node}") or 0


def joined(path: str, key: str | int) -> str:
    """Lead a path on: `nodes.critic`, `wires[3]`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


class _Container:
    """A list or an object that the walk stands in."""

    def __init__(self, path: str, *, is_list: bool) -> None:
        self.path = path
        self.is_list = is_list
        self.index = 0
        self.key: str | None = None
        self.keys: dict[str, int] = {}

    def value_path(self) -> str:
        """The path of the value that comes next."""
        return joined(self.path, self.index if self.is_list else self.key or "")


def _walk(text: str) -> tuple[dict[str, int], Sequence[tuple[str, int, int]]]:
    """Read valid JSON token by token; gives the line of each path, and the keys that occur twice."""
    lines: dict[str, int] = {}
    duplicates: list[tuple[str, int, int]] = []
    within: list[_Container] = []
    line, position = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", position, token.start())
        position = token.start()
        mark = token[0]
        here = within[-1] if within else None
        if mark in "}]":
            within.pop()
        elif mark == "," and here is not None:
            here.index, here.key = here.index + 1, None
        elif here is not None and not here.is_list and here.key is None:
            here.key = str(json.loads(mark))
            path = here.value_path()
            if here.key in here.keys:
                duplicates.append((path, here.keys[here.key], line))
            here.keys[here.key] = lines[path] = line
        elif mark not in ",:":
            path = here.value_path() if here is not None else ""
            lines.setdefault(path, line)
            if mark in "{[":
                within.append(_Container(path, is_list=mark == "["))
    return lines, duplicates
