"""For each: run the body for every element of a list, or of several lists in parallel.

What `item` and `index` lead to runs once for each element, several at a time, until a Collect gathers what
came out, in the order of the list. Each further list has an input of its own, and an output with the element
at the same place: a list `ages` gives `ages_item`. All lists must be equally long.

A time limit holds for all items together. What becomes of failed items is told to the Collect.

```json
{
  "settings": {"at_once": 4, "more": ["ages"]},
  "ports": {
    "inputs": {"items": "T[]", "ages": "T[]"},
    "outputs": {"item": "T", "ages_item": "T", "index": "number"}
  }
}
```
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator

from studio.ids import slug
from studio.sdk import Port, PortName, PortType, Setting, Structure, item_port, parse_type, structural


def named_lists(names: tuple[str, ...]) -> tuple[str, ...]:
    """Validate the names of further lists; raises `ValueError`."""
    for number, name in enumerate(names, 1):
        if not name.strip():
            raise ValueError(f"list {number} has no name")
    return names


class ForEachSettings:
    """What a For each is told."""

    at_once: Annotated[
        int, Setting("Parallel", minimum=1, maximum=1_000, help="Items processed at the same time")
    ] = 8
    more: Annotated[
        tuple[str, ...],
        Setting("More lists", editor="list", help="One name per line; all lists must have the same length"),
        AfterValidator(named_lists),
    ] = ()


def for_each_inputs(*, more: tuple[str, ...] = (), **_: object) -> Sequence[Port]:
    """One list for each further name, each of a type of its own."""
    return tuple(
        Port(port, PortType(f"T_{port}", 1), name, "A list to iterate over together with items")
        for port, name in zip(list_ports(more), more, strict=True)
    )


def list_ports(names: Sequence[str]) -> Sequence[PortName]:
    """Name the input of each further list, all different."""
    taken = ["items"]
    for name in names:
        taken.append(slug(name, taken))
    return [PortName(name) for name in taken[1:]]


def for_each_outputs(*, more: tuple[str, ...] = (), **_: object) -> Sequence[Port]:
    """The elements at one place of all lists, and that place."""
    return (
        Port(PortName("item"), parse_type("T"), "item", "The current element"),
        *(
            Port(
                item_port(port),
                PortType(f"T_{port}"),
                f"{name} item",
                f"The element of {name} at this position",
            )
            for port, name in zip(list_ports(more), more, strict=True)
        ),
        Port(PortName("index"), parse_type("number"), "index", "Position in the list, from 0"),
    )


for_each = structural(
    "control.for_each",
    Structure.FOR_EACH,
    title="For each",
    inputs=(Port(PortName("items"), parse_type("T[]"), "items", "The list to iterate over"),),
    settings=ForEachSettings,
    inputs_of=for_each_inputs,
    outputs_of=for_each_outputs,
    keywords=("map", "scatter", "list", "parallel", "batch", "zip"),
)
