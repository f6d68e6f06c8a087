"""Collect: collect the results of a For each, in list order.

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
        Setting("Failed items", help="Fail and stop the others, drop them, or keep the error as the value"),
    ] = "fail"
    absent: Annotated[
        Literal["drop", "null", "fail"],
        Setting("Items without a value", help="Drop them, use null, or fail"),
    ] = "drop"


collect = structural(
    "control.collect",
    Structure.COLLECT,
    title="Collect",
    inputs=(Port(PortName("value"), parse_type("T"), "value", "The result for one element", required=False),),
    outputs=(
        Port(PortName("values"), parse_type("T[]"), "values", "All results"),
        Port(PortName("kept"), parse_type("number[]"), "kept", "Their positions in the list"),
    ),
    settings=CollectSettings,
    keywords=("gather", "map", "reduce", "list"),
)
