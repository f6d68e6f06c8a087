"""The reference interpreter: a flow's meaning by plain recursion over the document, as the page says it.

A value is asked for, so the step that gives it runs, so its inputs are asked for. There is no plan and no
order; of every step it is known when it began and ended, had all things taken the seconds that they say.
Where an error ends the run, everything that could still have run does, and what the engine may have
cancelled is simply among what is known here.
"""

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from studio.errors import StepError, TimeLimitError, ValueTypeError
from studio.flow.records import Flow, Node, Socket, Wire
from studio.ids import NodeId, PortName
from tests.reference.conversions import INPUTS, arriving, elements, has_others, needed
from tests.reference.deeds import ABSENT, do, told_error
from tests.reference.document import CALL, CATCH, COLLECT, EACH, LENDER, LOOP, RACE, Document, reach, read
from tests.reference.fates import FAILS_ITEM, SHELTERED, Fates
from tests.reference.regions import Reading, Region, find

Edits = Mapping[tuple[str, str], Mapping[str, Any]]
"""What a person puts in the place of values: by step, and `before` or `after` its work."""


@dataclass(frozen=True)
class Failed:
    """What stands at a socket whose step failed."""

    error: StepError
    step: str


class AllFailed(dict[str, Any]):
    """The outputs of a step that failed: whoever asks for one is told so."""

    def __init__(self, failed: Failed) -> None:
        super().__init__()
        self.failed = failed


DONE = object()
"""What stands at `then`."""

INSIDE = {LOOP: {"value", "round"}, EACH: {"item", "others_item", "index", "then"}}
"""Outputs that speak inside the region of their node."""


LISTS_HINT = "Pass lists that belong together, element by element."
DEPTH_HINT = "Let the flow end sooner, or allow more nested calls."
LIMIT_HINT = "Allow more rounds, or use the last value at the limit."


class EndsTheRunError(Exception):
    """A step failed and nothing tolerates that: all that may be blamed for it, with their times."""

    def __init__(self, errors: dict[str, tuple[StepError, float]]) -> None:
        super().__init__(errors)
        self.errors = errors

    @property
    def when(self) -> float:
        """When the first of them happened."""
        return min(when for _, when in self.errors.values())


class NotSettledError(Exception):
    """Two things happen at the same time, and the page leaves open which of them comes first."""


@dataclass
class Told:
    """What is known of one step: what it read, and what it gave, or why not."""

    status: str
    inputs: dict[str, Any] = field(default_factory=dict[str, Any])
    outputs: dict[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""
    began: float = 0
    ended: float = 0


@dataclass
class Result:
    """What the reference knows of a run."""

    steps: dict[str, Told]
    outputs: dict[str, Any]
    errors: dict[str, StepError]
    """Steps that may end the run, with their errors; empty when it succeeds."""
    unsure: set[str]
    """Scopes of items that failed, and steps that were over just when a race was: they may not have been."""
    until: float = inf
    """When the run ends too early."""
    cuts: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    """Scopes that end too early, and when."""


@dataclass
class Frame:
    """One round, one item, or the whole run."""

    region: Region
    scope: str
    parent: "Frame | None"
    began: float = 0
    values: dict[str, dict[str, Any] | EndsTheRunError] = field(default_factory=dict)
    over: dict[str, float] = field(default_factory=dict[str, float])
    """When what a step gave was there."""
    stopped: dict[str, float] = field(default_factory=dict[str, float])
    """When a step was stopped by a race."""
    last: dict[str, "Frame"] = field(default_factory=dict[str, "Frame"])
    """Of each loop that stands here: its last round."""
    items: dict[str, "list[Frame | Failed]"] = field(default_factory=dict)

    def step(self, node: str) -> str:
        """The name of a step in this frame."""
        return f"{self.scope}/{node}" if self.scope else node

    def inner(self, region: Region, number: int, began: float) -> "Frame":
        """A round or an item of a region that stands here."""
        return Frame(region, self.step(f"{region.owner}.{number}"), self, began)


class Interpreter:
    """Evaluates one flow whose regions are known."""

    def __init__(
        self,
        flow: Flow,
        given: Mapping[str, str],
        edits: Edits | None = None,
        flows: Mapping[str, Flow] | None = None,
        caller: "Interpreter | None" = None,
    ) -> None:
        """Make it for a run, or for a call that a step of `caller` makes."""
        self.document: Document = read(flow)
        self.reading: Reading = find(self.document)
        self._flows = flows or {}
        self._depth = caller._depth + 1 if caller is not None else 0
        self._nodes: dict[str, Node] = {
            str(name): node for name, node in flow.nodes.items() if node.kind != LENDER
        }
        self._given = given
        self._edits: Edits = edits or {}
        self._fates = Fates(self.document, self.reading)
        self._result = caller._result if caller is not None else Result({}, {}, {}, set())
        self.outputs: dict[str, Any] = {}
        """What the flow's outputs were given."""
        self._collect_of = {node: one.owner for one in self.reading.regions.values() for node in one.collects}
        self._decided: list[tuple[str, set[str], set[str], float]] = caller._decided if caller else []
        """Of each race: its scope, whom it stops, who led to the winner, and when."""
        every = [node for one in (flow, *self._flows.values()) for node in one.nodes.values()]
        self._slack = 60 if any(one.run.retries for one in every) else 0
        """Seconds by which times may be wrong, for nobody knows how long pauses between attempts are."""

    def run(self) -> Result:
        """Evaluate the whole flow."""
        try:
            self._all(Frame(self.reading.root, "", None))
        except EndsTheRunError as error:
            self._result.until = error.when - self._slack
            self._result.errors = {
                step: why for step, (why, when) in error.errors.items() if when <= error.when + self._slack
            }
        for decided in self._decided:
            self._stop(*decided)
        self._result.outputs = self.outputs
        return self._result

    def run_called(self, scope: str, began: float) -> float:
        """Run the flow as a step that calls it does, and say when all was over."""
        return self._all(Frame(self.reading.root, scope, None, began))

    # --- regions ------------------------------------------------------------------------------------------

    def _all(self, frame: Frame) -> float:
        """Run every step that stands in the frame's region, and say when all were over.

        One error does not hide another.
        """
        errors: dict[str, EndsTheRunError] = {}
        here = [node for node in self._nodes if self._home(node) is frame.region]
        for node in here:
            try:
                self._step(frame, node)
            except EndsTheRunError as error:
                errors[node] = error
        found = [one for node, one in errors.items() if one.when < frame.stopped.get(node, inf)]
        if found:
            raise EndsTheRunError({step: why for one in found for step, why in one.errors.items()})
        ends = (min(frame.over.get(node, 0), frame.stopped.get(node, inf)) for node in here)
        return max(ends, default=frame.began)

    def _home(self, node: str) -> Region:
        """The innermost region that a node stands in."""
        kind = self._nodes[node].kind
        if kind in INSIDE:
            return self.reading.regions[node].parent or self.reading.root
        if kind == COLLECT:
            return self.reading.regions[self._collect_of[node]].parent or self.reading.root
        return self.reading.home((node, "step"))

    def _loop(self, frame: Frame, node: str) -> dict[str, Any]:  # noqa: C901, PLR0912  # the rule in one go
        region = self.reading.regions[node]
        inputs = self._inputs(frame, node, ["start"])
        frame.over[node] = ready = self._enter(frame, region)
        if not isinstance(inputs, dict):
            return self._not_run(frame, node, inputs)
        told = self._started(frame, node, inputs, ready)
        if self._nodes[node].run.state == "bypassed":
            return self._finished(frame, node, {"result": told.inputs["start"]})
        settings = self._nodes[node].settings
        most = int(settings.get("max_rounds", 10))  # type: ignore[arg-type]
        value, history, number, now = told.inputs["start"], [], 0, ready
        while True:
            number += 1
            child = frame.inner(region, number, now)
            child.values[node] = {"value": value, "round": number}
            try:
                now = self._all(child)
                again, done = (self._one(child, node, port) for port in ("again", "done"))
            except EndsTheRunError as error:
                told.status, told.ended = "failed", error.when
                raise
            frame.over[node] = told.ended = now
            also = [self._read(child, wire) for wire in self._wires(node, "also")]
            failed = next((one for one in (again, done, *also) if isinstance(one, Failed)), None)
            if failed is not None:
                return self._failed_unrun(told, failed)
            wrong = next((one for one in (again, done) if isinstance(one, ValueTypeError)), None)
            if wrong is not None:
                return self._fail(frame, node, wrong)
            frame.last[node] = child
            if again is not ABSENT:
                history.append(again)
            if done is not ABSENT:
                result = done
            elif again is ABSENT:
                result = value
            elif self._stops(settings, value, again, number):
                result = again
            elif number == most:
                if settings.get("on_limit") == "fail":
                    words = f"It was not done after {most} rounds."
                    return self._fail(frame, node, StepError(words, hint=LIMIT_HINT))
                result = again
            else:
                value = again
                continue
            kept = int(settings.get("rounds_kept", 10_000))  # type: ignore[arg-type]
            is_read = any(
                one.source == Socket(NodeId(node), PortName("history")) for one in self.document.flow.wires
            )
            told_of = {"history": history[-kept:] if kept else []} if is_read else {}
            return self._finished(frame, node, {"result": result, **told_of})

    @staticmethod
    def _stops(settings: Mapping[str, Any], value: object, again: object, number: int) -> bool:
        rule = str(settings.get("stop_when", ""))
        names = {"value": value, "again": again, "round": number}
        return bool(rule) and bool(eval(rule, {"__builtins__": {"int": int, "len": len}}, names))  # noqa: S307

    def _map(self, frame: Frame, node: str) -> dict[str, Any]:
        region = self.reading.regions[node]
        inputs = self._inputs(
            frame, node, ["items", "others"] if has_others(self._nodes[node]) else ["items"]
        )
        frame.over[node] = ready = self._enter(frame, region)
        if not isinstance(inputs, dict):
            return self._not_run(frame, node, inputs)
        told = self._started(frame, node, inputs, ready)
        lengths = {port: len(listed) for port, listed in told.inputs.items()}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"`{port}` has {count}" for port, count in lengths.items())
            words = f"The lists have different lengths: {counts}."
            return self._fail(frame, node, StepError(words, hint=LISTS_HINT))
        tolerant = all(self._setting(one, "failed", "fail") != "fail" for one in region.collects)
        errors: dict[str, tuple[StepError, float]] = {}
        items: list[Frame | Failed] = []
        turns = [ready] * int(self._nodes[node].settings.get("at_once", 8))  # type: ignore[arg-type]
        ends = [ready]
        for number, item in enumerate(told.inputs["items"]):
            child = frame.inner(region, number, heapq.heappop(turns))
            child.values[node] = {"item": item, "index": number, "then": DONE}
            if "others" in told.inputs:
                child.values[node]["others_item"] = told.inputs["others"][number]
            try:
                ends.append(self._all(child))
                items.append(child)
            except EndsTheRunError as error:
                self._result.unsure.add(child.scope)
                items.append(self._first_in_time(error.errors, node, region))
                errors |= error.errors
                ends.append(error.when)
            heapq.heappush(turns, ends[-1])
        frame.over[node] = told.ended = max(ends)
        if errors and not tolerant:
            told.status = "failed"
            raise EndsTheRunError(errors)
        strict = all(self._setting(one, "failed", "fail") == "fail" for one in region.collects)
        if strict and all(self._fates.of((one, "step")) == SHELTERED for one in region.collects):
            failed = {
                one.step: (one.error, ends[number + 1])
                for number, item in enumerate(items)
                for collect in region.collects
                if isinstance(one := self._one(item, collect, "value"), Failed)  # type: ignore[arg-type]
            }
            if failed:  # the first in time cancels the others
                self._result.unsure |= {frame.inner(region, number, 0).scope for number in range(len(items))}
                frame.over[node] = told.ended = min(when for _, when in failed.values())
                return self._failed_unrun(told, self._first_in_time(failed, node, region))
        frame.items[node] = items
        return self._finished(frame, node, {})

    def _first_in_time(self, errors: dict[str, tuple[StepError, float]], node: str, region: Region) -> Failed:
        """The error that came first; it has to be told only where somebody looks at it."""
        first = min(when for _, when in errors.values())
        found = [Failed(why, step) for step, (why, when) in errors.items() if when <= first + self._slack]
        looks = any(self._setting(one, "failed", "fail") != "drop" for one in region.collects)
        if looks and len({one.error.message for one in found}) > 1:
            raise NotSettledError(node)
        return found[0]

    def _collect(self, frame: Frame, node: str) -> dict[str, Any]:  # noqa: C901  # as `_loop`
        owner = self._collect_of[node]
        gone = self._step(frame, owner)
        frame.over[node] = frame.over[owner]
        if isinstance(gone, AllFailed):
            return self._not_run(frame, node, gone.failed)
        items = frame.items.get(owner)
        if items is None or self._nodes[node].run.state == "muted" or self._is_held_back(frame, node):
            return self._skipped(frame, node)
        before = [self._read(frame, wire) for wire in self._wires(node, "after")]
        late = next((one for one in before if isinstance(one, Failed)), None)
        if late is not None:
            return self._not_run(frame, node, late)
        values: list[Any] = []
        kept: list[int] = []
        blame: int | None = None
        for index, item in enumerate(items):
            value = item if isinstance(item, Failed) else self._one(item, node, "value")
            if isinstance(value, Failed):
                match self._setting(node, "failed", "fail"):
                    case "fail" if blame is None:
                        return self._not_run(frame, node, value)
                    case "keep":
                        kept.append(index)
                        values.append(told_error(value.error))
                    case _:
                        pass
                continue
            policy = self._setting(node, "absent", "drop")
            if value is ABSENT and policy == "fail" and blame is None:
                blame = index
            if value is not ABSENT or policy == "null":
                kept.append(index)
                values.append(None if value is ABSENT else value)
        if blame is not None:
            hint = "Let `collect` drop absent items, or wire every case."
            return self._fail(frame, node, StepError(f"Item {blame} has no value.", hint=hint))
        told = self._started(frame, node, {"value": values}, frame.over[node])
        return self._finished(frame, node, {"values": told.inputs["value"], "kept": kept})

    def _enter(self, frame: Frame, region: Region) -> float:
        """When whatever enters a region was resolved; all of it is before it starts."""
        entering = [
            wire
            for source, target, wire in self.document.wires
            if target in region.whole and source not in region.whole
        ]
        return max((self._at(frame, wire)[1] for wire in entering), default=frame.began)

    # --- races --------------------------------------------------------------------------------------------

    def _race(self, frame: Frame, node: str) -> dict[str, Any]:  # noqa: C901  # as `_loop`
        found: list[tuple[float, Any, str]] = []
        wires = self._wires(node, "values")
        late: list[EndsTheRunError] = []
        for wire in wires:
            try:
                value, when = self._at(frame, wire)
                found.append((max(when, frame.began), value, str(wire.source.node)))
            except EndsTheRunError as error:
                late.append(error)
        orders = [self._at(frame, wire) for wire in self._wires(node, "after")]
        come = [one for one in found if one[1] is not ABSENT and not isinstance(one[1], Failed)]
        is_free = all(value is not ABSENT and not isinstance(value, Failed) for value, _ in orders)
        if self._nodes[node].run.state or not come or not is_free:
            if late:
                raise late[0]
            return self._undecided(frame, node, found)
        here = {inner for inner, _ in frame.region.body}
        first = min(come, key=lambda one: (one[0], one[2] in here))  # what comes from outside is there first
        decided = max([first[0], *(when for _, when in orders)])
        for when, value, source in come:
            is_close = when <= first[0] + self._slack and value != first[1]
            if is_close and (first[2] in here or (source in here and self._slack)):
                raise NotSettledError(node)
        for error in late:
            if abs(error.when - decided) <= self._slack:
                raise NotSettledError(node)
            if error.when < decided:
                raise error
        region = frame.region
        for owner in self._fates.half_in(node, region):
            # Its other steps go on without those that are stopped, which nobody here tells.
            if self._end_of(frame, owner) >= decided - self._slack:
                raise NotSettledError(node)
        stopped, further_in = self._fates.contenders(node, region)
        for one in stopped:
            frame.stopped[one] = min(decided, frame.stopped.get(one, inf))
        leading = {
            source
            for source, _ in self.document.vertices
            if any(target == first[2] for target, _ in reach(self.document.edges, self._vertex(source)))
        }
        self._decided.append((frame.scope, stopped | further_in, {*leading, first[2]}, decided))
        frame.over[node] = decided
        told = self._started(frame, node, {"values": [first[1]]}, decided)
        done = do(self._nodes[node], told.inputs, [])
        return (
            self._finished(frame, node, done.outputs)
            if done.error is None
            else self._fail(frame, node, done.error)
        )

    def _end_of(self, frame: Frame, node: str) -> float:
        try:
            self._step(frame, node)
        except EndsTheRunError as error:
            return error.when
        return frame.over[node]

    def _vertex(self, node: str) -> tuple[str, str]:
        return self.document.start(node) if self._nodes[node].kind == LOOP else (node, "step")

    def _undecided(self, frame: Frame, node: str, found: list[tuple[float, Any, str]]) -> dict[str, Any]:
        """A race that is muted or held back, or that nobody has won."""
        inputs = self._inputs(frame, node, [])
        frame.over[node] = self._ready(frame, node)
        values = [one for _, one, _ in found if one is not ABSENT]
        if inputs is None or (isinstance(inputs, dict) and not values):
            return self._skipped(frame, node)
        failed = inputs if isinstance(inputs, Failed) else values[0]
        if not isinstance(failed, Failed):
            raise NotSettledError(node)  # a race that is bypassed
        result = self._failed_unrun(self._started(frame, node, {}, frame.over[node]), failed)
        if self._fates.of((node, "step")) == SHELTERED:
            return result
        raise EndsTheRunError({failed.step: (failed.error, frame.over[node])})

    def _stop(self, scope: str, nodes: set[str], leading: set[str], decided: float) -> None:
        """Let all that leads only into a race have ended when it was decided."""
        for step, told in list(self._result.steps.items()):
            is_there = step.startswith(f"{scope}/") or not scope
            node = _first_node(step.removeprefix(f"{scope}/"))
            if not is_there or node not in nodes or (node in leading and told.ended <= decided):
                continue
            if abs(told.ended - decided) <= self._slack or abs(told.began - decided) <= self._slack:
                self._result.unsure.add(step)
            elif told.ended > decided:
                self._result.steps[step] = Told("stopped", began=told.began, ended=decided)

    # --- sockets ------------------------------------------------------------------------------------------

    def _read(self, frame: Frame, wire: Wire) -> Any:
        """What stands at the other end of a wire that is read in `frame`."""
        return self._at(frame, wire)[0]

    def _at(self, frame: Frame, wire: Wire) -> tuple[Any, float]:
        """What stands at the other end of a wire that is read in `frame`, and since when."""
        source = str(wire.source.node)
        inside = wire.source.port in INSIDE.get(self._nodes[source].kind, ())
        home = self.reading.regions[source] if inside else self._home(source)
        where: Frame = frame
        late = frame.began
        while not where.region.holds(home) and where.parent is not None:
            where = where.parent
        while where.region is not home:  # what leaves a loop is what its last round gave
            loop = next(one for one in where.region.children if one.holds(home))
            gone = self._step(where, loop.owner)
            late = max(late, where.over[loop.owner])
            if isinstance(gone, AllFailed):
                return gone.failed, late
            if loop.owner not in where.last:
                return ABSENT, late
            where = where.last[loop.owner]
        outputs = self._step(where, source)
        late = max(late, where.over.get(source, where.began))
        if isinstance(outputs, AllFailed):
            return outputs.failed, late
        return outputs.get(str(wire.source.port), ABSENT), late

    def _wires(self, node: str, port: str) -> list[Wire]:
        return self.document.into(node, port)

    def _ready(self, frame: Frame, node: str) -> float:
        """When all wires into a step were resolved."""
        into = [wire for _, target, wire in self.document.wires if target[0] == node]
        return max((self._at(frame, wire)[1] for wire in into), default=frame.began)

    def _one(self, frame: Frame, node: str, port: str) -> Any:
        """The value of an input that takes one wire, or why there is none."""
        wires = self._wires(node, port)
        if not wires:
            return self._nodes[node].inputs.get(port, ABSENT)  # type: ignore[call-overload]
        value = self._read(frame, wires[0])
        if value is ABSENT or isinstance(value, Failed):
            return value
        try:
            return arriving(self.document, wires[0], value)
        except ValueTypeError as error:
            return error

    def _many(self, frame: Frame, node: str, port: str, *, flat: bool) -> Any:
        """The elements that arrived at a list input: absent ones dropped, absent when all are."""
        wires = self._wires(node, port)
        if not wires:
            return self._nodes[node].inputs.get(port, ABSENT)  # type: ignore[call-overload]
        found = [(wire, self._read(frame, wire)) for wire in wires]
        present = [(wire, one) for wire, one in found if one is not ABSENT]
        failed = next((one for _, one in present if isinstance(one, Failed)), None)
        if failed is not None or not present:
            return failed or ABSENT
        if not flat:
            return [one for _, one in present]
        try:
            return [each for wire, one in present for each in elements(self.document, wire, one)]
        except ValueTypeError as error:
            return error

    def _is_held_back(self, frame: Frame, node: str) -> bool:
        """Whether a step that this one comes after did not happen; all of them are waited for."""
        return ABSENT in [self._read(frame, wire) for wire in self._wires(node, "after")]

    def _inputs(self, frame: Frame, node: str, ports: list[str]) -> "dict[str, Any] | Failed | None":
        """All inputs of a step that are there; None when it is to be skipped, or why it fails unrun."""
        kind = self._nodes[node].kind
        held = self._is_held_back(frame, node)
        inputs: dict[str, Any] = {}
        for port in ports:
            if INPUTS[kind][port].endswith("*"):
                inputs[port] = self._many(frame, node, port, flat=kind != "control.merge")
            else:
                inputs[port] = self._one(frame, node, port)
        if held or self._nodes[node].run.state == "muted":
            return None
        if any(inputs[port] is ABSENT for port in needed(self._nodes[node]) if port in inputs):
            return None
        before = [self._read(frame, wire) for wire in self._wires(node, "after")]
        failed = [one for one in (*before, *inputs.values()) if isinstance(one, Failed)]
        is_caught = kind == CATCH and not self._nodes[node].run.state
        if failed and (not is_caught or failed[0] in before):
            return failed[0]
        wrong = next((one for one in inputs.values() if isinstance(one, ValueTypeError)), None)
        if wrong is not None:
            raise wrong
        return {port: one for port, one in inputs.items() if one is not ABSENT}

    # --- steps --------------------------------------------------------------------------------------------

    def _step(self, frame: Frame, node: str) -> dict[str, Any]:
        """The outputs of a step; it runs when it has not yet."""
        known = frame.values.get(node)
        if known is None:
            try:
                known = self._evaluate(frame, node)
            except ValueTypeError as error:
                frame.over[node] = self._ready(frame, node)
                try:
                    known = self._fail(frame, node, error)
                except EndsTheRunError as ending:
                    known = ending
            except EndsTheRunError as error:
                known = error
            frame.values[node] = known
        if isinstance(known, EndsTheRunError):
            raise known
        return known

    def _evaluate(self, frame: Frame, node: str) -> dict[str, Any]:  # noqa: C901, PLR0912  # one arm a kind
        match self._nodes[node].kind:
            case kind if kind == LOOP:
                return self._loop(frame, node)
            case kind if kind == EACH:
                return self._map(frame, node)
            case kind if kind == COLLECT:
                return self._collect(frame, node)
            case kind if kind == RACE:
                return self._race(frame, node)
            case kind:
                ports = [port for port, made in INPUTS[kind].items() if not made.startswith("tool")]
        inputs = self._inputs(frame, node, ports)
        frame.over[node] = ready = self._ready(frame, node)
        if not isinstance(inputs, dict):
            return self._not_run(frame, node, inputs)
        if kind == CATCH and isinstance(inputs["value"], Failed):
            inputs = {"error": told_error(inputs["value"].error)}
        told = self._started(frame, node, inputs, ready)
        run = self._nodes[node].run
        if run.state == "bypassed":
            return self._finished(frame, node, self._passed_through(node, told.inputs))
        if kind == "io.flow_input":
            return self._finished(frame, node, {"value": self._given[node]})
        if kind == "io.flow_output":
            self.outputs[node] = told.inputs["value"]
        if kind == CALL:
            return self._call(frame, node, told, ready)
        done = do(self._nodes[node], told.inputs, self._lenders(node))
        frame.over[node] = told.ended = ready + done.seconds
        if self._is_edited(frame, node) and run.retries:
            raise NotSettledError(node)  # the first error is replaced, which is not told apart here
        if done.error is None or self._is_edited(frame, node):
            return self._finished(frame, node, done.outputs if done.error is None else {})
        if run.on_error == "output":
            return self._finished(frame, node, {"error": told_error(done.error)})
        if run.on_error == "default":
            return self._finished(frame, node, dict(run.default))  # type: ignore[arg-type]
        return self._fail(frame, node, done.error)

    def _call(self, frame: Frame, node: str, told: Told, ready: float) -> dict[str, Any]:
        """Run another flow, as often as it fails and may be tried again."""
        run = self._nodes[node].run
        errors: dict[str, tuple[StepError, float]] = {}
        now = ready
        for attempt in range(1, run.retries + 2):
            scope = frame.step(node) + (f"@{attempt}" if attempt > 1 else "")
            outputs, errors, now = self._attempt(node, scope, told.inputs["given"], now)
            if not errors or self._is_edited(frame, node):
                frame.over[node] = told.ended = now
                return self._finished(frame, node, {} if errors else outputs)
        frame.over[node] = told.ended = now
        if run.on_error == "default":
            return self._finished(frame, node, dict(run.default))  # type: ignore[arg-type]
        found = {why.message: why for why, _ in errors.values()}
        is_sheltered = run.on_error == "output" or self._fates.of((node, "step")) == SHELTERED
        if len(found) > 1 and is_sheltered:
            raise NotSettledError(node)  # which of them is told is a matter of chance
        error = next(iter(found.values()))
        if run.on_error == "output":
            return self._finished(frame, node, {"error": told_error(error)})
        if is_sheltered:
            return self._fail(frame, node, error)
        told.status = "failed"
        raise EndsTheRunError({step or frame.step(node): (why, now) for step, (why, _) in errors.items()})

    def _attempt(
        self, node: str, scope: str, given: Any, began: float
    ) -> tuple[dict[str, Any], dict[str, tuple[StepError, float]], float]:
        """One call of a flow: what it gives, or why it failed (by step, if not this one), and when."""
        settings: Any = self._nodes[node].settings
        most = int(settings.get("max_depth", 8))
        if self._depth >= most:
            words = f"This would be nested call {self._depth + 1}, and `{node}` allows {most}."
            return {}, {"": (StepError(words, hint=DEPTH_HINT), began)}, began
        inner = Interpreter(self._flows[settings["flow"]], {"given": given}, self._edits, self._flows, self)
        errors: dict[str, tuple[StepError, float]] = {}
        try:
            now = inner.run_called(scope, began)
        except EndsTheRunError as error:
            now = error.when
            errors = {step: one for step, one in error.errors.items() if one[1] <= now + self._slack}
        limit = self._nodes[node].run.time_limit
        if limit is not None and abs(now - began - limit) <= self._slack:
            raise NotSettledError(node)
        if limit is not None and now > began + limit:
            now = began + limit
            words = f"It took longer than its time limit of {limit:g} s."
            errors = {"": (TimeLimitError(words, hint="Raise the limit in the run settings."), now)}
        if errors:
            self._result.cuts.append((scope, now - self._slack))
        return dict(inner.outputs), errors, now

    @staticmethod
    def _passed_through(node: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """What a step gives that does nothing: what came to its first input of the same type."""
        if node.startswith("delay"):
            return {"value": inputs["value"]}
        return {"text": inputs.get("said", ABSENT)}

    def _lenders(self, node: str) -> list[Node]:
        return [self.document.flow.nodes[wire.source.node] for wire in self._wires(node, "tools")]

    def _setting(self, node: str, name: str, default: str) -> str:
        return str(self._nodes[node].settings.get(name, default))

    def _skipped(self, frame: Frame, node: str) -> dict[str, Any]:
        when = frame.over[node]
        self._result.steps[frame.step(node)] = Told("skipped", began=when, ended=when)
        return {}

    def _is_edited(self, frame: Frame, node: str) -> bool:
        """Whether a person puts values in the place of what the step gives, or of its error."""
        return (frame.step(node), "after") in self._edits

    def _started(self, frame: Frame, node: str, inputs: dict[str, Any], when: float) -> Told:
        step = frame.step(node)
        edited = self._edits.get((step, "before"), {})
        told = self._result.steps[step] = Told("started", {**inputs, **edited}, began=when, ended=when)
        return told

    def _finished(self, frame: Frame, node: str, outputs: dict[str, Any]) -> dict[str, Any]:
        step = frame.step(node)
        outputs = {**outputs, **self._edits.get((step, "after"), {})}
        told = self._result.steps[step]
        told.status = "finished"
        told.outputs = {port: one for port, one in outputs.items() if one is not ABSENT}
        return {**outputs, "then": DONE}

    def _not_run(self, frame: Frame, node: str, why: Failed | None) -> dict[str, Any]:
        """A step that is skipped, or fails with what it was to read."""
        if why is None:
            return self._skipped(frame, node)
        return self._failed_unrun(self._started(frame, node, {}, frame.over[node]), why)

    @staticmethod
    def _failed_unrun(told: Told, failed: Failed) -> dict[str, Any]:
        told.status, told.error = "failed", failed.error.message
        return AllFailed(failed)

    def _fail(self, frame: Frame, node: str, error: StepError) -> dict[str, Any]:
        """A step whose error travels where every path leads to a place that takes failures in."""
        step = frame.step(node)
        told = self._result.steps.setdefault(step, Told("failed", began=frame.over[node]))
        told.status, told.error, told.ended = "failed", error.message, frame.over[node]
        fate = self._fates.of(self._vertex(node))
        if fate == SHELTERED:
            return AllFailed(Failed(error, step))
        assert fate >= FAILS_ITEM
        raise EndsTheRunError({step: (error, frame.over[node])})


def _first_node(step: str) -> str:
    """The node of the outermost flow to which a step belongs: its own, or that which calls its flow."""
    return next(one for one in step.split("/") if "." not in one).partition("@")[0]
