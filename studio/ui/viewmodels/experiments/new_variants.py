"""What is typed for a setting of a variant, read as the setting has it now."""

import json

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
