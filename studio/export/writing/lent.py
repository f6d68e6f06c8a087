"""Flows that tools run: for each node that lends one, a function that calls it with a tool's arguments."""

from studio.export.python.lifter import SCRIPT
from studio.export.python.literals import text_literal
from studio.export.structure.called import CalledFlow, most_calls
from studio.export.structure.outputs import STEPS, field_of_output
from studio.export.structure.readings import Readings
from studio.export.structure.step_names import CONTEXT, context_of_step
from studio.export.writing.statements import Lines, Outline, Room, indented
from studio.ids import NodeId
from studio.sdk.flow_tool import flow_effect, flow_parameters, tool_description, tool_name

TOOL = "studio.sdk.tool"


class LentFlows(Room):
    """Writes what the functions of such nodes are given as their context."""

    def __init__(self, readings: Readings, outline: Outline) -> None:
        super().__init__(readings, outline)
        self._made: dict[NodeId, str] = {}

    def context(self, lender: NodeId) -> str:
        """What the function of a step or lender is given as its context; with a flow, where it runs one."""
        context = context_of_step(self._chart, lender, self._variables)
        called = self._readings.lent(lender)
        if called is None:
            return context
        flow, registry = called.chart.flow, called.chart.registry
        use = self._lifter.use
        parts = {
            "name": text_literal(tool_name(flow, called.name)),
            "description": text_literal(tool_description(flow, called.name)),
            "parameters": self._constants.named(f"{lender}_parameters", flow_parameters(flow, registry)),
            "effect": f"{use(TOOL, 'Effect')}.{flow_effect(flow, registry).name}",
            "call": self._bound(lender, called),
        }
        told = ", ".join(f"{name}={value}" for name, value in parts.items())
        return f"{use('dataclasses', 'replace')}({context}, lent={use(TOOL, 'LentFlow')}({told}))"

    def _bound(self, lender: NodeId, called: CalledFlow) -> str:
        """The function that calls the flow, with what of this place it needs."""
        name = self._made.get(lender)
        if name is None:
            name = self._made[lender] = self._lifter.names.take(f"call_{called.function}")
            self._outline.functions.append(self._function(name, lender, called))
        given = [CONTEXT] if called.uses_context else []
        if called.counts_calls:
            known = self._outline.depth_known
            given.append("depth" if known is None else str(known))
        return f"{self._lifter.use('functools', 'partial')}({', '.join([name, *given])})" if given else name

    def _function(self, name: str, lender: NodeId, called: CalledFlow) -> str:
        use = self._lifter.use
        values = f"dict[str, {use('typing', 'Any')}]"
        mapping = f"{use('collections.abc', 'Mapping')}[str, {use('typing', 'Any')}]"
        parameters = [f"{CONTEXT}: {use(SCRIPT, 'Context')}"] if called.uses_context else []
        parameters += ["depth: int"] if called.counts_calls else []
        parameters.append(f"arguments: {mapping}")
        call = f"await {called.function}({', '.join(self._given(lender, called))})"
        failed = f"{use(STEPS, 'flow_failed')}({text_literal(called.name)}, error)"
        lines = [
            f'"""Call `{called.function}` with what a tool is given."""',
            "try:",
            f"    {'given = ' if called.outputs else ''}{call}",
            "except Exception as error:",
            f"    raise {failed} from error",
            *self._answer(called, values),
        ]
        head = f"async def {name}({', '.join(parameters)}) -> {values}:"
        return "\n".join([head, *indented(lines)]) + "\n"

    def _given(self, lender: NodeId, called: CalledFlow) -> list[str]:
        given = [f'{CONTEXT}.inside("{lender}")'] if called.uses_context else []
        for name in called.inputs:
            default, key = called.default(name), text_literal(name)
            value = f"arguments[{key}]"
            if default is not None:
                value = f"arguments.get({key}, {called.constants.named(str(name), default)})"
            value = self._readings.expected(value, called.input_type(name))
            given.append(value if len(called.inputs) == 1 else f"{called.variables[name]}={value}")
        if called.counts_calls:
            title = text_literal(self._chart.title(lender))
            most = most_calls(self._chart, lender)
            given.append(f"depth={self._lifter.use(STEPS, 'deeper')}(depth, {most}, {title})")
        return given

    def _answer(self, called: CalledFlow, values: str) -> Lines:
        lines: Lines = [f"outputs: {values} = {{}}"]
        for output in called.outputs:
            place = field_of_output(called, output)
            value = f"given.{called.variables[output]}" if called.record else "given"
            said = self._readings.plain(value, called.output_type(output))
            statement = f"outputs[{text_literal(output)}] = {said}"
            nothing = self._lifter.use(STEPS, "Nothing") if place.says_nothing else ""
            test = f"not isinstance({value}, {nothing})" if nothing else f"{value} is not None"
            lines += [f"if {test}:", f"    {statement}"] if place.is_optional else [statement]
        return [*lines, "return outputs"]
