"""Parts of a flow that are left as they are drawn: JSON at the top of the script, run by `region`."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from studio.export.statements.block import Lines, Outline, Statement
from studio.export.statements.marks import marked
from studio.export.statements.readings import Readings, by_name, drawn_name
from studio.export.structure.drawing import Drawn, crossing, read_outside
from studio.export.structure.facts import Arm
from studio.flow.files import codec
from studio.flow.ports import AFTER, THEN, Structure
from studio.flow.records import Flow, Layout, Node, Socket, Wire
from studio.ids import NodeId, PortName, slug

VALUE = PortName("value")


class DrawnParts:
    """Writes what is left to the engine."""

    def __init__(self, outline: Outline, readings: Readings) -> None:
        self._outline, self._readings = outline, readings
        self._facts = outline.flow.facts
        self._chart = self._facts.chart

    def variable(self, part: Drawn) -> str:
        """What a part gives its outputs in."""
        return f"{self._readings.variable(min(part.vertices))}_part"

    def call(self, part: Drawn) -> tuple[str, str]:
        """What the outputs of a part are assigned to, and the call that runs it."""
        sources = self._sources(part)
        flow, calls = self._flow(part, sources)
        self._outline.lends.update(calls)
        name = self._outline.flow.constants.named(f"{min(part.vertices)}_drawn", document(flow))
        self._outline.documents[name] = frozenset(part.nodes(self._facts))
        arguments = [
            name,
            *(by_name(asked, self._readings.happened(socket)) for socket, asked in sources.items()),
        ]
        call = f"{self._outline.use('region')}{self._on(part)}({', '.join(arguments)})"
        if not read_outside(self._facts, part):
            return "", call
        variable = self.variable(part)
        self._outline.places.set(variable)
        return variable, call

    def _on(self, part: Drawn) -> str:
        """How a part is told that failures in it travel on to who reads it."""
        nodes = part.nodes(self._facts)
        failing = {socket.node for socket in read_outside(self._facts, part)} & self._facts.sheltered
        return '.on(on_error="pass_on")' if failing & nodes else ""

    def whole(self) -> Lines:
        """All of the flow, left as it is drawn."""
        chart = self._chart
        flow = replace(chart.flow, layout=Layout())
        self._outline.lends.update({chart.registry.called_name(one) for one in flow.nodes.values()} - {""})
        name = self._outline.flow.constants.named("drawn", document(flow))
        self._outline.documents[name] = frozenset(flow.nodes)
        asked = [node for node in flow.nodes if chart.structure(node) is Structure.FLOW_INPUT]
        given = [by_name(str(node), self._readings.variable(node)) for node in asked]
        call = f"{self._outline.use('region')}({', '.join([name, *given])})"
        return marked([node for node in flow.nodes if node not in asked], [f"return await {call}"])

    def statement(self, part: Drawn, waits: set[str]) -> Statement:
        """A part as a statement."""
        shared = frozenset[Arm].intersection(*(self._facts.arms(node) for node in part.vertices))
        outer = {arm for arm in shared if arm.branch not in part.vertices}
        way = tuple(arm for arm in self._facts.way(min(part.vertices)) if arm in outer)
        self._readings.leave_to_engine(part, self.variable(part))
        nodes = sorted(part.nodes(self._facts))

        def write() -> Lines:
            target, call = self.call(part)
            return [f"{target} = await {call}" if target else f"await {call}"]

        return Statement(
            str(min(part.vertices)), tuple(nodes), waits, way, write, lambda: self.call(part), is_slow=True
        )

    def _sources(self, part: Drawn) -> Mapping[Socket, str]:
        """What a part reads from outside, each with the name of its flow input."""
        nodes = part.nodes(self._facts)
        found: dict[Socket, str] = {}
        for wire in crossing(self._facts, part):
            if wire.target.node not in nodes:
                continue
            vertex = self._facts.vertex(wire.target.node)
            is_order = wire.target.port == AFTER and self._facts.has_happened(wire, self._facts.known(vertex))
            if not is_order and wire.source not in found:
                found[wire.source] = _free(drawn_name(wire.source), {*nodes, *map(NodeId, found.values())})
        return found

    def _flow(self, part: Drawn, sources: Mapping[Socket, str]) -> tuple[Flow, set[str]]:
        """A part as a flow of its own; and the flows that it calls."""
        chart, nodes = self._chart, part.nodes(self._facts)
        lenders = {one for node in nodes for one in chart.all_lenders(node)}
        records = {node: chart.record(node) for node in chart.flow.nodes if node in nodes or node in lenders}
        wires = [
            wire for wire in chart.flow.wires if wire.source.node in records and wire.target.node in records
        ]
        wires += [
            Wire(Socket(NodeId(sources[wire.source]), VALUE), wire.target, wire.index)
            for wire in crossing(self._facts, part)
            if wire.source in sources
        ]
        for socket, name in sources.items():
            kind = str(chart.output_type(socket))
            records[NodeId(name)] = Node(
                kind="io.flow_input", settings={"type": "any" if kind == "T" else kind}
            )
        for read in read_outside(self._facts, part):
            socket = read
            name = NodeId(drawn_name(socket))
            records[name] = Node(kind="io.flow_output")
            if socket.port == THEN:  # which no output can give, but a step that comes after it
                seen = NodeId(_free(f"{socket.node}_happened", set(records)))
                records[seen] = Node(kind="value.json", settings={"value": True})
                wires.append(Wire(socket, Socket(seen, AFTER)))
                socket = Socket(seen, VALUE)
            wires.append(Wire(socket, Socket(name, VALUE)))
        calls = {chart.registry.called_name(one) for one in records.values()} - {""}
        title = chart.title(min(part.vertices))
        return Flow(title, "", records, tuple(wires)), calls


def document(flow: Flow) -> str:
    """A flow as a script has it: its file, with a node and a wire a line."""
    whole: dict[str, Any] = json.loads(codec.dumps(flow))
    whole.pop("layout", None)
    nodes = [f"    {_json(name)}: {_json(one)}" for name, one in whole.pop("nodes").items()]
    wires = [f"    {_json(one)}" for one in whole.pop("wires", [])]
    head = [f"  {_json(name)}: {_json(one)}" for name, one in whole.items() if one]
    several = [
        f'  "{name}": {brackets[0]}' + "\n" + ",\n".join(lines) + f"\n  {brackets[1]}"
        for name, lines, brackets in (("nodes", nodes, "{}"), ("wires", wires, "[]"))
        if lines
    ]
    return "{\n" + ",\n".join([*head, *several]) + "\n}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _free(name: str, taken: set[NodeId]) -> str:
    return str(slug(name, taken)) if NodeId(name) in taken else name
