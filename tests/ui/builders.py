"""A look, a session over a real file, and runs made of entries, for widgets to show."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from PySide6.QtWidgets import QApplication

from studio.app.documents.session import Session
from studio.app.runs.live_run import LiveRun
from studio.flow.records import Flow, Layout, Node, Point, Socket, Wire
from studio.ids import NodeId, PortName
from studio.trace.events import Entry, RunStarted
from studio.ui.editors.make import Surroundings
from studio.ui.look import Look
from studio.ui.theme.tokens import Theme, load_theme
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import save_flow
from tests.trace.builders import RUN, numbered


@cache
def a_theme(name: str = "dark") -> Theme:
    """A theme of the studio's own, read once."""
    return load_theme(name)


def a_look(theme: str = "dark") -> Look:
    """The look of a theme; nothing on the application changes."""
    return Look(a_theme(theme), QApplication.instance())


def a_flow() -> Flow:
    """A question, a loop round a writer and a critic, and an answer."""
    nodes = {
        "question": Node(kind="io.flow_input", title="Question", settings={"default": "Which birds?"}),
        "rounds": Node(kind="control.loop", title="Rounds", settings={"max_rounds": 4}),
        "writer": Node(kind="llm.agent", title="Writer", settings={"instructions": "Answer."}),
        "critic": Node(kind="llm.agent", title="Critic"),
        "answer": Node(kind="io.flow_output", title="Answer"),
    }
    wires = [
        "question.value -> rounds.start",
        "rounds.value -> writer.prompt",
        "writer.reply -> critic.prompt",
        "critic.reply -> rounds.again",
        "rounds.result -> answer.value",
    ]
    places = {NodeId(name): Point(240 * index, 0) for index, name in enumerate(nodes)}
    return Flow(
        "Draft and critique",
        "Two agents take turns.",
        {NodeId(name): node for name, node in nodes.items()},
        tuple(sorted((_wire(text) for text in wires), key=lambda wire: wire.sort_key)),
        layout=Layout(places),
    )


def a_session(folder: Path, flow: Flow | None = None) -> Session:
    """A session over a flow file of its own."""
    path = folder / "flow.json"
    save_flow(path, flow or a_flow())
    return Session.open(path, builtin_registry())


def around(session: Session, look: Look) -> Surroundings:
    """What editors are told of a session's project."""
    return Surroundings(look, session.project.root, lambda: ["scripted"])


def a_run(*happenings: object, flow: Flow | None = None) -> LiveRun:
    """A run of `flow` that went as far as these events."""
    live = LiveRun(RUN, flow or a_flow())
    live.take(entries(*happenings))
    return live


def entries(*happenings: object) -> Sequence[Entry]:
    """Entries after a run's start, one second apart."""
    return numbered(RunStarted("Draft and critique", ""), *happenings)  # type: ignore[arg-type]


def _wire(text: str) -> Wire:
    source, target = text.split(" -> ")
    return Wire(_socket(source), _socket(target))


def _socket(text: str) -> Socket:
    node, port = text.split(".")
    return Socket(NodeId(node), PortName(port))
