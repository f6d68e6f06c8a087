"""Text files as items of a memory: their paths, their lines, and what is changed in them."""

from collections.abc import Sequence
from dataclasses import replace

from studio.building_blocks.memories.word_search import words_of
from studio.sdk import Item, Items, Recalled, ToolError

LONGEST_PATH = 200
"""Characters of a path."""

ROOT = "memories/"
"""Where language models that know such memories suppose the files to be; it may be left out."""


def path_in(given: object) -> str:
    """Read a path, as `notes/may.txt`; raises `ToolError` for one that is none. The root is empty."""
    path = str(given).strip().replace("\\", "/").strip("/")
    path = "" if path == ROOT.rstrip("/") else path.removeprefix(ROOT)
    parts = path.split("/") if path else []
    if len(path) > LONGEST_PATH or not path.isprintable() or any(one in {"", ".", ".."} for one in parts):
        raise ToolError(
            f"`{str(given)[:80]}` is no path.",
            hint=f"Write one such as notes/may.txt, of at most {LONGEST_PATH} characters, without `..`.",
        )
    return path


def below(items: Items, path: str) -> list[Item]:
    """The files in a folder, sorted by path."""
    start = f"{path}/" if path else ""
    return sorted((one for one in items.all() if one.id.startswith(start)), key=lambda one: one.id)


def at_path(items: Items, path: str) -> list[Item]:
    """The file at a path, or those in the folder that is there."""
    one = items.get(path)
    return [one] if one is not None else below(items, path)


def listed(items: Sequence[Item], path: str) -> str:
    """Name the files of a folder, with their sizes."""
    lines = [f"- {one.id} ({len(one.text):,} characters)" for one in items]
    return "\n".join([f"Files in {path or 'the memory'}:", *lines])


def numbered(text: str, first: int = 1, last: int = -1) -> str:
    """The lines from `first` to `last` (-1: to the end), numbered from 1."""
    lines = text.split("\n")
    end = len(lines) if last < 0 else min(last, len(lines))
    if not 1 <= first <= end:
        raise ToolError(f"There are no lines {first} to {last}: the file has {len(lines)}.")
    return "\n".join(f"{number:6}\t{lines[number - 1]}" for number in range(first, end + 1))


def replaced(text: str, old: str, new: str, path: str) -> str:
    """The text with `new` for `old`; raises `ToolError` where that is not there, or more than once."""
    count = text.count(old) if old else 0
    if count == 1:
        return text.replace(old, new)
    if not count:
        raise ToolError(f"`{path}` does not say that.", hint="Give the text just as it stands there.")
    numbers = [str(text.count("\n", 0, at) + 1) for at in places(text, old)]
    told = f"`{path}` says that {count} times, in lines {', '.join(numbers)}."
    raise ToolError(told, hint="Give more of what is around it.")


def places(text: str, part: str) -> list[int]:
    """Where a part begins in a text, without overlaps."""
    found: list[int] = []
    at = text.find(part)
    while at >= 0:
        found.append(at)
        at = text.find(part, at + len(part))
    return found


def inserted(text: str, line: int, new: str) -> str:
    """The text with `new` as lines after line `line` (0: at the beginning); raises `ToolError`."""
    lines = text.split("\n") if text else []
    if not 0 <= line <= len(lines):
        raise ToolError(f"There is no line {line}: the file has {len(lines)}.")
    return "\n".join([*lines[:line], *new.removesuffix("\n").split("\n"), *lines[line:]])


def excerpt(found: Recalled, query: str, most: int) -> Recalled:
    """Of a file with more than so many characters the lines around the one that says most of the query."""
    if len(found.item.text) <= most:
        return found
    lines, words = found.item.text.split("\n"), words_of(query)
    said = [sum(word in line.casefold() for word in words) for line in lines]
    first = last = said.index(max(said))
    size = len(lines[first])
    while (first or last < len(lines) - 1) and size <= most:
        if last < len(lines) - 1:
            last += 1
            size += len(lines[last]) + 1
        if first and size <= most:
            first -= 1
            size += len(lines[first]) + 1
    text = "\n".join(lines[first : last + 1])[:most]
    why = f"{found.why}; lines {first + 1} to {last + 1} of {len(lines)}"
    return replace(found, item=replace(found.item, text=text), why=why)
