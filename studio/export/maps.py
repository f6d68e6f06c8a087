"""Maps as a function of one item, called for all of them at once up to a limit."""

import ast

from studio.export.calls import CONTEXT
from studio.export.conditions import ALWAYS, NEVER, Condition
from studio.export.literals import text_literal
from studio.export.readings import STEPS, Readings
from studio.export.sequences import Sequences
from studio.export.statements import Inside, Lines, Outline, Room, indented, owner_of
from studio.flow.records import Socket
from studio.flow.regions import Region
from studio.ids import NodeId, PortName

CHANGING = ("", "_value", "_round", "_next", "_error", "_kept", "_result", "_history")
"""What the variables of a node end with."""
AT_ONCE = 8
"""How many calls `Context.gather` makes at once unless told otherwise."""


class Maps(Room):
    """Writes maps with their collects."""

    def __init__(self, readings: Readings, outline: Outline, sequences: Sequences, inside: Inside) -> None:
        super().__init__(readings, outline)
        self._sequences = sequences
        self._inside = inside

    def lines(self, region: Region, known: Condition) -> Lines:
        """Write a map and its collects, where the condition `known` holds."""
        owner = owner_of(region)
        chart, readings = self._chart, self._readings
        name = self._variables[owner]
        ports = [port for port in ("index", "item") if chart.is_read(owner, port)]
        types = {port: chart.output_type(Socket(owner, PortName(port))) for port in ports}
        parameters = [
            f"{name}_{port}: {_counted(port) or readings.annotation(types[port])}" for port in ports
        ]
        body = self._sequences.written(self._inside(region), known)
        collects = [node for node in region.collects if self._is_collect_read(node)]
        body += self._gathered(collects, known)
        parameters += self._held(region, body)
        lines = [
            f"async def {name}_one({', '.join(parameters)}) -> {self._gives(collects, known)}:",
            *indented(body or ["pass"]),
            "",
        ]
        settings = chart.registry.settings(chart.record(owner))
        items = readings.read_input(owner, chart.input(owner, "items"))
        limit = int(settings["at_once"])
        limited = "" if limit == AT_ONCE else f", limit={limit}"
        gathering = f"await {CONTEXT}.gather([{self._calls(region, ports, items)}]{limited})"
        return [*lines, *self._collected(region, collects, gathering, known)]

    def _held(self, region: Region, body: Lines) -> list[str]:
        """Parameters that hold on to what a loop around the map sets anew in each round."""
        changing: set[str] = set()
        around = region.parent
        while around is not None:
            if around.kind == "loop":
                stems = [self._variables[node] for node in (owner_of(around), *around.body)]
                changing.update(f"{stem}{end}" for stem in stems for end in CHANGING)
            around = around.parent
        names = [
            node
            for node in ast.walk(ast.parse("\n".join(["async def one():", *indented(body or ["pass"])])))
            if isinstance(node, ast.Name)
        ]
        stored = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        found = sorted({node.id for node in names} & changing - stored)
        return ["*", *(f"{name}={name}" for name in found)] if found else []

    def _calls(self, region: Region, ports: list[str], items: str) -> str:
        name = self._variables[owner_of(region)]
        partial = self._lifter.use("functools", "partial") if ports or self._is_tolerant(region) else ""
        call = f"{partial}({', '.join([f'{name}_one', *ports])})" if ports else f"{name}_one"
        if self._is_tolerant(region):
            call = f"{partial}({self._lifter.use(STEPS, 'tolerated')}, {call})"
        match ports:
            case ["index", "item"]:
                return f"{call} for index, item in enumerate({items})"
            case ["index"]:
                return f"{call} for index in range(len({items}))"
            case ["item"]:
                return f"{call} for item in {items}"
            case _:
                return f"{call} for _ in {items}"

    def _gives(self, collects: list[NodeId], known: Condition) -> str:
        """What the function of one item returns."""
        if not collects:
            return "None"
        parts: list[str] = []
        for node in collects:
            one = self._chart.input(node, "value")
            kind = self._readings.annotation(one.type)
            nothing = f" | {self._lifter.use(STEPS, 'Nothing')}"
            parts.append(kind + ("" if self._value_present(node).given(known) == ALWAYS else nothing))
        return parts[0] if len(parts) == 1 else f"tuple[{', '.join(parts)}]"

    def _gathered(self, collects: list[NodeId], known: Condition) -> Lines:
        """What the function of one item ends with."""
        found = [(self._value_present(node).given(known), node) for node in collects]
        values = {
            node: self._readings.read_input(node, self._chart.input(node, "value")) for _, node in found
        }
        if not found:
            return []
        if len(found) == 1:
            condition, node = found[0]
            if condition == ALWAYS:
                return [f"return {values[node]}"]
            nothing = self._lifter.use(STEPS, "NOTHING")
            if condition == NEVER:
                return [f"return {nothing}"]
            return [f"if {condition.test()}:", *indented([f"return {values[node]}"]), f"return {nothing}"]
        parts: list[str] = []
        for condition, node in found:
            if condition == ALWAYS:
                parts.append(values[node])
                continue
            nothing = self._lifter.use(STEPS, "NOTHING")
            parts.append(
                nothing if condition == NEVER else f"{values[node]} if {condition.test()} else {nothing}"
            )
        return [f"return {', '.join(parts)}"]

    def _collected(self, region: Region, collects: list[NodeId], gathering: str, known: Condition) -> Lines:
        if not collects:
            return [gathering]
        name = self._variables[owner_of(region)]
        simple = not self._is_tolerant(region) and all(
            self._value_present(node).given(known) == ALWAYS for node in collects
        )
        if simple and len(collects) == 1:
            variable = self._variables[collects[0]]
            kept = [f"{variable}_kept = list(range(len({variable})))"]
            return [f"{variable} = {gathering}", *(kept if self._chart.is_read(collects[0], "kept") else [])]
        lines = [f"{name}_outcomes = {gathering}"]
        failure = (
            f"isinstance(one, {self._lifter.use(STEPS, 'Failure')})" if self._is_tolerant(region) else ""
        )
        for place, node in enumerate(collects):
            settings = self._chart.registry.settings(self._chart.record(node))
            variable = self._variables[node]
            outcomes = f"{name}_outcomes"
            if len(collects) > 1:
                one = f"one if {failure} else one[{place}]" if failure else f"one[{place}]"
                outcomes = f"[{one} for one in {name}_outcomes]"
            parts = [outcomes]
            parts += [f"failed={text_literal(settings['failed'])}"] if settings["failed"] != "fail" else []
            parts += [f"absent={text_literal(settings['absent'])}"] if settings["absent"] != "drop" else []
            kept = f"{variable}_kept" if self._chart.is_read(node, "kept") else "_"
            values = variable if self._chart.is_read(node, "values") else "_"
            lines.append(f"{values}, {kept} = {self._lifter.use(STEPS, 'collected')}({', '.join(parts)})")
        return lines

    def _value_present(self, node: NodeId) -> Condition:
        return self._readings.arrives(node, self._chart.input(node, "value"))

    def _is_collect_read(self, node: NodeId) -> bool:
        settings = self._chart.registry.settings(self._chart.record(node))
        is_read = self._chart.is_read(node, "values") or self._chart.is_read(node, "kept")
        return is_read or settings["absent"] == "fail"

    def _is_tolerant(self, region: Region) -> bool:
        settings = [self._chart.registry.settings(self._chart.record(node)) for node in region.collects]
        return all(one["failed"] != "fail" for one in settings)


def _counted(port: str) -> str:
    return "int" if port == "index" else ""
