"""Where a flow takes what is said in a chat: the message, what was said before, pictures and files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from studio.flow import edits
from studio.flow.change import Change
from studio.flow.ports import MESSAGES, TEXT, PortType, Structure
from studio.flow.records import Flow, Json, Library, Point, Socket, title_of
from studio.flow.structure.graph import is_binding_wire
from studio.ids import NodeId, PortName
from studio.workspace.inputs import InputField

INPUT = "io.flow_input"
CONVERSATIONS = frozenset({"memory.window", "memory.summary"})
"""Memories of which each item is a message, told by who said it."""
VALUE = PortName("value")
PROMPT = PortName("prompt")
BESIDE = 320
BELOW = 120
"""How far from its neighbour a node is put, in scene units."""

Earlier = Literal["memory", "history", "forgets", "nowhere"]
"""What becomes of earlier turns: a memory that lasts has them, an input is given them, a memory has them only
within a run, or there is no place for them."""


@dataclass(frozen=True, slots=True)
class Remembering:
    """A node that lends a conversation: the memory's name, and whether it outlasts the run."""

    node: NodeId
    title: str
    name: str
    lasts: bool


@dataclass(frozen=True, slots=True)
class ChatPlaces:
    """The inputs of a flow by what a chat gives them."""

    texts: tuple[InputField, ...] = ()
    to: InputField | None = None
    """The input that messages go to."""
    history: InputField | None = None
    pictures: InputField | None = None
    files: InputField | None = None
    others: tuple[InputField, ...] = ()
    """What is given as it was the last time."""
    memories: tuple[Remembering, ...] = ()

    @property
    def earlier(self) -> Earlier:
        """What becomes of earlier turns; a memory that lasts has them, so that nobody is told them twice."""
        if any(one.lasts for one in self.memories):
            return "memory"
        if self.history is not None:
            return "history"
        return "forgets" if self.memories else "nowhere"

    @property
    def lasting(self) -> tuple[str, ...]:
        """The memories that have earlier turns, by name."""
        return tuple(one.name for one in self.memories if one.lasts)


def chat_places(flow: Flow, library: Library, fields: Sequence[InputField], to: str = "") -> ChatPlaces:
    """Find the places; `to` is the text input that a person chose, which may be gone."""
    texts = tuple(one for one in fields if one.type == TEXT)
    led = {wire.source.node for wire in flow.wires if wire.target.port == PROMPT}
    chosen = [one for one in texts if one.node == to] or [one for one in texts if one.node in led]
    main = next(iter((*chosen, *texts)), None)
    history = next((one for one in fields if one.type == MESSAGES), None)
    pictures = next((one for one in fields if _is(one.type, "image")), None)
    files = next((one for one in fields if _is(one.type, "file")), None)
    taken = {one.node for one in (main, history, pictures, files) if one is not None}
    others = tuple(one for one in fields if one.node not in taken)
    return ChatPlaces(texts, main, history, pictures, files, others, tuple(_memories(flow, library)))


def values_of(
    places: ChatPlaces,
    text: str,
    history: Sequence[Json],
    pictures: Sequence[str],
    files: Sequence[str],
    others: dict[str, Json],
) -> dict[str, Json]:
    """What a run is given for a message; an input of which nothing is said takes its default."""
    given: dict[str, Json] = {name: value for name, value in others.items() if value is not None}
    if places.to is not None:
        given[str(places.to.node)] = text
    if places.history is not None:
        told = places.earlier == "history"
        if (told and history) or places.history.is_required:
            given[str(places.history.node)] = list(history) if told else []
    for field, paths in ((places.pictures, pictures), (places.files, files)):
        if field is not None and paths:
            given[str(field.node)] = list(paths) if field.type.depth else paths[-1]
        elif field is not None and field.type.depth and field.is_required:
            given[str(field.node)] = []
    return given


def add_text_input(flow: Flow, library: Library, title: str) -> tuple[NodeId, Change]:
    """Add an input that messages go to, wired where there is exactly one prompt that nothing reaches."""
    return _add_input(flow, library, title, TEXT, None, [*_free(flow, library, TEXT, PROMPT)])


def add_history(flow: Flow, library: Library, title: str, near: NodeId | None) -> tuple[NodeId, Change]:
    """Add an input for what was said before, wired where exactly one node has a place for it.

    Its default is that nothing was said. It stands below `near`.
    """
    return _add_input(flow, library, title, MESSAGES, [], [*_free(flow, library, MESSAGES)], near)


def let_last(flow: Flow, node: NodeId) -> Change:
    """Have a memory outlast its run."""
    label = f"Keep {title_of(flow, node)} for the project"
    return edits.set_setting(flow, node, "keep", "project").labelled(label)


def _is(kind: PortType, base: str) -> bool:
    return kind.base == base and kind.depth <= 1


def _memories(flow: Flow, library: Library) -> Iterator[Remembering]:
    signatures = {one: library.signature(record) for one, record in flow.nodes.items()}
    lent = {wire.source.node for wire in flow.wires if is_binding_wire(wire, signatures)}
    for node, record in flow.nodes.items():
        if record.kind in CONVERSATIONS and node in lent:
            name = str(record.settings.get("name") or node)
            yield Remembering(node, title_of(flow, node), name, record.settings.get("keep") == "project")


def _free(flow: Flow, library: Library, kind: PortType, named: PortName | None = None) -> Iterator[Socket]:
    """The inputs of a type to which nothing is wired, of steps that take part in what the flow gives."""
    taken = {wire.target for wire in flow.wires}
    for node, record in flow.nodes.items():
        signature = library.signature(record)
        if signature is None or signature.is_binding or signature.structure is Structure.FLOW_OUTPUT:
            continue
        for port in signature.inputs:
            socket = Socket(node, port.name)
            is_typed = port.name in record.inputs
            if port.type == kind and named in {None, port.name} and socket not in taken and not is_typed:
                yield socket


def _add_input(
    flow: Flow,
    library: Library,
    title: str,
    kind: PortType,
    default: Json,
    free: Sequence[Socket],
    near: NodeId | None = None,
) -> tuple[NodeId, Change]:
    settings: dict[str, Json] = {} if kind == TEXT else {"type": str(kind)}
    if default is not None:
        settings["default"] = default
    target = free[0] if len(free) == 1 else None
    at = _place(flow, target.node if target is not None else None, near)
    node, change = edits.add_node(flow, INPUT, title, at, settings=settings)
    if target is not None:
        added = change.applied_to(flow)
        change = change.then(edits.connect(added, Socket(node, VALUE), target, library))
    return node, change


def _place(flow: Flow, target: NodeId | None, near: NodeId | None) -> Point:
    """Where a new input stands: below another one, else left of what it is wired to, else left of all."""
    places = flow.layout.nodes
    if near is not None and near in places:
        at = Point(places[near].x, places[near].y + BELOW)
    elif target is not None and target in places:
        at = Point(places[target].x - BESIDE, places[target].y)
    elif places:
        at = Point(min(one.x for one in places.values()) - BESIDE, min(one.y for one in places.values()))
    else:
        at = Point(0, 0)
    while any(abs(one.x - at.x) < BESIDE / 2 and abs(one.y - at.y) < BELOW / 2 for one in places.values()):
        at = Point(at.x, at.y + BELOW)
    return at
