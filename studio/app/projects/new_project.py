"""A new project: one question, one answer, and a script, so that it runs before any key is set up."""

import shutil
from contextlib import suppress
from pathlib import Path

from studio.errors import UsageError
from studio.flow.files.file_text import json_text
from studio.flow.records import Flow, Layout, Node, Point, Socket, Wire
from studio.ids import NodeId, PortName
from studio.workspace.files import SaveError, save_flow
from studio.workspace.project import FILE, FORMAT, VERSION, Project

SCRIPT = (
    "# What the model answers while the project runs without one (chat profile `scripted`).\n# "
    "The first rule that matches a request answers it; {{ last }} is the last message.\n\nrules:\n  "
    "- name: any question\n    reply: |\n      You asked: {{ last }}\n      This answer is "
    "scripted. Set OPENAI_API_KEY and OPENAI_MODEL, and choose the chat profile `openai`.\n"
)


def create_project(folder: Path) -> Project:
    """Make a project in a folder that does not exist yet, or is empty; raises `UsageError`."""
    try:
        was_there = folder.exists()
        is_taken = was_there and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        raise UsageError(
            f"`{folder}` could not be created: {error.strerror or error}.",
            hint="Choose another location or name.",
        ) from error
    if is_taken:
        raise UsageError(f"`{folder}` already exists.", hint="Choose another name.")
    title = folder.resolve().name.replace("_", " ").replace("-", " ").capitalize()
    document: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "name": title,
        "main": "flow.json",
        "chat": {"default": "scripted", "profiles": {}},
    }
    try:
        (folder / "scripts").mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_text(json_text(document), "utf-8")
        (folder / "scripts" / "answers.yaml").write_text(SCRIPT, "utf-8")
        save_flow(folder / "flow.json", _first_flow(title))
    except OSError as error:
        _clear(folder, was_there=was_there)
        raise UsageError(
            f"`{folder}` could not be created: {error.strerror or error}.",
            hint="Choose another location, or free some space.",
        ) from error
    except SaveError:
        _clear(folder, was_there=was_there)
        raise
    return Project.open(folder)


def _clear(folder: Path, *, was_there: bool) -> None:
    """Take back half a project, so that the next try finds the place as this one did."""
    with suppress(OSError):
        for one in [*folder.iterdir()] if was_there else [folder]:
            if one.is_dir():
                shutil.rmtree(one, ignore_errors=True)
            else:
                one.unlink(missing_ok=True)


def _first_flow(name: str) -> Flow:
    nodes = {
        "answer": Node(kind="io.flow_output", title="Answer"),
        "question": Node(kind="io.flow_input", title="Question", settings={"default": "What is a flow?"}),
        "writer": Node(kind="llm.chat", title="Writer", settings={"instructions": "Answer in a few lines."}),
    }
    places = {"question": Point(0, 0), "writer": Point(320, 0), "answer": Point(640, 0)}
    return Flow(
        name,
        "Asks a model one question.",
        {NodeId(one): node for one, node in nodes.items()},
        (_wire("question.value", "writer.prompt"), _wire("writer.reply", "answer.value")),
        layout=Layout({NodeId(one): place for one, place in places.items()}),
    )


def _wire(source: str, target: str) -> Wire:
    return Wire(_socket(source), _socket(target))


def _socket(text: str) -> Socket:
    node, _, port = text.partition(".")
    return Socket(NodeId(node), PortName(port))
