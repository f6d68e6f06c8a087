"""Calls of the functions of nodes: what is passed for each parameter."""

import inspect
import keyword
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import cast

from studio.errors import ExportError
from studio.export.python.literals import literal, text_literal
from studio.export.structure.called import CalledFlow, has_plain_default, is_settled, most_calls
from studio.export.structure.chart import Input
from studio.export.structure.conditions import ALWAYS, NEVER, Condition
from studio.export.structure.outputs import STEPS
from studio.export.structure.readings import Readings, takes
from studio.export.structure.rules import formula_function, names_in_rules, rule_function, setting_function
from studio.export.structure.step_names import context_of_step
from studio.export.writing.choices import Given, choice_in_place
from studio.export.writing.lent import LentFlows
from studio.export.writing.statements import Lines, Outline, Room, indented
from studio.flow.ports import Conversion, conversion
from studio.ids import NodeId, slug
from studio.sdk.machine import Move
from studio.sdk.node_type import NodeType
from studio.sdk.rules import NO_RULE


class Calls(Room):
    """Writes a node's call, and the inputs of those that are not called."""

    def __init__(self, readings: Readings, outline: Outline) -> None:
        super().__init__(readings, outline)
        self._lent_flows = LentFlows(readings, outline)

    def expression(self, node: NodeId, known: Condition, before: Lines) -> str:
        """The call of a node's function; what its arguments need first goes into `before`."""
        called = self._readings.called(node)
        if called is not None:
            return self._call_of_flow(node, called, known, before)
        kind = self._chart.type_of(node)
        function = kind.function
        if function is None or kind.unexportable:
            reason = kind.unexportable or f"there is no script form of `{kind.kind}`"
            message = f"`{self._chart.title(node)}` cannot be exported: {reason}."
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
        self._trace(node, kind, function)
        called = self._lifter.use(function.__module__, function.__name__)
        return f"{called}({', '.join([*positional, *named])})"

    def _trace(self, node: NodeId, kind: NodeType, function: Callable[..., object]) -> None:
        """Let traces know of each call of the function of a step that has a context."""
        if not kind.context_name or node not in self._chart.tree.graph.steps:
            return
        gives = "" if kind.returns_fields or not kind.outputs else str(kind.outputs[0].name)
        takes = [
            str(one.port.name)
            for one in self._chart.inputs(node)
            if one.wires or one.port.name in self._chart.record(node).inputs
        ]
        known = inspect.signature(function).parameters
        self._lifter.trace(
            function.__module__, function.__name__, [one for one in takes if one in known], gives
        )

    def _call_of_flow(self, node: NodeId, called: CalledFlow, known: Condition, before: Lines) -> str:
        """The call of the function that a flow has become."""
        given = [context_of_step(self._chart, node, self._variables)] if called.uses_context else []
        asked = called.inputs
        for name in asked:
            value = self.input(node, self._chart.input(node, name), known, before)
            if value is None and not has_plain_default(called, name):
                value = self._flow_default(called, name)
            if value is not None:
                given.append(value if len(asked) == 1 else f"{called.variables[name]}={value}")
        if called.counts_calls:
            given.append(f"depth={self._depth(node)}")
        return f"{called.function}({', '.join(given)})"

    def _depth(self, node: NodeId) -> str:
        """In how many calls the one that a step makes stands."""
        if self._outline.depth_known is not None:
            return str(self._outline.depth_known + 1)
        if is_settled(self._outline.depth, self._chart, node):
            return "depth + 1"
        title = text_literal(self._chart.title(node))
        return f"{self._lifter.use(STEPS, 'deeper')}(depth, {most_calls(self._chart, node)}, {title})"

    def _flow_default(self, called: CalledFlow, name: NodeId) -> str:
        default = called.default(name)
        if default is None:
            return "None"  # it is not called then
        constant, kind = called.constants.named(str(name), default), called.input_type(name)
        return constant if has_plain_default(called, name) else self._readings.expected(constant, kind)

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
            return self._lent_flows.context(node)
        if parameter.name in inputs:
            return self.input(node, inputs[parameter.name], known, before)
        if parameter.name in settings:
            value = settings[parameter.name]
            if value == parameter.default and type(value) is type(parameter.default):
                return None
            if any(spec.name == parameter.name and spec.editor == "expression" for spec in kind.settings):
                return self._rule(node, parameter.name, str(value))
            if (moves := moves_in(value)) is not None:
                return self._moves(node, moves)
            return self._constants.value(f"{node}_{parameter.name}", value)
        return self._lent(node, parameter.name)

    def _rule(self, node: NodeId, setting: str, rule: str) -> str | None:
        """The function that a rule in a setting becomes."""
        if not rule.strip():
            return None
        made = setting_function(self._chart.title(node), str(node), setting, rule, self._lifter)
        self._outline.functions.append(made.source)
        return made.name

    def _moves(self, node: NodeId, moves: tuple[Move, ...]) -> str:
        """The moves of a state machine, whose rules become functions."""
        named = self._lifter.use
        made: list[str] = []
        for one in moves:
            rule = self._rule(node, f"{slug(one.at)}_to_{slug(one.to)}", one.when)
            parts = [literal(replace(one, when=NO_RULE), named).removesuffix(")")]
            made.append(", ".join([*parts, *([f"when={rule}"] if rule else [])]) + ")")
        return f"({', '.join(made)}{',' if len(made) == 1 else ''})"

    def _lent(self, node: NodeId, port: str) -> str | None:
        lenders = self._chart.lenders(node, port)
        if not lenders:
            return None
        found = self._chart.signature(node).input(port)
        if found is None or not found.many:
            return self._variables[lenders[0]]
        lent = [self._lent_one(one) for one in lenders]
        if len(lent) == 1 and lent[0].startswith("*"):
            return lent[0][1:]
        listed = f"[{', '.join(lent)}]"
        if len(lenders) == 1 or found.type.base != "tool":
            return listed
        return f"{self._lifter.use(STEPS, 'named_apart')}({listed})"

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
        called = self._readings.called(node)
        if called is not None:
            return self._flow_default(called, NodeId(one.port.name))
        return literal(self._chart.type_of(node).defaults.get(one.port.name), self._lifter.use)

    def listed(self, name: str, one: Input, known: Condition, before: Lines) -> str:
        """A list of what arrived, in the order of the wires."""
        conditions = [self._readings.comes(wire).given(known) for wire in one.wires]
        if all(condition == ALWAYS for condition in conditions):
            return self._readings.read_input(NodeId(""), one)
        kind = self._readings.annotation(one.type)
        come = [(wire, one) for wire, one in zip(one.wires, conditions, strict=True) if one != NEVER]
        sure = list(takewhile(lambda each: each[1] == ALWAYS, come))
        start = ", ".join(self._readings.element(one, wire) for wire, _ in sure)
        before.append(f"{name}: {kind} = [{start}]")
        for wire, condition in come[len(sure) :]:
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
        """Which way a branch goes: its rule as it stands, or the call of a function of its rules."""
        cases = self._chart.registry.settings(self._chart.record(node))["cases"]
        read = {
            name: self._given(one, self.input(node, one, known, before))
            for name in names_in_rules(cases)
            for one in [self._chart.input(node, name)]
        }
        in_place = choice_in_place(cases, read, self._lifter)
        if in_place:
            return in_place
        made = rule_function(self._chart.title(node), str(node), cases, self._lifter)
        self._outline.functions.append(made.source)
        return f"{made.name}({', '.join(read[name].source for name in made.parameters)})"

    def _given(self, one: Input, value: str | None) -> Given:
        """An input as a rule is given it."""
        source = self._chart.output_type(one.wires[0].source) if one.wires else one.type
        kind = "list" if source.depth else source.base
        return Given("None" if value is None else self._as_plain(value, one), kind)

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


def moves_in(value: object) -> tuple[Move, ...] | None:
    """The moves of a state machine, where a setting has them."""
    several = cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()
    return cast("tuple[Move, ...]", several) if several and isinstance(several[0], Move) else None
