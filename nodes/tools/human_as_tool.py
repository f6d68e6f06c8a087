r"""Human as tool: a person as a tool: an agent can ask questions.

The agent asks in its own words, and waits until somebody answers. It may be told by the description what the
person knows and decides. With choices, the answer is one of them; with a form, the agent gets all that the
person filled in, as JSON.

```json
{
  "settings": {"description": "Ask the warden of the reserve."},
  "answers": [{"answer": "By the pond."}],
  "calls": [{"tool": "ask_person", "arguments": {"question": "Where was the heron?"}}],
  "outputs": {"tool": ["By the pond."]}
}
```
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator

from studio.building_blocks.settings.tools import ToolDescription, ToolName
from studio.sdk import Context, Effect, Form, Json, Setting, Tool, Yields, binding
from studio.sdk.schema_ports import answer_form
from studio.sdk.templates import as_text

QUESTION = {
    "type": "object",
    "properties": {"question": {"type": "string", "description": "The question for the person"}},
    "required": ["question"],
    "additionalProperties": False,
}


@binding(
    "tools.human_as_tool",
    title="Human as tool",
    effect=Effect.PAID_READ,
    keywords=("person", "ask", "question", "expert", "help", "user"),
)
async def human_as_tool(
    context: Context,
    *,
    name: ToolName = "ask_person",
    description: ToolDescription = (
        "Ask the person who runs this. Use it where you cannot know or decide something yourself."
    ),
    choices: Annotated[
        tuple[str, ...], Setting("Choices", editor="list", help="Allowed answers; empty: any text")
    ] = (),
    form: Annotated[
        dict[str, Json],
        Setting("Form", editor="schema", help="Form fields instead of a single answer"),
        AfterValidator(answer_form),
    ] = {},  # noqa: B006  # read, never written
) -> Yields[Tool]:
    """Lend the person."""

    async def ask(arguments: Mapping[str, object]) -> str:
        """Wait for the answer."""
        question = str(arguments["question"])
        if form:
            return as_text(dict(await context.ask(Form(question, form))))
        given = await context.ask(form_of(question, choices))
        return str(given.get("answer", ""))

    yield Tool(name, description, QUESTION, ask, Effect.PAID_READ, runs_steps=True)


def form_of(question: str, choices: tuple[str, ...]) -> Form:
    """Make the form: a text, or one of the choices."""
    if not choices:
        return Form(question)
    answer = {"type": "string", "title": "Answer", "enum": list(choices)}
    return Form(question, {"type": "object", "properties": {"answer": answer}, "required": ["answer"]})
