r"""Extract: extract parts of a text or JSON value.

*JMESPath* asks JSON: `birds[0].name`; its language is described at jmespath.org. A text is read as JSON
first. *Regular expression* is Python's; a match is its text, or the list of its groups, or an object where
groups have names. *Code block* takes the fenced code out of an answer, of one language or of any.

A pattern has half a second, and finds 10,000 matches at most. `First only` gives the first match instead of
a list of all.

```json
{
  "inputs": {"value": "wren: 2, dunnock: 11"},
  "settings": {"by": "regular expression", "query": "(?P<name>\\w+): (?P<count>\\d+)"},
  "outputs": {"found": [{"name": "wren", "count": "2"}, {"name": "dunnock", "count": "11"}]}
}
```
"""

import json
import re
from typing import Annotated, Any, Literal

import jmespath

from studio.bounds.patterns import matches_of
from studio.sdk import In, Json, Out, Setting, StepError, node
from studio.sdk.templates import as_text

BLOCK = re.compile(r"^(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n`]*\n(.*?)^\1[`~]*[ \t]*$", re.DOTALL | re.MULTILINE)
MATCHES = 10_000
"""How many matches are looked for."""

By = Literal["jmespath", "regular expression", "code block"]
Missing = Literal["fail", "null"]


@node(
    "text.extract",
    title="Extract",
    keywords=("jmespath", "regex", "regular expression", "code", "match", "find", "query", "json"),
    heavy=True,
)
def extract(
    value: Annotated[Json, In("A text, or a JSON value")],
    *,
    by: Annotated[By, Setting("Extract by")] = "jmespath",
    query: Annotated[
        str, Setting("Query", editor="text", help="JMESPath expression, pattern, or language")
    ] = "",
    first: Annotated[
        bool, Setting("First only", help="For patterns and code blocks: one match instead of a list")
    ] = False,
    missing: Annotated[
        Missing, Setting("If nothing is found", help="Fail, or return null (patterns: an empty list)")
    ] = "null",
) -> Annotated[Json, Out("found", "The match or matches")]:
    """Find what `query` asks for in `value`."""
    match by:
        case "jmespath":
            return extract_by_jmespath(value, query=query, missing=missing)
        case "regular expression":
            return extract_by_pattern(value, query=query, first=first, missing=missing)
        case "code block":
            return extract_code(value, query=query, first=first, missing=missing)


def extract_by_jmespath(value: Json, *, query: str = "", missing: Missing = "null") -> Json:
    """Ask a JSON value, or the JSON of a text; raises `StepError`."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            message = f"The text is not JSON: {error}."
            raise StepError(message, hint="Put Parse JSON before it, which finds JSON in prose.") from error
    # The library is not typed; it gives what JSON can say.
    ask: Any = jmespath
    try:
        found: Json = ask.search(query or "@", value)
    except (ask.exceptions.JMESPathError, RecursionError) as error:
        said = " ".join(str(error).split())
        message = f"The query failed: {said}."
        raise StepError(message, hint="jmespath.org describes the query language.") from error
    if found is None and missing == "fail":
        message = "The query found nothing."
        raise StepError(message, hint="Check it against the incoming value.")
    return found


def extract_by_pattern(
    value: Json, *, query: str = "", first: bool = False, missing: Missing = "null"
) -> Json:
    """Find a pattern in a text; raises `StepError`."""
    return chosen(matches_of(query, as_text(value), 1 if first else MATCHES), first, missing)


def extract_code(value: Json, *, query: str = "", first: bool = False, missing: Missing = "null") -> Json:
    """Take what stands in code blocks, of the language `query` or of any."""
    blocks = BLOCK.finditer(as_text(value))
    found: list[Json] = [one[3].removesuffix("\n") for one in blocks if query in {"", one[2]}]
    return chosen(found, first, missing)


def chosen(found: list[Json], first: bool, missing: Missing) -> Json:  # noqa: FBT001  # a setting handed on
    """Give all that was found, or the first of it; raises `StepError` where nothing was and has to be."""
    if not found and missing == "fail":
        message = "Nothing was found."
        raise StepError(message, hint="Check the query against the incoming text.")
    if first:
        return found[0] if found else None
    return found
