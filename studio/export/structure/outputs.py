"""How nodes give their outputs: from which function, at which of its fields, and what if it fails."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_type_hints

from studio.export.python.constants import Constants
from studio.export.python.lifter import Lifter
from studio.export.structure.called import MAY_BE_NOTHING, CalledFlow
from studio.export.structure.chart import Chart, Input
from studio.export.structure.conditions import Way
from studio.export.structure.rules import is_question
from studio.flow.graph import default_ports
from studio.flow.ports import ERROR, Structure
from studio.flow.records import Socket
from studio.ids import NodeId, PortName
from studio.sdk.node_type import MORE
from studio.sdk.ports import read_annotation
from studio.sdk.values import from_plain, to_plain

STEPS = "studio.export.lifted.steps"
BY_RULE = "control.branch"
"""The branch that exports as a function of its rules, instead of as a call of its own function."""


@dataclass(frozen=True, slots=True)
class Field:
    """Where one output of a node's function is found in what it returns; empty: all of it."""

    name: str
    is_optional: bool
    says_nothing: bool = False
    """Whether `NOTHING` stands in the place of a value that there is not, instead of `None`."""


class Outputs:
    """What the outputs of each node are made of."""

    def __init__(
        self,
        chart: Chart,
        lifter: Lifter,
        constants: Constants,
        variables: Mapping[NodeId, str],
        flows: Mapping[str, CalledFlow],
    ) -> None:
        self.chart = chart
        self.lifter = lifter
        self.constants = constants
        self.variables = variables
        self.flows = flows
        self._ways: dict[tuple[NodeId, str], Way] = {}

    def policy(self, node: NodeId) -> str:
        """What happens when the step of a node fails."""
        record = self.chart.record(node)
        is_area = self.chart.structure(node) in {Structure.LOOP, Structure.COLLECT}
        if record.run.state or not (is_area or self.may_fail(node)):
            return "fail"
        return record.run.on_error

    def may_fail(self, node: NodeId) -> bool:
        """Whether a node calls anything at all."""
        is_called = self.chart.type_of(node).function is not None and not self.is_constant(node)
        return is_called or self.called(node) is not None

    def called(self, node: NodeId) -> CalledFlow | None:
        """The flow that a node calls."""
        is_call = self.chart.structure(node) is Structure.SUBFLOW
        return self.flows.get(self.chart.registry.called_name(self.chart.record(node))) if is_call else None

    def lent(self, lender: NodeId) -> CalledFlow | None:
        """The flow that a node lends."""
        if not self.chart.signature(lender).is_binding:
            return None
        return self.flows.get(self.chart.registry.called_name(self.chart.record(lender)))

    def failure(self, node: NodeId) -> Way | None:
        """The variable that says whether a step failed; None where that ends the run or makes no odds."""
        policy = self.policy(node)
        if policy == "fail":
            return None
        outputs = set(self._spoken_for(node))
        if node in self.chart.owned:
            outputs = {one for one in outputs if self.chart.is_read(node, one)}
        is_whole = not any(node in self.chart.left(wire) for wire in self.chart.flow.wires)
        if policy == "default" and outputs <= set(self.stand_ins(node)) and is_whole:
            return None
        name = f"{self.variables[node]}_error"
        return self.way(node, ERROR, name, {"done": f"{name} is None", "failed": f"{name} is not None"})

    def stand_ins(self, node: NodeId) -> dict[str, Any]:
        """The outputs that stand in for those of a step that failed."""
        given = self.chart.record(node).run.default
        if self.policy(node) != "default":
            return {}
        types = {
            name: self.chart.output_type(Socket(node, PortName(name))) for name in self._spoken_for(node)
        }
        named = (
            given
            if isinstance(given, Mapping) and set(given) <= set(types)
            else {next(iter(types), ""): given}
        )
        return {name: from_plain(to_plain(one), types[name]) for name, one in named.items() if name in types}

    def _spoken_for(self, node: NodeId) -> list[str]:
        """The outputs that a default stands in for."""
        ports = [str(port.name) for port in self.chart.data_outputs(node)]
        return default_ports(self.chart.structure(node), ports)

    def choice(self, node: NodeId) -> Way:
        """The variable that says which case a branch chose."""
        name = self.variables[node]
        settings = self.chart.registry.settings(self.chart.record(node))
        tests = {str(port.name): f'{name} == "{port.name}"' for port in self.chart.data_outputs(node)}
        is_by_rule = self.chart.record(node).kind == BY_RULE
        if is_by_rule and is_question(settings["cases"]):
            tests = {"yes": name, "no": f"not {name}"}
        elif is_by_rule and settings["cases"][-1].when:
            tests[""] = f'{name} == ""'
        return self.way(node, "", name, tests)

    def given(self, node: NodeId, port: str) -> Way:
        """The way that says whether an output which may be absent has a value."""
        expression = self.field_of(node, port)
        tests = {"given": f"{expression} is not None", "none": f"{expression} is None"}
        if self.fields(node)[port].says_nothing:
            nothing = f"isinstance({expression}, {self.lifter.use(STEPS, 'Nothing')})"
            tests = {"given": f"not {nothing}", "none": nothing}
        return self.way(node, port, expression, tests)

    def way(self, node: NodeId, port: str, name: str, tests: Mapping[str, str]) -> Way:
        """One way for each of a node's outputs, the same whenever it is asked for."""
        key = (node, port)
        if key not in self._ways:
            self._ways[key] = Way(name, tests, len(self._ways))
        return self._ways[key]

    def is_constant(self, node: NodeId) -> bool:
        """Whether a node gives one of its settings as it is, and nothing else."""
        return self.constant_setting(node) is not None

    def constant_setting(self, node: NodeId) -> str | None:
        """The setting that a node gives as it is: its function is one `return` of a keyword."""
        kind = self.chart.type_of(node)
        if kind.function is None or kind.inputs or kind.context_name or kind.returns_fields:
            return None
        module, name = kind.function.__module__, kind.function.__name__
        found = self.lifter.definition(module, name).node
        if not isinstance(found, ast.FunctionDef):
            return None
        body = [one for one in found.body if not isinstance(one, ast.Expr)]
        match body:
            case [ast.Return(value=ast.Name(id=given))] if given in {one.name for one in kind.settings}:
                return given
            case _:
                return None

    def fields(self, node: NodeId) -> dict[str, Field]:
        """Where each output is found in what the node's function returns."""
        kind = self.chart.type_of(node)
        ports = [str(port.name) for port in self.chart.data_outputs(node)]
        called = self.called(node)
        if called is not None:
            return {str(one): field_of_output(called, one) for one in called.outputs}
        if kind.function is None:
            return {port: Field("", is_optional=False) for port in ports}
        returned = get_type_hints(kind.function, include_extras=True).get("return")
        read = read_annotation(returned)
        if isinstance(read.plain, type) and is_dataclass(read.plain):
            hints = get_type_hints(read.plain, include_extras=True)
            if kind.outputs_of is not None:  # dynamic outputs are called as the fields
                return {port: _dynamic(port, hints) for port in ports}
            names = [one.name for one in fields(read.plain)]
            return {
                port: Field(name, read_annotation(hints[name]).optional)
                for port, name in zip(ports, names, strict=False)
            }
        if kind.returns_fields:
            return {port: Field(f'["{port}"]', is_optional=False) for port in ports}
        return {port: Field("", read.optional) for port in ports}

    def field_of(self, node: NodeId, port: str) -> str:
        """The expression of one output in what the function of a node returned."""
        name = self.fields(node)[port].name
        variable = self.variables[node]
        return f"{variable}{name}" if name.startswith("[") else f"{variable}.{name}" if name else variable

    def passed(self, node: NodeId, port: str) -> Input | None:
        """The input that a bypassed node hands on: the first of the output's type."""
        kind = self.chart.output_type(Socket(node, PortName(port)))
        return next((one for one in self.chart.inputs(node) if one.type == kind), None)


def _dynamic(port: str, hints: Mapping[str, Any]) -> Field:
    if port in hints:
        return Field(port, read_annotation(hints[port]).optional)
    return Field(f'{MORE}["{port}"]', is_optional=True)


def field_of_output(called: CalledFlow, output: NodeId) -> Field:
    """Where an output of a called flow is found in what its function returns."""
    is_optional = output in called.optional
    kind = called.output_type(output)
    says_nothing = is_optional and not kind.depth and kind.base in MAY_BE_NOTHING
    return Field(called.variables[output] if called.record else "", is_optional, says_nothing)
