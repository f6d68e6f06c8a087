"""What is said of a value that is not of the type that is wanted."""

from typing import Any

from studio.errors import ValueTypeError

TYPE_WORDS = {
    "str": "text",
    "bool": "a boolean",
    "int": "a number",
    "float": "a number",
    "list": "a list",
    "dict": "a JSON object",
    "NoneType": "nothing",
    "Message": "a message",
}
"""What values are called, by the name of their class."""


def misfit(value: Any, wanted: str) -> ValueTypeError:
    """Make the error that says what was wanted, and what came instead."""
    name = type(value).__name__
    try:
        said = "" if value is None else f": {value!r}"
    except Exception:  # noqa: BLE001  # what cannot even be shown is of the wrong type
        said = ""
    shown = said if len(said) <= 42 else f"{said[:41]}…"
    return ValueTypeError(f"Expected `{wanted}`, got {TYPE_WORDS.get(name, f'`{name}`')}{shown}.")
