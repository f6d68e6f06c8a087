"""Every place around the canvas, a record each: what it is for, where it stands at first, and what opens it.

A new dock is one record here, and a panel of its name in a workspace's `panels` (or the window's own).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate

Group = Literal["project", "flow", "run", "quality"]
Home = Literal["left", "right", "below", "below_right"]


@dataclass(frozen=True, slots=True)
class Stage:
    """What is shown in the window just now, as far as docks go by it."""

    has_run: bool = False
    """A run is shown, whether it goes on or not."""
    has_result: bool = False
    """It is over, and gave something."""
    is_blank: bool = False
    """The flow had no node yet when it was opened."""
    is_chosen: bool = False
    """Something of it is, or was, selected."""
    is_narrow: bool = False
    """The window has room for docks on one side of the canvas only."""
    is_table: bool = False
    """Experiments stand in the place of the canvas; docks are about what is on that."""


def _never(_stage: Stage) -> bool:
    return False


def _with_room_or_a_choice(stage: Stage) -> bool:
    return stage.is_chosen or not stage.is_narrow


def _with_a_run(stage: Stage) -> bool:
    return stage.has_run


@dataclass(frozen=True, slots=True)
class DockRecord:
    """One dock."""

    name: str
    """Under which it is kept in layouts and settings, and its panel in a workspace."""
    title: str
    group: Group
    """Docks of two groups never share a place: the one that was asked for last has it."""
    home: Home
    icon: str
    opens: Callable[[Stage], bool] = field(default=_never)
    """When it has something to say, so that it comes by itself."""
    comes_along: bool = False
    """Whether it opens with the others of its group that share its place."""
    key: str = ""
    """The key that leads to it."""
    in_strip: bool = False
    """Whether it has a button of its own beside the canvas, as those have that come along."""
    of_run: bool = False
    """Whether it only speaks of the run that is shown, and goes with it."""


def group_titles() -> dict[Group, str]:
    """What the groups are called on screen; call it when translations are installed."""
    return {
        "project": translate("Docks", "Project"),
        "flow": translate("Docks", "Flow"),
        "run": translate("Docks", "Run"),
        "quality": translate("Docks", "Quality"),
    }


def dock_records() -> tuple[DockRecord, ...]:
    """All docks in their order; call it when translations are installed."""
    return (
        DockRecord(
            *("library", translate("Docks", "Library"), "project", "left", "library"),
            opens=lambda stage: stage.is_blank,
            comes_along=True,
            key="Ctrl+1",
        ),
        DockRecord(
            "runs", translate("Docks", "Runs"), "project", "left", "runs", comes_along=True, key="Ctrl+2"
        ),
        DockRecord(
            "files", translate("Docks", "Files"), "project", "left", "folder", comes_along=True, key="Ctrl+3"
        ),
        DockRecord(
            *("inspector", translate("Docks", "Inspector"), "flow", "right", "inspector"),
            opens=_with_room_or_a_choice,
            comes_along=True,
            key="Ctrl+4",
        ),
        DockRecord(
            "result",
            translate("Docks", "Result"),
            "flow",
            "right",
            "done",
            opens=lambda stage: stage.has_result,
            in_strip=True,
            of_run=True,
        ),
        DockRecord(
            "outline",
            translate("Docks", "Outline"),
            "flow",
            "right",
            "branch",
            comes_along=True,
            key="Ctrl+5",
        ),
        DockRecord(
            *("chat", translate("Docks", "Chat"), "flow", "right", "category_human"),
            key="Ctrl+T",
            in_strip=True,
        ),
        DockRecord("tree", translate("Docks", "Tree"), "flow", "right", "branch_open", of_run=True),
        DockRecord("history", translate("Docks", "History"), "flow", "right", "undo", in_strip=True),
        DockRecord(
            *("timeline", translate("Docks", "Timeline"), "run", "below", "timeline"),
            opens=_with_a_run,
            comes_along=True,
            key="Ctrl+6",
            of_run=True,
        ),
        DockRecord(
            *("debugger", translate("Docks", "Debugger"), "run", "below", "debugger"),
            opens=_with_a_run,
            comes_along=True,
            key="Ctrl+7",
            of_run=True,
        ),
        DockRecord("questions", translate("Docks", "Questions"), "run", "below", "help", in_strip=True),
        DockRecord(
            "log",
            translate("Docks", "Log"),
            "run",
            "below",
            "file",
            opens=_with_a_run,
            comes_along=True,
            of_run=True,
        ),
        DockRecord(
            "problems",
            translate("Docks", "Problems"),
            "quality",
            "below",
            "problems",
            comes_along=True,
            key="Ctrl+8",
        ),
        DockRecord("cases", translate("Docks", "Cases"), "quality", "below", "check", comes_along=True),
        DockRecord("find", translate("Docks", "Find"), "project", "below", "search"),
        DockRecord("memories", translate("Docks", "Memories"), "project", "below", "category_memory"),
        DockRecord(
            *("messages", translate("Docks", "Messages"), "run", "below_right", "messages"),
            opens=_with_a_run,
            comes_along=True,
            key="Ctrl+9",
            of_run=True,
        ),
        DockRecord("origin", translate("Docks", "Origin"), "run", "below_right", "chevron_left", of_run=True),
    )
