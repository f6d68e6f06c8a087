r"""Schema: let a value pass if it fits a JSON Schema.

A text is read as JSON first, unless the schema asks for a text. The reason says what does not fit, and where.
The value leaves as it came, at `passed` or at `failed`; the other is absent. The score is 1 or 0.

Where what does not fit is to be an error, and JSON is to be found among words, take Parse JSON. A chat with
fields under *Answer as* is checked already.

```json
{
  "settings": {"schema": {"type": "object", "properties": {"count": {"type": "integer"}}}},
  "inputs": {"value": "{\"count\": \"two\"}"},
  "outputs": {"ok": false, "score": 0.0, "reason": "`count` of the value should be of type integer."}
}
```
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator

from studio.bounds.schemas import mismatch
from studio.building_blocks.answers.check_result import Checked, checked
from studio.building_blocks.settings.checks import CheckedValue, OnFailure
from studio.sdk import Json, Setting, node
from studio.sdk.schema_ports import json_schema


@node("check.schema", title="Schema", keywords=("validate", "json", "structure", "fields"), heavy=True)
def schema_check(
    value: CheckedValue,
    *,
    schema: Annotated[
        Mapping[str, Json],
        Setting("Schema", editor="schema", help="JSON Schema of the value; empty: any JSON"),
        AfterValidator(json_schema),
    ] = {},
    at_fault: OnFailure = "go on",
) -> Checked:
    """Let `value` pass where it fits the schema."""
    problem = misfit_of(value, schema)
    reason = problem[:1].upper() + problem[1:]
    return checked(value, 0.0 if problem else 1.0, reason, at_fault=at_fault)


def misfit_of(value: Any, schema: Mapping[str, Any]) -> str:
    """Say how a value departs from a schema, a text by the JSON that it is; empty where it does not."""
    read = value
    if isinstance(value, str) and schema.get("type") != "string":
        try:
            read = json.loads(value)
        except (ValueError, RecursionError) as error:
            return f"The text is not JSON: {error}."
    return mismatch(read, schema, "the value")
