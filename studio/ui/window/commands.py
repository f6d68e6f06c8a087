"""Every action of the window, by name: menus, buttons, shortcuts and the palette are made of these."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.runtime.gate import Stepping
from studio.ui.canvas.commands.catalog import all_commands
from studio.ui.canvas.commands.command import Command, Group
from studio.ui.window.appearance import REDUCED
from studio.ui.window.going_round import go_round
from studio.ui.window.keyboard_page import show_keyboard
from studio.ui.window.legend import show_legend
from studio.ui.window.pictures import Pictures
from studio.ui.window.run_controls import RunControls

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate
Run = Callable[[], None]
Can = Callable[[], bool]

CANVAS = "canvas."
"""Actions whose ids begin so are commands of the canvas: menus name the key, the canvas itself hears it."""


def file_actions(window: "MainWindow") -> list[Action]:
    """What is done with files."""
    group, documents = translate("actions", "File"), window.documents
    has = window.acts.has_flow
    return [
        _make("file.new", translate("actions", "New flow…"), group, documents.new, "Ctrl+N"),
        _make("file.open", translate("actions", "Open flow…"), group, documents.open_flow, "Ctrl+O"),
        _make(
            "file.project",
            translate("actions", "Open project…"),
            group,
            documents.open_project,
            "Ctrl+Shift+O",
        ),
        _make("file.save", translate("actions", "Save"), group, documents.save, "Ctrl+S", has),
        _make(
            "file.save_as", translate("actions", "Save as…"), group, documents.save_as, "Ctrl+Shift+S", has
        ),
        _make(
            "file.export",
            translate("actions", "Export as Python script…"),
            group,
            window.exports.save_script,
            "Ctrl+Shift+E",
            has,
            translate("actions", "Write the flow as a Python script in a file"),
        ),
        _make(
            "file.package",
            translate("actions", "Export as Python package…"),
            group,
            window.exports.save_package,
            "",
            has,
            translate("actions", "Write the flow as a package of a few files, which can be installed"),
        ),
        _make(
            "file.picture",
            translate("actions", "Export as picture…"),
            group,
            Pictures(window).ask,
            "",
            has,
            translate("actions", "Draw the whole canvas as SVG or PNG, with what the shown run says"),
        ),
        _make(
            "file.trace",
            translate("actions", "Open a script's trace…"),
            group,
            window.script_runs.ask,
            "",
            has,
            translate("actions", "Show a run of the flow's script, from the file that `--trace FILE` wrote"),
        ),
        _make(
            "file.profiles",
            translate("actions", "Chat profiles…"),
            group,
            window.acts.edit_profiles,
            "",
            has,
            translate("actions", "The language models that runs of this project may ask"),
        ),
        _make(
            "file.prices",
            translate("actions", "Prices…"),
            group,
            window.acts.edit_prices,
            help_text=translate("actions", "What the tokens of language models cost, for the cost of runs"),
        ),
        _make(
            "file.duplicate",
            translate("actions", "Duplicate flow"),
            group,
            lambda: window.flow_files.act_on_front("duplicate"),
            "",
            has,
            translate("actions", "Put a copy beside the flow, and open it"),
        ),
        _make(
            "file.rename",
            translate("actions", "Rename flow…"),
            group,
            lambda: window.flow_files.act_on_front("rename"),
            "",
            has,
            translate("actions", "Give the flow's file another name; flows that call it go along"),
        ),
        _make(
            "file.delete",
            translate("actions", "Delete flow"),
            group,
            lambda: window.flow_files.act_on_front("delete"),
            "",
            has,
            translate("actions", "Delete the flow's file; undo brings it back"),
        ),
        _make(
            "file.close", translate("actions", "Close flow"), group, documents.close_current, "Ctrl+W", has
        ),
        _make("file.quit", translate("actions", "Quit"), group, lambda: _ignore(window.close()), "Ctrl+Q"),
    ]


def edit_actions(window: "MainWindow") -> list[Action]:
    """What is done to the flow."""
    group, acts = translate("actions", "Edit"), window.acts
    return [
        _make("edit.undo", translate("actions", "Undo"), group, acts.undo, "Ctrl+Z", acts.can_undo),
        _make("edit.redo", translate("actions", "Redo"), group, acts.redo, "Ctrl+Shift+Z", acts.can_redo),
        _make(
            "edit.history",
            translate("actions", "History of steps"),
            group,
            acts.show_history,
            "Ctrl+Alt+Z",
            acts.has_flow,
            translate("actions", "Every step that was taken, to go back to any of them"),
        ),
        *_canvas_actions(window, "edit", group),
        _make(
            "edit.go", translate("actions", "Go to node…"), group, acts.open_go_to, "Ctrl+P", acts.has_flow
        ),
    ]


def arrange_actions(window: "MainWindow") -> list[Action]:
    """What is done to where things stand."""
    return _canvas_actions(window, "arrange", translate("actions", "Arrange"))


def view_actions(window: "MainWindow") -> list[Action]:
    """What is done to how things look."""
    group, has = translate("actions", "View"), window.acts.has_flow
    return [
        _make(
            "view.palette",
            translate("actions", "Command palette…"),
            group,
            window.acts.open_palette,
            "Ctrl+Shift+P",
        ),
        *_canvas_actions(window, "view", group),
        _make("view.zoom_in", translate("actions", "Zoom in"), group, window.acts.zoom_in, "Ctrl++", has),
        _make("view.zoom_out", translate("actions", "Zoom out"), group, window.acts.zoom_out, "Ctrl+-", has),
        _make(
            "view.next_place",
            translate("actions", "Go to the next place"),
            group,
            lambda: go_round(window, 1),
            "Ctrl+F6",
            has,
            translate("actions", "Give the keyboard to the canvas, then to each dock that is seen"),
        ),
        _make(
            "view.previous_place",
            translate("actions", "Go to the place before"),
            group,
            lambda: go_round(window, -1),
            "Ctrl+Shift+F6",
            has,
        ),
        _make(
            "view.search",
            translate("actions", "Search the library"),
            group,
            window.acts.search_library,
            "Ctrl+L",
        ),
        _make(
            "view.script",
            translate("actions", "Script beside the canvas"),
            group,
            window.documents.turn_script,
            "Ctrl+E",
            has,
            translate("actions", "Show the flow as Python that follows each edit; from there, hide it"),
        ),
        _make("view.arrange", translate("actions", "Put the panels back"), group, window.docks.arrange),
        _theme(window, "system", translate("actions", "Theme: as the system")),
        _theme(window, "dark", translate("actions", "Theme: dark")),
        _theme(window, "light", translate("actions", "Theme: light")),
        _theme(window, "high_contrast", translate("actions", "Theme: high contrast")),
        _motion(window, "", translate("actions", "Motion: smooth")),
        _motion(window, REDUCED, translate("actions", "Motion: reduced")),
    ]


def run_actions(window: "MainWindow") -> list[Action]:
    """What is done to a run."""
    group = translate("actions", "Run")

    def on(act: Callable[[RunControls], None]) -> Run:
        return lambda: window.acts.with_controls(act)

    def can(ask: Callable[[RunControls], bool]) -> Can:
        return lambda: window.acts.asks_controls(ask)

    return [
        _make(
            "run.run",
            translate("actions", "Run"),
            group,
            on(lambda c: c.run()),
            "F5",
            can(lambda c: c.can_run),
            translate("actions", "Run the flow"),
        ),
        _make(
            "run.hold",
            translate("actions", "Hold"),
            group,
            on(lambda c: c.hold()),
            "F6",
            can(lambda c: c.can_hold),
            translate("actions", "Hold at the next step"),
        ),
        _make(
            "run.step",
            translate("actions", "Step"),
            group,
            on(lambda c: c.step()),
            "F10",
            can(lambda c: c.can_run or c.can_step),
            translate("actions", "One step on; with no run, start one that is held at once"),
        ),
        _make(
            "run.into",
            translate("actions", "Into"),
            group,
            on(lambda c: c.step(Stepping.INTO)),
            "F11",
            can(lambda c: c.can_step),
            translate("actions", "Step into a loop, a map, a called flow, or an agent's chats and tools"),
        ),
        _make(
            "run.out",
            translate("actions", "Out"),
            group,
            on(lambda c: c.step(Stepping.OUT)),
            "Shift+F11",
            can(lambda c: c.can_step),
            translate("actions", "Step out of the loop, map, called flow or agent"),
        ),
        _make(
            "run.continue",
            translate("actions", "Continue"),
            group,
            on(lambda c: c.resume()),
            "F8",
            can(lambda c: c.is_held),
            translate("actions", "Go on until a breakpoint"),
        ),
        _make(
            "run.stop",
            translate("actions", "Stop"),
            group,
            on(lambda c: c.stop()),
            "Shift+F5",
            can(lambda c: c.live is not None),
            translate("actions", "Stop the run; again: end its host"),
        ),
        _make(
            "run.cancel_step",
            translate("actions", "Cancel the shown step"),
            group,
            on(lambda c: c.cancel_step()),
            "",
            can(lambda c: c.can_cancel_step),
            translate("actions", "It fails; the run goes on as its error policy says"),
        ),
        _make(
            "run.breakpoint",
            translate("actions", "Breakpoint on the selected node"),
            group,
            window.acts.toggle_breakpoint,
            "F9",
            window.acts.has_selection,
        ),
        _make(
            "run.inputs",
            translate("actions", "What the run is given…"),
            group,
            window.acts.show_inputs,
            "Ctrl+I",
            window.acts.has_flow,
        ),
        _make(
            "run.from_here",
            translate("actions", "Run again from the shown step"),
            group,
            on(lambda c: c.earlier.fork_here()),
            "F7",
            can(lambda c: c.can_fork_here),
            translate("actions", "Do again what depends on it, with the flow as it is now; reuse the rest"),
        ),
        _make(
            "run.held_here",
            translate("actions", "Run again, held at the shown step"),
            group,
            on(lambda c: c.earlier.fork_here(hold=True)),
            "Shift+F7",
            can(lambda c: c.can_fork_here),
            translate("actions", "As before, and hold there, so that its inputs can be edited"),
        ),
        _make(
            "run.replay",
            translate("actions", "Replay the shown run"),
            group,
            on(lambda c: c.replay_shown()),
            "",
            can(lambda c: c.can_go_back),
            translate("actions", "Execute it again from its recording, asking nobody"),
        ),
        _make(
            "run.go_on",
            translate("actions", "Go on with the shown run"),
            group,
            on(lambda c: c.go_on_with_shown()),
            "",
            can(lambda c: c.can_run and c.earlier.can_go_on),
            translate("actions", "What it finished is kept; the rest is begun again"),
        ),
        _make(
            "run.leave",
            translate("actions", "Leave the old run"),
            group,
            on(lambda c: c.leave_old()),
            "",
            window.acts.shows_old_run,
        ),
    ]


def help_actions(window: "MainWindow") -> list[Action]:
    """Where to read more."""
    group = translate("actions", "Help")
    return [
        _make(
            "help.keyboard",
            translate("actions", "Keyboard…"),
            group,
            lambda: _ignore(show_keyboard(window, all_commands())),
            "F1",
            help_text=translate("actions", "Every key of the window and the canvas"),
        ),
        _make(
            "help.legend",
            translate("actions", "Ports and marks…"),
            group,
            lambda: _ignore(show_legend(window)),
            help_text=translate("actions", "What the shapes on the canvas mean"),
        ),
        _make("help.welcome", translate("actions", "Welcome page"), group, window.show_welcome),
        _make("help.about", translate("actions", "About Stepwire"), group, window.acts.show_about),
    ]


def _canvas_actions(window: "MainWindow", menu: Group, group: str) -> list[Action]:
    """The canvas's commands that stand in one menu, for the canvas in front."""

    def make(command: Command) -> Action:
        return _make(
            f"{CANVAS}{command.name}",
            command.title,
            group,
            lambda: window.acts.run_on_canvas(command),
            command.shortcut,
            lambda: window.acts.can_on_canvas(command),
            command.help,
        )

    return [make(command) for command in all_commands() if command.group == menu]


def _theme(window: "MainWindow", name: str, title: str) -> Action:
    return _make(
        f"view.theme_{name}", title, translate("actions", "View"), lambda: window.appearance.choose(name)
    )


def _motion(window: "MainWindow", choice: str, title: str) -> Action:
    return _make(
        f"view.motion_{choice or 'smooth'}",
        title,
        translate("actions", "View"),
        lambda: window.appearance.choose_motion(choice),
    )


def _make(
    name: str,
    title: str,
    group: str,
    run: Run,
    shortcut: str = "",
    can: Can | None = None,
    help_text: str = "",
) -> Action:
    if can is None:
        return Action(name, title, group, run, shortcut, help_text)
    return Action(name, title, group, run, shortcut, help_text, can)


def _ignore(_: object) -> None:
    """An action gives nothing back."""
