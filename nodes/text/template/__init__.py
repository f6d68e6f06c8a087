"""Template: a text template, filled from other nodes.

Write `{{name}}` where something is to stand, and the node grows an input called `name`. Texts are put in
as they are, everything else as JSON. `{{verdict.reason}}` takes one field of a JSON value that arrives at
`verdict`.

With `Language` on *jinja*, `{% if sighting.what %} … {% else %} … {% endif %}` and
`{% for one in birds %} … {{ one.name | upper }} … {% endfor %}` work as in Jinja, with `loop.index` and
`loop.last`, tests such as `is defined`, and the filters `json join upper lower trim capitalize title length
first last default sort reverse unique list round int float abs items`. There are no assignments, macros and
calls, and no arithmetic: a Formula computes.

```json
{
  "settings": {"template": "Seen on {{day}}: {{sighting.what}}."},
  "inputs": {"day": "4 May", "sighting": {"what": "a dunnock", "where": "hedge"}},
  "outputs": {"text": "Seen on 4 May: a dunnock."}
}
```
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from nodes.text.template.jinja import asked_for, render
from studio.errors import SettingsError
from studio.ids import is_identifier
from studio.sdk import DynamicIn, Out, Port, Setting, dynamic_inputs, node, ports_named
from studio.sdk.templates import fill, placeholders


@node("text.template", title="Template", keywords=("prompt", "placeholder", "format"))
def template(
    *,
    template: Annotated[str, Setting("Template", editor="prompt", help="{{name}} becomes an input")] = "",
    language: Annotated[
        Literal["placeholders", "jinja"], Setting("Language", help="Jinja has conditions and loops")
    ] = "placeholders",
    **inputs: Annotated[object, DynamicIn("One for each placeholder")],
) -> Annotated[str, Out("text", "The filled template")]:
    """Fill `template` with `inputs`."""
    return (fill if language == "placeholders" else render)(template, inputs)


@dynamic_inputs(template)
def template_inputs(*, template: str, language: str) -> Sequence[Port]:
    """One input for each placeholder."""
    if language == "placeholders":
        return ports_named(placeholders(template))
    problem = "Template: "
    try:
        names = asked_for(template)
    except ValueError as error:
        problem += str(error)
        raise SettingsError("The template cannot be read.", [problem]) from error
    wrong = [
        f"{problem}`{name}` cannot be an input: use lowercase letters"
        for name in names
        if not is_identifier(name)
    ]
    if wrong:
        raise SettingsError("The template cannot be read.", wrong)
    return ports_named(names)
