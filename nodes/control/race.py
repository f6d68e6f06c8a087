"""Race: take the first value that arrives, and cancel the others.

Who fails or gives nothing is passed over, so a race is a way to ask several at once and to use whoever is
the quickest. When it is decided, steps that lead nowhere but into this race are stopped, or do not begin,
those inside loops and maps included.
Only when all have failed does the race fail, with the error of the first wire.

```json
{
  "settings": {},
  "ports": {"inputs": {"values": "T[]"}, "outputs": {"value": "T"}}
}
```
"""

from studio.sdk import Port, PortName, Structure, parse_type, structural

race = structural(
    "control.race",
    Structure.RACE,
    title="Race",
    inputs=(Port(PortName("values"), parse_type("T[]"), "values", "The competing values", many=True),),
    outputs=(Port(PortName("value"), parse_type("T"), "value", "The first value to arrive"),),
    keywords=("first", "fastest", "any", "timeout", "hedge", "parallel"),
)
