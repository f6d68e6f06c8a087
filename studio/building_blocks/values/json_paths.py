"""Places in JSON values, written with dots: `verdict.reasons.0`."""

from collections.abc import Sequence

from studio.building_blocks.values.json_kinds import is_list, is_object
from studio.sdk import Json, StepError


def value_at(value: Json, path: str) -> Json:
    """Take what stands at `path`; a list is counted from 0, from its end with -1. Raises `StepError`."""
    for part in parts_of(path):
        try:
            value = value[part] if is_object(value) else _listed(value)[int(part)]
        except (LookupError, TypeError, ValueError):
            message = f"There is no `{part}` for `{path}`."
            raise StepError(message, hint="Check the path against the incoming value.") from None
    return value


def with_value_at(value: Json, path: str, new: Json) -> Json:
    """Give a copy in which `new` stands at `path`; objects on the way are made where there are none.

    Raises `StepError` where the way leads through something that is neither an object nor a list.
    """
    return _replaced(value, parts_of(path), new, path)


def parts_of(path: str) -> list[str]:
    """Cut a path at its dots; an empty one is the whole value."""
    return path.split(".") if path else []


def _replaced(value: Json, parts: Sequence[str], new: Json, path: str) -> Json:
    if not parts:
        return new
    part, *rest = parts
    if value is None:
        value = {}
    if is_object(value):
        return {**value, part: _replaced(value.get(part), rest, new, path)}
    try:
        copied, place = list(_listed(value)), int(part)
        copied[place] = _replaced(copied[place], rest, new, path)
    except (LookupError, TypeError, ValueError):
        message = f"Nothing can be put at `{part}` for `{path}`."
        raise StepError(message, hint="Check the path against the incoming value.") from None
    return copied


def _listed(value: Json) -> list[Json]:
    if not is_list(value):
        message = "only lists have numbered places"
        raise TypeError(message)
    return value
