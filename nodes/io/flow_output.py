"""Flow output: a value returned by the flow.

Its id is the output's name: what arrives at the node `answer` is the run's output `answer`. When nothing
arrives, because a branch went another way, the output is missing.

```json
{"settings": {}, "ports": {"inputs": {"value": "any"}, "outputs": {}}}
```
"""

from typing import Annotated

from studio.sdk import Port, PortName, PortType, Setting, Structure, structural


class FlowOutputSettings:
    """What a flow output is told."""

    label: Annotated[str, Setting("Label", help="Label of the output; empty: the node's title")] = ""


flow_output = structural(
    "io.flow_output",
    Structure.FLOW_OUTPUT,
    title="Flow output",
    inputs=(Port(PortName("value"), PortType("any"), "value", "The value to return"),),
    settings=FlowOutputSettings,
    keywords=("result", "return", "answer", "end"),
)
