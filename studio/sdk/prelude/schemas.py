"""Whether a value fits a JSON Schema, said in words with the place."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from studio.sdk.prelude.schema_complaints import complaints

SAID = 3
"""How many complaints are said at once."""


def mismatch(value: Any, schema: Mapping[str, Any], place: str = "the answer") -> str:
    """Say in a few sentences how `value` departs from a JSON Schema, empty when it does not."""
    said = dict.fromkeys(complaints(value, schema, place) if schema else ())
    return " ".join(islice(said, SAID))
