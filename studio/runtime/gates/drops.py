"""How edits say what a person leaves out: a step that is dropped, and outputs that are to give nothing.

Before its work a dropped step is skipped, `then` included; after it, it has happened, and `outputs_edited`
names the outputs that give nothing. A dropped call of a tool is not made, or not heard: whoever called reads
so in words. A dropped chat takes the step along that asks, without retries, for nothing could stand in its
place; a dropped map its collects.

A fork, a replay and a run that goes on do all this again: edits name such outputs under `-`, which no port is
called, and with none of them the step itself; under `!` stands in the place of which error of the step they
are.
"""

from collections.abc import Mapping
from typing import Final

from studio.flow.records import Json
from studio.runtime.values import ABSENT, USER, Absent, Resolved, Value, shown_all
from studio.trace.events import OutputsEdited

NOT_CALLED: Final = "A person dropped this call. It was not made."
NOT_HEARD: Final = "A person dropped what this call said."

NOTHING: Final = "-"
"""Where edits name the ports that give nothing, beside those with values; without any, the step is dropped.

No port is called so.
"""


AT_ERROR: Final = "!"
"""Where edits say in the place of which error of their step they are, from 1; 0 for none. No port is that.

Without it they are in the place of the first, or of what the step gave where it does not fail.
"""


def in_place_of_call(phase: str) -> dict[str, Resolved]:
    """What is said to whoever called a tool whose call was dropped, before it or when it was answered."""
    return {"answer": Value(NOT_CALLED if phase == "before" else NOT_HEARD, USER)}


def gone_from(edited: Mapping[str, Json]) -> dict[str, Absent]:
    """The ports that are to give nothing, as edits name them."""
    named = edited.get(NOTHING)
    return dict.fromkeys((str(port) for port in named), ABSENT) if isinstance(named, list) else {}


def added(before: Mapping[str, Json], later: Mapping[str, Json]) -> dict[str, Json]:
    """Edits of a step to which others were made later: what was given last stands, or stands no more."""
    gone_before, gone_later = gone_from(before), gone_from(later)
    gone: list[Json] = [*(port for port in gone_before if port not in later), *gone_later]
    edits = {**{port: one for port, one in before.items() if port not in gone_later}, **later}
    if gone_before or gone_later:
        edits[NOTHING] = gone
        if not gone:
            del edits[NOTHING]
    if AT_ERROR in before and AT_ERROR in later:
        edits[AT_ERROR] = before[AT_ERROR] or later[AT_ERROR]
    return edits


def is_drop(edited: Mapping[str, Json]) -> bool:
    """Whether edits say that the step is dropped."""
    return edited.get(NOTHING) == []


def outputs_edited(edited: Mapping[str, Resolved]) -> OutputsEdited:
    """The event of outputs that a person changed, or took away."""
    gone = tuple(port for port, value in edited.items() if not isinstance(value, Value))
    return OutputsEdited(shown_all(edited), gone)


def sent_again(edited: Mapping[str, Resolved], outputs: Mapping[str, Resolved]) -> dict[str, Resolved]:
    """Edits of outputs; a value that they send another way is still made from what it was made from."""
    value = next((one for one in outputs.values() if isinstance(one, Value)), None)
    if value is None or not any(isinstance(one, Absent) for one in edited.values()):
        return dict(edited)
    return {
        port: Value(one.data, value.labels | USER)
        if isinstance(one, Value) and one.data == value.data
        else one
        for port, one in edited.items()
    }


def sent_to(port: str, outputs: Mapping[str, Resolved]) -> dict[str, Resolved]:
    """What stands at outputs when the value of the first that has one leaves at `port`, and nowhere else."""
    value = next((one for one in outputs.values() if isinstance(one, Value)), None)
    if value is None:
        return {}
    return {**dict.fromkeys(outputs, ABSENT), port: Value(value.data, value.labels | USER)}
