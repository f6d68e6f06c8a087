"""Approve: a person approves, edits or rejects a value.

What passes, as it was or edited, leaves at `approved`; what was edited leaves at `edited` as well, and what
was rejected at `rejected` alone, so that a loop can take it back to whoever made it, with the `reason`.
Editing can be forbidden, or held to a schema; texts, numbers, flags, objects and lists can be edited.

```json
{
  "inputs": {"value": "The heron is back.", "question": "May this be sent?"},
  "answers": [{"decision": "edit", "value": "The herons are back.", "reason": "There were two."}],
  "outputs": {
    "approved": "The herons are back.",
    "edited": "The herons are back.",
    "reason": "There were two."
  }
}
```
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import AfterValidator

from studio.building_blocks.answers.approvals import approval_form
from studio.sdk import Context, Form, In, Json, Out, Setting, StepError, node
from studio.sdk.schema_ports import json_schema
from studio.sdk.values import to_plain


@dataclass(frozen=True, slots=True)
class Decided:
    """What the person decided; what does not apply is absent."""

    approved: Annotated[Any | None, Out("approved", "The approved value, as it was or edited", type="T")]
    edited: Annotated[Any | None, Out("edited", "The edited value, if the person edited it", type="T")]
    rejected: Annotated[Any | None, Out("rejected", "The value, if it was rejected", type="T")]
    reason: Annotated[str | None, Out("reason", "The reason, if there is one")]


@node(
    "human.approve",
    title="Approve",
    keywords=("accept", "reject", "review", "confirm", "permission", "edit", "person"),
)
async def approve(
    context: Context,
    value: Annotated[Any, In("The value to approve", type="T")],
    question: Annotated[str, In("The question for the person")] = "May this go on?",
    *,
    may_edit: Annotated[
        bool, Setting("Can be edited", help="Whether the person can edit the value before approving it")
    ] = True,
    needs_reason: Annotated[
        bool, Setting("Rejection needs a reason", help="Otherwise a reason is optional")
    ] = True,
    form: Annotated[
        dict[str, Json],
        Setting("Edited value", editor="json", help="JSON Schema of an edited value; empty: any"),
        AfterValidator(json_schema),
    ] = {},  # noqa: B006  # read, never written
) -> Decided:
    """Show the value, and wait for the decision."""
    plain = to_plain(value)
    can_edit = may_edit and plain == value  # messages and files are more than their JSON
    schema = approval_form(plain, form, may_edit=can_edit, needs_reason=needs_reason)
    given: Mapping[str, Any] = await context.ask(Form(question, schema))
    reason = cast("str | None", given.get("reason") or None)
    match given["decision"]:
        case "edit" if can_edit:
            return Decided(given["value"], given["value"], None, reason)
        case "reject":
            return Decided(None, None, value, reason)
        case "edit":
            raise StepError("This value cannot be edited: approve or reject it.")
        case _:
            return Decided(value, None, None, reason)
