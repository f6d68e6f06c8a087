"""Loops in which a draft gets better: what the next round reads, and when it is good enough.

A wire that closes a cycle often starts at a judge, at a person or at a critic. What they object to is of use
only together with the question and the draft, so a template puts the three together for the next round.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from studio.flow.change import Change
from studio.flow.edits import add_node, disconnect, wires_into
from studio.flow.ports import Signature
from studio.flow.records import Flow, Json, Library, Node, Point, Socket, Wire
from studio.flow.structure.graph import followers, is_binding_wire, reached, read_signatures
from studio.ids import NodeId, PortName

LOOP_KIND = "control.loop"
TEMPLATE_KIND = "text.template"
NEXT_ROUND = """\
{{draft}}

This draft was not accepted, for this reason:
{{reason}}

The task was:
{{task}}

Write it anew, so that the objection is met. Give only the new text.
"""
"""The draft comes first: where no round is accepted, the last of it is what the loop gives."""
SAYS_OK = "If nothing is to be mended, answer OK and nothing else. Otherwise say in one sentence what is."
CRITICS = frozenset({"llm.chat", "llm.agent", "human.ask"})
"""What says in plain text what it thinks of a draft."""
WIDTH, GAP, PAD, BELOW = 220, 72, 76, 168
"""Scene units: a card, the way to the next one, from a body to the edge of its loop, and to the row below."""

_WAYS = {"failed": ("passed",), "rejected": ("approved", "edited")}
"""By the output that turns a draft down: those at which one goes on."""


@dataclass(slots=True)
class _Build:
    """A change that is put together piece by piece."""

    flow: Flow
    nodes: dict[NodeId, tuple[Node | None, Node | None]] = field(
        default_factory=dict[NodeId, tuple[Node | None, Node | None]]
    )
    places: dict[NodeId, Point] = field(default_factory=dict[NodeId, Point])
    added: set[Wire] = field(default_factory=set[Wire])
    gone: set[Wire] = field(default_factory=set[Wire])

    def node(self, kind: str, title: str, at: Point, **settings: Json) -> NodeId:
        grown = Change("", dict(self.nodes)).applied_to(self.flow)
        name, change = add_node(grown, kind, title, at, settings=settings)
        self.nodes[name] = change.nodes[name]
        self.places[name] = at
        return name

    def set(self, name: NodeId, node: Node) -> None:
        before = self.nodes[name][0] if name in self.nodes else self.flow.nodes[name]
        self.nodes[name] = (before, node)

    def wire(self, source: Socket, node: NodeId, port: str, index: int | None = None) -> None:
        self.added.add(Wire(source, Socket(node, PortName(port)), index))

    def lead(self, wires: Iterable[Wire], source: Socket) -> None:
        """Let what these wires feed have it from elsewhere."""
        for wire in wires:
            self.gone.add(wire)
            self.added.add(Wire(source, wire.target, wire.index))

    def change(self, label: str, moved: dict[NodeId, Point]) -> Change:
        layout = self.flow.layout.nodes
        places = {name: (None, at) for name, at in self.places.items()}
        swaps = {name: (layout.get(name), at) for name, at in moved.items() if layout.get(name) != at}
        lost = disconnect(self.flow, self.gone)
        rest = Change(label, self.nodes, added=frozenset(self.added), places={**places, **swaps})
        return lost.then(rest).labelled(label)


def improving_loop(flow: Flow, closing: Wire, library: Library) -> Change | None:
    """A loop around what `closing` goes back to, whose next round reads task, draft and objection.

    None where nothing tells which output is the draft and which the objection, or what the task is.
    """
    signatures = read_signatures(flow, library)
    critic, writer = closing.source.node, closing.target.node
    judge, maker = signatures.get(critic), signatures.get(writer)
    if judge is None or maker is None or critic == writer or is_binding_wire(closing, signatures):
        return None
    task = _task(flow, closing)
    inside = body_of(flow, closing, signatures)
    draft = _draft(maker, writer)
    if task is None or draft is None:
        return None
    build = _Build(flow)
    build.gone.update(wires_into(flow, closing.target))
    edge = max((_place(flow, node).x for node in inside), default=0) + WIDTH + GAP
    beside, below = Point(edge, _place(flow, critic).y), _place(flow, critic).y + BELOW
    loop = build.node(LOOP_KIND, "Rounds", _place(flow, writer), max_rounds=4)
    result = Socket(loop, PortName("result"))
    accepts = _WAYS.get(str(closing.source.port), ())
    if accepts and judge.output("reason") is not None:
        ways = [Socket(critic, PortName(name)) for name in accepts if judge.output(name) is not None]
        objection, rejected = Socket(critic, PortName("reason")), closing.source
        for way in ways:
            build.lead(_leaving(flow, [way], inside), result)
        accepted = ways[0] if len(ways) == 1 else _merged(build, ways, beside)
    elif flow.nodes[critic].kind in CRITICS and _reads(flow, draft, critic, inside):
        build.lead(_leaving(flow, [draft], inside), result)
        objection = closing.source
        branch = _asks(build, critic, draft, objection, beside)
        edge += WIDTH + GAP
        accepted, rejected = Socket(branch, PortName("yes")), Socket(branch, PortName("no"))
    else:
        return None
    again = build.node(TEMPLATE_KIND, "Next round", Point(edge, below), template=NEXT_ROUND)
    build.wire(rejected, again, "draft")
    build.wire(objection, again, "reason")
    _give_task(build, task, loop, again)
    if (
        isinstance(task, Socket)
        and judge.input("question") is not None
        and not wires_into(flow, Socket(critic, PortName("question")))
    ):
        build.wire(task, critic, "question")
    build.wire(Socket(loop, PortName("value")), writer, closing.target.port)
    build.wire(Socket(again, PortName("text")), loop, "again")
    build.wire(accepted, loop, "done")
    return build.change("Insert a loop", room_for(flow, inside, edge + WIDTH))


def body_of(flow: Flow, closing: Wire, signatures: Mapping[NodeId, Signature | None]) -> frozenset[NodeId]:
    """What would run in every round: all on the ways from where a wire goes back to where it starts."""
    data = [
        (wire.source.node, wire.target.node) for wire in flow.wires if not is_binding_wire(wire, signatures)
    ]
    after = reached(closing.target.node, followers(data))
    before = reached(closing.source.node, followers((target, source) for source, target in data))
    return frozenset(after & before)


def room_for(flow: Flow, inside: Collection[NodeId], right: float) -> dict[NodeId, Point]:
    """Where the others go so that a loop's area around `inside`, up to `right`, lies on none of them.

    What stands left of the body goes left, what stands right of it goes right, each side as a whole.
    """
    body = [_place(flow, node) for node in inside]
    if not body:
        return {}
    left = min(at.x for at in body)
    lends = {wire.source.node for wire in flow.wires if wire.target.node in inside} - set(inside)
    others = {node: at for node, at in flow.layout.nodes.items() if node not in inside}
    before = {node: at for node, at in others.items() if at.x < left}
    beyond = max(at.x for at in body)
    after = {node: at for node, at in others.items() if at.x > beyond and node not in lends}
    overlap = max((at.x + WIDTH for at in before.values()), default=left - PAD) - (left - PAD - PAD / 2)
    lack = right + PAD + PAD / 2 - min((at.x for at in after.values()), default=right + 2 * PAD)
    moved = {node: Point(round(at.x - max(overlap, 0)), at.y) for node, at in before.items()}
    moved.update({node: Point(round(at.x + max(lack, 0)), at.y) for node, at in after.items()})
    return moved


def _task(flow: Flow, closing: Wire) -> Socket | Json:
    """Where the task comes from: another wire's source, or a typed text; None where that is unclear."""
    others = [wire for wire in wires_into(flow, closing.target) if wire.source != closing.source]
    if len(others) == 1:
        return others[0].source
    return None if others else flow.nodes[closing.target.node].inputs.get(closing.target.port)


def _draft(maker: Signature, writer: NodeId) -> Socket | None:
    first = next((port for port in maker.outputs if not port.type.is_binding), None)
    return Socket(writer, first.name) if first is not None else None


def _leaving(flow: Flow, sources: Collection[Socket], inside: Collection[NodeId]) -> list[Wire]:
    """The wires from these outputs to what does not run in the loop."""
    return [wire for wire in flow.wires if wire.source in sources and wire.target.node not in inside]


def _reads(flow: Flow, draft: Socket, critic: NodeId, inside: Collection[NodeId]) -> bool:
    """Whether the draft reaches the critic."""
    return (
        any(wire.source == draft and wire.target.node in inside for wire in flow.wires) and critic in inside
    )


def _merged(build: _Build, ways: Collection[Socket], at: Point) -> Socket:
    merge = build.node("control.merge", "Accepted", at)
    for index, way in enumerate(ways):
        build.wire(way, merge, "values", index)
    return Socket(merge, PortName("value"))


def _asks(build: _Build, critic: NodeId, draft: Socket, objection: Socket, at: Point) -> NodeId:
    """A branch that goes by whether the critic says OK; a language model is told to."""
    cases: Json = [
        {"label": "yes", "when": "startswith(lower(facts), 'ok')", "port": "yes"},
        {"label": "no", "port": "no"},
    ]
    branch = build.node("control.branch", "Accepted?", at, cases=cases)
    build.wire(draft, branch, "value")
    build.wire(objection, branch, "facts")
    node = build.flow.nodes[critic]
    told = str(node.settings.get("instructions") or "")
    if node.kind.startswith("llm.") and "OK" not in told:
        said = f"{told}\n{SAYS_OK}" if told else SAYS_OK
        build.set(critic, node.model_copy(update={"settings": {**node.settings, "instructions": said}}))
    return branch


def _give_task(build: _Build, task: Socket | Json, loop: NodeId, again: NodeId) -> None:
    """Let the first round begin with the task, and every further one read it."""
    if isinstance(task, Socket):
        build.wire(task, loop, "start")
        build.wire(task, again, "task")
        return
    for name, port in ((loop, "start"), (again, "task")):
        node = build.nodes[name][1]
        if node is not None:
            build.set(name, node.model_copy(update={"inputs": {PortName(port): task}}))


def _place(flow: Flow, node: NodeId) -> Point:
    return flow.layout.nodes.get(node, Point(0, 0))
