"""A flow as a function of a script: its arguments, its body, what it returns."""

import ast
from collections.abc import Mapping, Sequence

from studio.export.python.lifter import SCRIPT, Lifter
from studio.export.python.literals import doc_literal
from studio.export.structure.called import CalledFlow, has_plain_default
from studio.export.structure.outputs import STEPS, field_of_output
from studio.export.structure.presence import Presence
from studio.export.structure.readings import Readings
from studio.export.structure.remembering import has_memories
from studio.export.structure.settled_names import may_be_unbound
from studio.export.structure.shelters import plan_shelters
from studio.export.writing.body import Body
from studio.export.writing.headings import Headings
from studio.export.writing.marks import Owners, in_flow, read_marks
from studio.export.writing.parts import SaidFlow
from studio.export.writing.statements import Lines, Outline
from studio.flow.ports import PortType
from studio.ids import NodeId

TOO_CLEVER = """\
# What is set under an `if` is read where the same holds; type checkers cannot follow that.
# pyright: reportPossiblyUnboundVariable=false
"""
ABOUT_CONTEXT = "# `context.step(...)` names a step to `--trace`; without that it is `context`.\n"
ABOUT_MEMORIES = "# `context.step(...)` names a step to `--trace`, and to what it remembers.\n"


class FlowFunction:
    """Writes one flow: the one that is exported, or one that it calls."""

    def __init__(
        self,
        flow: CalledFlow,
        lifter: Lifter,
        flows: Mapping[str, CalledFlow],
        depth: int,
    ) -> None:
        """Make it; `depth` is in how many calls it stands at most."""
        self.flow = flow
        self._lifter = lifter
        self._is_main = not flow.name
        for node in flow.inputs:
            if flow.default(node) is not None:
                flow.constants.named(str(node), flow.default(node), numbers_in(flow.input_type(node)))
        parts = (flow.chart, lifter, flow.constants, flow.variables, flows)
        with in_flow(flow.name):
            self.readings = Readings(*parts, plan_shelters(Presence(*parts)))
        self._outline = Outline(depth=depth, depth_known=depth if self._is_main else None)
        self._lines: Lines | None = None
        self._owners: Sequence[Owners] = ()

    @property
    def functions(self) -> Sequence[str]:
        """Functions of its own, such as the rules of a branch."""
        return self._outline.functions

    @property
    def uses_context(self) -> bool:
        """Whether it is given a `Context`."""
        if self._is_main:
            return any("context" in line for line in self._body())
        return self.flow.uses_context

    @property
    def said(self) -> SaidFlow:
        """What is known of the function, once its text was written."""
        flow = self.flow
        inputs = {node: flow.variables[node] for node in flow.inputs}
        return SaidFlow(flow.name, flow.function, inputs, self._owners)

    def text(self) -> str:
        """The function."""
        lines = self._body()
        flow = self.flow.chart.flow
        summary = flow.description.strip() or f"{flow.name or 'The flow'}."
        body = "\n".join(f"    {line}" for line in [doc_literal(summary), *lines])
        parameters = ", ".join(self._parameters())
        text = f"async def {self.flow.function}({parameters}) -> {self._returned()}:\n{body}\n"
        plain, self._owners = read_marks(text)
        said = Headings(self.flow.chart, self.flow.variables).put(plain, self._owners)
        about = ABOUT_MEMORIES if has_memories(self.flow.chart) else ABOUT_CONTEXT
        told = about if self._is_main and "context.step(" in plain else ""
        return f"{told}{TOO_CLEVER if may_be_unbound(ast.parse(plain)) else ''}{said}"

    def record(self) -> str:
        """The class of what it returns; empty where there is none."""
        if not self.flow.record:
            return ""
        decorator = self._lifter.use("dataclasses", "dataclass")
        fields = [f"{self.flow.variables[one]}: {self._given_type(one)}" for one in self.flow.outputs]
        doc = doc_literal(f"What `{self.flow.function}` gives.")
        lines = "\n".join(f"    {line}" for line in [doc, "", *fields])
        return f"@{decorator}(frozen=True)\nclass {self.flow.record}:\n{lines}\n"

    def default_name(self, node: NodeId) -> str:
        """The default of an input, as its type wants it."""
        name = self.flow.constants.named(str(node), self.flow.default(node))
        is_plain = has_plain_default(self.flow, node)
        return name if is_plain else self.readings.expected(name, self.flow.input_type(node))

    def _body(self) -> Lines:
        if self._lines is None:
            called = None if self._is_main else self.flow
            with in_flow(self.flow.name):
                self._lines = Body(self.readings, self._outline, called).lines()
        return self._lines

    def _parameters(self) -> list[str]:
        flow = self.flow
        found = [f"context: {self._lifter.use(SCRIPT, 'Context')}"] if self.uses_context else []
        plain = [node for node in flow.inputs if has_plain_default(flow, node)]
        found += [self._parameter(node) for node in flow.inputs if node not in plain]
        found += [f"{self._parameter(node)} = {self.default_name(node)}" for node in plain]
        return [*found, "*", "depth: int"] if flow.counts_calls else found

    def _parameter(self, node: NodeId) -> str:
        return f"{self.flow.variables[node]}: {self._annotation(self.flow.input_type(node))}"

    def _returned(self) -> str:
        if self._is_main:
            return f"dict[str, {self._lifter.use('typing', 'Any')}]"
        if self.flow.record or not self.flow.outputs:
            return self.flow.record or "None"
        return self._given_type(self.flow.outputs[0])

    def _given_type(self, output: NodeId) -> str:
        place = field_of_output(self.flow, output)
        kind = self._annotation(self.flow.output_type(output))
        if not place.is_optional:
            return kind
        return f"{kind} | {self._lifter.use(STEPS, 'Nothing') if place.says_nothing else 'None'}"

    def _annotation(self, kind: PortType) -> str:
        return self.readings.annotation(kind)


def numbers_in(kind: PortType) -> str:
    """The Python type of lists of numbers, whose literals type checkers take for lists of whole ones."""
    if kind.base != "number" or not kind.depth:
        return ""
    return "list[" * kind.depth + "float" + "]" * kind.depth
