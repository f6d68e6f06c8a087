"""Values as a reader wants them on a card: text as it stands, a list of things by its number, never JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import on_one_line

translate = QCoreApplication.translate
MOST = 480
"""Characters that are read of a value at most."""
_LONGEST = 20_000
"""Characters of a text that is looked at for JSON."""
_SHORT = 60
"""Characters up to which the elements of a list are said themselves."""


def told(value: object, things: str = "") -> str:
    """Say a plain value in at most `MOST` characters; `things` is what the elements of a list are called."""
    if isinstance(value, str):
        return value[:MOST]
    if isinstance(value, bool):
        return translate("value", "yes") if value else translate("value", "no")
    if isinstance(value, Mapping):
        return _fields(cast("Mapping[str, object]", value))
    if isinstance(value, Sequence):
        return _elements(cast("Sequence[object]", value), things)
    return "" if value is None else on_one_line(value)


def read(text: str) -> str:
    """The same of a text that may be JSON; any other text as it stands."""
    try:
        return told(json.loads(text)) if len(text) <= _LONGEST else text
    except (ValueError, RecursionError):
        return text


def _fields(value: Mapping[str, object]) -> str:
    """`verdict: yes, reason: …`, each field in short."""
    said = [f"{name.replace('_', ' ')}: {told(one)}" for name, one in value.items()]
    return ", ".join(said)[:MOST] or translate("value", "nothing")


def _elements(value: Sequence[object], things: str) -> str:
    """Short plain elements themselves; else how many there are."""
    if not value:
        return translate("value", "none")
    if not any(isinstance(one, Mapping | list | tuple) for one in value):
        listed = ", ".join(told(one) for one in value[:20])
        if len(listed) <= _SHORT and len(value) <= 20:
            return listed
    if len(value) == 1:
        return told(value[0])
    return f"{len(value)} {things or translate('value', 'items')}"


def plural_in(*names: str) -> str:
    """The first of some names that is a plural, in small letters: what the elements of a list are called."""
    words = (name.replace("_", " ").rpartition(" ")[2].casefold() for name in names)
    return next((word for word in words if word.endswith("s") and not word.endswith("ss")), "")
