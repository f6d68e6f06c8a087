"""The checks that a case can ask for: which there are, and what they compare with."""

from collections.abc import Iterable, Sequence

from studio.flow.ports import Port
from studio.ids import PortName
from studio.sdk.node import NodeType

FOLDER = "check"
COMPARED_WITH = ("wanted", "reference", "facts")
"""The inputs of checks that may have what is expected, the one or the other."""
AT_FAULT = "at_fault"
"""The setting by which a check may fail its run; one that scores never does."""
VALUE = PortName("value")


def check_kinds(types: Sequence[NodeType]) -> list[NodeType]:
    """The node types that check a value, those whose verdict a case can ask for."""
    return [
        one
        for one in types
        if one.category == FOLDER and one.function is not None and VALUE in {port.name for port in one.inputs}
    ]


def compared_with(inputs: Iterable[Port]) -> PortName | None:
    """The one of a check's inputs at which it is given what is expected; None where it needs nothing."""
    names = {port.name for port in inputs}
    return next((PortName(one) for one in COMPARED_WITH if one in names), None)
