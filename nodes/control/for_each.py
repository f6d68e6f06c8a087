"""For each: do the same with every element of a list.

What `item` and `index` lead to runs once for each element, several at a time, until a Collect gathers what
came out, in the order of the list.

```json
{
  "settings": {"at_once": 4},
  "ports": {"inputs": {"items": "T[]"}, "outputs": {"item": "T", "index": "number"}}
}
```
"""

from typing import Annotated

from studio.sdk import Port, PortName, Setting, Structure, parse_type, structural


class ForEachSettings:
    """What a For each is told."""

    at_once: Annotated[
        int, Setting("At once", minimum=1, maximum=1_000, help="Items worked on at a time")
    ] = 8


for_each = structural(
    "control.for_each",
    Structure.FOR_EACH,
    title="For each",
    inputs=(Port(PortName("items"), parse_type("T[]"), "items", "The list to go through"),),
    outputs=(
        Port(PortName("item"), parse_type("T"), "item", "One element"),
        Port(PortName("index"), parse_type("number"), "index", "Its place in the list, from 0"),
    ),
    settings=ForEachSettings,
    keywords=("map", "scatter", "list", "parallel", "batch"),
)
