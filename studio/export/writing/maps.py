"""Maps as a function of one item, called for all of them at once up to a limit."""

import ast
from collections.abc import Iterator

from studio.export.python.lifter import SCRIPT
from studio.export.python.literals import text_literal
from studio.export.structure.chart import ports_after
from studio.export.structure.conditions import ALWAYS, NEVER, Condition, Way
from studio.export.structure.naming import function_of_item, part_of_item
from studio.export.structure.outputs import STEPS
from studio.export.structure.readings import Readings
from studio.export.structure.remembering import MEMORIES
from studio.export.structure.sharing import VARIABLES
from studio.export.structure.step_names import CONTEXT, context_of_item
from studio.export.writing.sequences import Sequences
from studio.export.writing.statements import (
    Area,
    Inside,
    Lines,
    Outline,
    Statement,
    indented,
    names_in,
    owner_of,
    tried,
    under,
)
from studio.flow.ports import THEN
from studio.flow.records import Socket
from studio.flow.regions import Region
from studio.ids import NodeId, PortName

CHANGING = ("", "_value", "_round", "_next", "_error", "_kept", "_result", "_history", "_failure")
"""What the variables of a node end with."""
AT_ONCE = 8
"""How many calls `Context.gather` makes at once unless told otherwise."""


class Maps(Area):
    """Writes maps with their collects."""

    def __init__(self, readings: Readings, outline: Outline, sequences: Sequences, inside: Inside) -> None:
        super().__init__(readings, outline)
        self._sequences = sequences
        self._inside = inside

    def lines(self, region: Region, known: Condition) -> Lines:
        """Write a map, and its collects where they cannot fail, where the condition `known` holds."""
        owner = owner_of(region)
        chart, readings = self._chart, self._readings
        name = self._variables[owner]
        ports = [str(port.name) for port in chart.data_outputs(owner)]
        ports = [port for port in ("index", *ports[:-1]) if chart.is_read(owner, port)]
        types = {port: chart.output_type(Socket(owner, PortName(port))) for port in ports}
        parameters = [
            f"{part_of_item(name, port)}: {_counted(port) or readings.annotation(types[port])}"
            for port in ports
        ]
        body = self._sequences.written(self._inside(region), known)
        collects = self._given(region)
        failing, after = self._failing(region, known)
        body += [*failing, *self._gathered(collects, after)]
        told = [context_of_item(chart, owner, self._variables)] if CONTEXT in names_in(body) else []
        if told:
            parameters.insert(0, f"{CONTEXT}: {self._lifter.use(SCRIPT, 'Context')}")
        parameters += self._held(region, body, known)
        lines = [
            f"async def {function_of_item(name)}({', '.join(parameters)}) -> {self._gives(collects, after)}:",
            *indented(body or ["pass"]),
            "",
        ]
        settings = chart.registry.settings(chart.record(owner))
        items = self._items(region)
        limit = int(settings["at_once"])
        limited = "" if limit == AT_ONCE else f", limit={limit}"
        gathering = f"await {CONTEXT}.gather([{self._calls(region, told, ports, items)}]{limited})"
        if owner in readings.writing:
            lines.append(f"{name}_variables = {self._item_variables(region)}")
        if owner in readings.remembering:
            lines.append(f"{name}_memories = {self._item_memories(region)}")
        collecting = self.limited(region, self._collected(region, collects, gathering, after))
        mended_by = readings.mended_by(region)
        if mended_by is not None:
            collecting = self.mended(mended_by, collecting)
        return [*lines, *self.guarded(region, collecting)]

    def collects(self, region: Region, waits: set[str]) -> list[Statement]:
        """The collects of a map that can fail, or be left out, each by itself."""
        if region.kind != "map" or not self._is_apart(region):
            return []
        owner = owner_of(region)
        return [
            Statement(
                node,
                self._readings.reached(owner),
                waits,
                lambda known, node=node, place=place: self._apart(region, node, place, known),
                also={str(owner), *([f"{owner}!"] if self._is_set_before(owner) else [])},
            )
            for place, node in enumerate(self._given(region))
            if self._readings.is_collect_read(node)
        ]

    def _is_set_before(self, owner: NodeId) -> bool:
        return self._readings.kept(owner) is not None and self._readings.stuck(owner) != NEVER

    def _given(self, region: Region) -> list[NodeId]:
        """The collects to which each item gives something: all of them where these decide what it leaves."""
        return [node for node in region.collects if self._readings.is_collect_given(region, node)]

    def _item_memories(self, region: Region) -> str:
        """What keeps apart what the items remember."""
        given = [f"{CONTEXT}.memories", *(["in_turn=True"] if self._is_in_turn(region) else [])]
        return f"{self._lifter.use(MEMORIES, 'ItemMemories')}({', '.join(given)})"

    def _is_in_turn(self, region: Region) -> bool:
        return int(self._chart.registry.settings(self._chart.record(owner_of(region)))["at_once"]) == 1

    def _item_variables(self, region: Region) -> str:
        """What keeps apart what the items write to run variables."""
        given = [f"{CONTEXT}.state", *(["in_turn=True"] if self._is_in_turn(region) else [])]
        travels = self.travels(region)
        given += [f"travelling={travels}"] if travels else []
        return f"{self._lifter.use(VARIABLES, 'ItemVariables')}({', '.join(given)})"

    def _is_apart(self, region: Region) -> bool:
        """Whether the collects of a map need more than that its items are over."""
        owner = owner_of(region)
        return any(
            self._readings.kept(node) is not None
            or self._chart.record(node).run.state == "muted"
            or ports_after(self._chart, node)
            or (self._readings.policy(node) != "fail" and self._readings.mended_by(region) is None)
            for node in region.collects
        ) or (
            self._readings.kept(owner) is not None
            and any(self._readings.may_not_gather(node) for node in region.collects)
        )

    def _apart(self, region: Region, node: NodeId, place: int, known: Condition) -> Lines:
        """One collect of a map that may have failed."""
        readings, owner = self._readings, owner_of(region)
        kept = readings.kept(node)
        lines: Lines = []
        way = readings.travelling(owner)
        if kept is not None:
            blamed = self._blamed(owner, node, way, known)
            after = readings.blame(list(ports_after(self._chart, node)), known)
            blamed += [after] if after != "None" else []
            lines.append(f"{kept.name} = {' or '.join(blamed) or None}")
        collected = self._collected_one(region, node, place)
        if readings.policy(node) != "fail":
            if way is not None and readings.breaks(owner):
                collected = [f"if {way.name} is not None:", f"    raise {way.name}", *collected]
            collected = self.mended(node, collected)
        if kept is not None and readings.breaks(node):
            collected = tried(collected, kept.name)
        return [*lines, *under(readings.attempted(node).given(known), collected)]

    def _blamed(self, owner: NodeId, node: NodeId, way: Way | None, known: Condition) -> list[str]:
        """The failures of a map that a collect fails with, unless it has a policy for what was begun."""
        if self._readings.policy(node) == "fail":
            return [way.name] if way is not None else []
        stuck = self._readings.blame(list(self._readings.failing_wires(owner)), known)
        return [stuck] if stuck != "None" else []

    def _failing(self, region: Region, known: Condition) -> tuple[Lines, Condition]:
        """Let an item fail with what a step was to give to its collect; what is known if it has not."""
        lines: Lines = []
        if len(region.collects) > 1 and not self._readings.stops_all(region):
            return lines, known
        for node in region.collects:
            for wire in self._chart.input(node, "value").wires:
                for condition, failure in self._readings.raised(wire, known):
                    lines += under(condition, [self.raises(region, failure)])
                    known &= ~condition
        return lines, known

    def _held(self, region: Region, body: Lines, known: Condition) -> list[str]:
        """Parameters that hold on to what a loop around the map surely sets in each round."""
        changing: set[str] = set()
        around = region.parent
        while around is not None:
            if around.kind == "loop":
                changing.update(f"{self._variables[owner_of(around)]}{end}" for end in CHANGING)
                for node in around.body - region.body:
                    changing.update(self._surely_set(node, known))
            around = around.parent
        found = sorted(names_in(body) & changing - names_in(body, ast.Store))
        anything = self._lifter.use("typing", "Any") if found else ""
        kinds = {name: "int" if name.endswith("_round") else anything for name in found}
        return ["*", *(f"{name}: {kind} = {name}" for name, kind in kinds.items())] if found else []

    def _surely_set(self, node: NodeId, known: Condition) -> Iterator[str]:
        """The variables of a node that are set whenever the condition `known` holds."""
        readings, stem = self._readings, self._variables[node]
        is_over = readings.present(Socket(node, PortName(THEN))).given(known) == ALWAYS
        if is_over and readings.policy(node) != "output":
            yield stem
        if readings.runs(node).given(known) == ALWAYS:
            yield from (f"{stem}{end}" for end in CHANGING if end)

    def _calls(self, region: Region, told: list[str], ports: list[str], items: str) -> str:
        name = self._variables[owner_of(region)]
        given = [*told, *ports]
        is_writing = owner_of(region) in self._readings.writing
        is_remembering = owner_of(region) in self._readings.remembering
        is_partial = given or self._is_tolerant(region) or is_writing or is_remembering
        partial = self._lifter.use("functools", "partial") if is_partial else ""
        function = function_of_item(name)
        call = f"{partial}({', '.join([function, *given])})" if given else function
        if self._is_tolerant(region):
            call = f"{partial}({self._lifter.use(STEPS, 'tolerated')}, {call})"
        if is_writing:
            call = f"{partial}({name}_variables.of_item, {call})"
        if is_remembering:
            call = f"{partial}({name}_memories.of_item, {call})"
        is_counted = bool(told) or "index" in ports
        if len(list(self._chart.inputs(owner_of(region)))) > 1:
            outputs = [str(port.name) for port in self._chart.data_outputs(owner_of(region))[:-1]]
            target = ", ".join(port if port in ports else "_" for port in outputs)
            if is_counted:
                return f"{call} for index, ({target}) in enumerate({items})"
            return f"{call} for {target} in {items}"
        if "item" in ports:
            return f"{call} for {f'index, item in enumerate({items})' if is_counted else f'item in {items}'}"
        return f"{call} for {f'index in range(len({items}))' if is_counted else f'_ in {items}'}"

    def _items(self, region: Region) -> str:
        """The list that is gone through, or the lists side by side."""
        owner = owner_of(region)
        inputs = list(self._chart.inputs(owner))
        lists = [(str(one.port.name), self._readings.read_input(owner, one)) for one in inputs]
        if len(lists) == 1:
            return lists[0][1]
        paired = self._lifter.use(STEPS, "side_by_side")
        named = ", ".join(f"{text_literal(name)}: {one}" for name, one in lists)
        travels = self.travels(region)
        return f"{paired}({{{named}}}, {travels})" if travels else f"{paired}({{{named}}})"

    def _gives(self, collects: list[NodeId], known: Condition) -> str:
        """What the function of one item returns."""
        if not collects:
            return "None"
        parts: list[str] = []
        for node in collects:
            kind = self._readings.annotation(self._chart.input(node, "value").type)
            for _, one in self._ends(node, known)[1:]:
                name = "Nothing" if one == self._lifter.use(STEPS, "NOTHING") else "Failure"
                kind = f"{kind} | {self._lifter.use(STEPS, name)}" if name not in kind else kind
            parts.append(kind)
        return parts[0] if len(parts) == 1 else f"tuple[{', '.join(parts)}]"

    def _ends(self, node: NodeId, known: Condition) -> list[tuple[Condition, str]]:
        """What an item gives to a collect, and when: its value first, then what stands in for it."""
        one = self._chart.input(node, "value")
        value = self._value_present(node).given(known)
        found = [(value, self._readings.read_input(node, one) if value != NEVER else "")]
        left = known & ~value
        for wire in one.wires if value != ALWAYS else ():
            for condition, failure in self._readings.raised(wire, left):
                found.append((condition, f"{self._lifter.use(STEPS, 'Failure')}({failure})"))
                left &= ~condition
        if value != ALWAYS and left != NEVER:
            found.append((ALWAYS, self._lifter.use(STEPS, "NOTHING")))
        return found

    def _gathered(self, collects: list[NodeId], known: Condition) -> Lines:
        """What the function of one item ends with."""
        if not collects:
            return []
        if len(collects) == 1:
            lines: Lines = []
            for condition, given in self._ends(collects[0], known):
                lines += under(condition, [f"return {given}"])
            return lines
        parts: list[str] = []
        for node in collects:
            ends = [one for one in self._ends(node, known) if one[0] != NEVER]
            choices = [f"{given} if {condition.test()} else " for condition, given in ends[:-1]]
            parts.append("".join(choices) + ends[-1][1])
        return [f"return {', '.join(parts)}"]

    def _collected(self, region: Region, collects: list[NodeId], gathering: str, known: Condition) -> Lines:
        if not collects:
            return [gathering]
        outcomes = f"{self._variables[owner_of(region)]}_outcomes = {gathering}"
        if self._is_apart(region):
            return [outcomes]
        simple = not self._is_tolerant(region) and all(
            self._value_present(node).given(known) == ALWAYS for node in collects
        )
        if simple and len(collects) == 1:
            return self._collected_all(collects[0], gathering)
        read = [(place, node) for place, node in enumerate(collects) if self._readings.is_collect_read(node)]
        found = [self._collected_one(region, node, place) for place, node in read]
        return [outcomes, *(line for lines in found for line in lines)]

    def _collected_all(self, node: NodeId, gathering: str) -> Lines:
        """Gather what the items gave where each of them gives something."""
        variable, is_kept = self._variables[node], self._chart.is_read(node, "kept")
        if not is_kept and not self._readings.is_used(node, "values"):
            return [gathering]
        kept = [f"{variable}_kept = list(range(len({variable})))"]
        return [f"{variable} = {gathering}", *(kept if is_kept else [])]

    def _collected_one(self, region: Region, node: NodeId, place: int) -> Lines:
        """Gather what the items gave to one collect."""
        settings = self._chart.registry.settings(self._chart.record(node))
        variable, outcomes = self._variables[node], f"{self._variables[owner_of(region)]}_outcomes"
        if len(self._given(region)) > 1:
            one = f"one[{place}]"
            if self._is_tolerant(region):
                one = f"one if isinstance(one, {self._lifter.use(STEPS, 'Failure')}) else {one}"
            outcomes = f"[{one} for one in {outcomes}]"
        parts = [outcomes]
        parts += [f"failed={text_literal(settings['failed'])}"] if settings["failed"] != "fail" else []
        parts += [f"absent={text_literal(settings['absent'])}"] if settings["absent"] != "drop" else []
        kept = f"{variable}_kept" if self._chart.is_read(node, "kept") else "_"
        values = variable if self._readings.is_used(node, "values") else "_"
        return [f"{values}, {kept} = {self._lifter.use(STEPS, 'collected')}({', '.join(parts)})"]

    def _value_present(self, node: NodeId) -> Condition:
        return self._readings.arrives(node, self._chart.input(node, "value"))

    def _is_tolerant(self, region: Region) -> bool:
        return self._readings.is_tolerant(region)


def _counted(port: str) -> str:
    return "int" if port == "index" else ""
