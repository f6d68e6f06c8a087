"""One thing that can be done on the canvas."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk


Place: TypeAlias = Literal["node", "wire", "frame", "note", "ghost", "nothing"]
"""What a right-click can hit."""

Group: TypeAlias = Literal["edit", "arrange", "view"]
"""The menu that a command stands in; the window gives it its name."""


def always(_desk: "Desk") -> bool:
    """It can be done whatever is selected."""
    return True


def has_nodes(desk: "Desk") -> bool:
    """Whether a node is selected."""
    return bool(desk.board.selected)


def has_things(desk: "Desk") -> bool:
    """Whether a node, frame or note is selected."""
    now = desk.board.document.selection.now
    return bool(desk.board.selected or now.frames or now.notes)


def has_selection(desk: "Desk") -> bool:
    """Whether anything is selected."""
    return not desk.board.document.selection.now.is_empty


@dataclass(frozen=True, slots=True)
class Command:
    """An act with its name, its title on screen and its key.

    `shortcut` and `also` are in Qt's portable notation (`Ctrl+Shift+G`). The canvas hears them while it has
    the keyboard; menus name the first. Windows call the command `canvas.NAME`.
    """

    name: str
    title: str
    group: Group | None
    """None where no menu has it, since the window has an action of its own for it."""
    act: "Callable[[Desk], None]"
    shortcut: str = ""
    can: "Callable[[Desk], bool]" = always
    help: str = ""
    offered_on: frozenset[Place] = frozenset()
    """The context menus that have it."""
    also: tuple[str, ...] = ()
    """Further keys that do it."""
    begins: bool = False
    """Whether a line stands before it in menus."""
