"""Text that can be written anywhere: lone surrogates neither reach SQLite, a file nor the clipboard."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a UTF-16 pair; Python text can hold it, UTF-8 can't."""


def normalise(text: str) -> str:
    """Join surrogates that stand as a pair, and replace each lone one by U+FFFD."""
    if SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def normalise_json(value: object) -> object:
    """Apply `normalise` to every text in a JSON value, keys included."""
    if isinstance(value, str):
        return normalise(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {normalise(str(key)): normalise_json(inner) for key, inner in items}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [normalise_json(inner) for inner in cast("Sequence[object]", value)]
    return value


class TextStream:
    """Normalises text that arrives in pieces, where a pair may be split between two of them."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Give what can be shown of `piece`; half a pair at its end is held back."""
        if not self._held and piece.isascii():
            return piece
        text = self._held + piece
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held = text[-1]
            text = text[:-1]
        return normalise(text)

    def finish(self) -> str:
        """Give what was held back."""
        rest, self._held = normalise(self._held), ""
        return rest
