"""The body of the flow's function: steps as statements, loops as `for`, maps as functions, ways as `if`."""

from studio.export.python.literals import text_literal
from studio.export.structure.called import CalledFlow, nodes_of
from studio.export.structure.conditions import ALWAYS, NEVER, Condition
from studio.export.structure.outputs import BY_RULE, STEPS, field_of_output
from studio.export.structure.readings import Readings
from studio.export.writing.blocks import Blocks
from studio.export.writing.calls import Calls
from studio.export.writing.loops import Loops
from studio.export.writing.maps import Maps
from studio.export.writing.marks import mark, marked
from studio.export.writing.merges import Merges
from studio.export.writing.race_lanes import RaceLanes
from studio.export.writing.sequences import Sequences
from studio.export.writing.statements import Lines, Outline, Room, Statement, indented
from studio.export.writing.steps import Steps
from studio.flow.ports import ERROR, Structure
from studio.flow.records import Socket
from studio.flow.regions import Region
from studio.ids import NodeId


class Body(Room):
    """Writes the flow's function."""

    def __init__(self, readings: Readings, outline: Outline, called: CalledFlow | None = None) -> None:
        """Make it; `called` is the flow where others call it."""
        super().__init__(readings, outline)
        self._called = called
        calls = Calls(readings, self._outline)
        self._sequences = Sequences(readings, self._outline, calls)
        self._steps = Steps(readings, self._outline, calls)
        self._merges = Merges(readings, self._outline, calls)
        self._loops = Loops(readings, self._outline, self._sequences, self._inside)
        self._maps = Maps(readings, self._outline, self._sequences, self._inside)
        self._blocks = Blocks(readings, self._outline, self._sequences)
        self._races = RaceLanes(readings, self._outline, self._sequences)
        self._outputs = nodes_of(self._chart, Structure.FLOW_OUTPUT)
        self._apart = frozenset(node for node in self._outputs if not self._readings.is_given_last(node))
        """The outputs that are put together as they come."""
        if self._apart and called is None:
            self._apart = frozenset(self._outputs)

    def lines(self) -> Lines:
        """The statements of the function's body."""
        root = self._chart.tree.root
        has_apart = bool(self._apart)
        start = [f"outputs: dict[str, {self._lifter.use('typing', 'Any')}] = {{}}"] if has_apart else []
        placed = self._sequences.ordered(self._inside(root), ALWAYS)
        last = Statement("", ALWAYS, set(), lambda _: marked(self._outputs, self._returns()))
        placed.append((last, ALWAYS))
        lines = [*start, *self._sequences.nested(placed, ALWAYS)]
        return self._sequences.handovers.settle(lines, self._lifter)

    def _returns(self) -> Lines:
        if self._called is not None:
            return self._returns_to(self._called)
        if self._apart:
            return ["return outputs"]
        pairs = [f"{text_literal(node)}: {self._output(node)}" for node in self._outputs]
        return [f"return {{{', '.join(pairs)}}}"]

    def _returns_to(self, called: CalledFlow) -> Lines:
        """Give back the outputs as they are to who called."""
        values = {node: self._given(node) for node in called.outputs}
        if not called.record:
            return [f"return {value}" for value in values.values()]
        fields = ", ".join(f"{called.variables[node]}={value}" for node, value in values.items())
        return [f"return {called.record}({fields})"]

    def _given(self, node: NodeId) -> str:
        """What is given back for one output."""
        if node not in self._apart:
            return self._readings.read_input(node, self._chart.input(node, "value"))
        says_nothing = self._called is not None and field_of_output(self._called, node).says_nothing
        nothing = f", {self._lifter.use(STEPS, 'NOTHING')}" if says_nothing else ""
        return f"outputs.get({text_literal(node)}{nothing})"

    def _inside(self, region: Region) -> list[Statement]:
        """What the body of a region does, in no order yet."""
        chart = self._chart
        found: list[Statement] = []
        yard = chart.yards[id(region)]
        replaced: dict[str, set[str]] = {}
        for node, waits in yard.waits.items():
            made = self._statements_of(node, {str(one) for one in waits})
            for one in made:
                one.node = str(node)
                mark(one, self._said_with(node))
            replaced[str(node)] = {one.key for one in made}
            found += made
        for one in found:
            one.waits = {key for wait in one.waits for key in replaced.get(wait, {wait})} | one.also
        return self._races.joined(self._blocks.joined(found))

    def _said_with(self, node: NodeId) -> tuple[NodeId, ...]:
        """The nodes that a statement says: with a race its racers, with a map its collects."""
        collects = self._chart.owned[node].collects if node in self._chart.owned else ()
        racers = [racer.wire.source.node for racer in self._readings.racers.get(node, ())]
        return (node, *racers, *(one for one in collects if one != node))

    def _statements_of(self, node: NodeId, waits: set[str]) -> list[Statement]:
        """What becomes of a step, and before it, of a failure that it was to read."""
        readings = self._readings
        made = self._work_of(node, waits)
        kept = readings.kept(node)
        if kept is None or readings.stuck(node) == NEVER:
            return made
        wires = list(readings.failing_wires(node))
        key = f"{node}!"
        for one in made:
            one.also.add(key)
        return [
            Statement(
                key,
                readings.reached(node),
                waits,
                lambda known: [f"{kept.name} = {readings.blame(wires, known)}"],
            ),
            *made,
        ]

    def _work_of(self, node: NodeId, waits: set[str]) -> list[Statement]:
        chart, runs = self._chart, self._readings.runs(node)
        if node in chart.owned:
            region = chart.owned[node]
            write = self._maps.lines if region.kind == "map" else self._loops.lines
            lenders = [one for inner in region.body for one in self._chart.all_lenders(inner)]
            made = Statement(node, runs, waits, lambda known: write(region, known), lenders=lenders)
            return [made, *self._maps.collects(region, waits)]
        is_passed = chart.record(node).run.state == "bypassed" or self._readings.is_constant(node)
        if node in self._readings.racers:
            return [Statement(node, runs, waits, lambda known: self._races.lines(node, known))]
        match chart.structure(node):
            case Structure.FLOW_INPUT:
                return [Statement(node, runs, waits, lambda _: [])]
            case Structure.FLOW_OUTPUT:
                return [Statement(node, runs, waits, lambda _: self._given_back(node))]
            case Structure.CATCH if not is_passed:
                return [Statement(node, self._caught(node), waits, lambda known: self._told(node, known))]
            case Structure.MERGE if not is_passed:
                return self._merges.statements(node, runs, waits)
            case _ if is_passed:
                return [Statement(node, runs, waits, lambda known: self._merges.passed(node, known))]
            case Structure.BRANCH if chart.record(node).kind == BY_RULE:
                return [Statement(node, runs, waits, lambda known: self._steps.lines(node, known))]
            case _:
                return [self._steps.statement(node, runs, waits)]

    def _output(self, node: NodeId) -> str:
        one = self._chart.input(node, "value")
        if not one.wires or self._called is not None:
            return self._readings.read_input(node, one)
        source = self._chart.output_type(one.wires[0].source)
        return self._readings.plain(self._readings.read_input(node, one), source)

    def _caught(self, node: NodeId) -> Condition:
        return self._readings.present(Socket(node, ERROR))

    def _told(self, node: NodeId, known: Condition) -> Lines:
        """The error that a catch gives."""
        if not self._chart.is_read(node, ERROR):
            return []
        found = [
            one
            for wire in self._chart.input(node, "value").wires
            for one in self._readings.raised(wire, known)
        ]
        told = self._lifter.use(STEPS, "told")
        lines: Lines = []
        for place, (condition, failure) in enumerate(found):
            statement = f"{self._variables[node]}_error = {told}({failure})"
            word = "else:" if place == len(found) - 1 else f"{'elif' if place else 'if'} {condition.test()}:"
            lines += [word, *indented([statement])] if len(found) > 1 else [statement]
        return lines

    def _given_back(self, node: NodeId) -> Lines:
        if node not in self._apart:
            return []
        return [f"outputs[{text_literal(node)}] = {self._output(node)}"]
