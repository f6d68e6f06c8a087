"""The cases of a branch or a router: what people call them, when they hold, and their ports."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from pydantic import ConfigDict

from studio.flow.ports import Port, PortType
from studio.ids import PortName, is_identifier, slug


@dataclass(frozen=True, slots=True)
class Case:
    """One case. `port` stays when the label is changed; left empty, it is made from the label.

    `when` is an expression or a description, as the node type says; empty, the case takes what no case
    before it took.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    label: str
    when: str = ""
    port: str = ""


def case_ports(cases: Sequence[Case]) -> tuple[PortName, ...]:
    """Name the port of each case, all different."""
    return _ports(tuple(cases))


@lru_cache(200)
def _ports(cases: tuple[Case, ...]) -> tuple[PortName, ...]:
    names: list[PortName] = []
    for case in cases:
        name = case.port if is_identifier(case.port) else case.label
        names.append(PortName(slug(name, names)))
    return tuple(names)


def case_outputs(cases: Sequence[Case], port_type: str = "T") -> tuple[Port, ...]:
    """Give one output for each case, labelled as people call it."""
    return tuple(
        Port(name, PortType(port_type), case.label, case.when, required=False)
        for name, case in zip(case_ports(cases), cases, strict=True)
    )


def checked_cases(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Validate: at least one case, each with a label; raises `ValueError`."""
    if not cases:
        raise ValueError("there is no case")
    for number, case in enumerate(cases, 1):
        if not case.label.strip():
            raise ValueError(f"case {number} has no label")
        if case.port and not is_identifier(case.port):
            raise ValueError(f"`{case.port}` is no port name")
    return cases
