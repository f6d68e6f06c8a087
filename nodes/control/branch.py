"""Branch: route a value by rules.

Cases are tried in order; the first whose rule holds gets the value, the others get nothing, and what hangs
on them is skipped. A rule is an expression over `value`, and over `facts`, where something else is to
decide: `facts["accepted"]`, `len(value) > 200`, `matches(lower(value), "frost|snow")`. A case without a
rule takes all that is left.

```json
{
  "settings": {"cases": [{"label": "Long", "when": "len(value) > 10"}, {"label": "Short"}]},
  "inputs": {"value": "a dunnock in the hedge"},
  "outputs": {"long": "a dunnock in the hedge"}
}
```
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator

from studio.sdk import In, Port, Setting, Structure, T, dynamic_outputs, node
from studio.sdk.branch_cases import Case, case_outputs, case_ports, checked_cases
from studio.sdk.expressions import compile_expression, expression_over
from studio.sdk.values import to_plain

NAMES = ("value", "facts")


def rule_cases(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Validate the cases and their rules; raises `ValueError`."""
    check = expression_over(*NAMES)
    for case in checked_cases(cases)[:-1]:
        if not case.when:
            raise ValueError(f"`{case.label}` has no rule, so later cases are never reached")
    for case in cases:
        try:
            check(case.when or "True")
        except ValueError as error:
            raise ValueError(f"`{case.label}`: {error}") from error
    return cases


@node(
    "control.branch", title="Branch", structure=Structure.BRANCH, keywords=("if", "switch", "route", "else")
)
def branch(
    value: Annotated[T, In("The value to route")],
    facts: Annotated[object, In("Additional data for the rules")] = None,
    *,
    cases: Annotated[tuple[Case, ...], Setting("Cases", editor="cases"), AfterValidator(rule_cases)] = (
        Case("Yes", "value", "yes"),
        Case("No", "", "no"),
    ),
) -> Mapping[str, T]:
    """Give `value` under the port of the first case that holds."""
    names = {"value": to_plain(value), "facts": to_plain(facts)}
    for port, case in zip(case_ports(cases), cases, strict=True):
        if not case.when or compile_expression(case.when, NAMES).evaluate(names):
            return {port: value}
    return {}


@dynamic_outputs(branch)
def branch_outputs(*, cases: tuple[Case, ...]) -> Sequence[Port]:
    """One output for each case."""
    return case_outputs(cases)
