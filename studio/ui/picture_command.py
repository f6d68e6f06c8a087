"""Draw a flow's canvas as a picture, SVG or PNG, without a display."""

import argparse
import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import UsageError

if TYPE_CHECKING:
    from studio.app.project import Project
    from studio.flow.records import Flow
    from studio.ids import NodeId
    from studio.sdk.registry import Registry
    from studio.ui.canvas.document import NodeState

ENDINGS = (".svg", ".png")
SMALLEST, LARGEST = 0.05, 8.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire picture`."""
    parser.add_argument("flow", metavar="FLOW", type=Path, help="a flow file, or a project folder")
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="FILE", help="ends in `.svg` or `.png`"
    )
    parser.add_argument("--theme", default="light", metavar="NAME", help="`light` (default), `dark`, …")
    parser.add_argument("--run", default="", metavar="RUN", help="draw what the nodes said in this run, too")
    parser.add_argument(
        "--scale", type=_scale, default=2.0, metavar="N", help="pixels of a PNG to a point of the canvas (2)"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Draw the picture, and say where it is."""
    file: Path = arguments.output
    if file.suffix.casefold() not in ENDINGS:
        raise UsageError(
            f"`{file}` has to end in `.svg` or `.png`.",
            hint="The ending says what kind of picture it becomes.",
        )
    if importlib.util.find_spec("PySide6") is None:
        raise UsageError(
            "Pictures are drawn with PySide6, which is not installed.",
            hint='Run: pip install "PySide6-Essentials>=6.8,<6.12"',
        )
    from studio.app.catalog import builtin_registry
    from studio.app.files import load_flow
    from studio.app.project import Project
    from studio.app.project_flows import project_registry
    from studio.ui.theme.tokens import load_theme, theme_names

    if arguments.theme not in theme_names():
        names = ", ".join(f"`{name}`" for name in theme_names())
        raise UsageError(f"There is no theme `{arguments.theme}`.", hint=f"There are {names}.")
    project = Project.open(arguments.flow)
    registry = project_registry(project, builtin_registry())
    flow = load_flow(project.main_flow).flow
    states = _states(flow, registry, project, arguments.run) if arguments.run else None
    # A display that is there is not needed, and one that is not there does not matter.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtGui import QGuiApplication

    from studio.ui.canvas.picture import write_picture
    from studio.ui.theme.fonts import load_fonts
    from studio.ui.viewmodels.canvas_document import SessionDocument

    application = QGuiApplication.instance() or QGuiApplication(["stepwire"])
    load_fonts()
    document = SessionDocument.of_flow(flow, registry)
    try:
        write_picture(document, load_theme(arguments.theme), file, states, ratio=arguments.scale)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"`{file}` cannot be written: {reason}.", hint="Give another file.") from error
    del application
    sys.stderr.write(f"The picture is in `{file}`.\n")
    return 0


def _states(flow: "Flow", registry: "Registry", project: "Project", run: str) -> "Mapping[NodeId, NodeState]":
    from studio.store.reader import RunStore
    from studio.ui.viewmodels.past_states import past_states

    store = RunStore(project.private)
    found = store.find(run)
    return past_states(flow, registry, found, list(store.entries(found)))


def _scale(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not SMALLEST <= found <= LARGEST:
        message = f"`{text}` is no number from {SMALLEST} to {LARGEST:g}"
        raise argparse.ArgumentTypeError(message)
    return found
