"""Steps as statements: the call, its result, and what happens when it fails."""

import inspect
from collections.abc import Mapping

from studio.export.python.literals import literal
from studio.export.structure.conditions import NEVER, Condition
from studio.export.structure.outputs import BY_RULE, STEPS
from studio.export.structure.patience import has_patience, is_coroutine, takes_time
from studio.export.structure.presence import CALLS
from studio.export.structure.readings import FORMULA, Readings
from studio.export.structure.remembering import remembers
from studio.export.structure.step_names import CONTEXT
from studio.export.writing.calls import Calls
from studio.export.writing.statements import Call, Lines, Outline, Room, Statement, indented, tried
from studio.flow.ports import Structure
from studio.ids import NodeId


class Steps(Room):
    """Writes the steps that call a function."""

    def __init__(self, readings: Readings, outline: Outline, calls: Calls) -> None:
        super().__init__(readings, outline)
        self._calls = calls

    def statement(self, node: NodeId, runs: Condition, waits: set[str]) -> Statement:
        """A step that calls its function."""
        is_async = takes_time(self._readings, node)
        simple = (
            is_async
            and self._readings.kept(node) is None
            and self._readings.policy(node) == "fail"
            and self._chart.structure(node) in CALLS
        )
        return Statement(
            node,
            runs,
            waits,
            lambda known: self.lines(node, known),
            (lambda known: self._call(node, known)) if simple else None,
            self._chart.all_lenders(node),
        )

    def lines(self, node: NodeId, known: Condition) -> Lines:
        """Write a step, where the condition `known` holds."""
        call = self._call(node, known)
        expression = f"await {call.expression}" if call.is_async else call.expression
        if self._chart.structure(node) is Structure.BRANCH and self._chart.record(node).kind != BY_RULE:
            expression = f"next(iter({expression}))"
        statement = f"{call.target} = {expression}" if call.target else expression
        policy = self._readings.policy(node)
        kept = self._readings.kept(node)
        if kept is not None and self._readings.breaks(node):
            start = [] if self._readings.stuck(node) != NEVER else [f"{kept.name} = None"]
            return [*start, *tried([*call.before, statement], kept.name)]
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
        if not caught:
            return [f"with {self._lifter.use('contextlib', 'suppress')}(Exception):", *indented([statement])]
        before = [f"{name} = None"] if way is not None else []
        head = "except Exception as error:" if way is not None else "except Exception:"
        return [*before, "try:", *indented([statement]), f"{head}  # noqa: BLE001", *indented(caught)]

    def _stand_in(self, node: NodeId) -> str:
        given = self._readings.stand_ins(node)
        if not given or not self._target(node):
            return ""
        places = self._readings.fields(node)
        variable = self._variables[node]
        if all(not place.name for place in places.values()):
            value = self._constants.value(f"{node}_default", next(iter(given.values())))
            return f"{variable} = {value}"
        parts = [f"{place.name}={self._stood_in(node, port, given)}" for port, place in places.items()]
        return f"{variable} = {self._record(node)}({', '.join(parts)})"

    def _record(self, node: NodeId) -> str:
        """The class of what a step gives that has several outputs."""
        called = self._readings.called(node)
        if called is not None:
            return called.record
        function = self._chart.type_of(node).function
        returned: type = inspect.signature(function).return_annotation if function is not None else object
        return self._lifter.use(returned.__module__, returned.__name__)  # a class: the fields say so

    def _stood_in(self, node: NodeId, port: str, given: Mapping[str, object]) -> str:
        """What stands in one field of such a class; what nothing is said of is never read."""
        place = self._readings.fields(node)[port]
        if port not in given and self._readings.called(node) is not None and not place.is_optional:
            return f"{self._lifter.use('typing', 'cast')}({self._lifter.use('typing', 'Any')}, None)"
        if port not in given and place.says_nothing:
            return self._lifter.use(STEPS, "NOTHING")
        return self._constants.value(f"{node}_default_{place.name}", given.get(port))

    def _target(self, node: NodeId) -> str:
        """The variable for a step's result; empty where nobody reads it."""
        ports = [port.name for port in self._chart.data_outputs(node)]
        return self._variables[node] if any(self._readings.is_used(node, port) for port in ports) else ""

    def _call(self, node: NodeId, known: Condition) -> Call:
        before: Lines = []
        is_async = is_coroutine(self._readings, node)
        if self._chart.record(node).kind == BY_RULE:
            expression = self._calls.rule(node, known, before)
        elif self._chart.record(node).kind == FORMULA:
            expression = self._calls.formula(node, known, before)
        else:
            expression = self._calls.expression(node, known, before)
        if remembers(self._chart, node):
            expression = f"{CONTEXT}.memories.of_step(lambda: {expression})"
        if has_patience(self._readings, node):
            run = self._chart.record(node).run
            parts = [f"lambda: {expression}"]
            parts += [f"retries={run.retries}"] if run.retries else []
            parts += [f"time_limit={literal(run.time_limit)}"] if run.time_limit is not None else []
            expression = f"{self._lifter.use(STEPS, 'attempted')}({', '.join(parts)})"
            is_async = True
        return Call(before, expression, self._target(node), is_async)
