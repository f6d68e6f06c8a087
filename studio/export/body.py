"""The body of the flow's function: steps as statements, loops as `for`, maps as functions, ways as `if`."""

import ast
import inspect
import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.errors import ExportError
from studio.export.chart import Chart, Input, ports_after
from studio.export.conditions import ALWAYS, NEVER, Condition
from studio.export.constants import Constants
from studio.export.lifter import Lifter
from studio.export.literals import literal, text_literal
from studio.export.readings import BY_RULE, FORMULA, STEPS, Readings, takes
from studio.export.rules import formula_function, rule_function, stop_function
from studio.flow.ports import Conversion, Structure, conversion
from studio.flow.records import Socket, Wire
from studio.flow.regions import Region
from studio.ids import NodeId, PortName

Lines = list[str]

CONTEXT = "context"
CHANGING = ("", "_value", "_round", "_next", "_error", "_kept", "_result", "_history")
"""What the variables of a node end with."""
AT_ONCE = 8
"""How many calls `Context.gather` makes at once unless told otherwise."""


@dataclass(slots=True)
class Statement:
    """Something that a region's body does, when it does it, and after what."""

    key: str
    condition: Condition
    waits: set[str]
    write: Callable[[Condition], Lines]
    call: Callable[[Condition], "Call"] | None = None
    """Set for a step that is waited for, and could be waited for beside others."""
    lenders: Sequence[NodeId] = ()


@dataclass(slots=True)
class Call:
    """A call with what stands before it, and the name that takes its result (empty: nobody asks)."""

    before: Lines
    expression: str
    target: str
    is_async: bool


@dataclass(slots=True)
class Outline:
    """What a body turned out to need."""

    functions: list[str] = field(default_factory=list[str])
    """Functions of its own, such as the rules of a branch."""
    has_outputs: bool = False
    """Whether the outputs are put together as they come."""


class Body:
    """Writes the flow's function."""

    def __init__(
        self,
        chart: Chart,
        lifter: Lifter,
        constants: Constants,
        readings: Readings,
        variables: Mapping[NodeId, str],
    ) -> None:
        self._chart = chart
        self._lifter = lifter
        self._constants = constants
        self._readings = readings
        self._variables = variables
        self._opened: set[NodeId] = set()
        self._left_early: set[NodeId] = set()
        """Loops that may end before their last round."""
        self.outline = Outline()
        self._outputs = [
            node
            for node in chart.flow.nodes
            if chart.structure(node) is Structure.FLOW_OUTPUT and node in chart.tree.graph.steps
        ]

    def lines(self) -> Lines:
        """The statements of the function's body."""
        root = self._chart.tree.root
        direct = all(
            self._chart.tree.of(node) is root and self._readings.runs(node) == ALWAYS
            for node in self._outputs
        )
        self.outline.has_outputs = not direct
        start = [] if direct else [f"outputs: dict[str, {self._lifter.use('typing', 'Any')}] = {{}}"]
        groups = self._ordered(self._statements(root), ALWAYS)
        groups.append(([Statement("", ALWAYS, set(), lambda _: self._returns())], ALWAYS))
        return [*start, *self._nested(groups, ALWAYS)]

    def _returns(self) -> Lines:
        if self.outline.has_outputs:
            return ["return outputs"]
        pairs = [f"{text_literal(node)}: {self._output(node)}" for node in self._outputs]
        return [f"return {{{', '.join(pairs)}}}"]

    # --- order ---------------------------------------------------------------------------------------------

    def _statements(self, region: Region) -> list[Statement]:
        """What the body of a region does, in no order yet."""
        chart = self._chart
        found: list[Statement] = []
        yard = chart.yards[id(region)]
        replaced: dict[str, set[str]] = {}
        for node, waits in yard.waits.items():
            made = self._statements_of(node, {str(one) for one in waits})
            replaced[str(node)] = {one.key for one in made}
            found += made
        for one in found:
            one.waits = {key for wait in one.waits for key in (replaced.get(wait, {wait}))}
        return found

    def _statements_of(self, node: NodeId, waits: set[str]) -> list[Statement]:
        chart, runs = self._chart, self._readings.runs(node)
        if node in chart.owned:
            region = chart.owned[node]
            write = self._map if region.kind == "map" else self._loop
            lenders = [one for inner in region.body for one in self._lenders_of(inner)]
            return [Statement(node, runs, waits, lambda known: write(region, known), lenders=lenders)]
        is_passed = chart.record(node).run.state == "bypassed" or self._readings.is_constant(node)
        match chart.structure(node):
            case Structure.FLOW_INPUT:
                return [Statement(node, runs, waits, lambda _: [])]
            case Structure.FLOW_OUTPUT:
                return [Statement(node, runs, waits, lambda _: self._given_back(node))]
            case Structure.MERGE if not is_passed:
                return self._merge(node, runs, waits)
            case _ if is_passed:
                return [Statement(node, runs, waits, lambda _: [])]
            case Structure.BRANCH if chart.record(node).kind == BY_RULE:
                return [Statement(node, runs, waits, lambda known: self._plain_step(node, known))]
            case _:
                return [self._step(node, runs, waits)]

    def _step(self, node: NodeId, runs: Condition, waits: set[str]) -> Statement:
        function = self._chart.type_of(node).function
        is_async = inspect.iscoroutinefunction(function) or self._has_patience(node)
        simple = is_async and self._readings.policy(node) == "fail" and self._chart.structure(node) is None
        return Statement(
            node,
            runs,
            waits,
            lambda known: self._plain_step(node, known),
            (lambda known: self._call(node, known)) if simple else None,
            self._lenders_of(node),
        )

    def _written(self, statements: list[Statement], known: Condition) -> Lines:
        """Write statements in an order in which each stands after what it waits for."""
        return self._nested(self._ordered(statements, known), known)

    def _ordered(
        self, statements: list[Statement], known: Condition
    ) -> list[tuple[list[Statement], Condition]]:
        """Groups of statements; those of one group are waited for together."""
        keys = {one.key for one in statements}
        waiting = {one.key: one for one in statements}
        left = {one.key: one.waits & keys for one in statements}
        groups: list[tuple[list[Statement], Condition]] = []
        current = ALWAYS
        while waiting:
            ready = [one for key, one in waiting.items() if not left[key]]
            if not ready:
                message = "steps wait for one another"
                raise AssertionError(message)
            given = {one.key: one.condition.given(known) for one in ready}
            first = min(ready, key=lambda one: self._rank(one, given[one.key], current))
            current = given[first.key]
            group = [first]
            if first.call is not None:
                group = [one for one in ready if one.call is not None and given[one.key] == current]
            if current != NEVER:
                groups.append((group, current))
            for one in group:
                del waiting[one.key]
                for rest in left.values():
                    rest.discard(one.key)
        return groups

    def _rank(self, one: Statement, condition: Condition, current: Condition) -> tuple[int, int, str, str]:
        """What is written next: what stands in the same `if`, then what goes quickly, then by name."""
        if condition == NEVER:
            return (-1, 0, "", one.key)
        if condition == current:
            nearness = 0
        elif current != ALWAYS and condition.implies(current):
            nearness = 1
        else:
            nearness = 2 if condition == ALWAYS else 3
        effort = 1 if one.call is not None else 2 if NodeId(one.key) in self._chart.owned else 0
        return (nearness, effort, condition.test(), one.key)

    def _nested(self, groups: list[tuple[list[Statement], Condition]], known: Condition) -> Lines:
        """Write groups, consecutive ones of one condition under one `if`."""
        lines: Lines = []
        at = 0
        while at < len(groups):
            group, condition = groups[at]
            if condition == ALWAYS or known.implies(condition):
                opening = self._opening(group)
                written = self._group(group, known)
                at += 1
                if opening:
                    rest = self._nested(groups[at:], known)
                    return [*lines, *opening, *_indented([*written, *rest])]
                lines += written
                continue
            stop = at
            while stop < len(groups) and groups[stop][1].implies(condition):
                stop += 1
            arm = groups[at:stop]
            opening = self._opening([one for inner, _ in arm for one in inner])
            if opening:
                rest = self._nested(groups[at:], known)
                return [*lines, *opening, *_indented(rest)]
            chain, at = self._chain(groups, at, stop, known)
            lines += chain
        return lines

    def _chain(
        self, groups: list[tuple[list[Statement], Condition]], at: int, stop: int, known: Condition
    ) -> tuple[Lines, int]:
        """Write an `if`, and what follows it under conditions that exclude it as its `elif` and `else`."""
        lines: Lines = []
        taken = NEVER
        word = "if"
        while True:
            condition = groups[at][1]
            written = self._nested_arm(groups[at:stop], known & condition)
            if written:
                left = (known & ~taken) if taken != NEVER else known
                is_rest = taken != NEVER and left.implies(condition)
                lines.append("else:" if is_rest else f"{word} {condition.given(left).test()}:")
                lines += _indented(written)
                taken |= condition
                word = "elif"
            at = stop
            if at >= len(groups):
                break
            following = groups[at][1]
            if following == ALWAYS or not following.excludes(taken) or taken == NEVER:
                break
            if any(self._opening(group, peek=True) for group, _ in groups[at : at + 1]):
                break
            stop = at
            while stop < len(groups) and groups[stop][1].implies(following):
                stop += 1
        return lines, at

    def _nested_arm(self, groups: list[tuple[list[Statement], Condition]], known: Condition) -> Lines:
        inner = [(group, condition.given(known)) for group, condition in groups]
        return self._nested(inner, known)

    def _group(self, group: list[Statement], known: Condition) -> Lines:
        if len(group) == 1:
            return group[0].write(known)
        calls = [one.call(known) for one in group if one.call is not None]
        lines = [line for call in calls for line in call.before]
        targets = [call.target or "_" for call in calls]
        together = (
            f"await {self._lifter.use('asyncio', '')}.gather({', '.join(call.expression for call in calls)},)"
        )
        if all(target == "_" for target in targets):
            return [*lines, together]
        return [*lines, f"{', '.join(targets)} = {together}"]

    # --- bindings ------------------------------------------------------------------------------------------

    def _lenders_of(self, node: NodeId) -> list[NodeId]:
        """The nodes that lend something to a step, those first that lend to the others."""
        found: list[NodeId] = []
        for port in self._chart.signature(node).inputs:
            if port.type.is_binding:
                for lender in self._chart.lenders(node, port.name):
                    found += [*self._lenders_of(lender), lender]
        return list(dict.fromkeys(found))

    def _opening(self, group: Sequence[Statement], *, peek: bool = False) -> Lines:
        """The `async with` for what a group borrows and nobody has borrowed before."""
        lenders = [one for statement in group for one in statement.lenders]
        fresh = [one for one in dict.fromkeys(lenders) if one not in self._opened]
        if not fresh or peek:
            return [str(one) for one in fresh]
        self._opened.update(fresh)
        opened = [f"{self._call_expression(one, ALWAYS, [])} as {self._variables[one]}" for one in fresh]
        return [
            f"async with {', '.join(opened)}:" if len(opened) == 1 else f"async with ({', '.join(opened)},):"
        ]

    # --- steps ---------------------------------------------------------------------------------------------

    def _plain_step(self, node: NodeId, known: Condition) -> Lines:
        call = self._call(node, known)
        expression = f"await {call.expression}" if call.is_async else call.expression
        if self._chart.structure(node) is Structure.BRANCH and self._chart.record(node).kind != BY_RULE:
            expression = f"next(iter({expression}))"
        statement = f"{call.target} = {expression}" if call.target else expression
        policy = self._readings.policy(node)
        if policy == "fail":
            return [*call.before, statement]
        return [*call.before, *self._guarded(node, statement)]

    def _guarded(self, node: NodeId, statement: str) -> Lines:
        """A step whose failure is a value, or is stood in for."""
        way = self._readings.failure(node)
        name = f"{self._variables[node]}_error"
        stand_in = self._stand_in(node)
        caught: Lines = []
        if way is not None:
            told = self._lifter.use(STEPS, "told")
            caught.append(f"{name} = {told}(error)")
        if stand_in:
            caught.append(stand_in)
        before = [f"{name} = None"] if way is not None else []
        head = "except Exception as error:" if way is not None else "except Exception:"
        caught = caught or ["pass"]
        return [*before, "try:", *_indented([statement]), f"{head}  # noqa: BLE001", *_indented(caught)]

    def _stand_in(self, node: NodeId) -> str:
        given = self._readings.stand_ins(node)
        if not given or not self._target(node):
            return ""
        places = self._readings.fields(node)
        variable = self._variables[node]
        if all(not place.name for place in places.values()):
            value = self._constants.value(f"{node}_default", next(iter(given.values())))
            return f"{variable} = {value}"
        function = self._chart.type_of(node).function
        returned: type = inspect.signature(function).return_annotation if function is not None else object
        made = self._lifter.use(returned.__module__, returned.__name__)  # a class: the fields say so
        parts = [
            f"{place.name}={self._constants.value(f'{node}_default_{place.name}', given.get(port))}"
            for port, place in places.items()
        ]
        return f"{variable} = {made}({', '.join(parts)})"

    def _target(self, node: NodeId) -> str:
        """The variable for a step's result; empty where nobody reads it."""
        chart = self._chart
        ports = [port.name for port in chart.data_outputs(node)]
        return self._variables[node] if any(chart.is_read(node, port) for port in ports) else ""

    def _call(self, node: NodeId, known: Condition) -> Call:
        before: Lines = []
        function = self._chart.type_of(node).function
        is_async = inspect.iscoroutinefunction(function)
        if self._chart.record(node).kind == BY_RULE:
            expression = self._rule_call(node, known, before)
        elif self._chart.record(node).kind == FORMULA:
            expression = self._formula_call(node, known, before)
        else:
            expression = self._call_expression(node, known, before)
        if self._has_patience(node):
            run = self._chart.record(node).run
            parts = [f"lambda: {expression}"]
            parts += [f"retries={run.retries}"] if run.retries else []
            parts += [f"time_limit={literal(run.time_limit)}"] if run.time_limit is not None else []
            expression = f"{self._lifter.use(STEPS, 'attempted')}({', '.join(parts)})"
            is_async = True
        return Call(before, expression, self._target(node), is_async)

    def _has_patience(self, node: NodeId) -> bool:
        run = self._chart.record(node).run
        if self._chart.record(node).kind == BY_RULE or self._chart.type_of(node).function is None:
            return False
        return bool(run.retries) or run.time_limit is not None

    def _call_expression(self, node: NodeId, known: Condition, before: Lines) -> str:
        """The call of a node's function; what its arguments need first goes into `before`."""
        kind = self._chart.type_of(node)
        function = kind.function
        if function is None:
            message = (
                f"`{self._chart.title(node)}` cannot be exported: no script form is known for `{kind.kind}`."
            )
            raise ExportError(message, hint="Replace the node, or run the flow with `stepwire run`.")
        settings = self._chart.registry.settings(self._chart.record(node))
        inputs = {str(one.port.name): one for one in self._chart.inputs(node)}
        positional: list[str] = []
        named: list[str] = []
        is_positional = True
        for parameter in takes(kind):
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            value = self._argument(node, parameter, inputs, settings, known, before)
            if value is None:
                is_positional = False
            elif is_positional and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                positional.append(value)
            else:
                named.append(f"{parameter.name}={value}")
        plain = {parameter.name for parameter in takes(kind)}
        for name, one in inputs.items():
            if name in plain:
                continue
            value = self._input(node, one, known, before)
            if value is not None:
                named.append(_keyword(name, value))
        called = self._lifter.use(function.__module__, function.__name__)
        return f"{called}({', '.join([*positional, *named])})"

    def _argument(
        self,
        node: NodeId,
        parameter: inspect.Parameter,
        inputs: Mapping[str, Input],
        settings: Mapping[str, object],
        known: Condition,
        before: Lines,
    ) -> str | None:
        """What is passed for a parameter; None where its default does."""
        kind = self._chart.type_of(node)
        if parameter.name == kind.context_name:
            return CONTEXT
        if parameter.name in inputs:
            return self._input(node, inputs[parameter.name], known, before)
        if parameter.name in settings:
            value = settings[parameter.name]
            if value == parameter.default and type(value) is type(parameter.default):
                return None
            return self._constants.value(f"{node}_{parameter.name}", value)
        return self._lent(node, parameter.name)

    def _lent(self, node: NodeId, port: str) -> str | None:
        lenders = self._chart.lenders(node, port)
        if not lenders:
            return None
        found = self._chart.signature(node).input(port)
        if found is None or not found.many:
            return self._variables[lenders[0]]
        return f"[{', '.join(self._lent_one(one) for one in lenders)}]"

    def _lent_one(self, lender: NodeId) -> str:
        function = self._chart.type_of(lender).function
        returned = str(inspect.signature(function).return_annotation) if function is not None else ""
        return f"*{self._variables[lender]}" if "Sequence" in returned else self._variables[lender]

    def _input(self, node: NodeId, one: Input, known: Condition, before: Lines) -> str | None:
        """What is passed for an input; None where nothing ever arrives."""
        arrives = self._readings.arrives(node, one).given(known)
        if arrives == NEVER:
            return None
        if one.port.many and one.wires:
            listed = self._listed(f"{self._variables[node]}_{one.port.name}", one, known, before)
            if arrives == ALWAYS:
                return listed
            return f"{listed} or {self._default(node, one)}"
        value = self._readings.read_input(node, one)
        return value if arrives == ALWAYS else f"{value} if {arrives.test()} else {self._default(node, one)}"

    def _default(self, node: NodeId, one: Input) -> str:
        return literal(self._chart.type_of(node).defaults.get(one.port.name), self._lifter.use)

    def _listed(self, name: str, one: Input, known: Condition, before: Lines) -> str:
        """A list of what arrived, in the order of the wires."""
        conditions = [self._readings.present(wire.source).given(known) for wire in one.wires]
        if all(condition == ALWAYS for condition in conditions):
            return self._readings.read_input(NodeId(""), one)
        kind = self._readings.annotation(one.type)
        before.append(f"{name}: {kind} = []")
        for wire, condition in zip(one.wires, conditions, strict=True):
            if condition == NEVER:
                continue
            element = self._readings.element(one, wire)
            add = f"{name}.extend({element[1:]})" if element.startswith("*") else f"{name}.append({element})"
            before += [add] if condition == ALWAYS else [f"if {condition.test()}:", *_indented([add])]
        return name

    def _formula_call(self, node: NodeId, known: Condition, before: Lines) -> str:
        """The call of the function that a formula becomes."""
        settings = self._chart.registry.settings(self._chart.record(node))
        made = formula_function(self._chart.title(node), str(node), settings["formula"], self._lifter)
        self.outline.functions.append(made.source)
        inputs = {str(one.port.name): one for one in self._chart.inputs(node)}
        values = (self._input(node, inputs[name], known, before) for name in made.parameters)
        return f"{made.name}({', '.join(value for value in values if value is not None)})"

    def _rule_call(self, node: NodeId, known: Condition, before: Lines) -> str:
        """The call of the function that a branch's rules become."""
        settings = self._chart.registry.settings(self._chart.record(node))
        made = rule_function(self._chart.title(node), str(node), settings["cases"], self._lifter)
        self.outline.functions.append(made.source)
        parts: list[str] = []
        for name in made.parameters:
            one = self._chart.input(node, name)
            value = self._input(node, one, known, before)
            parts.append("None" if value is None else self._as_plain(value, one))
        return f"{made.name}({', '.join(parts)})"

    def _as_plain(self, value: str, one: Input) -> str:
        """An input as rules see it: as JSON."""
        if not one.wires:
            return value
        source = self._chart.output_type(one.wires[0].source)
        return self._readings.plain(
            value, source if conversion(source, one.type) is Conversion.NONE else one.type
        )

    # --- outputs and merges --------------------------------------------------------------------------------

    def _output(self, node: NodeId) -> str:
        one = self._chart.input(node, "value")
        if not one.wires:
            return self._readings.read_input(node, one)
        source = self._chart.output_type(one.wires[0].source)
        return self._readings.plain(self._readings.read_input(node, one), source)

    def _given_back(self, node: NodeId) -> Lines:
        if not self.outline.has_outputs:
            return []
        return [f"outputs[{text_literal(node)}] = {self._output(node)}"]

    def _merge(self, node: NodeId, runs: Condition, waits: set[str]) -> list[Statement]:
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
        present = [runs & self._readings.present(wire.source) for wire in one.wires]
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

    def _merge_all(self, name: str, one: Input, known: Condition) -> Lines:
        before: Lines = []
        listed = self._listed(name, one, known, before)
        return before if listed == name else [*before, f"{name} = {listed}"]

    def _merge_first(self, name: str, one: Input, known: Condition) -> Lines:
        lines: Lines = []
        left = known
        for wire in one.wires:
            condition = self._readings.present(wire.source).given(left)
            if condition == NEVER:
                continue
            statement = f"{name} = {self._first(one, wire)}"
            if condition == ALWAYS:
                return [*lines, "else:", *_indented([statement])] if lines else [statement]
            lines += [f"{'elif' if lines else 'if'} {condition.test()}:", *_indented([statement])]
            left &= ~self._readings.present(wire.source)
        return lines

    def _first(self, one: Input, wire: Wire) -> str:
        element = self._readings.element(one, wire)
        return f"{element[1:]}[0]" if element.startswith("*") else element

    # --- loops ---------------------------------------------------------------------------------------------

    def _loop(self, region: Region, known: Condition) -> Lines:
        owner = _owner(region)
        chart, readings = self._chart, self._readings
        settings = chart.registry.settings(chart.record(owner))
        name = self._variables[owner]
        is_kept = chart.is_seen_after(region, "value")
        following = f"{name}_next" if is_kept else f"{name}_value"
        start = readings.read_input(owner, chart.input(owner, "start"))
        lines = [f"{following} = {start}"]
        has_history = chart.is_read(owner, "history")
        if has_history:
            kind = chart.output_type(Socket(owner, PortName("history")))
            lines.append(f"{name}_history: {readings.annotation(kind)} = []")
        most = int(settings["max_rounds"])
        lines.append(f"for {name}_round in range(1, {most + 1}):")
        body = [f"{name}_value = {name}_next"] if is_kept else []
        body += self._rounds(region, known, following)
        lines += _indented(body)
        if body[-1] != "break":
            lines += self._after_rounds(owner, settings, following)
        return lines

    def _rounds(self, region: Region, known: Condition, following: str) -> Lines:
        """One round: up to where the loop may end with `done`, then the rest, then what goes round."""
        owner = _owner(region)
        name, readings = self._variables[owner], self._readings
        again, done = self._chart.input(owner, "again"), self._chart.input(owner, "done")
        is_done, is_again = readings.arrives(owner, done), readings.arrives(owner, again)
        statements = self._statements(region)
        early = self._early(statements, is_done)
        lines = self._written([one for one in statements if one.key in early], known)
        append = (
            [f"{name}_history.append({self._returned(owner, again)})"] if self._has_history(owner) else []
        )
        at_once = is_done != NEVER and not is_again.excludes(is_done)
        if append and at_once:
            lines += _under(is_again.given(known), append)
        if is_done.given(known) != NEVER:
            lines += _under(is_done.given(known), self._ended(owner, lambda: self._returned(owner, done)))
        if is_done.given(known) == ALWAYS:
            return lines
        known = known & ~is_done
        lines += self._written([one for one in statements if one.key not in early], known)
        goes_on = is_again.given(known)
        if goes_on != ALWAYS:
            lines += _under((~is_again).given(known), self._ended(owner, lambda: f"{name}_value"))
        if goes_on == NEVER:
            return lines
        if append and not at_once:
            lines += append
        return [*lines, *self._stop(owner, again), f"{following} = {self._returned(owner, again)}"]

    def _early(self, statements: list[Statement], is_done: Condition) -> set[str]:
        """What has to happen in a round before the loop may end there."""
        by_key = {one.key: one for one in statements}
        waiting = [one.key for one in statements if not one.condition.excludes(is_done)]
        if is_done == NEVER:
            return set(by_key)
        found: set[str] = set()
        while waiting:
            key = waiting.pop()
            if key in by_key and key not in found:
                found.add(key)
                waiting += by_key[key].waits
        return found

    def _stop(self, owner: NodeId, again: Input) -> Lines:
        settings = self._chart.registry.settings(self._chart.record(owner))
        if not settings["stop_when"]:
            return []
        name = self._variables[owner]
        made = stop_function(self._chart.title(owner), str(owner), settings["stop_when"], self._lifter)
        self.outline.functions.append(made.source)
        values = {
            "value": f"{name}_value",
            "again": self._returned(owner, again),
            "round": f"{name}_round",
        }
        call = f"{made.name}({', '.join(values[one] for one in made.parameters)})"
        return [f"if {call}:", *_indented(self._ended(owner, lambda: self._returned(owner, again)))]

    def _returned(self, owner: NodeId, one: Input) -> str:
        return self._readings.read_input(owner, one)

    def _ended(self, owner: NodeId, result: Callable[[], str]) -> Lines:
        self._left_early.add(owner)
        if not self._chart.is_read(owner, "result"):
            return ["break"]
        return [f"{self._variables[owner]}_result = {result()}", "break"]

    def _after_rounds(self, owner: NodeId, settings: Mapping[str, object], following: str) -> Lines:
        """What holds after the last round that is allowed."""
        if settings["on_limit"] == "fail":
            error = self._lifter.use("studio.errors", "StepError")
            message = text_literal(f"It was not done after {settings['max_rounds']} rounds.")
            last = f"raise {error}({message})"
        elif self._chart.is_read(owner, "result"):
            last = f"{self._variables[owner]}_result = {following}"
        else:
            return []
        return ["else:", *_indented([last])] if owner in self._left_early else [last]

    def _has_history(self, owner: NodeId) -> bool:
        return self._chart.is_read(owner, "history")

    # --- maps ----------------------------------------------------------------------------------------------

    def _map(self, region: Region, known: Condition) -> Lines:
        owner = _owner(region)
        chart, readings = self._chart, self._readings
        name = self._variables[owner]
        ports = [port for port in ("index", "item") if chart.is_read(owner, port)]
        types = {port: chart.output_type(Socket(owner, PortName(port))) for port in ports}
        parameters = [
            f"{name}_{port}: {_counted(port) or readings.annotation(types[port])}" for port in ports
        ]
        body = self._written(self._statements(region), known)
        collects = [node for node in region.collects if self._is_collect_read(node)]
        body += self._gathered(collects, known)
        parameters += self._held(region, body)
        lines = [
            f"async def {name}_one({', '.join(parameters)}) -> {self._gives(collects, known)}:",
            *_indented(body or ["pass"]),
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
                stems = [self._variables[node] for node in (_owner(around), *around.body)]
                changing.update(f"{stem}{end}" for stem in stems for end in CHANGING)
            around = around.parent
        names = [
            node
            for node in ast.walk(ast.parse("\n".join(["async def one():", *_indented(body or ["pass"])])))
            if isinstance(node, ast.Name)
        ]
        stored = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        found = sorted({node.id for node in names} & changing - stored)
        return ["*", *(f"{name}={name}" for name in found)] if found else []

    def _calls(self, region: Region, ports: list[str], items: str) -> str:
        name = self._variables[_owner(region)]
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
            return [f"if {condition.test()}:", *_indented([f"return {values[node]}"]), f"return {nothing}"]
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
        name = self._variables[_owner(region)]
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


def _owner(region: Region) -> NodeId:
    if region.owner is None:
        message = "the root is no loop and no map"
        raise AssertionError(message)
    return region.owner


def _counted(port: str) -> str:
    return "int" if port == "index" else ""


def _keyword(name: str, value: str) -> str:
    return f'**{{"{name}": {value}}}' if keyword.iskeyword(name) else f"{name}={value}"


def _under(condition: Condition, lines: Lines) -> Lines:
    if condition == NEVER:
        return []
    return lines if condition == ALWAYS else [f"if {condition.test()}:", *_indented(lines)]


def _indented(lines: Lines) -> Lines:
    return [f"    {line}" if line else line for line in lines]
