"""Every command of the window, in the order of the menus, each set with what it acts on."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command, Commands
from studio.ui.canvas.commands.catalog import all_commands
from studio.ui.canvas.commands.command import CANVAS
from studio.ui.window.chrome.focus_traversal import dock_commands
from studio.ui.window.commands import (
    analysis,
    breakpoints,
    cases,
    earlier_runs,
    edit,
    experiments,
    files,
    flows,
    growth,
    held_steps,
    help_pages,
    memories,
    moments,
    runs,
    steps,
    view,
)

if TYPE_CHECKING:
    from studio.ui.bridge import Bridge
    from studio.ui.canvas.commands.desk import Desk
    from studio.ui.window.experiments.pages import Experiments
    from studio.ui.window.open_flow import OpenFlow

translate = QCoreApplication.translate
T = TypeVar("T")


class Window(files.Window, flows.Window, view.Window, help_pages.Window, Protocol):
    """What all commands together ask of the window."""

    @property
    def bridge(self) -> "Bridge":
        """Brings what runs tell."""
        ...

    @property
    def experiments(self) -> "Experiments":
        """The experiments of open projects."""
        ...

    def refresh_later(self) -> None:
        """Have titles, menus and buttons say what is true, once all is done."""
        ...


def menu_titles() -> dict[str, str]:
    """What the menus are called; call it when translations are installed."""
    return {
        "file": translate("actions", "File"),
        "edit": translate("actions", "Edit"),
        "arrange": translate("actions", "Arrange"),
        "view": translate("actions", "View"),
        "panels": translate("actions", "Panels"),
        "run": translate("actions", "Run"),
        "debug": translate("actions", "Debug"),
        "help": translate("actions", "Help"),
    }


def submenu_titles() -> dict[str, str]:
    """Which commands stand in submenus, so that no menu is higher than a small screen, and their titles."""
    found = translate("actions", "Find"), ("flow.find", "flow.find_next", "flow.find_previous")
    wired = (
        translate("actions", "With wires"),
        ("insert", "connect", "delete_join", "take_out", "paste_wired", "duplicate_wired"),
    )
    node = translate("actions", "Node"), ("mute", "bypass", "ports", "pin", "edit_pin", "earlier", "later")
    compared = (
        translate("actions", "Compare"),
        ("run.compare", "run.compare_selected", "run.next_difference", "run.difference_before"),
    )
    moments = (
        translate("actions", "Back in time"),
        ("run.moment_before", "run.moment_after", "run.moment_end"),
    )
    lanes = (
        translate("actions", "Timeline"),
        ("run.critical_path", *(f"run.lanes_{one}" for one in ("node", "agent", "scope"))),
    )
    look = (
        translate("actions", "Appearance"),
        (
            *(f"view.theme_{one}" for one in ("system", "dark", "light", "high_contrast")),
            *(f"view.motion_{one}" for one in ("smooth", "reduced")),
        ),
    )
    sides = (
        translate("actions", "Side by side"),
        ("view.beside", "view.script_beside", "view.other_side", "view.go_to_other_side", "view.close_split"),
    )
    kept = (
        translate("actions", "Memory and plan"),
        ("run.memory", "run.take_memory", "run.keep_part", "run.keep_parts"),
    )
    exported = (
        translate("actions", "Export"),
        ("file.export", "file.export_kit", "file.export_archive", "file.package", "file.picture"),
    )
    evaluated = (
        translate("actions", "Evaluate"),
        ("run.case", "run.cases", "run.experiments", "run.new_experiment"),
    )
    groups = (found, compared, moments, lanes, look, sides, kept, evaluated, exported)
    titles = {name: title for title, names in groups for name in names}
    return titles | {f"{CANVAS}{name}": title for title, names in (wired, node) for name in names}


def add_commands(registry: Commands, window: Window) -> None:
    """Offer everything that can be done in a window."""
    registry.menus, registry.submenus = menu_titles(), submenu_titles()
    of = _Offering(registry, window)
    acts = window.acts
    of.window(files.file_commands())
    registry.add(edit.edit_commands(), lambda: acts)
    of.canvas("edit")
    registry.add(edit.going_commands(), lambda: acts)
    of.window(flows.flow_commands())
    of.canvas("arrange")
    of.window(view.view_commands())
    of.canvas("view")
    of.window(view.place_commands())
    of.window(flows.tab_commands())
    of.part(runs.run_commands(), lambda flow: flow)
    registry.add(runs.attach_commands(), lambda: acts)
    of.part(analysis.asking_commands(), lambda flow: flow)
    of.part(steps.step_commands(), lambda flow: flow.controls)
    of.part(held_steps.held_commands(), lambda flow: flow.controls)
    of.part(held_steps.several_runs_commands(), lambda flow: flow.controls)
    of.canvas("debug")
    of.part(breakpoints.breakpoint_commands(), lambda flow: flow.breakpoints)
    of.part(moments.moment_commands(), lambda flow: flow)
    of.part(earlier_runs.going_back_commands(), lambda flow: flow)
    registry.add(earlier_runs.compare_commands(), lambda: acts)
    of.part(cases.case_commands(), lambda flow: flow.cases)
    registry.add(experiments.experiment_commands(), lambda: window.experiments)
    registry.add(cases.answer_commands(), lambda: acts)
    of.part(memories.memory_commands(), lambda flow: flow.memories)
    of.part(growth.growth_commands(), lambda flow: flow.growth)
    of.window(dock_commands(window.docks))
    of.window(help_pages.help_commands())
    of.canvas(None)


class _Offering:
    """Adds commands with what they act on: the window, a part of the flow in front, its canvas."""

    def __init__(self, registry: Commands, window: Window) -> None:
        self._registry, self._window = registry, window
        self._canvas = all_commands()

    def window(self, commands: Sequence[Command[Window]]) -> None:
        """Add what acts on the window."""
        self._registry.add(commands, lambda: self._window)

    def part(self, commands: Sequence[Command[T]], of: "Callable[[OpenFlow], T]") -> None:
        """Add what acts on a part of the flow in front; runs are looked at anew after it."""

        def subject() -> T | None:
            front = self._window.front
            return of(front) if front is not None else None

        self._registry.add(commands, subject, after=self._settle)

    def canvas(self, menu: str | None) -> None:
        """Add the canvas's commands of one menu; the canvas gets the keyboard with them."""
        found = [one for one in self._canvas if one.menu == menu]
        self._registry.add(found, self._desk, before=self._focus, prefix=CANVAS, is_local=True)

    def _desk(self) -> "Desk | None":
        front = self._window.front
        return front.work.canvas.desk if front is not None else None

    def _focus(self) -> None:
        if self._window.front is not None:
            self._window.front.work.canvas.setFocus()

    def _settle(self) -> None:
        self._window.bridge.wake()
        self._window.refresh_later()
