"""One thing on the canvas, as a screen reader walks it: what all of them have in common."""

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleInterface,
    QColor,
    QWindow,
)
from PySide6.QtWidgets import QWidget

from studio.flow.records import Flow, Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.commands.desk import Desk
from studio.ui.canvas.scene.keyboard import Stand

Act = tuple[str, str, Callable[[], None]]
"""Something that can be done: its name for programs, its title for people, and how."""


class Tree(Protocol):
    """The canvas around a part."""

    desk: Desk
    canvas: QWidget

    def root(self) -> QAccessibleInterface:
        """The canvas itself."""
        ...

    def connect_from(self, stand: Stand) -> None:
        """Offer what a port can be wired to."""
        ...

    def open_menu(self, stand: Stand) -> None:
        """Open the menu of what stands there."""
        ...

    def node(self, node: NodeId) -> "Part":
        """The part of a node."""
        ...

    def port(self, node: NodeId, port: PortName, *, is_output: bool) -> "Part":
        """The part of a port."""
        ...

    def wire(self, wire: Wire, *, is_output: bool) -> "Part":
        """The part of a wire at one of its ends."""
        ...

    def area_around(self, node: NodeId) -> NodeId | None:
        """The loop or map in whose area a node stands."""
        ...

    def nodes_in(self, area: NodeId | None) -> Sequence[NodeId]:
        """The nodes that stand in an area, or on the canvas itself, and in no area further in."""
        ...


class Actions(QAccessibleActionInterface):
    """What can be done with a part, by names that screen readers offer."""

    def __init__(self, acts: Sequence[Act]) -> None:
        super().__init__()
        self._acts = {name: (title, act) for name, title, act in acts}

    def actionNames(self) -> list[str]:
        """The names, the usual one first."""
        return list(self._acts)

    def doAction(self, actionName: str) -> None:  # noqa: N803  # Qt's name
        """Do it."""
        if actionName in self._acts:
            self._acts[actionName][1]()

    def keyBindingsForAction(self, actionName: str) -> list[str]:  # noqa: N803  # Qt's name
        """Keys belong to the canvas, which says them in the menus."""
        return []

    def localizedActionName(self, name: str) -> str:
        """The title."""
        return self._acts[name][0] if name in self._acts else ""

    def localizedActionDescription(self, name: str) -> str:
        """The title says it all."""
        return self.localizedActionName(name)


class Part(QAccessibleInterface):
    """A node, port, wire, frame or note; its kind says what it is called and where it stands.

    A part that is gone is not valid, and valid again when an undo brings it back.
    """

    role_of = QAccessible.Role.Grouping

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.tree = tree
        self._actions: Actions | None = None

    @property
    def board(self) -> Board:
        """What the canvas shows."""
        return self.tree.desk.board

    @property
    def flow(self) -> Flow:
        """The flow."""
        return self.tree.desk.board.flow

    def go(self) -> None:
        """Bring the keyboard and the selection here."""
        stand = self.stand()
        if stand is not None:
            self.tree.canvas.setFocus()
            self.board.keyboard.go_and_select(stand)
            self.tree.desk.sight.reveal(stand.node)

    def focus_act(self) -> Act:
        """Going here."""
        return "SetFocus", self.tree.canvas.tr("Go here"), self.go

    def menu_act(self) -> Act:
        """Its menu."""
        return "ShowMenu", self.tree.canvas.tr("Show the menu"), self._menu

    def _menu(self) -> None:
        stand = self.stand()
        if stand is not None:
            self.go()
            self.tree.open_menu(stand)

    # ---------------------------------------------------------------- what each kind says

    def exists(self) -> bool:
        """Whether the flow has it."""
        raise NotImplementedError

    def name(self) -> str:
        """What it is called."""
        raise NotImplementedError

    def description(self) -> str:
        """What else is to be known of it."""
        return ""

    def place(self) -> Rect | None:
        """Where it stands in the scene."""
        raise NotImplementedError

    def inside(self) -> Sequence["Part"]:
        """Its children."""
        return ()

    def around(self) -> QAccessibleInterface:
        """Its parent."""
        return self.tree.root()

    def acts(self) -> Sequence[Act]:
        """What can be done with it."""
        return ()

    def stand(self) -> Stand | None:
        """Where the keyboard stands when it is here."""
        return None

    def mark(self, state: QAccessible.State) -> None:
        """Set what is so of it beyond being there."""

    # ---------------------------------------------------------------- what Qt asks

    def isValid(self) -> bool:
        """Whether it is there."""
        return self.exists()

    def object(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  # it is painted: no widget of its own
        """None."""
        return

    def window(self) -> QWindow:
        """The canvas's window."""
        return self.tree.canvas.window().windowHandle()

    def parent(self) -> QAccessibleInterface:
        """What it stands in."""
        return self.around()

    def childCount(self) -> int:
        """How many parts it has."""
        return len(self.inside()) if self.exists() else 0

    def child(self, index: int) -> QAccessibleInterface | None:  # pyright: ignore[reportIncompatibleMethodOverride]  # null is allowed
        """One of its parts."""
        inside = self.inside() if self.exists() else ()
        return inside[index] if 0 <= index < len(inside) else None

    def indexOfChild(self, arg__1: QAccessibleInterface) -> int:
        """Which of its parts this is; -1 for none."""
        return next((row for row, part in enumerate(self.inside()) if part is arg__1), -1)

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # pyright: ignore[reportIncompatibleMethodOverride]  # null is allowed
        """Its innermost part at a point of the screen."""
        for part in reversed(self.inside()):
            if part.rect().contains(x, y):
                return part.childAt(x, y) or part
        return None

    def text(self, t: QAccessible.Text) -> str:
        """Name or description."""
        if not self.exists():
            return ""
        if t == QAccessible.Text.Name:
            return self.name()
        return self.description() if t == QAccessible.Text.Description else ""

    def setText(self, t: QAccessible.Text, text: str) -> None:
        """Nothing is set this way."""

    def rect(self) -> QRect:
        """Where it is on the screen."""
        place = self.place() if self.exists() else None
        if place is None:
            return QRect()
        camera = self.tree.desk.board.camera
        x, y = camera.to_widget(place.x, place.y)
        size = QSize(max(round(place.width * camera.scale), 1), max(round(place.height * camera.scale), 1))
        return QRect(self.tree.canvas.mapToGlobal(QPoint(round(x), round(y))), size)

    def role(self) -> QAccessible.Role:
        """What it is to a screen reader."""
        return self.role_of

    def state(self) -> QAccessible.State:
        """Whether it is selected, has the keyboard, is seen, and so on."""
        state = QAccessible.State()
        if not self.exists():
            state.invalid = True
            return state
        canvas = self.tree.canvas
        state.focusable = state.selectable = True
        board, own = self.tree.desk.board, self.stand()
        state.focused = own is not None and canvas.hasFocus() and board.keyboard.at(board.scene) == own
        seen = QRect(canvas.mapToGlobal(QPoint(0, 0)), canvas.size())
        state.offscreen = not seen.intersects(self.rect())
        self.mark(state)
        return state

    def foregroundColor(self) -> QColor:
        """The colour of its text."""
        return self.tree.desk.board.style.color("text.normal")

    def backgroundColor(self) -> QColor:
        """What the text stands on."""
        return self.tree.desk.board.style.color("surface.canvas")

    def interface_cast(self, arg__1: QAccessible.InterfaceType) -> Actions | None:  # pyright: ignore[reportIncompatibleMethodOverride]  # Qt wants a pointer, which PySide takes from the object
        """What can be done with it."""
        if arg__1 != QAccessible.InterfaceType.ActionInterface or not self.acts():
            return None
        self._actions = Actions(self.acts())
        return self._actions
