"""Collect: gather what a For each did with every element, in the order of the list.

`kept` says of each value at which place of the list its element stood.

When an item fails, the others are stopped and the map has failed, unless failed items are left out or their
errors kept. An error policy speaks for that failure: a default takes the place of the list, and the run goes
on.

```json
{
  "settings": {"failed": "drop", "absent": "null"},
  "ports": {"inputs": {"value": "T"}, "outputs": {"values": "T[]", "kept": "number[]"}}
}
```
"""

from typing import Annotated, Literal

from studio.sdk import Port, PortName, Setting, Structure, parse_type, structural


class CollectSettings:
    """What a Collect is told."""

    failed: Annotated[
        Literal["fail", "drop", "keep"],
        Setting(
            "Failed items", help="Fail and stop the others, leave them out, or keep the error as the value"
        ),
    ] = "fail"
    absent: Annotated[
        Literal["drop", "null", "fail"],
        Setting("Items without a value", help="Leave them out, put nothing in their place, or fail"),
    ] = "drop"


collect = structural(
    "control.collect",
    Structure.COLLECT,
    title="Collect",
    inputs=(Port(PortName("value"), parse_type("T"), "value", "What came of one element", required=False),),
    outputs=(
        Port(PortName("values"), parse_type("T[]"), "values", "What came of all of them"),
        Port(PortName("kept"), parse_type("number[]"), "kept", "At which places of the list they stood"),
    ),
    settings=CollectSettings,
    keywords=("gather", "map", "reduce", "list"),
)
