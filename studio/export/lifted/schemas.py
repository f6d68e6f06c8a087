"""JSON Schema in exported scripts: `jsonschema` as it is, where the studio bounds what a schema may take.

Lifted into scripts as it stands, in the place of `studio.sdk.prelude.schema_complaints`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for  # pyright: ignore[reportUnknownVariableType]
from referencing import Registry

from studio.sdk.prelude.schema_formats import FORMATS
from studio.sdk.prelude.schema_words import sentence


def complaints(value: Any, schema: Mapping[str, Any], place: str) -> Iterator[str]:
    """Say how `value` departs from a schema; what it refers to elsewhere is not fetched."""
    kind = cast("Any", validator_for)(schema, default=Draft202012Validator)
    formats = None
    if '"format"' in json.dumps(schema, default=dict):  # only with: "format"
        formats = FORMATS
    validator = kind(schema, registry=Registry[Any](), format_checker=formats)
    for error in validator.iter_errors(value):
        yield sentence(error, place)
