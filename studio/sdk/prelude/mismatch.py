"""What is said of a value that is not of the type that is wanted."""

from collections.abc import Mapping

from studio.errors import ValueTypeError

SHOWN_LENGTH = 40
"""How many characters of a wrong value an error quotes."""

WORDS: Mapping[str, str] = {
    "str": "a text",
    "bool": "a flag",
    "int": "a number",
    "float": "a number",
    "list": "a list",
    "tuple": "a list",
    "dict": "a JSON object",
    "NoneType": "nothing",
    "Message": "a message",
    "PosixPath": "a file",
    "WindowsPath": "a file",
}
"""What values are called, by the name of their class."""


def mismatch(value: object, wanted: str) -> ValueTypeError:
    """Make the error that says what was wanted, and what came instead."""
    name = type(value).__name__
    quoted = _quoted(value)
    said = f": {quoted}" if quoted else ""
    return ValueTypeError(f"Expected `{wanted}`, got {WORDS.get(name, f'`{name}`')}{said}.")


def _quoted(value: object) -> str:
    try:
        said = "" if value is None else repr(value)
    except Exception:  # noqa: BLE001  # a value that cannot even be shown is still of the wrong type
        return ""
    return said if len(said) <= SHOWN_LENGTH else said[: SHOWN_LENGTH - 1] + "…"
