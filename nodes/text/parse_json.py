r"""Parse JSON: parse JSON from a text.

Language models wrap their JSON in words and code blocks, and leave a comma behind the last element. With
`Repair` on, a code block is looked into, words around an object or a list are left out, and such commas
are dropped; nothing else is guessed. With a schema, what does not fit it is an error that says where.

```json
{
  "inputs": {"text": "Here it is:\n{\"accepted\": true, \"tags\": [\"pond\",],}"},
  "outputs": {"value": {"accepted": true, "tags": ["pond"]}}
}
```
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator

from studio.bounds.schemas import mismatch
from studio.building_blocks.answers.schema_answers import FENCED
from studio.sdk import In, Json, Out, Setting, StepError, node
from studio.sdk.schema_ports import json_schema

LOOSE_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
STARTS = 50
"""How many brackets in a text are tried as the beginning of its JSON."""


@node(
    "text.parse_json",
    title="Parse JSON",
    keywords=("read", "structured", "repair", "decode", "schema"),
    heavy=True,
)
def parse_json_text(
    text: Annotated[str, In("Text that is or contains JSON")],
    *,
    repair: Annotated[bool, Setting("Repair", help="Find JSON inside prose and code blocks")] = True,
    schema: Annotated[
        Mapping[str, Json],
        Setting("Schema", editor="schema", help="JSON Schema of the value; empty: anything"),
        AfterValidator(json_schema),
    ] = {},
) -> Annotated[Json, Out("value", "The parsed value")]:
    """Read the JSON in `text`; raises `StepError` where there is none, or none of `schema`."""
    problem = ""
    for candidate in candidates(text) if repair else (text,):
        try:
            value = read_strictly(candidate)
        except ValueError as error:
            problem = problem or f"The text is not JSON: {error}."
            continue
        problem = mismatch(value, schema, "the JSON")
        if problem:
            raise StepError(problem[:1].upper() + problem[1:], hint="Change the schema, or the prompt.")
        return value
    raise StepError(problem, hint="Ask for JSON only, or use a structured answer in the chat node.")


def candidates(text: str) -> Iterator[str]:
    """Give what may be JSON in `text`: as it is, in code blocks, among words; commas mended after that."""
    found = [text, *FENCED.findall(text)]
    yield from found
    for whole in found:
        mended = LOOSE_COMMA.sub(r"\1", whole)
        yield mended
        for start in [at for at, one in enumerate(mended) if one in "{["][:STARTS]:
            end = end_of_value(mended, start)
            if end:
                yield mended[start:end]


def end_of_value(text: str, start: int) -> int:
    """Where the object or list ends that begins at `start`; 0 where none does."""
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return 0


def read_strictly(text: str) -> Any:
    """Read JSON; raises `ValueError` for what Python's reader takes beyond it."""

    def refuse(constant: str) -> object:
        message = f"`{constant}` is not a JSON number"
        raise ValueError(message)

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError:
        message = "it is nested too deep"
        raise ValueError(message) from None
