"""Small flows and a small library for tests: `flow(nodes(...), "a.text -> b.text")`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.flow.ports import Port, Signature, Structure, parse_type
from studio.flow.records import Flow, Json, Layout, Node, Point, Socket, Wire
from studio.ids import NodeId, PortName


def port(name: str, kind: str, *, required: bool = True, many: bool = False) -> Port:
    return Port(PortName(name), parse_type(kind), name, required=required, many=many)


@dataclass(frozen=True, slots=True)
class PortsOf:
    """Inputs and outputs given as `name: type` text."""

    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    outputs: Mapping[str, str] = field(default_factory=dict[str, str])

    def signature(self, optional: Sequence[str] = (), structure: Structure | None = None) -> Signature:
        """Build the signature; inputs named in `optional` are not required."""
        return Signature(
            tuple(
                Port(
                    PortName(name), parse_type(kind), required=name not in optional, many=kind.endswith("[]")
                )
                for name, kind in self.inputs.items()
            ),
            tuple(Port(PortName(name), parse_type(kind)) for name, kind in self.outputs.items()),
            structure,
        )


class DictLibrary:
    """Node types as plain signatures; a `text.template` has the inputs that its setting `ports` lists."""

    def __init__(self, signatures: Mapping[str, Signature]) -> None:
        self.signatures = dict(signatures)

    def signature(self, node: Node) -> Signature | None:
        found = self.signatures.get(node.kind)
        names = node.settings.get("ports")
        if found is None or not isinstance(names, list):
            return found
        dynamic = tuple(port(str(name), "T" if found.structure else "any") for name in names)
        if found.structure is Structure.BRANCH:
            return Signature(found.inputs, dynamic, found.structure)
        return Signature((*found.inputs, *dynamic), found.outputs, found.structure)

    def problems(self, node: Node) -> Sequence[str]:
        return ["The setting `broken` does not exist."] if "broken" in node.settings else ()


LIBRARY = DictLibrary(
    {
        "io.flow_input": Signature((), (port("value", "text"),), Structure.FLOW_INPUT),
        "io.flow_output": Signature((port("value", "any"),), (), Structure.FLOW_OUTPUT),
        "text.text": PortsOf({}, {"text": "text"}).signature(),
        "text.template": PortsOf({}, {"text": "text"}).signature(),
        "text.join": PortsOf({"parts": "text[]"}, {"text": "text"}).signature(),
        "text.split": PortsOf({"text": "text"}, {"parts": "text[]"}).signature(),
        "text.upper": PortsOf({"text": "text"}, {"text": "text"}).signature(),
        "text.pair": PortsOf({"one": "any", "two": "any"}, {"text": "text"}).signature(optional=["two"]),
        "text.write": PortsOf({"text": "text"}, {}).signature(),
        "value.number": PortsOf({}, {"number": "number"}).signature(),
        "value.square": PortsOf({"number": "number"}, {"number": "number"}).signature(),
        "value.picture": PortsOf({}, {"image": "image"}).signature(),
        "llm.agent": Signature(
            (port("prompt", "text"), port("tools", "tool", required=False, many=True)),
            (port("reply", "text"), port("agent", "agent")),
        ),
        "team.debate": Signature(
            (port("topic", "text"), port("members", "agent", many=True)), (port("verdict", "text"),)
        ),
        "tools.files": Signature((), (port("tool", "tool"),), is_binding=True),
        "tools.agent": Signature((port("agent", "agent"),), (port("tool", "tool"),), is_binding=True),
        "control.loop": Signature(
            (
                port("start", "T"),
                port("again", "T", required=False),
                port("done", "any", required=False),
                port("also", "any[]", required=False, many=True),
            ),
            (port("value", "T"), port("round", "number"), port("result", "any"), port("history", "T[]")),
            Structure.LOOP,
        ),
        "control.for_each": Signature(
            (port("items", "T[]", many=True),),
            (port("item", "T"), port("index", "number")),
            Structure.FOR_EACH,
        ),
        "control.collect": Signature(
            (port("item", "T"),), (port("items", "T[]"), port("kept", "number[]")), Structure.COLLECT
        ),
        "control.merge": Signature(
            (port("values", "T[]", many=True),), (port("value", "T"),), Structure.MERGE
        ),
        "control.branch": Signature(
            (port("value", "T"),), (port("yes", "T"), port("no", "T")), Structure.BRANCH
        ),
    }
)


def socket(text: str) -> Socket:
    """Read `node.port`."""
    node, _, name = text.partition(".")
    return Socket(NodeId(node), PortName(name))


def wire(text: str) -> Wire:
    """Read `a.text -> b.parts[2]`, as the file writes it."""
    source, _, target = text.partition(" -> ")
    target, _, index = target.partition("[")
    return Wire(socket(source), socket(target), int(index.rstrip("]")) if index else None)


def node(kind: str, *, title: str = "", inputs: Mapping[str, Json] | None = None, **settings: Json) -> Node:
    typed = {PortName(name): value for name, value in (inputs or {}).items()}
    return Node(kind=kind, title=title, settings=settings, inputs=typed)


def flow(nodes: Mapping[str, str | Node], *wires: str, name: str = "") -> Flow:
    """Build a flow from `{id: kind or node}` and wires as text; the nodes stand in a row."""
    records = {NodeId(key): node(one) if isinstance(one, str) else one for key, one in nodes.items()}
    ordered = sorted((wire(text) for text in wires), key=lambda one: one.sort_key)
    places = {key: Point(200 * place, 0) for place, key in enumerate(records)}
    return Flow(name, "", records, tuple(ordered), (), Layout(nodes=places))


def review() -> Flow:
    """A writer and a critic in a loop: the flow that most tests need."""
    return flow(
        {
            "question": "io.flow_input",
            "rounds": "control.loop",
            "writer": node("llm.agent", title="Writer"),
            "critic": node("llm.agent", title="Critic"),
            "verdict": "control.branch",
            "files": "tools.files",
            "answer": "io.flow_output",
        },
        "question.value -> rounds.start",
        "rounds.value -> writer.prompt",
        "files.tool -> writer.tools[0]",
        "writer.reply -> critic.prompt",
        "critic.reply -> verdict.value",
        "verdict.yes -> rounds.done",
        "verdict.no -> rounds.again",
        "rounds.result -> answer.value",
    )
