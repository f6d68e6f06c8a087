"""Flow input: a value passed to the flow when it is run.

Its id is the input's name: the node `question` is given with `--input question=…`, and is a field of the
form above the canvas. With a default, nothing needs to be given.

```json
{
  "settings": {"type": "text", "default": "Which birds were seen?"},
  "ports": {"inputs": {}, "outputs": {"value": "text"}}
}
```
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator

from studio.sdk import Json, Port, PortName, Setting, Structure, parse_type, structural


def data_type(text: str) -> str:
    """Validate the name of a type that a value can have; raises `ValueError`."""
    found = parse_type(text)
    if found.is_binding or found.is_variable:
        raise ValueError(f"`{text}` is not a value type")
    return text


class FlowInputSettings:
    """What a flow input is told."""

    type: Annotated[str, Setting("Type", editor="type"), AfterValidator(data_type)] = "text"
    label: Annotated[str, Setting("Label", help="Label in the form; empty: the node's title")] = ""
    help: Annotated[str, Setting("Help", editor="text", help="Shown below the field")] = ""
    default: Annotated[Json, Setting("Default", editor="json", help="Used if no value is given")] = None
    example: Annotated[Json, Setting("Example", editor="json", help="Shown in the empty field")] = None


def flow_input_outputs(*, type: str = "text", **_: object) -> Sequence[Port]:  # noqa: A002  # the setting's name
    """The value, of the type that the settings say."""
    return (Port(PortName("value"), parse_type(type), "value", "The given value"),)


flow_input = structural(
    "io.flow_input",
    Structure.FLOW_INPUT,
    title="Flow input",
    settings=FlowInputSettings,
    outputs_of=flow_input_outputs,
    keywords=("argument", "parameter", "question", "start"),
)
