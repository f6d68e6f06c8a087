"""Maps of a script: a function for every item of a list, run as the engine runs them.

found = await each("cities", look_up, cities)  # cities.0/…, cities.1/…
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from studio.errors import ValueTypeError
from studio.flow.ports import AFTER, THEN
from studio.flow.records import Node, RunSettings, Socket, Wire
from studio.ids import NodeId, PortName
from studio.runtime.failures import StepFailure
from studio.runtime.plans.plan import PlannedRegion
from studio.runtime.regions.areas import Areas
from studio.runtime.state.frame import Frame
from studio.runtime.steps.outputs import DONE
from studio.runtime.values import ABSENT, Resolved, Value
from studio.script.absence import as_data, as_given, as_resolved, as_returned
from studio.script.no_value import Failure, nothing
from studio.script.place import HERE, Lane, Place, here
from studio.script.running import Running
from studio.script.scopes import settled
from studio.sdk.misfits import misfit


async def each(
    name: str,
    function: Callable[..., Awaitable[Any]],
    items: Iterable[Any],
    /,
    *,
    at_once: int = 8,
    failed: Literal["fail", "drop", "keep"] = "fail",
    absent: Literal["drop", "null", "fail"] = "drop",
    time_limit: float | None = None,
    collected: str | Sequence[str] = "",
    with_index: bool = False,
    after: Sequence[object] = (),
    **more: Iterable[Any],
) -> Any:
    """Do something with every item, so many at once; gives what came out, in the order of the items.

    `more` lists, each as long, give the function further arguments; `with_index` gives it the place of the
    item, from 0, at last. The first failure stops the others and is raised; with `failed="drop"` the items
    that fail are left out, with `"keep"` their places have `{"error", "message", "hint"}`. Items that give
    `nothing` are left out, unless `absent` says otherwise. `time_limit` is in seconds, for all. It is
    skipped, and gives `nothing`, where what it comes `after`, or one of the lists, is `nothing`.

    The step that gathers is called `collected`, or NAME_collected. Where several names are given, the
    function returns a tuple of so many values, and a tuple of lists is given; without any, None.
    """
    place = here()
    node = NodeId(name)
    place.begin(name)
    gathers = [collected or f"{name}_collected"] if isinstance(collected, str) else list(collected)
    for one in gathers:
        place.begin(one)
    lists = {"items": _listed(items), **{key: _listed(one) for key, one in more.items()}}
    settings = _Settings(node, tuple(gathers), tuple(more), at_once, failed, absent, time_limit, len(after))
    item = _Items(place, node, function, lists, with_index, len(gathers))
    around, services = place.frame, place.running.engine.services
    outer = Frame(settings.region(place.running), around.scope, around, around.step, lane=around.lane)
    for key, one in lists.items():
        outer.values[_list_of(key)] = {"value": as_resolved(one, place.lane.labels)}
    for number, one in enumerate(after):
        outer.values[_before(number)] = {"value": as_resolved(one, place.lane.labels)}
    engine = place.running.engine
    areas = Areas(
        item.run, engine.steps.inputs, services.stops, services.breath, engine.gate, services.recorder
    )
    try:
        await areas.run(outer.region, outer)
    except StepFailure as failure:
        place.lane.labels |= failure.labels
        raise place.running.fail(failure) from None
    finally:
        for lane in item.lanes:
            place.lane.labels |= lane.labels
    found = [item.gathered(number, outer.values.get(NodeId(one), {})) for number, one in enumerate(gathers)]
    if not found:
        return None if outer.values.get(node) else nothing
    return found[0] if isinstance(collected, str) else tuple(found)


def _listed(items: Iterable[Any]) -> Any:
    """The items as a list; raises `ValueTypeError` for what is none."""
    if items is nothing or isinstance(items, Failure):
        return items
    if isinstance(items, str | Mapping) or not isinstance(cast("object", items), Iterable):
        raise misfit(items, "list")
    return [_data(one) for one in items]


def _data(value: object) -> object:
    """A value as the engine has it; of what JSON cannot say, no more than that it is there."""
    try:
        return as_data(value)
    except ValueTypeError:
        return repr(value)


@dataclass(frozen=True, slots=True)
class _Settings:
    """A map as a flow, whose body is one step that stands for the function."""

    node: NodeId
    gathers: tuple[str, ...]
    more: tuple[str, ...]
    at_once: int
    failed: str
    absent: str
    time_limit: float | None
    after: int

    def region(self, running: Running) -> PlannedRegion:
        """The map, planned once in a run."""
        return running.region(self, self._flow)

    def _flow(self) -> tuple[dict[NodeId, Node], list[Wire]]:
        each = self.node
        run = RunSettings(time_limit=self.time_limit)
        begins = {"at_once": self.at_once, "more": list(self.more)}
        ends = {"failed": self.failed, "absent": self.absent}
        nodes = {each: Node(kind="control.for_each", settings=cast("Any", begins), run=run)}
        wires: list[Wire] = []
        for name in ("items", *self.more):
            nodes[_list_of(name)] = Node(kind="io.flow_input", settings={"type": "any[]"})
            wires.append(_wire(_list_of(name), "value", each, name))
        for number in range(self.after):
            nodes[_before(number)] = Node(kind="io.flow_input", settings={"type": "any"})
            wires.append(_wire(_before(number), "value", each, AFTER))
        for number, gathers in enumerate(self.gathers or ("",)):
            made = made_of(number)
            nodes[made] = Node(kind="control.merge")
            wires.append(_wire(each, "item", made, "values"))
            if gathers:
                nodes[NodeId(gathers)] = Node(kind="control.collect", settings=cast("Any", ends))
                wires.append(_wire(made, "value", NodeId(gathers), "value"))
        return nodes, wires


def _list_of(name: str) -> NodeId:
    """Name where one of the lists stands."""
    return NodeId(f"given_{name}")


def _before(number: int) -> NodeId:
    """Name where one that the map comes after stands."""
    return NodeId(f"before_{number}")


def made_of(number: int) -> NodeId:
    """Name the step that stands for what the function gives to one of those who gather."""
    return NodeId(f"made_{number}")


class _Items:
    """Runs the function for each item, in the frame that the engine makes for it."""

    def __init__(
        self,
        place: Place,
        node: NodeId,
        function: Callable[..., Awaitable[Any]],
        lists: Mapping[str, Any],
        with_index: bool,  # noqa: FBT001  # as the function that it serves
        many: int,
    ) -> None:
        self._place, self._node, self._function = place, node, function
        self._lists, self._with_index = tuple(lists.values()), with_index
        self._path = f"{place.path}{node}/"
        self._made = [made_of(number) for number in range(many)]
        self._results: dict[int, tuple[Any, ...]] = {}
        self.lanes: list[Lane] = []

    async def run(self, frame: Frame) -> None:
        """Run one item; raises `StepFailure`."""
        index = int(frame.scope.rpartition(".")[2])
        around = self._place
        lane = Lane(around.lane.labels)
        self.lanes.append(lane)
        inside = Place(around.running, frame, lane, self._path)
        arguments = [one[index] for one in self._lists]
        HERE.set(inside)  # of the item's own task
        try:
            work = self._function(*arguments, *([index] if self._with_index else []))
            self._give(frame, index, await settled(inside, work), lane)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is the item's own
            failure = around.running.failure(error)
            if failure is None:
                failure = StepFailure(inside.frame.step, self._node, error, lane.labels)
            raise failure from None

    def _give(self, frame: Frame, index: int, result: Any, lane: Lane) -> None:
        many = len(self._made)
        given: tuple[Any, ...] = (result,) if many == 1 else tuple(result) if many else ()
        self._results[index] = given
        for made, one in zip(self._made, given, strict=False):
            frame.values[made] = {"value": as_returned(one, lane.labels), THEN: DONE}

    def gathered(self, number: int, outputs: Mapping[str, Resolved]) -> Any:
        """What one of those who gather gives, with what the function itself returned."""
        lane = self._place.lane
        values, lane.labels = as_given(outputs.get("values", ABSENT), lane.labels)
        kept = outputs.get("kept", ABSENT)
        if not isinstance(values, list) or not isinstance(kept, Value):
            return cast("Any", values)
        found: list[Any] = []
        for index, value in zip(cast("list[int]", kept.data), cast("list[Any]", values), strict=True):
            own = self._results.get(index, ())
            # As the function returned it, unless a person has put something else there.
            is_same = own and (own[number] is value or _data(own[number]) == value)
            found.append(own[number] if is_same else value)
        return found


def _wire(source: NodeId, gives: str, target: NodeId, takes: str) -> Wire:
    return Wire(Socket(source, PortName(gives)), Socket(target, PortName(takes)))
