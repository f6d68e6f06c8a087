"""Template: a text with gaps that other nodes fill.

Write `{{name}}` where something is to stand, and the node grows an input called `name`. Texts are put in
as they are, everything else as JSON. `{{verdict.reason}}` takes one field of a JSON value that arrives at
`verdict`.

```json
{
  "settings": {"template": "Seen on {{day}}: {{sighting.what}}."},
  "inputs": {"day": "4 May", "sighting": {"what": "a dunnock", "where": "hedge"}},
  "outputs": {"text": "Seen on 4 May: a dunnock."}
}
```
"""

from collections.abc import Sequence
from typing import Annotated

from studio.sdk import DynamicIn, Out, Port, Setting, dynamic_inputs, node, ports_named
from studio.sdk.prelude.templates import fill, placeholders


@node("text.template", title="Template", keywords=("prompt", "placeholder", "format"))
def template(
    *,
    template: Annotated[str, Setting("Template", editor="prompt", help="{{name}} makes an input")] = "",
    **inputs: Annotated[object, DynamicIn("One for each placeholder")],
) -> Annotated[str, Out("text", "The filled template")]:
    """Fill `template` with `inputs`."""
    return fill(template, inputs)


@dynamic_inputs(template)
def template_inputs(*, template: str) -> Sequence[Port]:
    """One input for each placeholder."""
    return ports_named(placeholders(template))
