"""Expect: let a value pass if a rule holds.

The rule is an expression over `value`, and over `facts`, where something else is to decide:
`len(value) < 500 and "source" in lower(value)`, `facts["accepted"]`. Without one, the value has to be
something: not empty, not 0, not false.

The value leaves at `passed` or at `failed`, and the other is absent. Wire `passed` into a Loop's *done* and
`failed` into its *again*, and the loop goes round until the rule holds. Or let the step fail, and with it
the run, as an assertion does.

```json
{
  "settings": {"rule": "len(value) > 10", "says": "It is too short."},
  "inputs": {"value": "a wren"},
  "outputs": {"failed": "a wren", "ok": false, "score": 0.0, "reason": "It is too short."}
}
```
"""

from typing import Annotated

from pydantic import AfterValidator

from studio.building_blocks.answers.check_result import Checked, checked
from studio.building_blocks.settings.checks import CheckedValue, OnFailure, RuleFacts
from studio.sdk import Setting, node
from studio.sdk.expressions import expression_over, holds

DEPARTS = "It is not as expected."


@node("check.expect", title="Expect", keywords=("assert", "condition", "test", "rule", "must", "loop"))
def expect(
    value: CheckedValue,
    facts: RuleFacts = None,
    *,
    rule: Annotated[
        str,
        Setting(
            "Rule",
            editor="expression",
            help="Expression over value and facts; empty: passes if the value is not empty",
        ),
        AfterValidator(expression_over("value", "facts", optional=True)),
    ] = "",
    says: Annotated[
        str, Setting("Failure message", editor="text", help="The reason given if it fails")
    ] = DEPARTS,
    at_fault: OnFailure = "go on",
) -> Checked:
    """Let `value` pass where the rule holds."""
    is_so = holds(rule, {"value": value, "facts": facts}) if rule else bool(value)
    return checked(value, 1.0 if is_so else 0.0, "" if is_so else says, at_fault=at_fault)
