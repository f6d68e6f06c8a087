"""What a person might put in the place of what a step read or gave."""

from typing import Any

from hypothesis import strategies as st

from studio.ids import StepId
from studio.runtime.gates.debug_gate import Phase
from tests.reference.generator import Case
from tests.reference.interpreter import Told

OTHER: dict[type, list[Any]] = {
    str: ["edited 1", "edited 7"],
    list: [[], ["edited 2"], ["e 3", "e 8", "e 4"]],
}
"""Other values of the same type, all of them texts or lists of texts."""

UNEDITED = {"kept", "history", "tools", "json", "thing", "numbers", "error", "parts"}
"""Ports at which values are of types that are not edited here."""


def places(case: Case, steps: dict[str, Told]) -> list[tuple[StepId, Phase, str, Any]]:
    """Where a run has texts and lists that may become others: step, side of its work, port, value."""
    found: list[tuple[StepId, Phase, str, Any]] = []
    for step, told in sorted(steps.items()):
        kind = case.node(step).kind
        phases: list[tuple[Phase, dict[str, Any]]] = [("before", told.inputs), ("after", told.outputs)]
        for phase, values in phases if told.status == "finished" else ():
            for port, value in values.items():
                is_there = kind != "io.flow_input" and type(value) in OTHER and port not in UNEDITED
                is_plain = not isinstance(value, list) or all(isinstance(one, str) for one in value)
                if is_there and is_plain:
                    found.append((StepId(step), phase, port, value))
    return found


@st.composite
def other_values(draw: st.DrawFn, value: Any) -> Any:
    """Another value of the same type."""
    return draw(st.sampled_from([one for one in OTHER[type(value)] if one != value]))
