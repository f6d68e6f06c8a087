"""Node types as functions of a script: a call is a step of the run, with all that the engine does for one.

    draft = await agent("writer", question, instructions=WRITER, tools=[notes])

The first argument is the step's name, a node id. The rest is what the node's function takes: inputs first,
settings by keyword. What the step gives is returned: the value of a single output, or `Outputs`.
"""

from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature, signature
from typing import Any, Literal, NamedTuple, cast

from studio.flow.ports import ERROR
from studio.flow.records import Json, RunSettings
from studio.ids import NodeId
from studio.runtime.failures import StepFailure
from studio.runtime.plans.plan import PlannedInput, PlannedNode
from studio.runtime.values import ABSENT, Resolved, Value, apart
from studio.script.absence import Outputs, as_data, as_given, as_resolved, first_failure
from studio.script.no_value import Failure, Misfit, nothing
from studio.script.place import Lane, here
from studio.script.running import NOTHING_LENT, Lent, Manner, Planned, after_port, converting, takes_null
from studio.script.step_names import CallError
from studio.sdk.node_type import NodeType
from studio.sdk.values import to_plain


class StepFunction:
    """A node type as a function whose calls are steps."""

    def __init__(
        self, type_: NodeType, manner: Manner | None = None, parameters: "Parameters | None" = None
    ) -> None:
        self._type = type_
        self._manner = manner or Manner(type_.kind, RunSettings())
        self._parameters = parameters or Parameters(type_)
        self.__name__ = type_.kind.rpartition(".")[2]
        self.__doc__ = type_.help

    def on(
        self,
        *,
        retries: int = 0,
        time_limit: float | None = None,
        on_error: Literal["fail", "output", "default", "pass_on"] = "fail",
        default: Json = None,
        state: Literal["", "muted", "bypassed"] = "",
    ) -> "StepFunction":
        """The same with settings of the run: attempts after the first, seconds for each, what an error does.

        With `on_error="output"` what fails gives its error as `error`, with `"default"` what `default` says;
        with `"pass_on"` it gives a `Failure`, which steps pass on until `catch` takes it in. What is
        `muted` is skipped, what is `bypassed` gives its first input of the same type.
        """
        manner = Manner.told(
            self._type.kind, on_error, retries=retries, time_limit=time_limit, default=default, state=state
        )
        return StepFunction(self._type, manner, self._parameters)

    async def __call__(self, name: str, /, *args: Any, after: Sequence[object] = (), **kwargs: Any) -> Any:
        """Run a step of this name where the script stands; raises what its function raises.

        It is skipped, and gives `nothing`, where one of its needed inputs, or of what it comes `after`, is
        `nothing`.
        """
        place = here()
        place.begin(name)
        settings, given, named, lent = self._parameters.sorted_out(name, args, kwargs)
        running, frame, labels = place.running, place.frame, place.lane.labels
        planned = running.node(place.path, name, self._manner, settings, given, lent, len(after))
        values, node = _given(planned, named, labels)
        for number, one in enumerate(after):
            values[after_port(number)] = as_resolved(one, labels)
        frame.values[node.id] = values
        frame.made_from = labels
        try:
            await running.engine.steps.run(node, frame)
        except StepFailure as failure:
            return place.take(failure, passes_on=self._manner.passes_on)
        finally:
            outputs = frame.values.pop(node.id, None)
        return _given_back(planned, outputs, place.lane)


class LenderFunction:
    """A node type that lends something, as a function: what it gives is handed to the steps that use it."""

    def __init__(self, type_: NodeType) -> None:
        self._type = type_
        self._parameters = Parameters(type_)
        self.__name__ = type_.kind.rpartition(".")[2]
        self.__doc__ = type_.help

    def __call__(self, name: str, /, *args: Any, **kwargs: Any) -> Lent:
        """Name what is lent; it is opened when a step first uses it, and closed when the run ends."""
        settings, inputs, _, lent = self._parameters.sorted_out(name, args, kwargs)
        if inputs:
            told = ", ".join(f"`{one}`" for one in inputs)
            raise CallError(name, f"{{}} takes no inputs: {told}.", hint="Leave them out.")
        return Lent(NodeId(name), self._type.kind, settings, lent)


Sorted = tuple[dict[str, Any], tuple[str, ...], Mapping[str, Any], Mapping[str, Sequence[Lent]]]


class Shape(NamedTuple):
    """Which of the names that a call gives are settings, inputs, and what is lent."""

    settings: tuple[str, ...]
    inputs: tuple[str, ...]
    lends: tuple[str, ...]


class Parameters:
    """How a script calls the function of a node type: as it is declared, without its context."""

    def __init__(self, type_: NodeType) -> None:
        self._kind = type_.kind
        self._signature = signature_in_scripts(type_)
        parameters = self._signature.parameters.values()
        self._positional = [one.name for one in parameters if one.kind is Parameter.POSITIONAL_OR_KEYWORD]
        self._named = frozenset(one.name for one in parameters)
        self._takes_more = any(one.kind is Parameter.VAR_KEYWORD for one in parameters)
        self._settings = frozenset(spec.name for spec in type_.settings)
        self._lends = frozenset(str(port.name) for port in type_.inputs if port.type.is_binding)
        self._shapes: dict[tuple[str, ...], Shape] = {}
        """How it has been called."""

    def sorted_out(self, node: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Sorted:
        """What a node is called with: settings, inputs, what is given by name, and what of it is lent."""
        named: Mapping[str, Any] = kwargs
        if args:
            named = {**dict(zip(self._positional, args, strict=False)), **kwargs}
        shape = self._shapes.get(tuple(named))
        if shape is None or len(named) < len(args) + len(kwargs):
            shape = self._shape(node, args, kwargs, tuple(named))
        settings = {name: named[name] for name in shape.settings}
        lent = NOTHING_LENT
        if shape.lends:
            lent = {name: lenders for name in shape.lends if (lenders := _all_lent(node, name, named[name]))}
        return settings, shape.inputs, named, lent

    def _shape(
        self, node: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], names: tuple[str, ...]
    ) -> "Shape":
        """Which of the names are what; raises `CallError` for what the function does not take."""
        if len(names) < len(args) + len(kwargs) or not (self._takes_more or kwargs.keys() <= self._named):
            try:
                self._signature.bind(*args, **kwargs)
            except TypeError as error:
                known = ", ".join(f"`{one}`" for one in self._signature.parameters)
                words = f"{{}} (`{self._kind}`) cannot be called so: {error}."
                raise CallError(node, words, hint=f"It takes: {known}.") from error
        settings = tuple(name for name in names if name in self._settings)
        lends = tuple(name for name in names if name in self._lends and name not in self._settings)
        inputs = tuple(name for name in names if name not in self._settings and name not in self._lends)
        shape = self._shapes[names] = Shape(settings, inputs, lends)
        return shape


def _all_lent(node: str, port: str, given: object) -> tuple[Lent, ...]:
    if given is None:
        return ()
    things = [*cast("Sequence[object]", given)] if isinstance(given, list | tuple) else [given]
    for thing in things:
        if not isinstance(thing, Lent):
            raise CallError(
                node,
                f"`{port}` of {{}} takes what nodes lend, not `{type(thing).__name__}`.",
                hint="Make it with a function of `stepwire_kit.nodes`, such as `text_search`.",
            )
    return tuple(cast("list[Lent]", things))


def signature_in_scripts(type_: NodeType) -> Signature:
    """How a script calls the node's function: as it is declared, without its context."""
    function = type_.function
    if function is None:
        return _signature_of_ports(type_)
    declared = signature(function)
    kept = [one for one in declared.parameters.values() if one.name != type_.context_name]
    return declared.replace(parameters=kept)


def _signature_of_ports(type_: NodeType) -> Signature:
    """How a script calls a node that has no function of its own: its inputs, then its settings by name."""
    inputs = [Parameter(str(one.name), Parameter.POSITIONAL_OR_KEYWORD) for one in type_.inputs]
    settings = [Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default) for one in type_.settings]
    return Signature([*inputs, *settings])


def _given(
    planned: Planned, inputs: Mapping[str, Any], labels: frozenset[str]
) -> tuple[dict[str, Resolved], PlannedNode]:
    """The values of a call, with the labels of all that was there to make them from; and the node to run."""
    values: dict[str, Resolved] = {}
    is_looked_at = False
    misfits: dict[str, Misfit] = {}
    for name, one, passing in planned.taken:
        data = inputs[name]
        if type(data) in passing:
            values[name] = Value(data, labels)
            continue
        is_looked_at = True
        if one.port.many:
            data = _several(data, one)
        if data is nothing or isinstance(data, Failure):
            values[name] = as_resolved(data, labels)
        elif isinstance(data, Misfit):
            misfits[name] = data
            values[name] = Value(data.value, labels)
        elif data is not None or takes_null(one):
            base = one.type.base
            told = data if base in _TYPED else as_data(data) if base in _OPEN else to_plain(data)
            values[name] = Value(told, labels)
    node = planned.node if is_looked_at else planned.unlooked or planned.node
    for name, misfit in misfits.items():
        node = converting(node, name, misfit)
    return values, node


def _several(data: Any, planned: PlannedInput) -> Any:
    """What is given at an input of several: those that are there; the first failure among them, if any."""
    if isinstance(data, list | tuple):
        given = cast("Sequence[Any]", data)
        failure = first_failure(given)
        there = [each for each in given if each is not nothing]
        return failure if failure is not None else there if there or not given else nothing
    is_told = data is None or data is nothing or isinstance(data, Failure | Misfit)
    return data if is_told else Misfit(data, planned.type, planned.type)


_TYPED = frozenset({"message", "messages", "file", "image"})
"""Types of which values are more than JSON; what arrives is looked at when the step begins."""

_OPEN = frozenset({"any", "T"})
"""Types as which such values pass as well."""


def _given_back(planned: Planned, outputs: Mapping[str, Resolved] | None, lane: Lane) -> Any:
    """What Python is given of a step: the value of its only output, or all by name."""
    if not outputs:
        return nothing
    if planned.single:
        value = outputs.get(planned.single, ABSENT)
        if isinstance(value, Value) and value.labels is lane.labels:
            return apart(value.data)
        given, lane.labels = as_given(value, lane.labels)
        return given
    node, found = planned.node, Outputs()
    for name in (*node.outputs, ERROR) if node.run.on_error == "output" else node.outputs:
        given, lane.labels = as_given(outputs.get(name, ABSENT), lane.labels)
        if isinstance(given, Failure):
            return given
        found[name] = given
    if len(found) == 1 and not node.type.returns_fields:
        return next(iter(found.values()))
    return found or None
