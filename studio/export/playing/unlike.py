"""Where two requests or values first differ, and that in words."""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeAlias, cast

from studio.export.playing.playbook import Asked, Unlike
from studio.flow.plain_text import on_one_line

AROUND, MOST = 30, 90
"""Characters before the place at which texts differ, and of the whole excerpt."""

Difference: TypeAlias = tuple[str, Any, Any]

ASKS = {
    "chat": "calls the model",
    "embed": "requests embeddings",
    "ask": "asks a person",
    "code": "runs code",
    "read": "reads a memory",
}


def canonical(value: object) -> str:
    """Write a value so that equal ones are written alike: `2` and `2.0` are equal, `1` and `true` are not."""
    return json.dumps(_even(value), sort_keys=True, ensure_ascii=False)


def first_difference(said: Any, recorded: Any, path: str = "") -> Difference | None:
    """Give the place at which two values first differ, with what stands there in either."""
    if canonical(said) == canonical(recorded):
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


def nearest(sort: str, request: Any, others: Sequence[Asked]) -> Asked | None:
    """Give the one of these that is most like a request; of several the first."""
    best, score = None, -1.0
    for one in others:
        if one.sort == sort and (alike := _alike(request, one.request)) > score:
            best, score = one, alike
    return best


def other_request(sort: str, request: Any, recorded: Asked) -> Unlike:
    """Say how a request differs from the recorded one that it is most like."""
    path, said, was = first_difference(request, recorded.request) or ("", request, recorded.request)
    place = place_in_words(sort, path, recorded.request)
    one, other = excerpts(said, was)
    head = f"{recorded.title}: the script {what(sort, request)}"
    sentence = f"{head} differently, at {place}: {one} in the script, {other} in the recording."
    return Unlike("request", sentence, recorded.step, recorded.title, place, said, was)


def extra_request(sort: str, request: Any, like: Asked | None) -> Unlike:
    """Say that a script asks for what the recording has nothing of."""
    told, _ = excerpts(gist(sort, request), "")
    if like is None:
        sentence = f"The script {what(sort, request)}, but nothing in the recording does: {told}."
        return Unlike("extra", sentence, script=request)
    sentence = f"{like.title}: the script {what(sort, request)} more often than the recording: {told}."
    return Unlike("extra", sentence, like.step, like.title, script=request)


def missing_request(recorded: Asked) -> Unlike:
    """Say that a script never asks for what the recording has."""
    told, _ = excerpts(gist(recorded.sort, recorded.request), "")
    does = what(recorded.sort, recorded.request)
    sentence = f"{recorded.title}: the recording {does}, the script does not: {told}."
    return Unlike("missing", sentence, recorded.step, recorded.title, recording=recorded.request)


def other_outputs(said: Any, recorded: Any) -> Unlike:
    """Say which output differs."""
    path, one, other = first_difference(said, recorded) or ("", said, recorded)
    name, _, rest = path.partition(".")
    place = f"the output `{name}`{f', {rest}' if rest else ''}" if name else "the outputs"
    told, was = excerpts(one, other)
    return Unlike(
        "output",
        f"At {place}: {told} in the script, {was} in the recording.",
        place=place,
        script=one,
        recording=other,
    )


def what(sort: str, request: Any) -> str:
    """What is done, after “the script”."""
    if sort == "tool":
        return f"calls the tool `{request['tool']}`"
    if sort == "write":
        how = "writes to" if request["operation"] == "put" else "removes from"
        return f"{how} the memory `{request['memory']}`"
    return f"does `{request['kind']}`" if sort == "step" else ASKS[sort]


def gist(sort: str, request: Any) -> Any:
    """What of a request tells people most."""
    match sort:
        case "chat":
            messages = request["messages"]
            return messages[-1]["content"] if messages else ""
        case "tool" | "code":
            return request["arguments"]
        case "ask":
            return request["question"]
        case "embed":
            return request["texts"]
        case "read":
            return request["query"]
        case "write":
            return request["item"]
        case _:
            return request["given"]


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
    same = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    start = max(0, same - AROUND) if max(len(one), len(other)) > MOST and recorded != "" else 0
    return _cut(one, start, said), _cut(other, start, recorded)


def _written(value: Any) -> str:
    return "" if value is None else on_one_line(value)


def _cut(text: str, start: int, value: Any) -> str:
    if value is None:
        return "nothing"
    piece = text[start : start + MOST]
    return f"“{'…' if start else ''}{piece}{'…' if start + MOST < len(text) else ''}”"


def _even(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _even(one) for name, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_even(one) for one in cast("Sequence[Any]", value)]
    return value


def _alike(request: Any, other: Any) -> float:
    """How much two requests have in common: the parts that are equal, then their texts."""
    ones, others = (list(_parts(one)) for one in (request, other))
    equal = sum(a == b for a, b in zip(ones, others, strict=False))
    rest = SequenceMatcher(None, canonical(request)[-2000:], canonical(other)[-2000:], autojunk=False)
    return equal / max(len(ones), len(others), 1) + rest.quick_ratio()


def _parts(request: Any) -> Iterator[str]:
    for name, value in request.items():
        if isinstance(value, list):
            yield from (canonical(one) for one in cast("list[Any]", value))
        else:
            yield f"{name}: {canonical(value)}"
