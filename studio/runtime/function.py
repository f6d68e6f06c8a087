"""The call of a node's function: with what is lent to it, its context, and on a thread where it is heavy."""

from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from dataclasses import replace
from functools import partial
from types import CoroutineType, coroutine
from typing import Any, TypeVar, cast

from studio.errors import StepError
from studio.ids import StepId
from studio.runtime.bindings import Bindings
from studio.runtime.context import StepContext
from studio.runtime.failures import Ending, named, undue
from studio.runtime.frame import Frame
from studio.runtime.outputs import fitted
from studio.runtime.place import Home
from studio.runtime.plan import PlannedNode
from studio.runtime.services import Services
from studio.runtime.step_memories import StepMemories
from studio.runtime.threads import called_in_thread, on_a_thread
from studio.runtime.turns import Turns
from studio.runtime.values import FLOW, Resolved, Value, apart, shown_all
from studio.trace.events import Shown

R = TypeVar("R")


class FunctionCalls:
    """Calls the functions of one run's nodes."""

    def __init__(self, services: Services, bindings: Bindings, turns: Turns) -> None:
        self._services = services
        self._turns = turns
        self._bindings = bindings
        self._course = services.past.course if services.past is not None else None

    async def call(
        self, node: PlannedNode, frame: Frame, inputs: Mapping[str, Value], attempt: int, ending: Ending
    ) -> dict[str, Resolved]:
        """Call the function once; gives its outputs, and tells `ending` what it read and writes."""
        function = node.type.function
        if function is None:
            message = f"`{node.type.kind}` cannot run here."
            raise StepError(message)
        arguments = _data(inputs)
        if node.lenders:
            arguments.update(await self._bindings.lent_to(node))
        arguments.update(node.own_settings())
        context = memories = None
        if node.type.context_name:
            step = StepId(frame.prefix + node.id)
            memories = StepMemories(
                self._services.memories, lambda: frame.layer().memories, frame.layer().scope
            )
            context = StepContext(
                self._services,
                node.id,
                frame.scope,
                attempt=attempt,
                layer=frame.layer(),
                lane=frame.lane,
                labels_of=self._bindings.labels_of,
                lender_of=self._bindings.lender_of,
                home=Home(step, frame, self._turns, memories, lambda: ending.labels),
                lend_flow=self._bindings.flows_for(node),
            )
            arguments[node.type.context_name] = context
        try:
            work = _result(node, function, arguments, context)
            step = StepId(frame.prefix + node.id)
            result = await (work if self._course is None else self._course.work(step, work))
        finally:
            if context is not None:
                ending.labels |= context.labels
            if memories is not None:
                memories.close()
        labels = ending.labels or FLOW
        if node.type.heavy and type(result) in {list, dict}:  # to look through it may take long as well
            outputs = await on_a_thread(partial(_looked_through, node, result, labels))
        else:
            outputs = fitted(node, result, labels)
        if context is not None and context.writes:
            told = tuple(sorted(labels))
            ending.writes = [replace(one, value=Shown(one.value.data, told)) for one in context.writes]
        if memories is not None and memories.writes:
            ending.writes = [*ending.writes, *memories.writes]
        return outputs


def _data(inputs: Mapping[str, Resolved]) -> dict[str, Any]:
    """The bare data of the values that are present, for a function to do with as it likes."""
    return {name: apart(value.data) for name, value in inputs.items() if isinstance(value, Value)}


def begun(given: Any) -> tuple[Any, Awaitable[Any] | None]:
    """Begin to await what a function has given; gives the result, or what is left to wait for.

    Most have nothing to wait for, and need nobody then who could stop them.
    """
    if type(given) is not CoroutineType:
        return (None, given) if hasattr(given, "__await__") else (given, None)
    work = cast("CoroutineType[Any, Any, Any]", given)
    try:
        awaited = work.send(None)
    except StopIteration as done:
        return done.value, None
    except GeneratorExit as error:  # nobody has closed it
        raise StepError(named(error)) from error
    return None, _rest(work, awaited)


@coroutine
def _rest(work: Coroutine[Any, Any, R], awaited: object) -> Generator[object, Any, R]:
    """Go on with what waits for `awaited`."""
    while True:
        thrown: BaseException | None = None
        try:
            given = yield awaited
        except BaseException as error:  # noqa: BLE001  # it is the work's own
            thrown = error
            go_on = partial(work.throw, error)
        else:
            go_on = partial(work.send, given)
        try:
            awaited = go_on()
        except StopIteration as done:
            return done.value
        except GeneratorExit as error:
            if thrown is error:
                raise
            raise StepError(named(error)) from error


async def _result(
    node: PlannedNode, function: Callable[..., Any], arguments: Mapping[str, Any], context: StepContext | None
) -> object:
    try:
        if node.type.heavy:
            return await called_in_thread(function, arguments, node.type.context_name, context)
        result, rest = begun(function(**arguments))
        return result if rest is None else await rest
    except GeneratorExit:  # the run is being thrown away, and with it what it waits for
        raise
    except BaseException as error:
        if (found := undue(error)) is not error:
            raise found from error
        raise


def _looked_through(node: PlannedNode, result: object, labels: frozenset[str]) -> dict[str, Resolved]:
    outputs = fitted(node, result, labels)
    shown_all(outputs)
    return outputs
