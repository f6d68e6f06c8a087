"""Where a value came from: followed back over steps, wires, rounds, items and calls to what it began with.

`made_of` goes one step back, `beginnings` all the way. Both read the fold alone. A value of a node's function
counts as made of all that the step read, asked and was told; where nodes hand values on (loops, maps,
branches, merges, races, called flows) the very value is followed.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from studio.flow.ports import AFTER, ERROR, ITEMS, Structure, item_port
from studio.flow.records import CallingLibrary, Flow
from studio.flow.structure.graph import OUT_OF_BODY, default_ports
from studio.ids import NodeId, Scope, StepId, step_id, step_parts
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState, StepStatus
from studio.trace.lineage.call_sources import CallSources, labels_said, said
from studio.trace.lineage.sources import Beginning, Source
from studio.trace.lineage.wire_sources import Spot, Stand, Wired, at_element
from studio.trace.lineage.writers import ITEM, VARIABLE, item_value, variable_port


class Provenance:
    """Answers for one run, as far as it has come; `library` knows the flows that it calls as they were."""

    def __init__(self, state: RunState, flow: Flow, library: CallingLibrary) -> None:
        self._state = state
        self._wired = Wired(state, flow, library)
        self._calls = CallSources(state, self._wired)

    def made_of(self, spot: Spot) -> list[Source]:
        """What the value at a spot was made of, one step back; the same spot, where it begins there."""
        if not spot.step:
            if spot.side == "input":
                return [Source(spot, Beginning.GIVEN)]
            return [Source(Spot(StepId(spot.port), "input", "value", element=spot.element))]
        step = self._state.steps.get(spot.step)
        if step is not None and (spot.side, spot.port) in step.origins.edited and spot.turn is None:
            return [Source(spot, Beginning.EDIT), *self._sent_on(step, spot)]
        if step is not None and step.call:
            return list(dict.fromkeys(self._calls.of(step, spot)))
        stand = self._wired.stand(spot.step)
        if stand is None:
            return [Source(spot, Beginning.UNKNOWN)]
        found = list(self._of_input(stand, spot) if spot.side == "input" else self._of_output(stand, spot))
        return list(dict.fromkeys(found)) or [Source(spot, Beginning.UNKNOWN)]

    def beginnings(self, spot: Spot) -> list[Source]:
        """All that a value began with, the nearest first."""
        return [source for source in self.walk(spot) if source is not None]

    def walk(self, spot: Spot) -> Iterator[Source | None]:
        """As `beginnings`, one by one; None for each value on the way, so that it can be done in parts."""
        seen, waiting = {spot}, deque([spot])
        found: set[Source] = set()
        while waiting:
            for source in self.made_of(waiting.popleft()):
                if source.beginning is None:
                    if source.spot not in seen:
                        seen.add(source.spot)
                        waiting.append(source.spot)
                elif source not in found:
                    found.add(source)
                    yield source
            yield None

    def value(self, spot: Spot) -> Shown | None:
        """The value itself; None where there was none, or where a list has no such place."""
        while spot.turn is not None:  # what loops and maps hand on stands where it came from
            sources = self.made_of(spot)
            if sources[0].beginning is Beginning.NUMBER:
                return Shown(spot.turn, ("flow",))
            if len(sources) != 1 or sources[0].spot == spot:
                return None
            spot = sources[0].spot
        whole = self._whole(spot)
        if whole is None or spot.element is None:
            return whole
        data = cast("list[object]", whole.data) if isinstance(whole.data, list) else []
        return Shown(data[spot.element], whole.labels) if spot.element < len(data) else None

    # ---------------------------------------------------------------- values

    def _whole(self, spot: Spot) -> Shown | None:
        """The value at a spot, no place in it, that stands in a step or in the run."""
        if not spot.step:
            return (self._state.inputs if spot.side == "input" else self._state.outputs).get(spot.port)
        step = self._state.steps.get(spot.step)
        if step is None:
            return None
        if step.call:
            return said(step, spot)
        if spot.port.startswith(VARIABLE):
            found = (one.value for one in reversed(step.writes) if variable_port(one.name) == spot.port)
            return next(found, None)
        if spot.port.startswith(ITEM):
            return item_value(step, spot.port)
        return (step.inputs if spot.side == "input" else step.outputs).get(spot.port)

    def _is_there(self, spot: Spot) -> bool:
        """Whether there was a value at a spot."""
        if spot.turn is not None and spot.side == "output":
            return True
        return self.value(replace(spot, element=None)) is not None

    # ---------------------------------------------------------------- inputs

    def _of_input(self, stand: Stand, spot: Spot) -> Iterator[Source]:
        port = spot.port
        step = self._state.steps.get(spot.step)
        given_back = OUT_OF_BODY.get(stand.structure, ()) if stand.structure is not None else ()
        if spot.turn is None and port in given_back:
            if stand.structure is Structure.COLLECT:
                yield from () if step is None else self._of_collect(step, replace(spot, port="values"))
                return
            spot = replace(spot, turn=self._wired.last_turn(spot.step))
        if port == ERROR and stand.structure is Structure.CATCH:
            port = "value"
        wires = list(self._wired.sources(stand, Spot(spot.step, "input", port, spot.turn)))
        if not wires:
            record = stand.record
            is_typed = record is not None and port in record.inputs
            yield Source(spot, Beginning.TYPED, "" if is_typed else "default")
            return
        winner = step.origins.winner if step is not None else None
        if winner is not None and stand.structure is Structure.RACE and winner < len(wires):
            yield Source(wires[winner][1])
            return
        brought = [one for _, one in wires if self._is_there(one)] or [one for _, one in wires]
        if stand.structure in {Structure.MERGE, Structure.RACE} and spot.element is not None:
            yield from (Source(one) for one in brought[spot.element : spot.element + 1])
            return
        for one in brought:
            yield Source(self._within(one, spot) if len(wires) == 1 else one)

    def _within(self, source: Spot, spot: Spot) -> Spot:
        """The place in a list that came whole over its wire."""
        if spot.element is None:
            return source
        came, given = self.value(source), self.value(replace(spot, element=None))
        if came is None or (given is not None and _length(came) != _length(given)) or not _length(came):
            return source
        return at_element(source, spot.element)

    # ---------------------------------------------------------------- outputs

    def _of_output(self, stand: Stand, spot: Spot) -> Iterator[Source]:
        step = self._state.steps.get(spot.step)
        if step is not None and step.is_pinned:
            yield Source(spot, Beginning.PIN, " ".join(filter(None, (step.origins.run, step.origins.step))))
            return
        if spot.turn is not None:
            yield from self._into_body(stand, spot, spot.turn)
            return
        if step is not None and self._stands_in(stand, step, spot):
            yield Source(spot, Beginning.TYPED, "default")
            return
        state = stand.record.run.state if stand.record is not None else ""
        if spot.port != ERROR and step is not None and not state:
            found = self._handed_on(stand, step, spot)
            if found is not None:
                yield from found
                return
        yield from self._made(stand, step, spot)

    def _into_body(self, stand: Stand, spot: Spot, turn: int) -> Iterator[Source]:
        """What a loop gives to a round, or a map to an item."""
        if stand.structure is Structure.LOOP:
            if spot.port != "value":
                yield Source(spot, Beginning.NUMBER)
            elif turn == 1:
                yield Source(Spot(spot.step, "input", "start", element=spot.element))
            else:
                yield Source(Spot(spot.step, "input", "again", turn - 1, spot.element))
            return
        lists = (ITEMS, *(one for one in stand.wiring.inputs(stand.node) if one not in {ITEMS, AFTER}))
        step = self._state.steps.get(spot.step)
        lists = (*lists, *(() if step is None else step.inputs))
        name = next((one for one in lists if item_port(one) == spot.port), None)
        if name is None:
            yield Source(spot, Beginning.NUMBER)
        else:
            yield Source(Spot(spot.step, "input", name, element=turn))

    def _handed_on(self, stand: Stand, step: StepState, spot: Spot) -> list[Source] | None:
        """What a node hands on as it came; None where it makes something new."""
        match stand.structure:
            case Structure.LOOP:
                return self._of_loop(stand, step, spot)
            case Structure.COLLECT:
                return self._of_collect(step, spot)
            case Structure.MERGE:
                record = stand.record
                is_all = record is not None and record.settings.get("gives") == "all"
                return [Source(Spot(spot.step, "input", "values", element=spot.element if is_all else 0))]
            case Structure.RACE:
                return [Source(Spot(spot.step, "input", "values", element=0))]
            case Structure.CATCH:
                return [Source(Spot(spot.step, "input", spot.port, element=spot.element))]
            case Structure.FLOW_INPUT:
                return [self._of_flow_input(stand, spot)]
            case Structure.SUBFLOW:
                return self._of_called(stand, spot)
            case Structure.BRANCH if "value" in step.inputs and "facts" not in stand.wiring.inputs(
                stand.node
            ):
                return [Source(Spot(spot.step, "input", "value", element=spot.element))]
            case _:
                return None

    def _of_loop(self, stand: Stand, step: StepState, spot: Spot) -> list[Source] | None:
        last = self._wired.last_turn(step.id)
        if spot.port == "history":
            kept = _length(step.outputs.get("history"))
            first = last - kept + 1 if kept else last + 1
            places = range(kept) if spot.element is None else (spot.element,)
            return [Source(Spot(step.id, "input", "again", first + place)) for place in places]
        if spot.port != "result":
            return None
        for port in ("done", "again"):
            ended = Spot(step.id, "input", port, last, spot.element)
            wires = self._wired.sources(stand, Spot(step.id, "input", port, last))
            if any(self._is_there(source) for _, source in wires):
                return [Source(ended)]
        return [Source(Spot(step.id, "output", "value", last, spot.element))]

    def _of_collect(self, step: StepState, spot: Spot) -> list[Source]:
        if ("input", "value") in step.origins.edited:
            return [Source(Spot(step.id, "input", "value"), Beginning.EDIT)]
        kept = step.outputs.get("kept")
        places = cast("list[int]", kept.data) if kept is not None and isinstance(kept.data, list) else []
        if spot.port != "values":
            return [Source(spot, Beginning.NUMBER)]
        if spot.element is not None:
            places = places[spot.element : spot.element + 1]
        return [Source(Spot(step.id, "input", "value", place)) for place in places]

    def _of_flow_input(self, stand: Stand, spot: Spot) -> Source:
        if not stand.prefix:
            return Source(Spot(StepId(""), "input", stand.node, element=spot.element))
        *outer, caller = stand.prefix.split("/")
        scope, node = Scope("/".join(outer)), step_parts(StepId(caller))[1]
        if outer and "#" in outer[-1]:  # a tool that runs a flow: its arguments are what the flow is given
            return Source(Spot(StepId("/".join(outer)), "input", "arguments"))
        return Source(Spot(step_id(scope, node), "input", stand.node, element=spot.element))

    def _of_called(self, stand: Stand, spot: Spot) -> list[Source] | None:
        """What the called flow's output was given, in the last attempt that came to it."""
        attempt, found = 1, None
        while attempt == 1 or any(one.startswith(f"{spot.step}@{attempt}/") for one in self._state.order):
            scope = Scope(spot.step if attempt == 1 else f"{spot.step}@{attempt}")
            end = self._state.steps.get(step_id(scope, NodeId(spot.port)))
            if end is not None and end.status is StepStatus.DONE:
                found = Spot(end.id, "input", "value", element=spot.element)
            if stand.record is None or attempt > stand.record.run.retries:
                break
            attempt += 1
        return None if found is None else [Source(found)]

    def _made(self, stand: Stand, step: StepState | None, spot: Spot) -> Iterator[Source]:
        """What a node's function had to make its outputs of."""
        if step is None:
            yield from (Source(Spot(spot.step, "input", name)) for name in stand.wiring.inputs(stand.node))
            return
        if step.error is not None and step.error.origin:
            yield Source(Spot(StepId(step.error.origin), "output", ERROR))
            return
        inputs = [name for name in step.inputs if name != AFTER]
        given = step.outputs.get(spot.port)
        if stand.record is not None and stand.record.run.state == "bypassed" and given is not None:
            inputs = [name for name in inputs if step.inputs[name].data == given.data][:1] or inputs
        if not step.inputs and step.status is StepStatus.FAILED:
            inputs = [name for name in stand.wiring.inputs(stand.node) if name != AFTER]
        yield from (Source(Spot(step.id, "input", name)) for name in inputs)
        calls = [self._state.steps[one] for one in step.children if self._state.steps[one].call]
        yield from (Source(Spot(call.id, "output", "answer")) for call in calls)
        yield from self._calls.shared(step)
        known = {label for name in inputs for label in step.inputs.get(name, Shown(None)).labels}
        known |= {label for call in calls for label in labels_said(call)}
        own = [] if given is None else [one for one in given.labels if one not in known | {"flow", "user"}]
        is_told = bool(calls or step.origins.read or step.recalled)
        if own and not is_told:
            yield Source(spot, Beginning.READ, ", ".join(own))
        elif not inputs and not is_told:
            yield Source(spot, Beginning.TYPED, "settings")

    def _sent_on(self, step: StepState, spot: Spot) -> list[Source]:
        """What a step had read, where somebody sent that to another of its outputs than it had chosen."""
        given, read = step.outputs.get(spot.port), step.inputs.get("value")
        stand = self._wired.stand(step.id)
        is_choice = stand is not None and stand.structure is Structure.BRANCH
        if not is_choice or given is None or read is None or given.data != read.data:
            return []
        return [Source(Spot(step.id, "input", "value"))]

    @staticmethod
    def _stands_in(stand: Stand, step: StepState, spot: Spot) -> bool:
        """Whether a step failed, and its default stands in for what it would have given."""
        record = stand.record
        if record is None or record.run.on_error != "default" or record.run.state:
            return False
        given, names = record.run.default, default_ports(stand.structure, step.outputs)
        is_named = isinstance(given, dict) and set(given) <= set(names)
        default = cast("dict[str, object]", given).get(spot.port) if is_named else given
        shown = step.outputs.get(spot.port)
        return shown is not None and shown.data == default


def _length(shown: Shown | None) -> int:
    return len(cast("list[object]", shown.data)) if shown is not None and isinstance(shown.data, list) else 0
