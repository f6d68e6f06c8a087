"""The formats of JSON Schema that are checked; others say something to people and language models alone."""

import re
from datetime import date, datetime, time
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from uuid import UUID

from jsonschema import FormatChecker
from jsonschema.exceptions import FormatError

MAIL = re.compile(r"[^@\s]+@[^@\s]+")
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")

EXAMPLES = {
    "date": "2026-05-03",
    "date-time": "2026-05-03T06:30:00Z",
    "time": "06:30:00Z",
    "email": "wren@example.org",
    "uri": "https://example.org/hedge",
    "uuid": "0b8f3c1e-5d1f-4a53-9f0a-3f1a0f7b7c11",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
}
"""The formats, each with a text that has it."""


class Formats(FormatChecker):
    """Checks the same formats on every machine, whatever else is installed there."""

    def check(self, instance: object, format: str) -> None:  # noqa: A002  # the library's name
        """Compare a text with its format; raises `FormatError`."""
        if isinstance(instance, str) and format in EXAMPLES and not has_format(instance, format):
            raise FormatError(f"should be a {format}, such as {EXAMPLES[format]}")


FORMATS = Formats(())


def has_format(text: str, wanted: str) -> bool:
    """Tell whether a text is written in one of the formats."""
    readers: dict[str, Any] = {"uuid": UUID, "ipv4": IPv4Address, "ipv6": IPv6Address}
    match wanted:
        case "email":
            return MAIL.fullmatch(text) is not None
        case "uri":
            return ADDRESS.fullmatch(text) is not None
        case "date":
            readers["date"] = date.fromisoformat
        case "date-time":
            readers["date-time"] = zoned
        case "time":
            readers["time"] = time.fromisoformat
        case _:
            pass
    try:
        readers[wanted](text)
    except ValueError:
        return False
    return wanted != "date" or len(text) == len(EXAMPLES["date"])


def zoned(text: str) -> datetime:
    """Read a point in time as RFC 3339 wants it, with its zone; raises `ValueError`."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None or "T" not in text.upper():
        raise ValueError(text)
    return found
