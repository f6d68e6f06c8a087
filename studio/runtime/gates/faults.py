"""Faults that are put into a run on purpose: what is to go wrong, where, and how often.

A fault stands at a place as breakpoints do: at a node (`critic`: its steps), at a port of it
(`critic.reply`), at the calls that its steps make (`critic#chat`, `critic#tool`; a node that lends a tool or
an agent stands for its calls), at a part of a call (`critic#chat.messages`, `.instructions`, `.answer`,
`critic#tool.arguments`), or at what is found in a memory (`notes#memory`). `*` is any node, a called flow has
its name before it: `summary.json:critic`. What can go wrong is one of six things (`Operation`).

As text, for a command line: `corrupt critic#chat.answer rate=0.2`, `delay search: 2`, `fail critic: Gone`.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from studio.errors import UsageError, ValueTypeError
from studio.flow.records import CallingLibrary, Flow, Json
from studio.ids import NodeId, StepId
from studio.runtime.gates.breakpoints import place_parts, split_place
from studio.runtime.gates.step_ref import Phase
from studio.runtime.gates.value_edits import outputs_of, type_at
from studio.sdk.values import from_plain

Operation: TypeAlias = Literal["fail", "delay", "drop", "replace", "corrupt", "truncate"]
"""Fail with an error, wait, give nothing, give another value, scramble, or cut off half."""

ANYWHERE: Final = "*"
MEMORY: Final = "memory"

_BEFORE: Final = frozenset({"messages", "instructions", "arguments"})
"""Parts of a call that stand before it is made."""

_PARTS: Final[Mapping[str, frozenset[str]]] = {
    "chat": frozenset({"", "answer", "messages", "instructions"}),
    "tool": frozenset({"", "answer", "arguments"}),
    MEMORY: frozenset({""}),
}

EXAMPLE: Final = (
    "Write for example `fail critic`, `delay search: 2` or `corrupt critic#chat.answer rate=0.2`."
)


class Fault(BaseModel):
    """One thing that goes wrong wherever a run comes to its place; a text is read as `fault_of` does."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    fault: Operation
    at: Annotated[str, Field(pattern=r"^[^\s]+$", max_length=200)]
    value: Json = None
    """What stands instead (`replace`), the seconds of a `delay`, the message of the error on `fail`."""
    scope: str = ""
    """Only in this round, item or called flow, as steps are named: `rounds.2`; empty: everywhere."""
    call: Annotated[int, Field(ge=1)] | None = None
    """Only the so-many-th chat or call of a tool of its step."""
    which: Annotated[int, Field(ge=1)] | None = None
    """Which message, from the end (the last, unless said), or which of the items found (all, unless said)."""
    rate: Annotated[float, Field(gt=0, le=1)] = 1.0
    """In which share of the cases, drawn by step."""
    seed: int | None = None
    """What decides the draws; empty: the run's own."""

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, given: object) -> object:
        return _read(given) if isinstance(given, str) else given

    @property
    def words(self) -> str:
        """What goes wrong and where: `corrupt critic#chat`."""
        return f"{self.fault} {self.at}"

    @property
    def error(self) -> str:
        """The message with which it fails."""
        return str(self.value) if self.value is not None else "A fault was injected here."

    @property
    def seconds(self) -> float:
        """How long a delay takes."""
        return float(self.value) if isinstance(self.value, int | float) else 1.0

    def is_drawn(self, number: int, step: str) -> bool:
        """Whether it happens at a step or call, by its seed and its `number` among the run's."""
        if self.rate >= 1:
            return True
        drawn = hashlib.blake2b(f"{self.seed}/{number}/{step}".encode("utf-8", "replace"), digest_size=6)
        return int.from_bytes(drawn.digest()) / 2**48 < self.rate


def fault_of(text: str) -> Fault:
    """Read a fault as it is typed: OPERATION PLACE [NAME=VALUE …][: VALUE]; raises `UsageError`."""
    try:
        return Fault.model_validate(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = f"`{'.'.join(map(str, first['loc']))}`: " if first["loc"] else ""
        said = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"`{text}` is not a fault: {where}{said}.", hint=EXAMPLE) from error


def _read(text: str) -> dict[str, object]:
    head, colon, value = text.strip().partition(": ")
    operation, *rest = head.split()
    if not rest:
        raise ValueError("a place is missing")
    fields: dict[str, object] = {"fault": operation, "at": rest[0]}
    for one in rest[1:]:
        name, equals, given = one.partition("=")
        if not equals:
            raise ValueError(f"`{one}` is not NAME=VALUE; what stands instead comes after `: `")
        fields[name] = _plain(given)
    return fields | ({"value": _plain(value.strip())} if colon else {})


def _plain(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def faults_to_json(faults: Iterable[Fault]) -> tuple[Any, ...]:
    """Give faults as events and messages carry them: what differs from a fault that is nothing but that."""
    return tuple(one.model_dump(mode="json", exclude_defaults=True) for one in faults)


def faults_from_json(plain: Iterable[object]) -> tuple[Fault, ...]:
    """Read what `faults_to_json` gave."""
    return tuple(Fault.model_validate(one) for one in plain)


def settled(faults: Iterable[Fault], seed: int) -> tuple[Fault, ...]:
    """Give those that are drawn the seed of their run, so that another run can draw the same."""
    return tuple(
        one.model_copy(update={"seed": seed}) if one.rate < 1 and one.seed is None else one for one in faults
    )


@dataclass(frozen=True, slots=True)
class FaultPlace:
    """A fault, and where it stands: at the steps of a node, or at their calls of one kind."""

    number: int
    fault: Fault
    node: str
    """As breakpoints name it, its flow before it."""
    call: str
    port: str
    phase: Phase
    kind: Any = None
    """The type of the port, where that is known."""


def placed(
    faults: Sequence[Fault], flow: Flow, library: CallingLibrary, flows: Mapping[str, Flow]
) -> list[FaultPlace]:
    """Find where faults stand in a flow and those that it calls; raises `UsageError` for one that can't."""
    return [_placed(number, one, flow, library, flows) for number, one in enumerate(faults, 1)]


def still_placed(
    faults: Sequence[Fault], flow: Flow, library: CallingLibrary, flows: Mapping[str, Flow]
) -> tuple[Fault, ...]:
    """Give those that stand somewhere in a flow that was edited since they were put there."""
    kept: list[Fault] = []
    for one in faults:
        with suppress(UsageError):
            placed([one], flow, library, flows)
            kept.append(one)
    return tuple(kept)


def renamed(fault: Fault, names: Mapping[NodeId, NodeId]) -> Fault:
    """Give a fault as if the nodes of the run's own flow had these names."""
    node = place_parts(fault.at)[0]
    new = names.get(NodeId(node)) if ":" not in fault.at else None
    return fault if new is None else fault.model_copy(update={"at": new + fault.at[len(node) :]})


def _placed(
    number: int, fault: Fault, flow: Flow, library: CallingLibrary, flows: Mapping[str, Flow]
) -> FaultPlace:
    name, inner = split_place(fault.at)
    node, call, port = place_parts(inner)
    found = flows.get(name) if name else flow
    if found is None:
        raise _wrong(fault, f"no flow `{name}` is called")
    if node != ANYWHERE and node not in found.nodes:
        raise _wrong(fault, f"the flow has no node `{node}`")
    where = f"{name}:{node}" if name else node
    if call:
        _check_call(fault, call, port)
        phase: Phase = "before" if port in _BEFORE else "after"
        return FaultPlace(number, fault, where, call, port, phase)
    if not port:
        _check_step(fault, node, found, library)
        return FaultPlace(number, fault, where, "", "", "after")
    if fault.fault in ("fail", "delay") or node == ANYWHERE:
        raise _wrong(fault, f"`{port}` stands where no port can")
    return _at_port(FaultPlace(number, fault, where, "", port, "after"), node, found, library)


def _at_port(place: FaultPlace, node: str, flow: Flow, library: CallingLibrary) -> FaultPlace:
    fault, step = place.fault, StepId(node)
    phases: tuple[Phase, ...] = ("after", "before")
    for phase in phases:
        kind = type_at(flow, library, step, place.port, phase)
        if kind is None:
            continue
        if fault.fault == "drop" and phase == "before":
            raise _wrong(fault, "an input can't be dropped; drop the output that it is wired to")
        if fault.fault == "replace":
            try:
                from_plain(fault.value, kind)
            except ValueTypeError as error:
                raise _wrong(fault, error.message.rstrip(".")) from error
        return FaultPlace(place.number, fault, place.node, "", place.port, phase, kind)
    raise _wrong(fault, f"`{node}` has no port `{place.port}`")


def _check_call(fault: Fault, call: str, port: str) -> None:
    parts = _PARTS.get(call)
    if parts is None:
        raise _wrong(fault, f"there are no calls `{call}`, but {', '.join(f'`{one}`' for one in _PARTS)}")
    if port not in parts:
        raise _wrong(fault, f"a {call} has no part `{port}`")
    if fault.fault in ("fail", "delay") and (call == MEMORY or port in _BEFORE):
        raise _wrong(fault, f"what is read there can be changed, and not {fault.fault}")
    if fault.fault == "drop" and port == "arguments":
        raise _wrong(fault, "arguments can't be dropped; drop the answer")
    if fault.fault == "replace" and port == "arguments" and not isinstance(fault.value, dict):
        raise _wrong(fault, "arguments are a JSON object")
    if fault.fault == "replace" and fault.value is None:
        raise _wrong(fault, "it does not say what stands instead")


def _check_step(fault: Fault, node: str, flow: Flow, library: CallingLibrary) -> None:
    if fault.fault != "replace" or node == ANYWHERE:
        if fault.fault == "replace":
            raise _wrong(fault, "name the port whose value is replaced")
        return
    outputs = outputs_of(flow, library, StepId(node))
    if not outputs:  # it lends something, and has calls
        return
    if len(outputs) != 1:
        raise _wrong(fault, "name the port whose value is replaced")
    try:
        from_plain(fault.value, next(iter(outputs.values())))
    except ValueTypeError as error:
        raise _wrong(fault, error.message.rstrip(".")) from error


def _wrong(fault: Fault, why: str) -> UsageError:
    return UsageError(f"The fault `{fault.words}` means nothing: {why}.", hint=EXAMPLE)


def fault_texts(text: str) -> list[Fault]:
    """Read several, one a line; raises `UsageError` for the first that is none."""
    return [fault_of(line) for line in text.splitlines() if line.strip()]
