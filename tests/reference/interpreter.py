"""The reference interpreter: a flow's meaning by plain recursion over the document, as the page says it.

A value is asked for, so the step that gives it runs, so its inputs are asked for. There is no plan, no
order, no time: where an error ends the run, everything that could still have run does, and what the engine
may have cancelled is simply among what is known here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.errors import StepError
from studio.flow.records import Flow, Node, Wire
from tests.reference.document import COLLECT, EACH, LOOP, Document, Vertex, read
from tests.reference.probes import act, elements
from tests.reference.regions import Reading, Region, find


class Absent:
    """What stands at a socket that gave nothing."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


@dataclass(frozen=True)
class Failed:
    """What stands at a socket whose step failed."""

    error: StepError


class AllFailed(dict[str, Any]):
    """The outputs of a step that failed: whoever asks for one is told so."""

    def __init__(self, failed: Failed) -> None:
        super().__init__()
        self.failed = failed


DONE = object()
"""What stands at `then`."""

CATCH = "control.catch"
FAILS_ITEM, SHELTERED, EXPOSED = 0, 1, 2
"""What becomes of an error: its item fails, it travels on, or the run ends."""

INSIDE = {LOOP: {"value", "round"}, EACH: {"item", "index", "then"}}
"""Outputs that speak inside the region of their node."""


LIMIT_HINT = "Allow more rounds, or let the loop give its last value."


class EndsTheRunError(Exception):
    """A step failed and nothing tolerates that; `steps` are all that may be blamed for it."""

    def __init__(self, errors: dict[str, StepError]) -> None:
        super().__init__(errors)
        self.errors = errors


class NotSettledError(Exception):
    """Several steps of an item fail, and the page leaves open which of their errors is kept."""


@dataclass
class Told:
    """What is known of one step: what it read, and what it gave, or why not."""

    status: str
    inputs: dict[str, Any] = field(default_factory=dict[str, Any])
    outputs: dict[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""


@dataclass
class Result:
    """What the reference knows of a run."""

    steps: dict[str, Told]
    outputs: dict[str, Any]
    errors: dict[str, StepError]
    """Steps that may end the run, with their errors; empty when it succeeds."""
    unsure: set[str]
    """Scopes of items that failed: of their other steps, some may have been cancelled."""


@dataclass
class Frame:
    """One round, one item, or the whole run."""

    region: Region
    scope: str
    parent: "Frame | None"
    values: dict[str, dict[str, Any] | EndsTheRunError] = field(default_factory=dict)
    last: dict[str, "Frame"] = field(default_factory=dict[str, "Frame"])
    """Of each loop that stands here: its last round."""
    items: dict[str, "list[Frame | EndsTheRunError]"] = field(default_factory=dict)

    def step(self, node: str) -> str:
        """The name of a step in this frame."""
        return f"{self.scope}/{node}" if self.scope else node

    def inner(self, region: Region, number: int) -> "Frame":
        """A round or an item of a region that stands here."""
        return Frame(region, self.step(f"{region.owner}.{number}"), self)


class Interpreter:
    """Evaluates one flow whose regions are known."""

    def __init__(self, flow: Flow, given: Mapping[str, str]) -> None:
        self.document: Document = read(flow)
        self.reading: Reading = find(self.document)
        self._nodes: dict[str, Node] = {str(name): node for name, node in flow.nodes.items()}
        self._given = given
        self._result = Result({}, {}, {}, set())
        self._collect_of = {node: one.owner for one in self.reading.regions.values() for node in one.collects}

    def run(self) -> Result:
        """Evaluate the whole flow."""
        try:
            self._all(Frame(self.reading.root, "", None))
        except EndsTheRunError as error:
            self._result.errors = error.errors
        return self._result

    # --- regions ------------------------------------------------------------------------------------------

    def _all(self, frame: Frame) -> None:
        """Run every step that stands in the frame's region; one error does not hide another."""
        errors: dict[str, StepError] = {}
        for node in self._nodes:
            if self._home(node) is frame.region:
                try:
                    self._step(frame, node)
                except EndsTheRunError as error:
                    errors |= error.errors
        if errors:
            raise EndsTheRunError(errors)

    def _home(self, node: str) -> Region:
        """The innermost region that a node stands in."""
        kind = self._nodes[node].kind
        if kind in INSIDE:
            return self.reading.regions[node].parent or self.reading.root
        if kind == COLLECT:
            return self.reading.regions[self._collect_of[node]].parent or self.reading.root
        return self.reading.home((node, "step"))

    def _loop(self, frame: Frame, node: str) -> dict[str, Any]:  # noqa: C901  # the rule, told in one go
        region = self.reading.regions[node]
        inputs = self._inputs(frame, node, ["start"])
        if not isinstance(inputs, dict):
            return self._not_run(frame, node, inputs)
        self._enter(frame, region)
        told = self._started(frame, node, inputs)
        if self._nodes[node].run.state == "bypassed":
            return self._finished(told, {"result": inputs["start"]})
        settings = self._nodes[node].settings
        most = int(settings.get("max_rounds", 10))  # type: ignore[arg-type]
        value, history, number = inputs["start"], [], 0
        while True:
            number += 1
            child = frame.inner(region, number)
            child.values[node] = {"value": value, "round": number}
            try:
                self._all(child)
                again, done = (self._one(child, node, port) for port in ("again", "done"))
                also = [self._read(child, wire) for wire in self._wires(node, "also")]
            except EndsTheRunError:
                told.status = "failed"
                raise
            failed = next((one for one in (again, done, *also) if isinstance(one, Failed)), None)
            if failed is not None:
                return self._failed_unrun(told, failed)
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
                    return self._fail(
                        frame, node, told, StepError(f"It was not done after {most} rounds.", hint=LIMIT_HINT)
                    )
                result = again
            else:
                value = again
                continue
            return self._finished(told, {"result": result, "history": history})

    @staticmethod
    def _stops(settings: Mapping[str, Any], value: object, again: object, number: int) -> bool:
        rule = str(settings.get("stop_when", ""))
        names = {"value": value, "again": again, "round": number}
        return bool(rule) and bool(eval(rule, {"__builtins__": {"int": int, "len": len}}, names))  # noqa: S307

    def _map(self, frame: Frame, node: str) -> dict[str, Any]:
        region = self.reading.regions[node]
        inputs = self._inputs(frame, node, ["items"])
        if not isinstance(inputs, dict):
            return self._not_run(frame, node, inputs)
        self._enter(frame, region)
        told = self._started(frame, node, inputs)
        tolerant = all(self._setting(one, "failed", "fail") != "fail" for one in region.collects)
        errors: dict[str, StepError] = {}
        items: list[Frame | EndsTheRunError] = []
        for number, item in enumerate(inputs["items"]):
            child = frame.inner(region, number)
            child.values[node] = {"item": item, "index": number, "then": DONE}
            try:
                self._all(child)
                items.append(child)
            except EndsTheRunError as error:
                self._result.unsure.add(child.scope)
                items.append(error)
                errors |= error.errors
        if errors and not tolerant:
            told.status = "failed"
            raise EndsTheRunError(errors)
        strict = all(self._setting(one, "failed", "fail") == "fail" for one in region.collects)
        if strict and all(self._fate((one, "step")) == SHELTERED for one in region.collects):
            values = [self._one(item, one, "value") for item in items for one in region.collects]  # type: ignore[arg-type]
            failed = [one for one in values if isinstance(one, Failed)]
            if failed:  # the first in time cancels the others
                self._result.unsure |= {frame.inner(region, number).scope for number in range(len(items))}
                if len({one.error.message for one in failed}) > 1:
                    raise NotSettledError
                return self._failed_unrun(told, failed[0])
        frame.items[node] = items
        return self._finished(told, {})

    def _collect(self, frame: Frame, node: str) -> dict[str, Any]:  # noqa: C901, PLR0912  # as `_loop`
        gone = self._step(frame, self._collect_of[node])
        if isinstance(gone, AllFailed):
            return self._not_run(frame, node, gone.failed)
        items = frame.items.get(self._collect_of[node])
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
            if isinstance(item, EndsTheRunError):
                if len(item.errors) > 1 and self._setting(node, "failed", "fail") == "keep":
                    raise NotSettledError
                value = Failed(next(iter(item.errors.values())))
            else:
                value = self._one(item, node, "value")
            if isinstance(value, Failed):
                match self._setting(node, "failed", "fail"):
                    case "fail" if blame is None:
                        return self._not_run(frame, node, value)
                    case "keep":
                        kept.append(index)
                        values.append(_told_error(value.error))
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
            return self._fail(
                frame, node, Told("failed"), StepError(f"Item {blame} gave nothing.", hint=hint)
            )
        told = self._started(frame, node, {"value": values})
        return self._finished(told, {"values": values, "kept": kept})

    def _enter(self, frame: Frame, region: Region) -> None:
        """Whatever enters the body of a region is resolved before it starts."""
        for source, target, wire in self.document.wires:
            if target in region.whole and source not in region.whole:
                self._read(frame, wire)

    # --- sockets ------------------------------------------------------------------------------------------

    def _read(self, frame: Frame, wire: Wire) -> Any:
        """What stands at the other end of a wire that is read in `frame`."""
        source = str(wire.source.node)
        inside = wire.source.port in INSIDE.get(self._nodes[source].kind, ())
        home = self.reading.regions[source] if inside else self._home(source)
        where: Frame = frame
        while not where.region.holds(home) and where.parent is not None:
            where = where.parent
        while where.region is not home:  # what leaves a loop is what its last round gave
            loop = next(one for one in where.region.children if one.holds(home))
            gone = self._step(where, loop.owner)
            if isinstance(gone, AllFailed):
                return gone.failed
            if loop.owner not in where.last:
                return ABSENT
            where = where.last[loop.owner]
        outputs = self._step(where, source)
        if isinstance(outputs, AllFailed):
            return outputs.failed
        return outputs.get(str(wire.source.port), ABSENT)

    def _wires(self, node: str, port: str) -> list[Wire]:
        found = [
            wire for wire in self.document.flow.wires if wire.target.node == node and wire.target.port == port
        ]
        return sorted(found, key=lambda wire: (wire.index if wire.index is not None else -1, wire.sort_key))

    def _one(self, frame: Frame, node: str, port: str) -> Any:
        """The value of an input that takes one wire."""
        wires = self._wires(node, port)
        if not wires:
            return self._nodes[node].inputs.get(port, ABSENT)  # type: ignore[call-overload]
        return self._read(frame, wires[0])

    def _many(self, frame: Frame, node: str, port: str, *, flat: bool) -> Any:
        """The elements that arrived at a list input: absent ones dropped, absent when all are."""
        wires = self._wires(node, port)
        if not wires:
            return self._nodes[node].inputs.get(port, ABSENT)  # type: ignore[call-overload]
        found = [one for one in [self._read(frame, wire) for wire in wires] if one is not ABSENT]
        failed = next((one for one in found if isinstance(one, Failed)), None)
        if failed is not None:
            return failed
        if flat:
            found = [each for one in found for each in (one if isinstance(one, list) else [one])]
            return found if found or any(self._read(frame, wire) is not ABSENT for wire in wires) else ABSENT
        return found or ABSENT

    def _is_held_back(self, frame: Frame, node: str) -> bool:
        """Whether a step that this one comes after did not happen; all of them are waited for."""
        return ABSENT in [self._read(frame, wire) for wire in self._wires(node, "after")]

    def _inputs(
        self, frame: Frame, node: str, required: list[str], optional: tuple[str, ...] = (), many: str = ""
    ) -> "dict[str, Any] | Failed | None":
        """All inputs of a step that are there; None when it is to be skipped, or why it fails unrun."""
        held = self._is_held_back(frame, node)
        inputs = {port: self._one(frame, node, port) for port in (*required, *optional)}
        if many:
            inputs[many] = self._many(frame, node, many, flat=many == "parts")
        if held or self._nodes[node].run.state == "muted":
            return None
        if any(inputs[port] is ABSENT for port in required):
            return None
        before = [self._read(frame, wire) for wire in self._wires(node, "after")]
        arrived = [inputs.get(port) for port in (*required, *optional, *([many] if many else []))]
        failed = [one for one in (*before, *arrived) if isinstance(one, Failed)]
        if failed and (self._nodes[node].kind != CATCH or failed[0] in before):
            return failed[0]
        return {port: one for port, one in inputs.items() if one is not ABSENT}

    # --- steps --------------------------------------------------------------------------------------------

    def _step(self, frame: Frame, node: str) -> dict[str, Any]:
        """The outputs of a step; it runs when it has not yet."""
        known = frame.values.get(node)
        if known is None:
            try:
                known = self._evaluate(frame, node)
            except EndsTheRunError as error:
                known = error
            frame.values[node] = known
        if isinstance(known, EndsTheRunError):
            raise known
        return known

    def _evaluate(self, frame: Frame, node: str) -> dict[str, Any]:  # noqa: C901, PLR0912  # one arm a kind
        match self._nodes[node].kind:
            case "control.loop":
                return self._loop(frame, node)
            case "control.for_each":
                return self._map(frame, node)
            case "control.collect":
                return self._collect(frame, node)
            case "control.merge":
                inputs = self._inputs(frame, node, [], many="values")
                inputs = inputs or None
            case "control.catch":
                inputs = self._inputs(frame, node, ["value"])
                if isinstance(inputs, dict) and isinstance(inputs["value"], Failed):
                    inputs = {"error": _told_error(inputs["value"].error)}
            case "control.branch" | "io.flow_output":
                inputs = self._inputs(frame, node, ["value"])
            case "io.flow_input":
                inputs = self._inputs(frame, node, [])
            case "test.scatter":
                inputs = self._inputs(frame, node, ["one"])
            case _:
                inputs = self._inputs(frame, node, ["one"], ("two", "said"), many="parts")
        if not isinstance(inputs, dict):
            return self._not_run(frame, node, inputs)
        told = self._started(frame, node, inputs)
        run = self._nodes[node].run
        if run.state == "bypassed":
            said = inputs.get("said", ABSENT)
            return self._finished(told, {"text": said})
        try:
            return self._finished(told, self._work(node, inputs))
        except StepError as error:
            if run.on_error == "output":
                return self._finished(told, {"error": _told_error(error)})
            if run.on_error == "default":
                return self._finished(told, dict(run.default))  # type: ignore[arg-type]
            return self._fail(frame, node, told, error)

    def _work(self, node: str, inputs: dict[str, Any]) -> dict[str, Any]:
        settings = self._nodes[node].settings
        match self._nodes[node].kind:
            case "control.merge":
                every = settings.get("gives") == "all"
                return {"value": inputs["values"] if every else inputs["values"][0]}
            case "control.catch":
                return inputs
            case "control.branch":
                lucky = str(inputs["value"]).endswith(("0", "1", "2", "3", "4"))
                return {"yes" if lucky else "no": inputs["value"]}
            case "io.flow_input":
                return {"value": self._given[node]}
            case "io.flow_output":
                self._result.outputs[node] = inputs["value"]
                return {}
            case "test.scatter":
                return {"texts": elements(inputs["one"], int(settings.get("most", 3)))}  # type: ignore[arg-type]
            case _:
                read = (inputs["one"], inputs.get("two"), inputs.get("said", ""), inputs.get("parts", []))
                fails, nothing = (int(settings.get(one, 0)) for one in ("fails", "gives_nothing"))  # type: ignore[arg-type]
                text = act(str(settings["name"]), read, fails, nothing)
                return {"text": ABSENT if text is None else text}

    def _setting(self, node: str, name: str, default: str) -> str:
        return str(self._nodes[node].settings.get(name, default))

    def _skipped(self, frame: Frame, node: str) -> dict[str, Any]:
        self._result.steps[frame.step(node)] = Told("skipped")
        return {}

    def _started(self, frame: Frame, node: str, inputs: dict[str, Any]) -> Told:
        told = self._result.steps[frame.step(node)] = Told("started", inputs)
        return told

    @staticmethod
    def _finished(told: Told, outputs: dict[str, Any]) -> dict[str, Any]:
        told.status = "finished"
        told.outputs = {port: one for port, one in outputs.items() if one is not ABSENT}
        return {**outputs, "then": DONE}

    def _not_run(self, frame: Frame, node: str, why: Failed | None) -> dict[str, Any]:
        """A step that is skipped, or fails with what it was to read."""
        return (
            self._skipped(frame, node)
            if why is None
            else self._failed_unrun(self._started(frame, node, {}), why)
        )

    @staticmethod
    def _failed_unrun(told: Told, failed: Failed) -> dict[str, Any]:
        told.status, told.error = "failed", failed.error.message
        return AllFailed(failed)

    def _fail(self, frame: Frame, node: str, told: Told, error: StepError) -> dict[str, Any]:
        """A step whose error travels where every path leads to a place that takes failures in."""
        told.status, told.error = "failed", error.message
        self._result.steps[frame.step(node)] = told
        start = self.document.start(node) if self._nodes[node].kind == LOOP else (node, "step")
        if self._fate(start) == SHELTERED:
            return AllFailed(Failed(error))
        raise EndsTheRunError({frame.step(node): error})

    def _fate(self, vertex: Vertex) -> int:
        """Where the paths from here lead: the worst of them decides."""
        node, _ = vertex
        maps = [one for one in self.reading.regions.values() if not one.is_loop]
        in_tolerant = any(vertex in one.body and all(map(self._tolerates, one.collects)) for one in maps)
        ends = FAILS_ITEM if in_tolerant else EXPOSED
        if self._nodes[node].run.state == "muted":
            return ends
        if self._nodes[node].kind == EACH:
            return max(
                (self._fate((one, "step")) for one in self.reading.regions[node].collects), default=ends
            )
        onward = [self._fate((node, "exit"))] if vertex == (node, "entry") else []
        for source, target, wire in self.document.wires:
            if source == vertex:
                taken = wire.target.port == "value" and (
                    self._nodes[target[0]].kind == CATCH or self._tolerates(target[0])
                )
                onward.append(SHELTERED if taken else self._fate(target))
        return max(onward, default=ends)

    def _tolerates(self, node: str) -> bool:
        """Whether a node is a collect that goes on without failed items."""
        return self._nodes[node].kind == COLLECT and self._setting(node, "failed", "fail") != "fail"


def _told_error(error: StepError) -> dict[str, Any]:
    return {"error": "StepError", "message": error.message, "hint": error.hint}
