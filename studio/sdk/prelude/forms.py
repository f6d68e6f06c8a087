"""Answers that a person types, a line for each field of a form."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import cast

TRUE = frozenset({"y", "yes", "true", "1"})
FALSE = frozenset({"n", "no", "false", "0"})


def read_answer(text: str, schema: Mapping[str, object]) -> object:
    """Read what a person typed as a value of a field's JSON Schema; raises `ValueError` in words for them."""
    choices = schema.get("enum")
    if isinstance(choices, list):
        for choice in cast("list[object]", choices):
            if text.casefold() == str(choice).casefold():
                return choice
        raise ValueError(f"Choose one of {_joined(cast('list[object]', choices))}.")
    match schema.get("type", "string"):
        case "string":
            return text
        case "boolean":
            if text.casefold() in TRUE | FALSE:
                return text.casefold() in TRUE
            raise ValueError("Answer yes or no.")
        case "integer" | "number" as kind:
            with suppress(ValueError):
                return int(text)
            with suppress(ValueError):
                if kind == "number":
                    return float(text)
            raise ValueError(
                "This has to be a whole number." if kind == "integer" else "This has to be a number."
            )
        case _:
            try:
                return json.loads(text)
            except ValueError:
                raise ValueError("This has to be written as JSON.") from None


def field_prompt(name: str, schema: Mapping[str, object]) -> str:
    """Say what is wanted for a field: its title, what may be chosen, its default."""
    title = str(schema.get("title", name))
    choices = schema.get("enum")
    if isinstance(choices, list):
        title += f" ({_joined(cast('list[object]', choices))})"
    elif schema.get("type") == "boolean":
        title += " (yes, no)"
    default = schema.get("default")
    return title if default is None else f"{title} [{default}]"


def _joined(choices: list[object]) -> str:
    return ", ".join(str(choice) for choice in choices)
