"""Calls of the functions of nodes: what is passed for each parameter."""

import inspect
import keyword
from collections.abc import Mapping

from studio.errors import ExportError
from studio.export.chart import Input
from studio.export.conditions import ALWAYS, NEVER, Condition
from studio.export.literals import literal
from studio.export.readings import takes
from studio.export.rules import formula_function, rule_function
from studio.export.statements import Lines, Room, indented
from studio.flow.ports import Conversion, conversion
from studio.ids import NodeId

CONTEXT = "context"


class Calls(Room):
    """Writes a node's call, and the inputs of those that are not called."""

    def expression(self, node: NodeId, known: Condition, before: Lines) -> str:
        """The call of a node's function; what its arguments need first goes into `before`."""
        kind = self._chart.type_of(node)
        function = kind.function
        if function is None:
            message = (
                f"`{self._chart.title(node)}` cannot be exported: no script form is known for `{kind.kind}`."
            )
            raise ExportError(message, hint="Replace the node, or run the flow with `stepwire run`.")
        settings = self._chart.registry.settings(self._chart.record(node))
        inputs = {str(one.port.name): one for one in self._chart.inputs(node)}
        positional: list[str] = []
        named: list[str] = []
        is_positional = True
        for parameter in takes(kind):
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            value = self._argument(node, parameter, inputs, settings, known, before)
            if value is None:
                is_positional = False
            elif is_positional and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                positional.append(value)
            else:
                named.append(f"{parameter.name}={value}")
        plain = {parameter.name for parameter in takes(kind)}
        for name, one in inputs.items():
            if name in plain:
                continue
            value = self.input(node, one, known, before)
            if value is not None:
                named.append(_keyword(name, value))
        called = self._lifter.use(function.__module__, function.__name__)
        return f"{called}({', '.join([*positional, *named])})"

    def _argument(
        self,
        node: NodeId,
        parameter: inspect.Parameter,
        inputs: Mapping[str, Input],
        settings: Mapping[str, object],
        known: Condition,
        before: Lines,
    ) -> str | None:
        """What is passed for a parameter; None where its default does."""
        kind = self._chart.type_of(node)
        if parameter.name == kind.context_name:
            return CONTEXT
        if parameter.name in inputs:
            return self.input(node, inputs[parameter.name], known, before)
        if parameter.name in settings:
            value = settings[parameter.name]
            if value == parameter.default and type(value) is type(parameter.default):
                return None
            return self._constants.value(f"{node}_{parameter.name}", value)
        return self._lent(node, parameter.name)

    def _lent(self, node: NodeId, port: str) -> str | None:
        lenders = self._chart.lenders(node, port)
        if not lenders:
            return None
        found = self._chart.signature(node).input(port)
        if found is None or not found.many:
            return self._variables[lenders[0]]
        return f"[{', '.join(self._lent_one(one) for one in lenders)}]"

    def _lent_one(self, lender: NodeId) -> str:
        function = self._chart.type_of(lender).function
        returned = str(inspect.signature(function).return_annotation) if function is not None else ""
        return f"*{self._variables[lender]}" if "Sequence" in returned else self._variables[lender]

    def input(self, node: NodeId, one: Input, known: Condition, before: Lines) -> str | None:
        """What is passed for an input; None where nothing ever arrives."""
        arrives = self._readings.arrives(node, one).given(known)
        if arrives == NEVER:
            return None
        if one.port.many and one.wires:
            listed = self.listed(f"{self._variables[node]}_{one.port.name}", one, known, before)
            if arrives == ALWAYS:
                return listed
            return f"{listed} or {self._default(node, one)}"
        value = self._readings.read_input(node, one)
        return value if arrives == ALWAYS else f"{value} if {arrives.test()} else {self._default(node, one)}"

    def _default(self, node: NodeId, one: Input) -> str:
        return literal(self._chart.type_of(node).defaults.get(one.port.name), self._lifter.use)

    def listed(self, name: str, one: Input, known: Condition, before: Lines) -> str:
        """A list of what arrived, in the order of the wires."""
        conditions = [self._readings.comes(wire).given(known) for wire in one.wires]
        if all(condition == ALWAYS for condition in conditions):
            return self._readings.read_input(NodeId(""), one)
        kind = self._readings.annotation(one.type)
        before.append(f"{name}: {kind} = []")
        for wire, condition in zip(one.wires, conditions, strict=True):
            if condition == NEVER:
                continue
            element = self._readings.element(one, wire)
            add = f"{name}.extend({element[1:]})" if element.startswith("*") else f"{name}.append({element})"
            before += [add] if condition == ALWAYS else [f"if {condition.test()}:", *indented([add])]
        return name

    def formula(self, node: NodeId, known: Condition, before: Lines) -> str:
        """The call of the function that a formula becomes."""
        settings = self._chart.registry.settings(self._chart.record(node))
        made = formula_function(self._chart.title(node), str(node), settings["formula"], self._lifter)
        self._outline.functions.append(made.source)
        inputs = {str(one.port.name): one for one in self._chart.inputs(node)}
        values = (self.input(node, inputs[name], known, before) for name in made.parameters)
        return f"{made.name}({', '.join(value for value in values if value is not None)})"

    def rule(self, node: NodeId, known: Condition, before: Lines) -> str:
        """The call of the function that a branch's rules become."""
        settings = self._chart.registry.settings(self._chart.record(node))
        made = rule_function(self._chart.title(node), str(node), settings["cases"], self._lifter)
        self._outline.functions.append(made.source)
        parts: list[str] = []
        for name in made.parameters:
            one = self._chart.input(node, name)
            value = self.input(node, one, known, before)
            parts.append("None" if value is None else self._as_plain(value, one))
        return f"{made.name}({', '.join(parts)})"

    def _as_plain(self, value: str, one: Input) -> str:
        """An input as rules see it: as JSON."""
        if not one.wires:
            return value
        source = self._chart.output_type(one.wires[0].source)
        return self._readings.plain(
            value, source if conversion(source, one.type) is Conversion.NONE else one.type
        )


def _keyword(name: str, value: str) -> str:
    return f'**{{"{name}": {value}}}' if keyword.iskeyword(name) else f"{name}={value}"
