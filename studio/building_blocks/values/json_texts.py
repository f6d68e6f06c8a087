"""Texts that may be JSON."""

import json

from studio.sdk import Json


def read_value(text: str) -> Json:
    """A text as the JSON that it is, or else as it stands."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
