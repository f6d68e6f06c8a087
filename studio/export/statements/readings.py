"""What stands at each socket of a flow, as an expression of the script."""

import keyword

from studio.export.python.literals import literal, text_literal
from studio.export.statements.block import Outline
from studio.export.statements.places import NOTHING
from studio.export.structure.chart import Input, ports_after
from studio.export.structure.drawing import Drawn
from studio.export.structure.expressions import said
from studio.export.structure.facts import PLAIN, RULE_NAMES, Arm, Facts
from studio.export.structure.variable_names import part_of_item
from studio.flow.ports import (
    ERROR,
    THEN,
    Conversion,
    PortType,
    Structure,
    conversion,
    listed_when_it_arrives,
)
from studio.flow.records import Socket, Wire
from studio.ids import NodeId
from studio.script.absence import Outputs
from studio.sdk.branch_cases import case_ports

AS_IT_IS = frozenset({Conversion.NONE, Conversion.CHECKED, Conversion.TO_JSON, Conversion.TO_FILE})
"""Conversions that a step makes of what arrives at it, whatever it came from."""


class Readings:
    """Reads the sockets of one flow, where the writer stands."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._flow = outline.flow
        self._facts: Facts = outline.flow.facts
        self._chart = outline.flow.facts.chart
        self._drawn: dict[NodeId, str] = {}
        self.known: frozenset[Arm] = frozenset()
        """The arms in which the writer stands."""

    def leave_to_engine(self, part: Drawn, variable: str) -> None:
        """Note that the outputs of a part are fields of a variable."""
        self._drawn.update(dict.fromkeys(part.nodes(self._facts), variable))

    def variable(self, node: NodeId) -> str:
        """What a node's variable is called."""
        return self._flow.variables[node]

    # --- sockets -------------------------------------------------------------------------------------------

    def read(self, socket: Socket) -> str:
        """The expression of what left an output."""
        chart, node, port = self._chart, socket.node, str(socket.port)
        name, read = self.variable(node), self._outline.places.read
        if node in self._drawn:
            return field_of(read(self._drawn[node]), drawn_name(socket))
        if self._facts.is_muted(node) or self._facts.is_muted(self._facts.vertex(node)):
            return self._outline.use(NOTHING)
        match chart.structure(node):
            case Structure.FLOW_INPUT:
                return name
            case Structure.LOOP:
                return read(f"{name}_{port}")
            case Structure.FOR_EACH:
                return part_of_item(name, port)
            case Structure.COLLECT:
                return read(name)
            case Structure.BRANCH if self._facts.is_plain_branch(node):
                if Arm(node, port) in self.known:
                    return self.input(node, chart.input(node, "value"), is_plain=True) or self._outline.use(
                        NOTHING
                    )
                return read(f"{name}_{port}")
            case _:
                return field_of(read(name), port) if self.has_fields(node) else read(name)

    def has_fields(self, node: NodeId) -> bool:
        """Whether a step gives its outputs by name."""
        chart = self._chart
        record = chart.record(node)
        if chart.structure(node) is Structure.SUBFLOW or record.run.on_error == "output":
            return True
        if self._facts.in_python(node):
            return False
        return chart.type_of(node).returns_fields or len(chart.data_outputs(node)) != 1

    def is_read(self, node: NodeId) -> bool:
        """Whether anybody looks at what a step gives, or whether it happened."""
        for wire in self._facts.readers(node):
            loop = wire.target.node
            is_awaited = wire.target.port == "also" and self._chart.structure(loop) is Structure.LOOP
            if is_awaited and loop not in self._drawn:
                continue  # a `for` waits for the step in its round, and reads nothing of it
            if wire.source.port != THEN and wire.target.port != "after":
                return True
            vertex = self._facts.vertex(wire.target.node)
            if not self._facts.has_happened(wire, self._facts.known(vertex)):
                return True
        return False

    # --- inputs --------------------------------------------------------------------------------------------

    def input(self, node: NodeId, one: Input, *, is_plain: bool = False) -> str | None:
        """What is passed for an input; None where nothing is, so that its default is taken.

        What `is_plain` is read as it was given.
        """
        if not one.wires:
            inputs = self._chart.record(node).inputs
            if one.port.name not in inputs:
                return None
            return self._flow.constants.value(f"{node}_{one.port.name}", inputs[one.port.name])
        if one.port.many:
            is_kept = self._is_kept(node, one)
            elements = [self._element(one, wire, is_kept=is_kept) for wire in one.wires]
            if len(elements) == 1 and elements[0].startswith("*"):
                return elements[0][1:]
            return f"[{', '.join(elements)}]{self._or_nothing(one, elements)}"
        source = one.wires[0].source
        if is_plain:
            return self.read(source)
        return self.as_type(source, one.type, is_kept=self._is_kept(node, one))

    def _or_nothing(self, one: Input, elements: list[str]) -> str:
        """What tells that none of some lists is there from that all of them are empty."""
        is_sure = any(self._facts.is_certain(wire, self.known) for wire in one.wires)
        are_lists = all(element.startswith("*") for element in elements)
        return f" or {self._outline.use(NOTHING)}" if are_lists and not is_sure else ""

    def _element(self, one: Input, wire: Wire, *, is_kept: bool) -> str:
        source = self._chart.output_type(wire.source)
        # An item that failed and was kept is no list, whatever items are.
        is_item = self._chart.structure(wire.source.node) is Structure.FOR_EACH and source == one.type
        if (is_item and len(one.wires) > 1) or (
            listed_when_it_arrives(source, one.type) and not one.port.type.is_variable
        ):
            return f"*{self._outline.use('elements')}({self.read(wire.source)})"
        if source.depth >= one.type.depth:
            return f"*{self.as_type(wire.source, one.type, is_kept=is_kept)}"
        return self.as_type(wire.source, one.type.element, is_kept=is_kept)

    def _is_kept(self, node: NodeId, one: Input) -> bool:
        """Whether what arrives goes on as Python gives it: no step knows of what type it is to be."""
        return one.port.type.is_variable or self._chart.structure(node) is Structure.SUBFLOW

    def as_type(self, socket: Socket, target: PortType, *, is_kept: bool) -> str:
        """What left an output, as a type; of what is not `is_kept`, a step makes some types itself."""
        source, value = self._chart.output_type(socket), self.read(socket)
        found = conversion(source, target)
        is_made = is_kept and found is Conversion.TO_JSON and source.base not in PLAIN
        if value == NOTHING or (found in AS_IT_IS and not is_made):
            return value
        name = self._outline.use("converted")
        return f"{name}({value}, {text_literal(str(source))}, {text_literal(str(target))})"

    def after(self, node: NodeId) -> list[str]:
        """What a step is told that it comes after, as far as that is not sure to have happened."""
        known = self._facts.known(self._facts.vertex(node))
        found: list[str] = []
        for wire in ports_after(self._chart, node):
            if self._facts.has_happened(wire, known):
                continue
            found.append(self.happened(wire.source))
        return found

    def happened(self, socket: Socket) -> str:
        """What is `nothing` where a step, whose `then` or output this is, did not happen."""
        if socket.port != THEN:
            return self.read(socket)
        if socket.node in self._drawn:
            return self.read(socket)
        if self._facts.is_muted(socket.node):
            return self._outline.use(NOTHING)
        return self._outline.places.read(self.variable(socket.node))

    # --- rules ---------------------------------------------------------------------------------------------

    def formula(self, node: NodeId) -> str:
        """A formula as an expression of Python."""
        formula = str(self._chart.registry.settings(self._chart.record(node))["formula"])
        inputs = {
            str(one.port.name): self.input(node, one, is_plain=True) for one in self._chart.inputs(node)
        }
        return said(formula, {name: value or "None" for name, value in inputs.items()})

    def test(self, arm: Arm, skipped: list[str]) -> str:
        """What holds where a branch goes one way, the `skipped` ones unasked; empty where all is left."""
        if not self._facts.is_plain_branch(arm.branch):
            name = self._outline.places.read(self.variable(arm.branch))
            return f"{field_of(name, arm.port)} is not {self._outline.use(NOTHING)}"
        rules = self._rules(arm.branch)
        parts = [f"not ({rules[port]})" for port in skipped]
        return " and ".join(
            [*parts, *([f"({rules[arm.port]})" if parts else rules[arm.port]] if rules[arm.port] else [])]
        )

    def _rules(self, branch: NodeId) -> dict[str, str]:
        cases = self._facts.cases(branch)
        values = {name: self._ruled(branch, name) for name in RULE_NAMES}
        return {
            str(port): said(case.when, values) if case.when else ""
            for port, case in zip(case_ports(cases), cases, strict=True)
        }

    def _ruled(self, branch: NodeId, name: str) -> str:
        one = self._chart.input(branch, name)
        if not one.wires:
            return literal(self._chart.record(branch).inputs.get(one.port.name))
        rules = [case.when for case in self._facts.cases(branch)]
        if not any(name in rule for rule in rules):
            return "None"
        return self.read(one.wires[0].source)


def field_of(name: str, port: str) -> str:
    """An output of several by name."""
    is_taken = hasattr(Outputs, port) or keyword.iskeyword(port)
    return f"{name}[{text_literal(port)}]" if is_taken else f"{name}.{port}"


def drawn_name(socket: Socket) -> str:
    """What an output of a part that is left as it is drawn is called."""
    return f"{socket.node}_{ERROR if socket.port == ERROR else socket.port}"


def by_name(name: str, value: str) -> str:
    """An argument by its name, which may be a word of Python's."""
    return f"**{{{text_literal(name)}: {value}}}" if keyword.iskeyword(name) else f"{name}={value}"
