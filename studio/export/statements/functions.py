"""The functions of a script that flows are: parameters, what they say of themselves, body."""

import ast
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from studio.export.python.literals import doc_literal, literal
from studio.export.python.names import Names
from studio.export.statements.block import CalledFlow, Imports, Lines, Outline
from studio.export.statements.body import Body
from studio.export.statements.headings import Headings
from studio.export.statements.marks import Owners, in_flow, read_marks
from studio.export.statements.parts import SaidFlow
from studio.flow.ports import PortType, Structure
from studio.ids import NodeId

ANNOTATIONS: Mapping[str, str] = {
    "text": "str",
    "number": "float",
    "flag": "bool",
    "message": "Message",
    "messages": "list[Message]",
    "file": "Path",
    "image": "Path",
}
"""How the types of flow inputs are said in Python; all others are `Any`."""


class FlowFunction:
    """Writes one flow as a function: the one that is exported, or one that it calls."""

    def __init__(
        self,
        flow: CalledFlow,
        flows: Mapping[str, CalledFlow],
        imports: Imports,
        names: Names,
        *,
        is_main: bool,
    ) -> None:
        self.flow = flow
        self._chart = flow.facts.chart
        self._is_main = is_main
        self.outline = Outline(flow, flows, imports)
        self._owners: Sequence[Owners] = ()
        self.annotations: set[str] = set()
        """Names of types that parameters are said with."""
        self.binds_late = False
        """Whether a function stands in a loop; known once its text was written."""
        with in_flow(flow.name):
            self._parameters = self._read_parameters()
            self._lines: Lines = Body(self.outline, names).lines()
        if flow.constants.has_fields:
            self.outline.use("fields")

    @property
    def said(self) -> SaidFlow:
        """What is known of the function, once its text was written."""
        inputs = {node: self.flow.variables[node] for node in self._inputs()}
        return SaidFlow("" if self._is_main else self.flow.name, self.flow.function, inputs, self._owners)

    def text(self) -> str:
        """The function; what that of the exported flow does stands at the top of the script."""
        flow = self._chart.flow
        summary = doc_literal(flow.description.strip() or f"{flow.name or 'The flow'}.")
        lines = self._lines if self._is_main else [summary, *self._lines]
        body = "\n".join(f"    {line}" if line else "" for line in lines)
        head = f"async def {self.flow.function}({', '.join(self._parameters)}) -> dict[str, Any]:\n"
        decorator = "@flow\n" if self._is_main else ""
        text = f"{decorator}{head}{body}\n"
        plain, self._owners = read_marks(text)
        self.binds_late = binds_late(ast.parse(plain))
        functions = {name: flow.function for name, flow in self.outline.flows.items()}
        return Headings(self._chart, self.flow.variables, functions).put(plain, self._owners)

    def _inputs(self) -> list[NodeId]:
        chart = self._chart
        return [node for node in chart.flow.nodes if chart.structure(node) is Structure.FLOW_INPUT]

    def _read_parameters(self) -> list[str]:
        needed: list[str] = []
        optional: list[str] = []
        for node in self._inputs():
            settings = self._chart.registry.settings(self._chart.record(node))
            said = f"{self.flow.variables[node]}: {self._annotation(self._chart.output_type_of_input(node))}"
            if settings["default"] is None:
                needed.append(said)
            else:
                optional.append(f"{said} = {self._default(node, settings['default'])}")
        return [*needed, *optional]

    def _default(self, node: NodeId, value: object) -> str:
        kind = self._chart.output_type_of_input(node)
        if kind.base in {"file", "image"} and isinstance(value, str):
            return f"Path({literal(value)})"
        if kind.base in {"message", "messages"}:  # JSON, read as messages when a run begins
            return self.flow.constants.named(str(node), value, "Any")
        if isinstance(value, str | int | float):
            return self.flow.constants.value(str(node), value)
        return self.flow.constants.named(str(node), value, _numbers(kind))  # a function may change it

    def _annotation(self, kind: PortType) -> str:
        said = ANNOTATIONS.get(kind.base, "Any")
        self.annotations.add(said.removeprefix("list[").removesuffix("]"))
        return "list[" * kind.depth + said + "]" * kind.depth


def _numbers(kind: PortType) -> str:
    """The Python type of lists of numbers, whose literals type checkers take for lists of whole ones."""
    if kind.base != "number" or not kind.depth:
        return ""
    return "list[" * kind.depth + "float" + "]" * kind.depth


def binds_late(tree: ast.AST) -> bool:
    """Whether a function in a loop reads what the loop sets: nobody calls it when its round is over."""
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            functions = [one for one in ast.walk(loop) if isinstance(one, ast.AsyncFunctionDef)]
            inside = {one for function in functions for one in ast.walk(function)}
            bound = {one.id for one in ast.walk(loop) if one not in inside and _is_name(one, ast.Store)}
            if any(bound & _read_from_outside(function) for function in functions):
                return True
    return False


def _read_from_outside(function: ast.AsyncFunctionDef) -> set[str]:
    own = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    own |= {one.id for one in ast.walk(function) if _is_name(one, ast.Store)}
    return {one.id for one in ast.walk(function) if _is_name(one, ast.Load)} - own


def _is_name(one: ast.AST, how: type[ast.expr_context]) -> TypeGuard[ast.Name]:
    return isinstance(one, ast.Name) and isinstance(one.ctx, how)
