"""Which tools were called in a conversation, and with what."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from studio.sdk import Message, StepError


@dataclass(frozen=True, slots=True)
class Called:
    """A call: the tool, and what it was given; None wants no arguments in particular."""

    name: str
    arguments: Mapping[str, Any] | None = field(default=None)


def calls_in(value: Any) -> list[Called]:
    """The calls in a message, in messages, or in a list of names, or of objects; raises `StepError`."""
    found: list[Called] = []
    for one in cast("Sequence[Any]", value if isinstance(value, list | tuple) else [value]):
        if isinstance(one, Message):
            found += [Called(call.name, read_arguments(call.arguments)) for call in one.tool_calls]
        elif isinstance(one, str):
            found.append(Called(one))
        elif isinstance(one, Mapping):
            found += calls_of(cast("Mapping[str, Any]", one))
        else:
            message = "Calls must be messages, names of tools, or objects with `name` and `arguments`."
            raise StepError(message, hint="Wire the messages of an agent, or a list of calls.")
    return found


def calls_of(plain: Mapping[str, Any]) -> list[Called]:
    """The calls of a message that is JSON, or the one call that an object is."""
    if "role" in plain:
        called = plain.get("tool_calls")
        return calls_in(called) if isinstance(called, list) else []
    if isinstance(plain.get("function"), Mapping):  # as endpoints write calls
        plain = plain["function"]
    given = plain.get("arguments")
    return [Called(str(plain.get("name", "")), None if given is None else read_arguments(given))]


def read_arguments(given: Any) -> Mapping[str, Any]:
    """The arguments, perhaps as the text that language models write; what is no object is none."""
    try:
        read = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", read) if isinstance(read, Mapping) else {}
