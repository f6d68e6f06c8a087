"""A gate in front of another, at which the faults of a run happen; and the same for what memories give.

What a fault did is told (`step_faulted`), and whatever is made from it has the label `fault`. A run that goes
back to an earlier one has the same faults: steps that it takes over were faulted then, and that is told
again; all others are faulted anew, with the same draws.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from studio.errors import FaultedChatError, FaultedError, StepError
from studio.flow.records import CallingLibrary, Flow
from studio.ids import NodeId, StepId, step_parts
from studio.llm.client import Message, message_from_json
from studio.runtime.gates.attention import EVERYBODY, Asked
from studio.runtime.gates.faults import ANYWHERE, MEMORY, Fault, FaultPlace, placed
from studio.runtime.gates.gate import Gate, OpenGate
from studio.runtime.gates.spoilt_values import (
    instructions_of,
    message_at,
    spoilt,
    with_instructions,
    with_message,
)
from studio.runtime.gates.step_ref import Phase, StepRef
from studio.runtime.gates.value_edits import outputs_of
from studio.runtime.recorder import Recorder
from studio.runtime.values import ABSENT, FAULT, Resolved, Value, shown_all
from studio.sdk.items import Recalled
from studio.sdk.registry import Registry
from studio.sdk.values import from_plain
from studio.trace.events import PolicyDecided, StepFaulted

_WORK = ("fail", "delay")
"""What happens to work, and not to a value."""


class FaultGate:
    """Makes the faults of a run happen; `kept` has the steps that are taken over from an earlier run."""

    is_open = False

    def __init__(
        self,
        recorder: Recorder,
        faults: Sequence[Fault],
        flow: Flow,
        library: CallingLibrary,
        flows: Mapping[str, Flow],
        inner: Gate | None = None,
        *,
        kept: Collection[StepId] = (),
        waits: bool = True,
    ) -> None:
        """Make it; without `waits`, delays take no time, as in a replay. Raises `UsageError` as `placed`."""
        self._recorder = recorder
        self._flow, self._library = flow, library
        self._inner = inner or OpenGate()
        self._places = [one for one in placed(faults, flow, library, flows) if one.call != MEMORY]
        self._kept = kept
        self._waits = waits
        self._weakened: set[str] = set()
        """Instructions that were spoilt already: an agent goes on from what was really asked."""

    def asked(self, flow: str = "") -> Asked:
        """Every step has to ask: it may be one with a fault."""
        del flow
        return Asked(EVERYBODY)

    def held_seconds(self) -> float:
        """Seconds for which steps have been held so far; delays count as work."""
        return self._inner.held_seconds()

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Give the inputs, some of them spoilt, after a delay; raises where the step or call is to fail."""
        own = inputs
        for place in self._standing(ref):
            fault = place.fault
            if fault.fault == "delay":
                self._tell(ref, place, "before", {})
                await asyncio.sleep(fault.seconds if self._waits else 0)
            elif fault.fault != "fail" and place.phase == "before":
                inputs = self._changed(ref, place, inputs)
        given = await self._inner.before(ref, inputs if inputs is not own else own)
        failing = next((one for one in self._standing(ref) if one.fault.fault == "fail"), None)
        if failing is None:
            return given
        self._tell(ref, failing, "before", {})
        if ref.call == "tool":
            return {**given, "error": Value(failing.fault.error, FAULT)}
        if ref.call == "chat":
            raise FaultedChatError(failing.fault.error)
        raise FaultedError(failing.fault.error)

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Give the outputs, some of them spoilt."""
        for place in self._standing(ref):
            if place.fault.fault in _WORK or place.phase == "before":
                continue
            if not ref.call and ref.step in self._kept:
                self._tell(ref, place, "after", {name: outputs[name] for name in _ports(place, outputs)})
            else:
                outputs = self._changed(ref, place, outputs)
        return await self._inner.after(ref, outputs)

    async def failed(
        self, ref: StepRef, error: Exception, inputs: Mapping[str, Resolved], *, is_caught: bool
    ) -> dict[str, Resolved] | None:
        """Let the error take its course."""
        return await self._inner.failed(ref, error, inputs, is_caught=is_caught)

    async def decided(self, ref: StepRef, decision: PolicyDecided) -> None:
        """Let the decision take effect."""
        await self._inner.decided(ref, decision)

    def _standing(self, ref: StepRef) -> list[FaultPlace]:
        return [one for one in self._places if _stands(one, ref) and one.fault.is_drawn(one.number, ref.step)]

    def _changed(self, ref: StepRef, place: FaultPlace, values: dict[str, Resolved]) -> dict[str, Resolved]:
        """Give the values with those that the fault changes, and tell of it; else those that came."""
        changed: dict[str, Resolved] = {}
        for port in _ports(place, values):
            value = values.get(port)
            if not isinstance(value, Value):
                continue
            new = self._new(ref, place, port, value)
            if new is ABSENT:
                changed[port] = ABSENT
            elif new != value.data:
                changed[port] = Value(new, value.labels | FAULT)
        if not changed:
            return values
        self._tell(ref, place, place.phase, changed)
        return {**values, **changed}

    def _new(self, ref: StepRef, place: FaultPlace, port: str, value: Value) -> Any:
        """What stands in the place of a value; `ABSENT` for nothing."""
        fault, draw = place.fault, f"{place.number}/{ref.step}"
        if port == "messages" and ref.call == "chat":
            return self._messages(fault, place.port, cast("Sequence[Message]", value.data), draw)
        if fault.fault in ("corrupt", "truncate"):
            return spoilt(value.data, fault.fault, draw)
        if ref.call == "chat":
            return _said(fault)
        if ref.call == "tool":
            return fault.value if port == "arguments" else _text(fault)
        if fault.fault == "drop":
            return ABSENT
        kind = place.kind or outputs_of(self._flow, self._library, ref.step).get(port)
        return fault.value if kind is None else from_plain(fault.value, kind)

    def _messages(self, fault: Fault, part: str, messages: Sequence[Message], draw: str) -> list[Message]:
        if part == "instructions":
            before = instructions_of(messages)
            if before in self._weakened:
                return list(messages)
            new = _reworded(fault, before, draw)
            self._weakened.add(new or "")
            return with_instructions(messages, new)
        which = fault.which or 1
        message = message_at(messages, which)
        if message is None:
            return list(messages)
        return with_message(messages, which, _reworded(fault, message.content, draw))

    def _tell(self, ref: StepRef, place: FaultPlace, phase: Phase, values: Mapping[str, Resolved]) -> None:
        shown = shown_all({name: one for name, one in values.items() if isinstance(one, Value)})
        absent = tuple(name for name, one in values.items() if one is ABSENT)
        fault = place.fault
        event = StepFaulted(fault.fault, fault.at, place.number, phase, shown, absent)
        self._recorder.record(event, ref.step, ref.parent)


class MemoryFaults:
    """The faults of what is found in memories."""

    def __init__(
        self, faults: Sequence[Fault], flow: Flow, registry: Registry, flows: Mapping[str, Flow]
    ) -> None:
        self._places = [
            (one, *_asking_or_memory(one, flow, registry, flows))
            for one in placed(faults, flow, registry, flows)
            if one.call == MEMORY
        ]

    def recalled(
        self, step: StepId, memory: str, found: Sequence[Recalled]
    ) -> tuple[Sequence[Recalled], str]:
        """Give what `step` finds in a memory, and what went wrong with that, in words."""
        said: list[str] = []
        scope, asking, _, _ = step_parts(step)
        for place, node, name in self._places:
            if ANYWHERE not in (node, name) and asking != node and memory != name:
                continue
            if not _is_in(scope, place.fault.scope):
                continue
            if place.fault.is_drawn(place.number, step):
                new = list(_spoilt_items(place, found, f"{place.number}/{step}"))
                said += [place.fault.words] if new != list(found) else []
                found = new
        return found, ", ".join(said)


NO_MEMORY_FAULTS: Final = MemoryFaults((), Flow(), Registry(()), {})


def _asking_or_memory(
    place: FaultPlace, flow: Flow, registry: Registry, flows: Mapping[str, Flow]
) -> tuple[str, str]:
    """The node that looks into a memory, or keeps it, and the name of the memory that it keeps."""
    called, _, node = place.node.rpartition(":")
    record = (flows[called] if called else flow).nodes.get(NodeId(node))
    return node, "" if record is None else str(registry.settings(record).get("name", ""))


def _spoilt_items(place: FaultPlace, found: Sequence[Recalled], draw: str) -> list[Recalled]:
    fault = place.fault
    kept: list[Recalled] = []
    for number, one in enumerate(found, 1):
        if fault.which not in (None, number):
            kept.append(one)
        elif fault.fault != "drop":
            text = _reworded(fault, one.item.text, f"{draw}/{number}") or ""
            labels = frozenset(one.item.labels) | FAULT
            kept.append(replace(one, item=replace(one.item, text=text, labels=tuple(sorted(labels)))))
    return kept


def _stands(place: FaultPlace, ref: StepRef) -> bool:
    fault = place.fault
    if place.call != ref.call and not (ref.call == "tool" and not place.call):
        return False
    # Who lends a tool or an agent has no steps: its calls stand for them.
    own = (ref.node_place, ANYWHERE) if place.call == ref.call else ()
    nodes = (*own, ref.lending_place)
    if place.node not in nodes or not _is_in(ref.scope, fault.scope):
        return False
    kind, _, number = step_parts(ref.step)[2].rpartition(".")
    if kind == "embed" and fault.fault not in _WORK:  # it stands there as a chat, and says no words
        return False
    return fault.call is None or number == str(fault.call)


def _is_in(scope: str, wanted: str) -> bool:
    return not wanted or scope == wanted or scope.startswith((f"{wanted}/", f"{wanted}#"))


def _ports(place: FaultPlace, values: Mapping[str, Resolved]) -> list[str]:
    """The values that a fault is about."""
    if place.port in ("messages", "instructions"):
        return ["messages"]
    if place.port:
        return [place.port]
    return ["answer"] if "answer" in values and place.phase == "after" and len(values) == 1 else list(values)


def _reworded(fault: Fault, text: str, draw: str) -> str | None:
    """What a text says instead; None where it is left out."""
    match fault.fault:
        case "drop":
            return None
        case "replace":
            return _text(fault)
        case "corrupt" | "truncate":
            return cast("str", spoilt(text, fault.fault, draw))
        case _:
            return text


def _said(fault: Fault) -> Message:
    if fault.fault == "replace" and isinstance(fault.value, dict):
        try:
            return message_from_json(fault.value)
        except ValueError as error:
            raise StepError(f"The fault `{fault.words}` replaces an answer by none: {error}.") from error
    return Message("assistant", _text(fault))


def _text(fault: Fault) -> str:
    """What a text is replaced by; nothing where it is dropped."""
    if fault.fault == "drop" or fault.value is None:
        return ""
    return fault.value if isinstance(fault.value, str) else str(fault.value)
