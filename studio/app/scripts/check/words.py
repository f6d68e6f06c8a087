"""Where two requests or values first differ, and that in words."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from studio.flow.plain_text import on_one_line

AROUND, MOST = 30, 90
"""Characters before the place at which texts differ, and of the whole excerpt."""

Difference: TypeAlias = tuple[str, Any, Any]

ASKS: Mapping[str, str] = {
    "chat": "calls the model",
    "embed": "requests embeddings",
    "ask": "asks a person",
    "code": "runs code",
    "read": "reads a memory",
}


def first_difference(said: Any, recorded: Any, path: str = "") -> Difference | None:
    """Give the place at which two values first differ, with what stands there in either."""
    if _canonical(said) == _canonical(recorded):
        return None
    if isinstance(said, Mapping) and isinstance(recorded, Mapping):
        one, other = cast("Mapping[str, Any]", said), cast("Mapping[str, Any]", recorded)
        for name in (*other, *(extra for extra in one if extra not in other)):
            found = first_difference(one.get(name), other.get(name), f"{path}.{name}" if path else name)
            if found is not None:
                return found
    if isinstance(said, list) and isinstance(recorded, list):
        ones, others = cast("list[Any]", said), cast("list[Any]", recorded)
        for index in range(max(len(ones), len(others))):
            one, other = (side[index] if index < len(side) else None for side in (ones, others))
            found = first_difference(one, other, f"{path}[{index}]")
            if found is not None:
                return found
    return path, cast("object", said), cast("object", recorded)


def what(sort: str, request: Any) -> str:
    """What is done, after “the script”."""
    if sort == "tool":
        return f"calls the tool `{request['tool']}`"
    if sort == "write":
        how = {"put": "writes to", "remove": "removes from"}.get(request["operation"], "uses an item of")
        return f"{how} the memory `{request['memory']}`"
    return f"does `{request['kind']}`" if sort == "step" else ASKS[sort]


def gist(sort: str, request: Any) -> str:
    """What of a request tells people most, in quotes."""
    match sort:
        case "chat":
            messages = request["messages"]
            told = messages[-1]["content"] if messages else ""
        case "tool" | "code":
            told = request.get("arguments")
        case "ask":
            told = request["question"]
        case "embed":
            told = request["texts"]
        case "read":
            told = request["query"]
        case "write":
            told = request["item"]
        case _:
            told = request["given"]
    return excerpts(told, "")[0]


def place_in_words(sort: str, path: str, request: Any) -> str:
    """Name the place in a request at which it differs."""
    if sort == "chat" and path.startswith("messages["):
        number, _, rest = path.removeprefix("messages[").partition("]")
        messages = request["messages"]
        role = messages[int(number)]["role"] if int(number) < len(messages) else ""
        part = rest.strip(".")
        told = f"message {int(number) + 1}" + (f" ({role})" if role else "")
        return told if part in {"", "content"} else f"{told}, {part}"
    return path.removeprefix("given.") or "the whole"


def excerpts(said: Any, recorded: Any) -> tuple[str, str]:
    """Write two values in one line each, from shortly before they differ."""
    one, other = (_written(side) for side in (said, recorded))
    pairs = enumerate(zip(one, other, strict=False))
    same = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    is_long = max(len(one), len(other)) > MOST and recorded != ""
    start = max(0, same - AROUND) if is_long else 0
    return _cut(one, start, said), _cut(other, start, recorded)


def _canonical(value: object) -> str:
    """Write a value so that equal ones are written alike: `2` and `2.0` are equal, `1` and `true` are not."""
    return json.dumps(_even(value), sort_keys=True, ensure_ascii=False)


def _even(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _even(one) for name, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_even(one) for one in cast("Sequence[Any]", value)]
    return value


def _written(value: Any) -> str:
    return "" if value is None else on_one_line(value)


def _cut(text: str, start: int, value: Any) -> str:
    if value is None:
        return "nothing"
    piece = text[start : start + MOST]
    return f"“{'…' if start else ''}{piece}{'…' if start + MOST < len(text) else ''}”"
