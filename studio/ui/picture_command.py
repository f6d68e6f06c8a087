"""Draw flows as pictures, SVG or PNG, without a display."""

import argparse
import importlib.util
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import UsageError

if TYPE_CHECKING:
    from studio.flow.records import Flow
    from studio.ids import NodeId
    from studio.sdk.registry import Registry
    from studio.ui.canvas.document import NodeState
    from studio.ui.theme.tokens import Theme
    from studio.workspace.project import Project

ENDINGS = (".svg", ".png")
SMALLEST, LARGEST = 0.05, 8.0
WIDEST = 8000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire picture`."""
    parser.add_argument("flows", metavar="FLOW", nargs="+", type=Path, help="flow files, or project folders")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Path,
        metavar="FILE",
        help="ends in .svg or .png; or a folder, in which each picture is named after its flow",
    )
    parser.add_argument("--theme", default="light", metavar="NAME", help="light (default), dark, …")
    parser.add_argument("--run", default="", metavar="RUN", help="also draw the results of this run")
    parser.add_argument(
        "--force", action="store_true", help="overwrite a file that is not a picture of a flow"
    )
    wide = parser.add_mutually_exclusive_group()
    wide.add_argument(
        "--scale", type=_scale, default=2.0, metavar="N", help="PNG pixels per canvas point (default 2)"
    )
    wide.add_argument(
        "--size", type=_size, metavar="WxH", help="size of the PNG, with the whole flow centred: a thumbnail"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Draw the pictures, and say where they are."""
    files = _files(arguments.flows, arguments.output, is_thumbnail=arguments.size is not None)
    if importlib.util.find_spec("PySide6") is None:
        raise UsageError(
            "Pictures are drawn with PySide6, which is not installed.",
            hint='Run: pip install "PySide6-Essentials>=6.8,<6.12"',
        )
    from studio.app.write_guard import refuse_loss
    from studio.ui.theme.tokens import load_theme, theme_names
    from studio.workspace.catalog import builtin_registry
    from studio.workspace.project import Project

    if arguments.theme not in theme_names():
        names = ", ".join(f"`{name}`" for name in theme_names())
        raise UsageError(f"There is no theme `{arguments.theme}`.", hint=f"There are {names}.")
    # A display that is there is not needed, and one that is not there does not matter.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtGui import QGuiApplication

    from studio.ui.theme.fonts import load_fonts

    application = QGuiApplication.instance() or QGuiApplication(["stepwire"])
    load_fonts()
    registry, theme = builtin_registry(), load_theme(arguments.theme)
    for place, file in zip(arguments.flows, files, strict=True):
        refuse_loss(file, "picture", reads=[Project.open(place).main_flow], force=arguments.force)
    for place, file in zip(arguments.flows, files, strict=True):
        _draw(place, file, registry, theme, arguments)
        arguments.say(f"The picture is in `{file}`.")
    del application
    return 0


def _files(flows: Sequence[Path], output: Path, *, is_thumbnail: bool) -> list[Path]:
    """Where each flow's picture goes; raises `UsageError` where that is not said."""
    if len(flows) > 1 or output.is_dir():
        if not output.is_dir():
            raise UsageError(
                f"`{output}` is not a folder, and {len(flows)} pictures do not fit into one file.",
                hint="Create the folder and pass it with `-o`.",
            )
        ending = ".png" if is_thumbnail else ".svg"
        return [output / f"{_name(flow)}{ending}" for flow in flows]
    endings = ENDINGS[1:] if is_thumbnail else ENDINGS
    if output.suffix.casefold() not in endings:
        wanted = " or ".join(f"`{ending}`" for ending in endings)
        raise UsageError(
            f"`{output}` has to end in {wanted}.", hint="The extension decides the picture format."
        )
    return [output]


def _name(flow: Path) -> str:
    """What a picture is called: as the project folder, or as the file."""
    place = flow.expanduser().resolve()
    return place.name if place.is_dir() else place.parent.name if place.name == "flow.json" else place.stem


def _draw(place: Path, file: Path, kinds: "Registry", theme: "Theme", arguments: argparse.Namespace) -> None:
    from PySide6.QtCore import QSize

    from studio.ui.canvas.drawing.picture import write_picture
    from studio.ui.viewmodels.flow.canvas_document import SessionDocument
    from studio.workspace.files import load_flow
    from studio.workspace.project import Project
    from studio.workspace.project_flows import project_registry

    project = Project.open(place)
    registry = project_registry(project, kinds)
    flow = load_flow(project.main_flow).flow
    states = _states(flow, registry, project, arguments.run) if arguments.run else None
    size = QSize(*arguments.size) if arguments.size else None
    document = SessionDocument.of_flow(flow, registry)
    try:
        write_picture(document, theme, file, states, ratio=arguments.scale, size=size)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"`{file}` cannot be written: {reason}.", hint="Give another file.") from error


def _states(flow: "Flow", registry: "Registry", project: "Project", run: str) -> "Mapping[NodeId, NodeState]":
    from studio.store.reader import RunStore
    from studio.ui.viewmodels.run.past_states import past_states

    store = RunStore(project.private)
    found = store.find(run)
    return past_states(flow, registry, found, list(store.entries(found)))


def _scale(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not SMALLEST <= found <= LARGEST:
        message = f"`{text}` is not a number from {SMALLEST} to {LARGEST:g}"
        raise argparse.ArgumentTypeError(message)
    return found


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    width, height = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (16 <= width <= WIDEST and 16 <= height <= WIDEST):
        message = f"`{text}` is not a size from 16x16 to {WIDEST}x{WIDEST}"
        raise argparse.ArgumentTypeError(message)
    return width, height
