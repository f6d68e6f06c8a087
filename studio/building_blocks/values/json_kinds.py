"""What kind of JSON a value is, told to the type checker too."""

from typing import TypeGuard

from studio.sdk import Json


def is_list(value: Json) -> TypeGuard[list[Json]]:
    """Tell whether it is a list."""
    return isinstance(value, list)


def is_object(value: Json) -> TypeGuard[dict[str, Json]]:
    """Tell whether it is an object."""
    return isinstance(value, dict)


def is_number(value: Json) -> TypeGuard[float]:
    """Tell whether it is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
