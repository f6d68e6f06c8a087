"""Answers that a person types, a line for each field of a form."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import cast

TRUE = frozenset({"y", "yes", "true", "1"})
FALSE = frozenset({"n", "no", "false", "0"})


def read_answer(text: str, schema: Mapping[str, object]) -> object:
    """Read what a person typed as a value of a field's JSON Schema; raises `ValueError` in words for them."""
    choices = choices_of(schema)
    if choices:
        for choice, words in choices:
            if text.casefold() in {str(choice).casefold(), words.casefold()}:
                return choice
        raise ValueError(f"Choose one of {', '.join(words for _, words in choices)}.")
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
    choices = choices_of(schema)
    if choices:
        title += f" ({', '.join(words for _, words in choices)})"
    elif schema.get("type") == "boolean":
        title += " (yes, no)"
    default = schema.get("default")
    return title if default is None else f"{title} [{default}]"


def choices_of(schema: Mapping[str, object]) -> list[tuple[object, str]]:
    """What a field may be, each with its words: `enum`, or `oneOf` with `const` and `title`."""
    values = cast("list[object]", schema.get("enum") or [])
    names = cast("list[object]", schema.get("enumNames") or [])
    if values:
        return [(one, str(names[place] if place < len(names) else one)) for place, one in enumerate(values)]
    parts = cast("list[Mapping[str, object]]", schema.get("oneOf") or [])
    if not all("const" in part for part in parts):
        return []
    return [(part["const"], str(part.get("title", part["const"]))) for part in parts]
