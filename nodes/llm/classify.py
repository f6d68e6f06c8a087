r"""Classify: let a model choose a case for a text.

Each case has a label and, where the label does not say enough, a description of what belongs there. The
chosen case gets the text, the others get nothing.

```json
{
  "settings": {"cases": [{"label": "Bird", "when": "has feathers"}, {"label": "Moth"}]},
  "inputs": {"value": "A wren sang."},
  "chat": ["{\"case\": \"Bird\"}"],
  "outputs": {"bird": "A wren sang."}
}
```
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator

from studio.building_blocks.answers.schema_answers import read_structured
from studio.building_blocks.settings.models import ChatProfile, Repairs, StructuredBy
from studio.sdk import (
    ChatRequest,
    Context,
    Effect,
    In,
    Message,
    Port,
    Setting,
    Structure,
    dynamic_outputs,
    node,
)
from studio.sdk.branch_cases import Case, case_outputs, case_ports, checked_cases


def labelled_cases(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Validate the cases, whose labels the language model chooses from; raises `ValueError`."""
    labels = [case.label for case in checked_cases(cases)]
    if len(set(labels)) < len(labels):
        raise ValueError("two cases have the same label")
    return cases


@node(
    "llm.classify",
    title="Classify",
    structure=Structure.BRANCH,
    effect=Effect.PAID_READ,
    keywords=("route", "intent", "label", "switch"),
)
async def classify(
    context: Context,
    value: Annotated[str, In("The text to classify")],
    *,
    cases: Annotated[tuple[Case, ...], Setting("Cases", editor="cases"), AfterValidator(labelled_cases)] = (
        Case("Question", "asks for something", "question"),
        Case("Other", "", "other"),
    ),
    instructions: Annotated[
        str, Setting("Instructions", editor="text")
    ] = "Choose the case that fits the text best.",
    profile: ChatProfile = "",
    schema_by: StructuredBy = "auto",
    repairs: Repairs = 1,
) -> Mapping[str, str]:
    """Give `value` under the port of the case that was chosen."""
    described = "\n".join(
        f"- {case.label}: {case.when}" if case.when else f"- {case.label}" for case in cases
    )
    labels = [case.label for case in cases]
    schema = {
        "type": "object",
        "properties": {"case": {"type": "string", "enum": labels}},
        "required": ["case"],
        "additionalProperties": False,
    }
    messages = (Message("system", f"{instructions}\n\n{described}"), Message("user", value))
    request = ChatRequest(messages, response_schema=schema, schema_by=schema_by)
    answer = (await context.chat(request, profile=profile)).message
    data, _ = await read_structured(context, request, answer, profile=profile, repairs=repairs)
    return {case_ports(cases)[labels.index(data["case"])]: value}


@dynamic_outputs(classify)
def classify_outputs(*, cases: tuple[Case, ...], **_: object) -> Sequence[Port]:
    """One output for each case."""
    return case_outputs(cases, "text")
