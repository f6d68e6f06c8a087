"""The door to the checks of JSON Schema: much refers to them that seldom has a schema to check by."""

from collections.abc import Iterable, Mapping
from typing import Any


def complaints(value: Any, schema: Mapping[str, Any], place: str) -> Iterable[str]:
    """Say how `value` departs from a schema; see `schema_bounds`."""
    # Late: jsonschema takes longer to import than all of the runtime.
    from studio.sdk.prelude import schema_bounds

    return schema_bounds.complaints(value, schema, place)


def problem_of(schema: Any) -> str:
    """Say in a sentence why this is no JSON Schema that can be used, empty when it is."""
    from studio.sdk.prelude import schema_bounds  # late, as above

    return schema_bounds.problem_of(schema)
