"""The body of a flow's function: vertices as statements in an order that reads well, arms under `if`."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from studio.export.python.literals import text_literal
from studio.export.python.names import Names
from studio.export.statements.block import Lines, Outline, Statement, indented
from studio.export.statements.drawn_parts import DrawnParts
from studio.export.statements.lanes import Lanes, shared_way
from studio.export.statements.loops import Loops
from studio.export.statements.maps import Maps
from studio.export.statements.marks import marked
from studio.export.statements.places import NOTHING
from studio.export.statements.readings import Readings
from studio.export.statements.steps import Steps
from studio.export.statements.variable_use import tidy
from studio.export.structure.drawing import Drawing, Drawn, structure_of_io
from studio.export.structure.expressions import all_of
from studio.export.structure.facts import Arm, one_port
from studio.flow.ports import Structure
from studio.flow.records import Socket, Wire
from studio.flow.structure.regions import Region
from studio.ids import NodeId
from studio.sdk.branch_cases import case_ports


class Body:
    """Writes the body of one flow's function."""

    def __init__(self, outline: Outline, names: Names) -> None:
        """Make it; `names` has what is at the top of the script."""
        self._outline, self._names = outline, names
        self._facts = outline.flow.facts
        self._chart = self._facts.chart
        self._readings = Readings(outline)
        self._drawing = Drawing(self._facts)
        self._steps = Steps(outline, self._readings)
        self._drawn = DrawnParts(outline, self._readings)
        self._loops = Loops(outline, self._readings, self._inside, self._written)
        self._maps = Maps(outline, self._readings, self._inside, self._written)
        self._lanes = Lanes(outline, self._readings, self._written, self._take)
        self._taken = set(outline.flow.variables.values())

    def lines(self) -> Lines:
        """The statements, to the `return` of the outputs."""
        if self._drawing.is_whole():
            inside = next(node for node in self._chart.flow.nodes if node in self._outputs())
            self._outline.drawn[inside] = "an input or output inside a loop or map"
            return self._drawn.whole()
        root = self._chart.tree.root
        lines = self._lenders()
        statements = self._inside(root)
        lines += self._written(statements)
        outputs = self._outputs()
        pairs = [f"{text_literal(node)}: {self._given(node)}" for node in outputs]
        lines += marked(outputs, [f"return {{{', '.join(pairs)}}}"]) if pairs else ["return {}"]
        settled = self._outline.places.settle(lines)
        if self._outline.places.begun:
            self._outline.use(NOTHING)
        return tidy(settled, self._outline.places.begun)

    def _outputs(self) -> list[NodeId]:
        chart = self._chart
        return [node for node in chart.flow.nodes if chart.structure(node) is Structure.FLOW_OUTPUT]

    def _given(self, node: NodeId) -> str:
        one = self._chart.input(node, "value")
        return self._readings.input(node, one) or self._outline.use(NOTHING)

    def _lenders(self) -> Lines:
        """What lends something to steps, each after what lends to it."""
        steps = [node for node in self._chart.flow.nodes if node in self._chart.tree.graph.steps]
        left_out = {node for node in steps if self._facts.is_muted(node)}
        lenders = dict.fromkeys(
            one for node in steps if node not in left_out for one in self._chart.all_lenders(node)
        )
        return [line for node in lenders for line in marked([node], self._steps.lender(node))]

    def _take(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._taken or name in self._names:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name

    # --- statements ----------------------------------------------------------------------------------------

    def _inside(self, region: Region) -> list[Statement]:
        """What the body of a region does, in no order yet."""
        parts = self._drawing.parts(region)
        waits = self._chart.yards[id(region)].waits
        home: dict[NodeId, Drawn] = {node: part for part in parts for node in part.vertices}
        made: list[Statement] = []
        for part in parts:
            self._outline.drawn |= {node: why for node in part.vertices if (why := self._drawing.why(node))}
            before = {str(one) for node in part.vertices for one in waits[node] if one not in part.vertices}
            made.append(self._drawn.statement(part, before))
        keys: dict[str, set[str]] = {}
        for node, before in waits.items():
            if node in home:
                keys[str(node)] = {str(min(home[node].vertices))}
                continue
            found = self._statements(node, {str(one) for one in before})
            keys[str(node)] = {one.key for one in found} or {str(one) for one in before}
            made += found
        self._resolve(keys, {one.key for one in made})
        return [
            replace(one, waits={key for wait in one.waits for key in keys.get(wait, {wait})} - {one.key})
            for one in made
        ]

    def _resolve(self, keys: dict[str, set[str]], written: set[str]) -> None:
        """Let what is no statement stand for what it waits for."""
        changed = True
        while changed:
            changed = False
            for node, found in keys.items():
                more = {
                    key for one in found for key in (keys.get(one, {one}) if one not in written else {one})
                }
                if more != found:
                    keys[node] = more - {node} if node not in written else more
                    changed = True

    def _statements(self, node: NodeId, waits: set[str]) -> list[Statement]:
        chart, facts = self._chart, self._facts
        way = facts.way(node)
        if structure_of_io(chart.structure(node)) or facts.is_muted(node):
            return []
        if facts.is_plain_branch(node):
            return self._plain_arms(node, waits)
        if merged := facts.plain_merge(node):
            return self._plain_merge(node, merged, waits)
        if facts.is_plain_formula(node):
            return [Statement(str(node), (node,), waits, way, lambda: self._formula(node))]
        if facts.constant(node) is not None:
            return [Statement(str(node), (node,), waits, way, lambda: self._constant(node))]
        region = chart.owned.get(node)
        is_slow = self._drawing.takes_time(node)
        if region is None:
            return [
                Statement(
                    str(node),
                    (node,),
                    waits,
                    way,
                    lambda: self._steps.lines(node),
                    lambda: self._steps.call(node),
                    is_slow,
                )
            ]
        if region.kind == "loop":
            return [
                Statement(str(node), (node,), waits, way, lambda: self._loops.lines(region), None, is_slow)
            ]
        return [self._map(region, node, waits, is_slow=is_slow)]

    def _map(self, region: Region, node: NodeId, waits: set[str], *, is_slow: bool) -> Statement:
        def write() -> Lines:
            function = self._maps.function(region)
            target, call = self._maps.call(region)
            return [*function, f"{target} = await {call}" if target else f"await {call}"]

        nodes = (node, *self._maps.collects(region))
        return Statement(str(node), nodes, waits, self._facts.way(node), write, None, is_slow)

    def _formula(self, node: NodeId) -> Lines:
        value = self._readings.formula(node)
        name = self._readings.variable(node)
        self._outline.places.set(name)
        return [f"{name} = {value}"]

    def _constant(self, node: NodeId) -> Lines:
        name = self._readings.variable(node)
        self._outline.places.set(name)
        return [f"{name} = {self._outline.flow.constants.value(str(node), self._facts.constant(node))}"]

    def _plain_arms(self, node: NodeId, waits: set[str]) -> list[Statement]:
        """A variable for each way of a branch whose value is read where that way is not the only one."""
        found: list[Statement] = []
        for port in case_ports(self._facts.cases(node)):
            arm = Arm(node, str(port))
            if not self._is_read_elsewhere(arm):
                continue
            way = (*self._facts.way(node), arm)

            def write(port: str = str(port)) -> Lines:
                value = self._readings.input(node, self._chart.input(node, "value"), is_plain=True)
                name = f"{self._readings.variable(node)}_{port}"
                self._outline.places.set(name)
                return [f"{name} = {value}"]

            found.append(Statement(f"{node}>{port}", (node,), waits, way, write))
        return found

    def _is_read_elsewhere(self, arm: Arm) -> bool:
        chart, facts = self._chart, self._facts
        home = facts.yards[arm.branch]
        for wire in chart.wires_from(arm.branch, arm.port):
            target = wire.target.node
            if home.owner is not None and facts.vertex(target) == home.owner:
                return (
                    len(facts.arms_of(Socket(arm.branch, wire.source.port))) != 1
                    or wire.target.port != "done"
                )
            if target in facts.yards and facts.plain_merge(target):
                continue
            vertex = facts.vertex_in(home, target)
            if vertex is None or arm not in facts.arms(vertex) or structure_of_io(chart.structure(target)):
                return True
        return False

    def _plain_merge(self, node: NodeId, wires: list[Wire], waits: set[str]) -> list[Statement]:
        """A merge as the same variable, set in each of the arms that it joins."""
        found: list[Statement] = []
        if not any(self._facts.readers(node)):
            return found
        outer = self._facts.arms(node)
        kind = self._chart.output_type(Socket(node, one_port(self._chart, node)))
        is_set = self._facts.is_sure_step(node) or self._facts.goes_one_way(wires, self._facts.known(node))
        for number, source in enumerate(wire.source for wire in wires):
            arms = self._facts.arms_of(source)
            order = [*self._facts.way(source.node), *(Arm(source.node, str(source.port)),)]
            way = tuple(arm for arm in order if arm in arms or arm in outer)

            def write(source: Socket = source) -> Lines:
                value = self._readings.as_type(source, kind, is_kept=True)
                name = self._readings.variable(node)
                self._outline.places.set(name, covered=is_set)
                return [f"{name} = {value}"] if value != name else []

            found.append(Statement(f"{node}#{number}", (node,), waits, way, write))
        return found

    # --- order ---------------------------------------------------------------------------------------------

    def _written(self, statements: list[Statement]) -> Lines:
        """Write statements in an order in which each stands after what it waits for."""
        known = self._readings.known
        left = [replace(one, way=tuple(arm for arm in one.way if arm not in known)) for one in statements]
        return self._nested(self._ordered(self._lanes.woven(left)))

    def _ordered(self, statements: Sequence[Statement]) -> list[Statement]:
        """Each after what it waits for; in the arms where one already is, as far as possible."""
        keys = {one.key for one in statements}
        left = {one.key: len(one.waits & keys) for one in statements}
        freed: dict[str, list[Statement]] = {}
        for one in statements:
            for key in one.waits & keys:
                freed.setdefault(key, []).append(one)
        ready = [one for one in statements if not left[one.key]]
        placed: list[Statement] = []
        here: tuple[Arm, ...] = ()
        while ready:
            first = max(ready, key=lambda one: _fit(one.way, here))
            ready.remove(first)
            here = first.way
            placed.append(first)
            for one in freed.get(first.key, ()):
                left[one.key] -= 1
                if not left[one.key]:
                    ready.append(one)
        return placed

    def _nested(self, placed: Sequence[Statement]) -> Lines:
        """Statements below one another, those of one arm under one `if`."""
        lines: Lines = []
        at = 0
        while at < len(placed):
            one = placed[at]
            if not one.way:
                lines += marked(one.nodes, one.write())
                at += 1
                continue
            branch = one.way[0].branch
            stop = at
            while stop < len(placed) and placed[stop].way and placed[stop].way[0].branch == branch:
                stop += 1
            lines += self._arms_at_once(placed[at:stop]) or self._chain(branch, placed[at:stop])
            at = stop
        return lines

    def _arms_at_once(self, placed: Sequence[Statement]) -> Lines:
        """Arms within one another in one `if`, where nothing else stands in the outer ones; else nothing."""
        way = shared_way([one.way for one in placed])
        if len(way) < 2:
            return []
        before, numbers = self._readings.known, [self._outline.places.number() for _ in way]
        tests: list[str] = []
        with ExitStack() as arms:
            for number, arm in zip(numbers, way, strict=True):
                ports = [str(port) for port in case_ports(self._facts.cases(arm.branch))]
                is_plain = self._facts.is_plain_branch(arm.branch)
                test = self._readings.test(arm, ports[: ports.index(arm.port)] if is_plain else [])
                tests += [test] if test else []
                arms.enter_context(self._outline.places.inside("arm", number))
                self._readings.known |= {arm}
            inner = [replace(one, way=one.way[len(way) :]) for one in placed]
            body = self._nested(inner) if len(tests) == len(way) else []
        self._readings.known = before
        branches = [arm.branch for arm in way if self._facts.is_plain_branch(arm.branch)]
        starts = [self._outline.places.start(number) for number in numbers]
        return [*starts, *marked(branches, [f"if {all_of(tests)}:", *indented(body)])] if body else []

    def _chain(self, branch: NodeId, placed: Sequence[Statement]) -> Lines:
        """The arms of one branch as `if`, `elif` and `else`."""
        ports = [str(port) for port in case_ports(self._facts.cases(branch))]
        is_plain = self._facts.is_plain_branch(branch)
        number = self._outline.places.number()
        lines: Lines = [self._outline.places.start(number)]
        skipped: list[str] = []
        said: list[str] = []
        for port in ports:
            inside = [one for one in placed if one.way[0].port == port]
            if not inside:
                skipped.append(port)
                continue
            arm = Arm(branch, port)
            test = self._readings.test(arm, skipped if is_plain else [])
            with self._outline.places.inside("arm", number, len(said)):
                known = self._readings.known
                self._readings.known = known | {arm}
                body = self._nested([replace(one, way=one.way[1:]) for one in inside])
                self._readings.known = known
            is_rest = bool(said) and self._is_rest(branch, port, {*said, port}, skipped)
            # A failure goes all ways at once.
            follows = said and branch not in self._facts.sheltered
            word = "else" if is_rest or not test else f"{'elif' if follows else 'if'} {test}"
            if word == "else" and not said:  # it goes this way whatever holds
                lines += body
                continue
            lines += [*marked([branch] if is_plain else [], [f"{word}:", *indented(body or ["pass"])])]
            said.append(port)
        return lines

    def _is_rest(self, branch: NodeId, port: str, said: set[str], skipped: list[str]) -> bool:
        """Whether an arm is all that is left."""
        if self._facts.is_plain_branch(branch):
            return not self._readings.test(Arm(branch, port), skipped)
        return self._facts.is_sure_step(branch) and self._facts.ports_of(branch) == frozenset(said)


def _fit(way: Sequence[Arm], here: Sequence[Arm]) -> int:
    """How well a statement stands behind one in these arms."""
    same = 0
    for one, other in zip(way, here, strict=False):
        if one != other:
            break
        same += 1
    return 2 * same - (len(way) - same) - 2 * (len(here) - same)
