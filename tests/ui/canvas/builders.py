"""A document for the canvas: a flow, a small library with looks, history and selection."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from studio.app.documents.history import History
from studio.app.documents.selection import Selection
from studio.flow.ports import Signature
from studio.flow.records import Flow, Layout, Library, Node, Point
from studio.ids import NodeId
from studio.ui.canvas.document import KindLook
from tests.flow.builders import LIBRARY, DictLibrary, PortsOf, flow, node, port

LOOKS = [
    KindLook("io.flow_input", "Flow input", "io", "What the flow is given", ["argument"]),
    KindLook("io.flow_output", "Flow output", "io", "What the flow gives", ["result"]),
    KindLook("text.text", "Text", "text", "A text as it stands", ["constant"]),
    KindLook("text.template", "Template", "text", "Fill placeholders in a text", ["jinja", "prompt"]),
    KindLook("text.join", "Join text", "text", "Glue several pieces of text with a separator"),
    KindLook("text.upper", "Upper case", "text", "Write a text in capitals"),
    KindLook("text.pair", "Pair", "text", "Two values in one text"),
    KindLook("llm.agent", "Agent", "llm", "Answers with the help of tools", ["chat", "assistant"]),
    KindLook("llm.critic", "Critic", "llm", "Judges an answer"),
    KindLook("value.number", "Number", "value", "A number as it stands"),
    KindLook("value.square", "Square", "value", "A number times itself"),
    KindLook("tools.files", "Files", "tools", "Reads one folder"),
    KindLook("memory.notes", "Notes", "memory", "Key and value"),
    KindLook("control.loop", "Loop", "control", "Rounds until it is good enough", ["repeat", "again"]),
    KindLook("control.for_each", "For each", "control", "One after the other, or all at once", ["map"]),
    KindLook("control.collect", "Collect", "control", "Gather what each item gave"),
    KindLook("control.branch", "Branch", "control", "One way or the other", ["if", "route"]),
    KindLook("control.merge", "Merge", "control", "Whichever value is there"),
]

EXTRA = {
    "llm.agent": Signature(
        (
            port("prompt", "text"),
            port("tools", "tool", required=False, many=True),
            port("memory", "memory", required=False),
        ),
        (port("reply", "text"),),
    ),
    "llm.critic": PortsOf({"prompt": "text"}, {"message": "message", "verdict": "json"}).signature(),
    "memory.notes": Signature((), (port("memory", "memory"),), is_binding=True),
}


@dataclass
class Document:
    """What the canvas asks of the application, without one."""

    history: History
    library: Library
    selection: Selection = field(default_factory=Selection)
    looks: Sequence[KindLook] = tuple(LOOKS)

    def describe(self, kind: str) -> KindLook | None:
        return next((look for look in self.looks if look.kind == kind), None)

    def kinds(self) -> Sequence[KindLook]:
        return self.looks

    def part(self, kind: str) -> Flow | None:
        return chain() if kind == "part.chain" else None


def document(of: Flow | None = None) -> Document:
    library = DictLibrary({**LIBRARY.signatures, **EXTRA})
    return Document(History(of if of is not None else Flow()), library)


def placed(of: Flow, **places: tuple[int, int]) -> Flow:
    """The flow with nodes at these places."""
    points = {**of.layout.nodes, **{NodeId(name): Point(*place) for name, place in places.items()}}
    return replace(of, layout=Layout(nodes=points))


def chain() -> Flow:
    """Three nodes in a row, the first two wired."""
    return placed(
        flow(
            {
                "question": node("io.flow_input", title="Question"),
                "upper": node("text.upper", title="Shout"),
                "writer": node("llm.agent", title="Writer"),
            },
            "question.value -> upper.text",
        ),
        question=(40, 40),
        upper=(320, 40),
        writer=(600, 40),
    )


def notes_flow() -> Flow:
    """The flow of the design's picture: a question answered in rounds by a writer and a critic."""
    instructions = "You are strict. Accept only what the notes say. Quote the passage you doubt."
    return placed(
        flow(
            {
                "question": node("io.flow_input", title="Question"),
                "rounds": node("control.loop", title="Rounds", max_rounds=4),
                "writer": node("llm.agent", title="Writer"),
                "critic": node("llm.critic", title="Critic", instructions=instructions),
                "accepted": node("control.branch", title="Accepted?"),
                "search": node("tools.files", title="Text search"),
                "notes": node("memory.notes", title="Notes"),
                "answer": node("io.flow_output", title="Answer"),
            },
            "question.value -> rounds.start",
            "rounds.value -> writer.prompt",
            "writer.reply -> critic.prompt",
            "critic.verdict -> accepted.value",
            "accepted.yes -> rounds.done",
            "accepted.no -> rounds.again",
            "rounds.result -> answer.value",
            "search.tool -> writer.tools[0]",
            "notes.memory -> writer.memory",
            name="answer a question from notes",
        ),
        question=(0, 64),
        writer=(320, 64),
        critic=(584, 32),
        accepted=(584, 272),
        search=(288, 480),
        notes=(512, 480),
        answer=(984, 64),
    )


def grid_flow(count: int) -> Flow:
    """A large flow: rows of nodes, each wired to its neighbour and every other one to the next row."""
    kinds = ("text.upper", "llm.agent", "text.upper", "text.pair")
    across = max(1, round(count**0.5))
    nodes: dict[str, str | Node] = {}
    wires: list[str] = []
    for place in range(count):
        kind = kinds[place % 4]
        nodes[f"n{place}"] = node(kind, title=f"Node {place}")
        into = {"text.upper": "text", "llm.agent": "prompt", "text.pair": "one"}[kind]
        if place:
            wires.append(
                f"{_output(place - 1 if place % across else place - across, kinds)} -> n{place}.{into}"
            )
        if kind == "text.pair" and place >= across:
            wires.append(f"{_output(place - across, kinds)} -> n{place}.two")
    made = flow(nodes, *wires, name="grid")
    points = {f"n{place}": (place % across * 260, place // across * 220) for place in range(count)}
    return placed(made, **points)


def _output(place: int, kinds: Sequence[str]) -> str:
    return f"n{place}.{'reply' if kinds[place % len(kinds)] == 'llm.agent' else 'text'}"
