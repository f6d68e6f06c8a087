"""Ask a person: wait until a person answers a question.

Without a form, the answer is one text. A form is a JSON Schema of an object; its fields are what may be
filled in, and `answers` has them all.

```json
{
  "inputs": {"question": "Which hedge was it?"},
  "answers": [{"answer": "The one by the pond."}],
  "outputs": {"answer": "The one by the pond.", "answers": {"answer": "The one by the pond."}}
}
```
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

from studio.sdk import Context, Form, In, Json, Out, Setting, node
from studio.sdk.schema_ports import answer_form
from studio.sdk.templates import as_text


@dataclass(frozen=True, slots=True)
class Answered:
    """What the person filled in."""

    answer: Annotated[str, Out("answer", "The first field, as text")]
    answers: Annotated[Json, Out("answers", "All fields of the form")]


@node("human.ask", title="Ask a person", keywords=("form", "input", "approve", "question", "wait"))
async def ask(
    context: Context,
    question: Annotated[str, In("The question for the person")],
    *,
    form: Annotated[
        dict[str, Json],
        Setting("Form", editor="schema", help="The fields to fill in; empty: one text field"),
        AfterValidator(answer_form),
    ] = {},  # noqa: B006  # read, never written
) -> Answered:
    """Ask, and wait for the filled form."""
    answers: Mapping[str, object] = await context.ask(Form(question, form) if form else Form(question))
    first = next(iter(answers.values()), "")
    return Answered(as_text(first), dict(answers))  # pyright: ignore[reportArgumentType]  # forms are JSON
