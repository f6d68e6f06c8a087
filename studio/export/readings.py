"""What stands at each socket of a flow, as Python: when there is a value, and how it is read."""

import ast
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_type_hints

from studio.export.chart import Chart, Input, ports_after
from studio.export.conditions import ALWAYS, NEVER, Condition, Way, all_of, any_of, when
from studio.export.constants import Constants
from studio.export.lifter import Lifter
from studio.flow.ports import (
    ERROR,
    THEN,
    Conversion,
    PortType,
    Refusal,
    Structure,
    conversion,
)
from studio.flow.records import Socket, Wire
from studio.ids import NodeId, PortName
from studio.sdk.node_type import NodeType
from studio.sdk.ports import read_annotation
from studio.sdk.values import from_plain, to_plain

STEPS = "studio.export.script_steps"
BY_RULE = "control.branch"
"""The branch that exports as a function of its rules, instead of as a call of its own function."""
FORMULA = "value.formula"
"""The node that exports as a function of its expression."""

PLAIN = frozenset({"text", "number", "flag", "json"})
"""Types whose values are JSON as they stand."""
EXPECTED: Mapping[str, str] = {
    "text": "expect_text",
    "number": "expect_number",
    "flag": "expect_flag",
    "message": "expect_message",
    "file": "expect_file",
    "image": "expect_file",
}
ANNOTATIONS: Mapping[str, str] = {"text": "str", "number": "float", "flag": "bool"}


@dataclass(frozen=True, slots=True)
class Field:
    """Where one output of a node's function is found in what it returns; empty: all of it."""

    name: str
    is_optional: bool


class Readings:
    """Presence and expression of every socket, each worked out once."""

    def __init__(
        self, chart: Chart, lifter: Lifter, constants: Constants, variables: Mapping[NodeId, str]
    ) -> None:
        self.chart = chart
        self.lifter = lifter
        self.constants = constants
        self.variables = variables
        self._runs: dict[NodeId, Condition] = {}
        self._ways: dict[tuple[NodeId, str], Way] = {}

    # --- when ----------------------------------------------------------------------------------------------

    def runs(self, node: NodeId) -> Condition:
        """When the step of a node takes place, seen from the whole flow."""
        if node not in self._runs:
            self._runs[node] = self._run_condition(node)
        return self._runs[node]

    def present(self, socket: Socket) -> Condition:
        """When there is a value at an output."""
        chart, node, port = self.chart, socket.node, str(socket.port)
        if node in chart.owned:
            owner = chart.owned[node].owner
            return self.runs(owner) if owner is not None else NEVER
        runs = self.runs(node)
        if port == THEN or runs == NEVER:
            return runs
        if chart.record(node).run.state == "bypassed":
            passed = self._passed(node, port)
            return runs & self.arrives(node, passed) if passed is not None else NEVER
        failing = self.failure(node)
        if port == ERROR:
            return runs & when(failing, "failed") if failing is not None else NEVER
        if failing is not None and (self.policy(node) == "output" or port not in self.stand_ins(node)):
            runs &= when(failing, "done")
        if chart.structure(node) is Structure.BRANCH:
            return runs & when(self.choice(node), port)
        if chart.structure(node) is None and self.fields(node)[port].is_optional:
            return runs & when(self._given(node, port), "given")
        return runs

    def arrives(self, node: NodeId, one: Input) -> Condition:
        """When a value arrives at an input, or was typed there."""
        if not one.wires:
            return ALWAYS if one.port.name in self.chart.record(node).inputs else NEVER
        found = [self.present(wire.source) for wire in one.wires]
        return any_of(found) if one.port.many else found[0]

    def _run_condition(self, node: NodeId) -> Condition:
        chart = self.chart
        if chart.record(node).run.state == "muted":
            return NEVER
        region = chart.owned.get(node)
        around = chart.tree.of(node) if region is None else region.parent
        conditions = [ALWAYS if around is None or around.owner is None else self.runs(around.owner)]
        conditions += [self.present(wire.source) for wire in ports_after(chart, node)]
        for one in chart.inputs(node):
            if region is not None and one.port.name in {"again", "done", "also"}:
                continue
            if one.port.required:
                conditions.append(self.arrives(node, one))
        return all_of(conditions)

    def policy(self, node: NodeId) -> str:
        """What happens when the step of a node fails."""
        record = self.chart.record(node)
        if node in self.chart.owned or record.run.state or not self.may_fail(node):
            return "fail"
        return record.run.on_error

    def may_fail(self, node: NodeId) -> bool:
        """Whether a node calls anything at all."""
        return self.chart.type_of(node).function is not None and not self.is_constant(node)

    def failure(self, node: NodeId) -> Way | None:
        """The variable that says whether a step failed; None where that ends the run or makes no odds."""
        policy = self.policy(node)
        if policy == "fail":
            return None
        outputs = {str(port.name) for port in self.chart.data_outputs(node)}
        if policy == "default" and outputs <= set(self.stand_ins(node)):
            return None
        name = f"{self.variables[node]}_error"
        return self._way(node, ERROR, name, {"done": f"{name} is None", "failed": f"{name} is not None"})

    def stand_ins(self, node: NodeId) -> dict[str, Any]:
        """The outputs that stand in for those of a step that failed."""
        given = self.chart.record(node).run.default
        if self.policy(node) != "default":
            return {}
        types = {
            str(port.name): self.chart.output_type(Socket(node, port.name))
            for port in self.chart.data_outputs(node)
        }
        named = (
            given
            if isinstance(given, Mapping) and set(given) <= set(types)
            else {next(iter(types), ""): given}
        )
        return {name: from_plain(to_plain(one), types[name]) for name, one in named.items() if name in types}

    def choice(self, node: NodeId) -> Way:
        """The variable that says which case a branch chose."""
        name = self.variables[node]
        settings = self.chart.registry.settings(self.chart.record(node))
        tests = {str(port.name): f'{name} == "{port.name}"' for port in self.chart.data_outputs(node)}
        if self.chart.record(node).kind == BY_RULE and settings["cases"][-1].when:
            tests[""] = f'{name} == ""'
        return self._way(node, "", name, tests)

    def _given(self, node: NodeId, port: str) -> Way:
        expression = self._field_of(node, port)
        return self._way(
            node, port, expression, {"given": f"{expression} is not None", "none": f"{expression} is None"}
        )

    def _way(self, node: NodeId, port: str, name: str, tests: Mapping[str, str]) -> Way:
        key = (node, port)
        if key not in self._ways:
            self._ways[key] = Way(name, tests, len(self._ways))
        return self._ways[key]

    # --- what ----------------------------------------------------------------------------------------------

    def read(self, socket: Socket) -> str:
        """The expression of what left an output; only where it is `present`."""
        chart, node, port = self.chart, socket.node, str(socket.port)
        name = self.variables[node]
        if port == THEN:
            return "None"
        structure = chart.structure(node)
        if structure in {Structure.LOOP, Structure.FOR_EACH}:
            return f"{name}_{port}"
        if structure is Structure.COLLECT:
            return name if port == "values" else f"{name}_{port}"
        if chart.record(node).run.state == "bypassed":
            passed = self._passed(node, port)
            return self.read_input(node, passed) if passed is not None else "None"
        if port == ERROR:
            return f"{name}_error"
        if structure is Structure.BRANCH:
            return self.read_input(node, chart.input(node, "value"))
        if structure is not None:
            return name
        if self.is_constant(node):
            return self.constant(node)
        return self._field_of(node, port)

    def read_input(self, node: NodeId, one: Input) -> str:
        """The expression of an input that one wire or a literal feeds, converted to its type."""
        if not one.wires:
            plain = self.chart.record(node).inputs[one.port.name]
            value = from_plain(plain, one.type)
            return self.constants.value(f"{node}_{one.port.name}", value)
        if one.port.many:
            return f"[{', '.join(self.element(one, wire) for wire in one.wires)}]"
        return self.converted(one.wires[0], one.type)

    def element(self, one: Input, wire: Wire) -> str:
        """What one wire adds to a list input: an element, or `*` and a list of them."""
        source = self.chart.output_type(wire.source)
        if source.depth >= one.type.depth and one.type.depth:
            return f"*{self.converted(wire, one.type)}"
        return self.converted(wire, one.type.element if one.type.depth else one.type)

    def converted(self, wire: Wire, target: PortType) -> str:
        """The value of a wire as its end wants it."""
        return self.convert(self.read(wire.source), self.chart.output_type(wire.source), target)

    def convert(self, expression: str, source: PortType, target: PortType) -> str:
        """Write what a wire does to a value on its way."""
        if source == target:
            return expression
        found = conversion(source, target)
        if isinstance(found, Refusal):
            return expression
        match found:
            case Conversion.NONE | Conversion.TO_FILE:
                return expression
            case Conversion.TO_TEXT:
                return f"{self.lifter.use('studio.sdk.prelude.templates', 'as_text')}({expression})"
            case Conversion.TO_MESSAGE:
                return f'{self.lifter.use("studio.llm.client", "Message")}("user", {expression})'
            case Conversion.TO_JSON:
                return self.plain(expression, source)
            case Conversion.TO_LIST:
                return f"[{self.convert(expression, source, target.element)}]"
            case Conversion.EACH:
                inner = self.convert("one", source.element, target.element)
                return f"[{inner} for one in {expression}]" if inner != "one" else expression
            case Conversion.CHECKED:
                return self.expected(expression, target)

    def plain(self, expression: str, source: PortType) -> str:
        """The value as JSON can say it."""
        if source.base in PLAIN:
            return expression
        return f"{self.lifter.use('studio.sdk.values', 'to_plain')}({expression})"

    def expected(self, expression: str, target: PortType) -> str:
        """A value of unknown type, checked on arrival."""
        if target.depth or target.base == "messages":
            element = target.element if target.depth else PortType("message")
            whole = f"{self.lifter.use(STEPS, 'expect_list')}({expression})"
            inner = self.expected("one", element)
            return whole if inner == "one" else f"[{inner} for one in {whole}]"
        check = EXPECTED.get(target.base)
        return expression if check is None else f"{self.lifter.use(STEPS, check)}({expression})"

    def annotation(self, kind: PortType) -> str:
        """The Python type of what a port carries."""
        if kind.depth:
            return f"list[{self.annotation(kind.element)}]"
        match kind.base:
            case "message":
                return self.lifter.use("studio.llm.client", "Message")
            case "messages":
                return f"list[{self.lifter.use('studio.llm.client', 'Message')}]"
            case "file" | "image":
                return self.lifter.use("pathlib", "Path")
            case base:
                return ANNOTATIONS.get(base) or self.lifter.use("typing", "Any")

    # --- functions -----------------------------------------------------------------------------------------

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

    def constant(self, node: NodeId) -> str:
        """The constant that stands for a node that always gives the same."""
        settings = self.chart.registry.settings(self.chart.record(node))
        return self.constants.named(str(node), settings[self.constant_setting(node) or ""])

    def fields(self, node: NodeId) -> dict[str, Field]:
        """Where each output is found in what the node's function returns."""
        kind = self.chart.type_of(node)
        ports = [str(port.name) for port in self.chart.data_outputs(node)]
        if kind.function is None:
            return {port: Field("", is_optional=False) for port in ports}
        returned = get_type_hints(kind.function, include_extras=True).get("return")
        read = read_annotation(returned)
        if isinstance(read.plain, type) and is_dataclass(read.plain):
            hints = get_type_hints(read.plain, include_extras=True)
            names = [one.name for one in fields(read.plain)]
            return {
                port: Field(name, read_annotation(hints[name]).optional)
                for port, name in zip(ports, names, strict=False)
            }
        if kind.returns_fields:
            return {port: Field(f'["{port}"]', is_optional=False) for port in ports}
        return {port: Field("", read.optional) for port in ports}

    def _field_of(self, node: NodeId, port: str) -> str:
        name = self.fields(node)[port].name
        variable = self.variables[node]
        return f"{variable}{name}" if name.startswith("[") else f"{variable}.{name}" if name else variable

    def _passed(self, node: NodeId, port: str) -> Input | None:
        """The input that a bypassed node hands on: the first of the output's type."""
        kind = self.chart.output_type(Socket(node, PortName(port)))
        return next((one for one in self.chart.inputs(node) if one.type == kind), None)


def takes(kind: NodeType) -> list[inspect.Parameter]:
    """The parameters of a node's function."""
    return [] if kind.function is None else list(inspect.signature(kind.function).parameters.values())
