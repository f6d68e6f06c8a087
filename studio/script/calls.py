"""Calls of functions as steps: what they do stands inside the step, as that of a flow that is called.

summary = await call("summary", summarize, text)  # summary/…
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, cast

from studio.errors import StepError, ValueTypeError
from studio.flow.ports import ERROR
from studio.flow.records import Flow, Json, Node, RunSettings
from studio.flow.subflows.calls import GivenFlows
from studio.ids import NodeId
from studio.runtime.failures import StepFailure
from studio.runtime.regions.subflow import refuse_depth
from studio.runtime.state.frame import Frame
from studio.runtime.steps.flow_calls import Call
from studio.runtime.values import Failed, Resolved, Value, apart, joined
from studio.script.absence import FailedOutputs, Outputs, as_data, as_given, as_resolved, as_returned
from studio.script.inputs import parameters_of
from studio.script.no_value import Failure, Misfit, nothing
from studio.script.parameters import input_of
from studio.script.place import NOWHERE, Lane, Place, here, standing
from studio.script.running import Manner, after_port, converting
from studio.script.scopes import settled

SUBFLOW = "control.subflow"
RETURNED = "returned"
"""The output of a call whose function returns no mapping."""

DEEPEST = 64


class FunctionCall:
    """Calls functions as steps: `await call("summary", summarize, text)`."""

    def __init__(self, manner: Manner | None = None, *, max_depth: int = 8) -> None:
        self._manner = manner or Manner(SUBFLOW, RunSettings())
        self._max_depth = max_depth

    def on(
        self,
        *,
        retries: int = 0,
        time_limit: float | None = None,
        on_error: Literal["fail", "output", "default", "pass_on"] = "fail",
        default: Json = None,
        state: Literal["", "muted", "bypassed"] = "",
        max_depth: int = 8,
    ) -> "FunctionCall":
        """The same with settings of the run, as of a step; calls may be `max_depth` within one another."""
        manner = Manner.told(
            SUBFLOW, on_error, retries=retries, time_limit=time_limit, default=default, state=state
        )
        return FunctionCall(manner, max_depth=max_depth)

    async def __call__(
        self,
        name: str,
        function: Callable[..., Awaitable[Any]],
        /,
        *args: Any,
        after: Sequence[object] = (),
        **kwargs: Any,
    ) -> Any:
        """Call a function as a step of this name; gives what it returns, a mapping as `Outputs`.

        It is skipped, and gives `nothing`, where a parameter without a default is given `nothing`. Raises
        what the function raises.
        """
        place = here()
        running = place.running
        place.begin(name)
        arguments = _Arguments(function, args, kwargs)
        settings = {"flow": function.__name__, "max_depth": self._max_depth}
        flows = _document(function, tuple(arguments.inputs))
        node = running.node(
            place.path,
            name,
            self._manner,
            settings,
            tuple(arguments.inputs),
            after=len(after),
            flows=flows,
        ).node
        frame, labels = place.frame, place.lane.labels
        values: dict[str, Resolved] = {}
        for key, one in arguments.inputs.items():
            if isinstance(one, Misfit):
                node = converting(node, key, one)
            values[key] = as_resolved(one.value if isinstance(one, Misfit) else one, labels)
        for number, one in enumerate(after):
            values[after_port(number)] = as_resolved(one, labels)
        frame.values[node.id] = values
        frame.made_from = labels
        inner = _Inner(place, name, arguments)
        try:
            await running.engine.steps.calling(inner.run).run(node, frame)
        except StepFailure as failure:
            return place.take(failure, passes_on=self._manner.passes_on)
        finally:
            outputs = frame.values.pop(node.id, None)
        gives_error = self._manner.run.on_error == "output"
        return inner.given_back(outputs or {}, gives_error=gives_error)


call = FunctionCall()
"""Calls a function as a step; `call.on(retries=2)` with settings of the run."""


class _Arguments:
    """What a function is called with: what a flow could be given, by input, and all else."""

    def __init__(
        self, function: Callable[..., Awaitable[Any]], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        self.function = function
        taken = parameters_of(function)
        try:
            self._bound = taken.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise StepError(f"`{function.__name__}` cannot be called so: {error}.") from error
        parameters = taken.signature.parameters
        self.inputs: dict[str, Any] = {}
        for name, value in list(self._bound.arguments.items()):
            if name not in taken.types:
                continue
            if value is nothing and parameters[name].default is not inspect.Parameter.empty:
                del self._bound.arguments[name]
                continue
            try:
                is_data = value is not nothing and not isinstance(value, Failure | Misfit)
                self.inputs[str(input_of(name))] = as_data(value) if is_data else value
            except ValueTypeError:
                continue  # a tool, say, or a function: it is handed on as it is

    def call(self, inputs: Mapping[str, Value]) -> Awaitable[Any]:
        """Call the function with what arrived at its step."""
        for name in list(self._bound.arguments):
            arrived = inputs.get(str(input_of(name)))
            if arrived is not None:
                self._bound.arguments[name] = apart(arrived.data)
        return self.function(*self._bound.args, **self._bound.kwargs)


def _document(function: Callable[..., Any], given: tuple[str, ...]) -> Callable[[], GivenFlows]:
    """The function as a flow, which has no more than inputs, as far as they are given."""

    def made() -> GivenFlows:
        types = {str(input_of(name)): kind for name, kind in parameters_of(function).types.items()}
        nodes = {
            NodeId(name): Node(kind="io.flow_input", settings={"type": str(types[name])}) for name in given
        }
        return GivenFlows({function.__name__: Flow(function.__name__, nodes=nodes)})

    return made


class _Inner:
    """The inside of one call: the function, at work as a flow that is called."""

    def __init__(self, place: Place, name: str, arguments: _Arguments) -> None:
        self._place, self._name, self._arguments = place, name, arguments
        self._returned: list[Any] = []

    async def run(self, call: Call) -> dict[str, Resolved]:
        """Run the function, as the engine runs a flow; gives what it returns as outputs."""
        if self._arguments.function.__name__ != call.flow:
            return await self._place.running.engine.call_flow(call)
        refuse_depth(call)
        around = self._place
        running = await around.running.inside(call)
        lane = Lane(joined(call.inputs.values()) | around.lane.labels)
        frame = Frame(NOWHERE, call.scope, call.frame, call.step, lane=call.lane)
        inside = Place(running, frame, lane, f"{around.path}{self._name}/")
        try:
            with standing(inside):
                result = await settled(inside, self._arguments.call(call.inputs))
        except Exception as error:
            call.ending.labels |= lane.labels
            failure = running.failure(error)
            if failure is not None:
                call.ending.origin = failure.origin
            raise
        finally:
            around.lane.labels |= lane.labels
        self._returned.append(result)
        return _outputs(result, lane.labels)

    def given_back(self, outputs: Mapping[str, Resolved], *, gives_error: bool) -> Any:
        """What Python is given of the call."""
        lane = self._place.lane
        if not outputs:
            return nothing
        found = FailedOutputs() if gives_error and ERROR in outputs else Outputs()
        for name, value in outputs.items():
            if isinstance(value, Failed):
                return Failure(value)
            if name != "then":
                found[name], lane.labels = as_given(value, lane.labels)
        if gives_error:
            found.setdefault(ERROR, nothing)
        if not self._returned:  # of an earlier run, or what stands in for a failure
            return found.get(RETURNED, found)
        result = self._returned[-1]
        return found if isinstance(result, Mapping) else result


def _outputs(result: object, labels: frozenset[str]) -> dict[str, Resolved]:
    """What a function returned, as outputs: by name where it is a mapping of what JSON can say."""
    named = cast("Mapping[object, object]", result) if isinstance(result, Mapping) else {RETURNED: result}
    return {str(name): as_returned(value, labels) for name, value in named.items()}
