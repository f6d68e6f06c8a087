"""Going about with the keyboard: from node to node, along ports and wires, selecting or only passing."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.ui.canvas.commands.command import Command
from studio.ui.canvas.scene.arrow_targets import Way, first_port, onward
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate
in_unlisted = Menu(None)
in_edit = Menu("edit")

PAGE = 0.8
"""The part of what is seen that a page goes on."""
PAN = 80
"""Widget points that the paper moves with a key."""
_KEYS: tuple[tuple[Way, str], ...] = (("left", "Left"), ("right", "Right"), ("up", "Up"), ("down", "Down"))


def stand_of(desk: "Desk") -> Stand | None:
    """Where the keyboard stands."""
    return desk.board.keyboard.at(desk.board.scene)


def step(way: Way, desk: "Desk") -> None:
    """Select the next node, or at a port walk on along ports and wires."""
    found = _next(way, desk)
    if found is not None:
        desk.board.keyboard.go_and_select(found)
        desk.sight.reveal(found.node)


def extend(way: Way, desk: "Desk") -> None:
    """Add the next node to the selection."""
    found = _next(way, desk)
    if found is not None:
        desk.board.select({*desk.board.selected, found.node})
        desk.board.keyboard.go(Stand(found.node))
        desk.sight.reveal(found.node)


def go_past(way: Way, desk: "Desk") -> None:
    """Go to the next node and leave the selection as it is."""
    found = _next(way, desk)
    if found is not None:
        desk.board.keyboard.go(Stand(found.node))
        desk.sight.reveal(found.node)


def turn(desk: "Desk") -> None:
    """Add the node where the keyboard stands to the selection, or take it out."""
    stand = stand_of(desk)
    if stand is not None:
        desk.board.select(desk.board.selected ^ {stand.node})
        desk.board.keyboard.go(Stand(stand.node))


def enter_ports(desk: "Desk") -> None:
    """Go from a node to its ports; from a port back to the node."""
    stand = stand_of(desk)
    if stand is None:
        return
    found = first_port(desk.board.scene, stand.node) if stand.port is None else Stand(stand.node)
    if found is None:
        desk.tell(translate("actions", "This node has no ports."))
    else:
        desk.board.keyboard.go_and_select(found)
        desk.sight.reveal(found.node)


def connect(desk: "Desk") -> None:
    """Offer what the port, or the first one of the node, can be wired to."""
    stand = stand_of(desk)
    if stand is not None:
        desk.board.keyboard.link_asked.tell(replace(stand, wire=None))


def open_menu(desk: "Desk") -> None:
    """Open the menu of where the keyboard stands."""
    stand = stand_of(desk)
    if stand is not None:
        desk.board.keyboard.menu_asked.tell(stand)


def has_stand(desk: "Desk") -> bool:
    """Whether the keyboard stands somewhere."""
    return stand_of(desk) is not None


def pan(dx: float, dy: float, desk: "Desk") -> None:
    """Move the paper by widget points."""
    desk.board.camera = desk.board.camera.panned(dx, dy).snapped(desk.board.ratio)
    desk.board.stirred.tell()


def page(down: int, desk: "Desk") -> None:
    """Move the paper by most of what is seen."""
    pan(0, -down * PAGE * desk.canvas.height(), desk)


def _next(way: Way, desk: "Desk") -> Stand | None:
    scene, stand = desk.board.scene, stand_of(desk)
    if stand is not None:
        return onward(scene, stand, way)
    seen = (node for node in scene.ids if node not in scene.hidden)
    first = min(seen, key=lambda node: (scene.rect(node).x, scene.rect(node).y), default=None)
    return Stand(first) if first is not None else None


def commands() -> Sequence[Command]:
    """The four ways to select, to add and to pass; ports, connecting, the menu; panning."""
    say = {
        "left": translate("actions", "Select the previous node; on a port, go against the wire"),
        "right": translate("actions", "Select the next node; on a port, go along the wire"),
        "up": translate("actions", "Select the node, port or wire above"),
        "down": translate("actions", "Select the node, port or wire below"),
    }
    more = {
        "left": translate("actions", "Also select the previous node"),
        "right": translate("actions", "Also select the next node"),
        "up": translate("actions", "Also select the node above"),
        "down": translate("actions", "Also select the node below"),
    }
    past = {
        "left": translate("actions", "Go to the previous node without selecting it"),
        "right": translate("actions", "Go to the next node without selecting it"),
        "up": translate("actions", "Go to the node above without selecting it"),
        "down": translate("actions", "Go to the node below without selecting it"),
    }
    return (
        in_edit(
            "ports",
            "Walk the ports of the node",
            enter_ports,
            "P",
            has_stand,
            "Arrow keys move between ports and along wires; press P again to leave",
            begins=True,
        ),
        in_edit(
            "connect",
            "Connect to…",
            connect,
            "W",
            has_stand,
            "List what the port can be wired to, and wire it with Enter",
            words="wire link join",
            on={"node"},
        ),
        *(Command(way, say[way], None, partial(step, way), key) for way, key in _KEYS),
        *(Command(f"add_{way}", more[way], None, partial(extend, way), f"Shift+{key}") for way, key in _KEYS),
        *(
            Command(f"past_{way}", past[way], None, partial(go_past, way), f"Ctrl+{key}")
            for way, key in _KEYS
        ),
        in_unlisted("turn", "Select or deselect the focused node", turn, "Ctrl+Space", has_stand),
        in_unlisted("menu", "Open the menu here", open_menu, "Shift+F10", has_stand),
        in_unlisted("page_down", "Scroll down", partial(page, 1), "PgDown"),
        in_unlisted("page_up", "Scroll up", partial(page, -1), "PgUp"),
        in_unlisted("pan_left", "Scroll left", partial(pan, PAN, 0), "Ctrl+Shift+Left"),
        in_unlisted("pan_right", "Scroll right", partial(pan, -PAN, 0), "Ctrl+Shift+Right"),
        in_unlisted("pan_up", "Scroll up a little", partial(pan, 0, PAN), "Ctrl+Shift+Up"),
        in_unlisted("pan_down", "Scroll down a little", partial(pan, 0, -PAN), "Ctrl+Shift+Down"),
    )
