"""Ways that come together: where they exclude each other, each sets the variable where it ends."""

from studio.export.structure.chart import Input, ports_after
from studio.export.structure.conditions import ALWAYS, NEVER, Condition
from studio.export.structure.outputs import STEPS
from studio.export.structure.readings import Readings
from studio.export.writing.calls import Calls
from studio.export.writing.statements import Lines, Outline, Room, Statement, indented
from studio.flow.records import Wire
from studio.ids import NodeId


class Merges(Room):
    """Writes merges."""

    def __init__(self, readings: Readings, outline: Outline, calls: Calls) -> None:
        super().__init__(readings, outline)
        self._calls = calls

    def statements(self, node: NodeId, runs: Condition, waits: set[str]) -> list[Statement]:
        """A merge: where its ways exclude each other, each way sets it where it ends."""
        one = self._chart.input(node, "values")
        settings = self._chart.registry.settings(self._chart.record(node))
        name = self._variables[node]
        if not self._chart.is_read(node, "value") or not one.wires:
            return (
                [Statement(node, runs, waits, lambda _: [])]
                if one.wires
                else [
                    Statement(
                        node, runs, waits, lambda _: [f"{name} = {self._readings.read_input(node, one)}[0]"]
                    )
                ]
            )
        if settings["gives"] == "all":
            return [Statement(node, runs, waits, lambda known: self._merge_all(name, one, known))]
        present = [runs & self._readings.comes(wire) for wire in one.wires]
        exclusive = all(
            first.excludes(second) for at, first in enumerate(present) for second in present[at + 1 :]
        )
        if exclusive and len(present) > 1:
            return [
                Statement(
                    f"{node}[{place}]",
                    condition,
                    waits if ports_after(self._chart, node) else {str(wire.source.node)} & waits or waits,
                    lambda _, wire=wire: [f"{name} = {self._first(one, wire)}"],
                )
                for place, (wire, condition) in enumerate(zip(one.wires, present, strict=True))
            ]
        return [Statement(node, runs, waits, lambda known: self._merge_first(name, one, known))]

    def passed(self, node: NodeId, known: Condition) -> Lines:
        """What a bypassed step hands on, where that is a list of what arrived."""
        passed = [self._readings.passed(node, str(port.name)) for port in self._chart.data_outputs(node)]
        for one in passed:
            if one is not None and self._readings.is_gathered(one):
                return self._merge_all(self._variables[node], one, known)
        return []

    def _merge_all(self, name: str, one: Input, known: Condition) -> Lines:
        before: Lines = []
        listed = self._calls.listed(name, one, known, before)
        return before if listed == name else [*before, f"{name} = {listed}"]

    def _merge_first(self, name: str, one: Input, known: Condition) -> Lines:
        lines: Lines = []
        left = known
        for wire in one.wires:
            condition = self._readings.comes(wire).given(left)
            if condition == NEVER:
                continue
            value = self._first(one, wire)
            if condition == ALWAYS:
                if not lines:
                    return [f"{name} = {value}"]
                if f"{value} is not None" in self._readings.comes(wire).test():  # no way before it says so
                    value = f"{self._readings.lifter.use(STEPS, 'there')}({value})"
                return [*lines, "else:", *indented([f"{name} = {value}"])]
            lines += [f"{'elif' if lines else 'if'} {condition.test()}:", *indented([f"{name} = {value}"])]
            left &= ~self._readings.comes(wire)
        return lines

    def _first(self, one: Input, wire: Wire) -> str:
        element = self._readings.element(one, wire)
        return f"{element[1:]}[0]" if element.startswith("*") else element
