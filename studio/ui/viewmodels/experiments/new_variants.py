"""What is typed for a setting of a variant, read as the setting has it now."""

import json
from collections.abc import Sequence

from studio.flow.records import Json


def read_value(typed: str, like: Json) -> Json:
    """Read a typed value: a flag, a number or a text, as `like` is; what is no such is left a text.

    The text is then refused with its line when the experiment is opened.
    """
    if isinstance(like, str):
        return typed
    word = {"true": "true", "false": "false", "yes": "true", "no": "false"}.get(typed.strip().casefold())
    try:
        return json.loads(word or typed)
    except ValueError:
        return typed


def present(chosen: str, offered: Sequence[str]) -> list[str]:
    """List what can be chosen, with what is chosen first where it is not offered; empty is nothing."""
    return [*([chosen] if chosen and chosen not in offered else []), *offered]
