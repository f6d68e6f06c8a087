"""Set fields: set fields in a copy of a JSON object.

Each line of `Fields` names a place, with dots for places within: `verdict.accepted`. Each makes an input,
called as its place with `_` for dots. Without an object, a new one is made.

```json
{
  "inputs": {"into": {"day": "4 May", "seen": {"what": "wren"}}, "seen_count": 2, "day": "5 May"},
  "settings": {"places": ["seen.count", "day"]},
  "outputs": {"object": {"day": "5 May", "seen": {"what": "wren", "count": 2}}}
}
```
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator

from studio.building_blocks.values.json_paths import with_value_at
from studio.ids import is_identifier
from studio.sdk import DynamicIn, In, Json, Out, Port, PortName, PortType, Setting, dynamic_inputs, node


def field_places(places: tuple[str, ...]) -> tuple[str, ...]:
    """Validate the places of fields; raises `ValueError`."""
    taken: dict[str, str] = {}
    for place in places:
        name = place.replace(".", "_")
        if not is_identifier(name) or ".." in f".{place}.":
            raise ValueError(f"`{place}` cannot be an input: use lowercase letters, digits, `_`, and dots")
        if name in taken:
            raise ValueError(f"`{place}` and `{taken[name]}` make the same input")
        taken[name] = place
    return places


@node(
    "value.set_fields",
    title="Set fields",
    keywords=("object", "assign", "update", "merge", "record", "build"),
)
def set_fields(
    into: Annotated[Json, In("The object to start from; otherwise empty")] = None,
    *,
    places: Annotated[
        tuple[str, ...],
        Setting("Fields", editor="list", help="One path per line, such as verdict.accepted"),
        AfterValidator(field_places),
    ] = (),
    **fields: Annotated[Json, DynamicIn("One for each field")],
) -> Annotated[Json, Out("object", "The copy with the fields set")]:
    """Put each of `fields` at its place in a copy of `into`."""
    made: Json = {} if into is None else into
    for place in places:
        made = with_value_at(made, place, fields[place.replace(".", "_")])
    return made


@dynamic_inputs(set_fields)
def set_fields_inputs(*, places: tuple[str, ...]) -> Sequence[Port]:
    """One input for each field."""
    return tuple(
        Port(PortName(place.replace(".", "_")), PortType("json"), place, f"What is put at `{place}`")
        for place in places
    )
