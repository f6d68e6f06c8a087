"""Whether a value fits a JSON Schema, said in words with the place.

What checks is `schema_bounds`, imported when there is first a schema to check by: jsonschema takes longer to
import than all of the runtime.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any

SAID = 3
"""How many complaints are said at once."""


def mismatch(value: Any, schema: Mapping[str, Any], place: str = "the answer") -> str:
    """Say in a few sentences how `value` departs from a JSON Schema, empty when it does not."""
    if not schema:
        return ""
    from studio.bounds import schema_bounds  # late, as above

    return " ".join(islice(dict.fromkeys(schema_bounds.complaints(value, schema, place)), SAID))


def problem_of(schema: Any) -> str:
    """Say in a sentence why this is no JSON Schema that can be used, empty when it is."""
    from studio.bounds import schema_bounds  # late, as above

    return schema_bounds.problem_of(schema)
