"""Steps as calls of the functions of their node types, and of the functions that called flows are."""

from collections.abc import Mapping
from inspect import Parameter
from typing import Any

from studio.export.python.literals import number_literal, text_literal
from studio.export.statements.block import Lines, Outline
from studio.export.statements.readings import Readings, by_name
from studio.export.structure.chart import Input
from studio.flow.ports import Structure
from studio.ids import NodeId, lender_name
from studio.script.steps import signature_in_scripts

DEPTH = 8
"""How deep calls may be within one another where nothing is said."""


MEMORY_NAME = "name"
"""The setting of a memory that says which one it is."""


def is_nameless(settings: Mapping[str, Any]) -> bool:
    """Whether these are the settings of a memory that lasts, and is called after its node."""
    return settings.get("keep") == "project" and settings.get(MEMORY_NAME) == ""


class Steps:
    """Writes the steps of one flow."""

    def __init__(self, outline: Outline, readings: Readings) -> None:
        self._outline = outline
        self._readings = readings
        self._facts = outline.flow.facts
        self._chart = self._facts.chart

    def lines(self, node: NodeId) -> Lines:
        """The step as a statement."""
        target, call = self.call(node)
        return [f"{target} = await {call}" if target else f"await {call}"]

    def call(self, node: NodeId) -> tuple[str, str]:
        """What the result of a step is assigned to (empty: nobody reads it), and the call that is awaited."""
        is_call = self._chart.structure(node) is Structure.SUBFLOW
        call = self._called(node) if is_call else self._stepped(node)
        if not self._readings.is_read(node):
            return "", call
        name = self._readings.variable(node)
        self._outline.places.set(name)
        return name, call

    def lender(self, node: NodeId) -> Lines:
        """What lends something, as a statement."""
        name = self._readings.variable(node)
        self._outline.places.set(name)
        kind = self._chart.record(node).kind
        arguments = [text_literal(node), *self._arguments(node)]
        self._note_flow(node)
        return [f"{name} = {self._outline.function_of(kind)}({', '.join(arguments)})"]

    def _stepped(self, node: NodeId) -> str:
        arguments = [text_literal(node), *self._arguments(node), *self._order(node)]
        self._note_flow(node)
        function = self._outline.function_of(self._chart.record(node).kind)
        return f"{function}{self._on(node)}({', '.join(arguments)})"

    def _called(self, node: NodeId) -> str:
        chart = self._chart
        called = self._outline.flows[chart.registry.called_name(chart.record(node))]
        self._outline.called.add(called.name)
        arguments = [text_literal(node), called.function]
        for one in chart.inputs(node):
            value = self._readings.input(node, one)
            if value is not None:
                arguments.append(by_name(called.variables[NodeId(one.port.name)], value))
        return f"{self._outline.use('call')}{self._on(node)}({', '.join([*arguments, *self._order(node)])})"

    def _note_flow(self, node: NodeId) -> None:
        """Note a flow that a node names, to run it or lend it."""
        name = self._chart.registry.called_name(self._chart.record(node))
        if name:
            self._outline.lends.add(name)

    def _order(self, node: NodeId) -> list[str]:
        after = self._readings.after(node)
        return [f"after=[{', '.join(after)}]"] if after else []

    def _on(self, node: NodeId) -> str:
        """The settings of the run, where any differ from what they mostly are."""
        run = self._chart.record(node).run
        told: list[str] = []
        if run.retries:
            told.append(f"retries={run.retries}")
        if run.time_limit is not None:
            told.append(f"time_limit={number_literal(run.time_limit)}")
        if run.on_error != "fail":
            told.append(f"on_error={text_literal(run.on_error)}")
        elif node in self._facts.sheltered and not self._facts.raises(node):
            told.append('on_error="pass_on"')
        if run.on_error == "default":
            told.append(f"default={self._outline.flow.constants.value(f'{node}_default', run.default)}")
        if run.state:
            told.append(f"state={text_literal(run.state)}")
        if self._chart.structure(node) is Structure.SUBFLOW:
            depth = int(self._chart.registry.settings(self._chart.record(node))["max_depth"])
            told += [f"max_depth={depth}"] if depth != DEPTH else []
        return f".on({', '.join(told)})" if told else ""

    def _arguments(self, node: NodeId) -> list[str]:
        """Inputs by position as far as that goes, then by name; settings that differ from their defaults."""
        chart = self._chart
        kind = chart.registry.require(chart.record(node).kind)
        inputs = {str(one.port.name): one for one in chart.inputs(node)}
        settings = chart.registry.settings(chart.record(node))
        defaults = {spec.name: spec.default for spec in kind.settings}
        positional: list[str] = []
        named: list[str] = []
        is_positional = True
        parameters = signature_in_scripts(kind).parameters.values()
        for parameter in parameters:
            name = parameter.name
            if parameter.kind is Parameter.VAR_KEYWORD:
                continue
            value: str | None
            if name in inputs:
                value = self._input(node, inputs.pop(name))
            elif name in defaults:
                value = self._setting(node, name, settings[name] == defaults[name])
                if value is None:
                    continue
            else:
                value = self._lent(node, name)
            if value is None:
                is_positional = False
            elif is_positional and parameter.kind is Parameter.POSITIONAL_OR_KEYWORD:
                positional.append(value)
            else:
                named.append(by_name(name, value))
        for name, one in inputs.items():
            value = self._input(node, one)
            if value is not None:
                named.append(by_name(name, value))
        return [*positional, *named]

    def _input(self, node: NodeId, one: Input) -> str | None:
        return self._readings.input(node, one)

    def _memory_name(self, node: NodeId, settings: Mapping[str, Any]) -> str:
        """What a lasting memory without a name is called in a called flow; a function has another name."""
        called = self._outline.flow.name
        return lender_name(called, node) if called and is_nameless(settings) else ""

    def _setting(self, node: NodeId, name: str, is_usual: bool) -> str | None:  # noqa: FBT001
        """A setting as it is written; None where that would say no more than its default."""
        record = self._chart.record(node)
        if name == MEMORY_NAME and (own := self._memory_name(node, self._chart.registry.settings(record))):
            return text_literal(own)
        if name not in record.settings or is_usual:
            return None
        return self._outline.flow.constants.value(f"{node}_{name}", self._chart.record(node).settings[name])

    def _lent(self, node: NodeId, port: str) -> str | None:
        lenders = self._chart.lenders(node, port)
        if not lenders:
            return None
        names = [self._outline.places.read(self._readings.variable(one)) for one in lenders]
        found = self._chart.signature(node).input(port)
        return f"[{', '.join(names)}]" if found is None or found.many else names[0]
