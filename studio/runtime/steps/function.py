"""The call of a node's function: with what is lent to it, its context, and on a thread where it is heavy."""

from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from dataclasses import replace
from functools import partial
from types import CoroutineType, coroutine
from typing import Any, TypeVar, cast

from studio.errors import StepError
from studio.ids import StepId
from studio.runtime.calls.call_place import Home
from studio.runtime.calls.context import StepContext
from studio.runtime.failures import Ending, named, undue
from studio.runtime.limits.slots import Turns
from studio.runtime.plans.plan import PlannedNode
from studio.runtime.services import Services
from studio.runtime.state.frame import Frame
from studio.runtime.state.step_memories import StepMemories
from studio.runtime.steps.bindings import Bindings
from studio.runtime.steps.outputs import fitted
from studio.runtime.steps.threads import called_in_thread, on_a_thread
from studio.runtime.values import FLOW, Resolved, Value, apart, shown_all
from studio.trace.events.values import Shown

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
            ending.origin = None
            try:
                arguments.update(await self._bindings.lent_to(node))
            except Exception as error:
                ending.origin = self._bindings.blamed(error)
                raise
        arguments.update(node.own_settings())
        hands = None
        if node.type.context_name:
            hands = self.hands(node, frame, attempt, ending)
            arguments[node.type.context_name] = hands.context
        try:
            work = _result(node, function, arguments, hands.context if hands is not None else None)
            step = StepId(frame.prefix + node.id)
            result = await (work if self._course is None else self._course.work(step, work))
        finally:
            if hands is not None:
                hands.let_go()
        labels = ending.labels or FLOW
        if node.type.heavy and type(result) in {list, dict}:  # to look through it may take long as well
            outputs = await on_a_thread(partial(_looked_through, node, result, labels))
        else:
            outputs = fitted(node, result, labels)
        if hands is not None:
            hands.tell_writes()
        return outputs

    def hands(self, node: PlannedNode, frame: Frame, attempt: int, ending: Ending) -> "Hands":
        """Give what one attempt of a step works with."""
        layer = frame.layer()
        memories = StepMemories(self._services.memories, layer)
        step = StepId(frame.prefix + node.id)
        context = StepContext(
            self._services,
            node.id,
            frame.scope,
            attempt=attempt,
            layer=layer,
            lane=frame.lane,
            labels_of=self._bindings.labels_of,
            lender_of=self._bindings.lender_of,
            home=Home(step, frame, self._turns, memories, ending),
            lend_flow=self._bindings.flows_for(node),
        )
        return Hands(context, memories, ending)


class Hands:
    """What one attempt of a step works with; its `ending` is told what was read and is written."""

    __slots__ = ("_ending", "_memories", "context")

    def __init__(self, context: StepContext, memories: StepMemories, ending: Ending) -> None:
        self.context = context
        self._memories = memories
        self._ending = ending

    def let_go(self) -> None:
        """Note what was read, however it ended, and let go of what was seen of memories."""
        self._ending.labels |= self.context.labels
        self._memories.close()

    def tell_writes(self) -> None:
        """Note what takes effect now that the step has finished."""
        ending = self._ending
        if self.context.writes:
            told = tuple(sorted(ending.labels or FLOW))
            ending.writes = [replace(one, value=Shown(one.value.data, told)) for one in self.context.writes]
        if self._memories.writes:
            ending.writes = [*ending.writes, *self._memories.writes]


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
