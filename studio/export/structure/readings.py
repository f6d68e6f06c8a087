"""What stands at each socket of a flow, as Python: how it is read, converted and checked."""

import inspect
from collections.abc import Mapping

from studio.export.structure.called import PLAIN
from studio.export.structure.chart import Input
from studio.export.structure.conditions import ALWAYS
from studio.export.structure.naming import part_of_item
from studio.export.structure.outputs import STEPS
from studio.export.structure.presence import Presence
from studio.flow.ports import (
    ERROR,
    THEN,
    Conversion,
    PortType,
    Refusal,
    Structure,
    conversion,
    listed_when_it_arrives,
)
from studio.flow.records import Socket, Wire
from studio.ids import NodeId
from studio.sdk.node_type import NodeType
from studio.sdk.values import from_plain

FORMULA = "value.formula"
"""The node that exports as a function of its expression."""

EXPECTED: Mapping[str, str] = {
    "text": "expect_text",
    "number": "expect_number",
    "flag": "expect_flag",
    "message": "expect_message",
    "file": "expect_file",
    "image": "expect_file",
}
ANNOTATIONS: Mapping[str, str] = {"text": "str", "number": "float", "flag": "bool"}


class Readings(Presence):
    """The expression of every socket."""

    # --- what ----------------------------------------------------------------------------------------------

    def read(self, socket: Socket) -> str:
        """The expression of what left an output; only where it is `present`."""
        chart, node, port = self.chart, socket.node, str(socket.port)
        name = self.variables[node]
        if port == THEN:
            return "None"
        structure = chart.structure(node)
        if structure in {Structure.LOOP, Structure.FOR_EACH}:
            return part_of_item(name, port) if structure is Structure.FOR_EACH else f"{name}_{port}"
        if structure is Structure.COLLECT:
            return name if port == "values" else f"{name}_{port}"
        if chart.record(node).run.state == "bypassed":
            return self._handed_on(node, port)
        if port == ERROR:
            return f"{name}_error"
        if structure is Structure.BRANCH:
            return self.read_input(node, chart.input(node, "value"))
        if structure is Structure.CATCH:
            return self.read_input(node, chart.input(node, "value"))
        if structure is not None and structure is not Structure.SUBFLOW:
            return name
        if self.is_constant(node):
            return self.constant(node)
        return self.field_of(node, port)

    def _handed_on(self, node: NodeId, port: str) -> str:
        """What a bypassed step gives."""
        passed = self.passed(node, port)
        if passed is None:
            return "None"
        return self.variables[node] if self.is_gathered(passed) else self.read_input(node, passed)

    def is_gathered(self, one: Input) -> bool:
        """Whether a list input has to be put together of what arrived."""
        return one.port.many and any(self.comes(wire) != ALWAYS for wire in one.wires)

    def read_input(self, node: NodeId, one: Input) -> str:
        """The expression of an input that one wire or a literal feeds, converted to its type."""
        if not one.wires:
            if one.port.name not in self.chart.record(node).inputs:
                return "None"  # nothing ever arrives, and nothing is passed
            plain = self.chart.record(node).inputs[one.port.name]
            value = from_plain(plain, one.type)
            return self.constants.value(f"{node}_{one.port.name}", value)
        if one.port.many:
            elements = [self.element(one, wire) for wire in one.wires]
            is_list = len(elements) == 1 and elements[0].startswith("*")
            return elements[0][1:] if is_list else f"[{', '.join(elements)}]"
        return self.converted(one.wires[0], one.type)

    def element(self, one: Input, wire: Wire) -> str:
        """What one wire adds to a list input: an element, or `*` and a list of them."""
        source = self.chart.output_type(wire.source)
        if source.depth >= one.type.depth and one.type.depth:
            return f"*{self.converted(wire, one.type)}"
        if listed_when_it_arrives(source, one.type) and not one.port.type.is_variable:
            inner = self.expected("one", one.type.element)
            elements = f"{self.lifter.use(STEPS, 'elements_of')}({self.read(wire.source)})"
            return f"*{elements}" if inner == "one" else f"*[{inner} for one in {elements}]"
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
            whole = f'{self.lifter.use(STEPS, "expect_list")}({expression}, "{target}")'
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

    def constant(self, node: NodeId) -> str:
        """The constant that stands for a node that always gives the same."""
        settings = self.chart.registry.settings(self.chart.record(node))
        return self.constants.named(str(node), settings[self.constant_setting(node) or ""])


def takes(kind: NodeType) -> list[inspect.Parameter]:
    """The parameters of a node's function."""
    return [] if kind.function is None else list(inspect.signature(kind.function).parameters.values())
