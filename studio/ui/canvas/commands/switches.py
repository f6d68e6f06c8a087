"""Muting, bypassing and holding nodes."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from studio.flow import edits
from studio.flow.change import Change
from studio.flow.records import title_of
from studio.ui.canvas.commands.command import Command, has_nodes
from studio.ui.canvas.scene.keyboard import spot_of
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

in_debug = Menu("debug")
in_edit = Menu("edit")


def switch(state: Literal["muted", "bypassed"], verb: str, desk: "Desk") -> None:
    """Put the selected nodes into a state, or where all are in it, let them take part again."""
    board = desk.board
    nodes, flow = sorted(board.selected), board.flow
    if not nodes:
        return
    is_off = all(flow.nodes[node].run.state == state for node in nodes)
    change = Change("")
    for node in nodes:
        run = flow.nodes[node].run.model_copy(update={"state": "" if is_off else state})
        change = change.then(edits.set_run(change.applied_to(flow), node, run))
    named = title_of(flow, nodes[0]) if len(nodes) == 1 else f"{len(nodes)} nodes"
    board.document.history.do(change.labelled(f"{'Restore' if is_off else verb} {named}"))


def toggle_breakpoint(desk: "Desk") -> None:
    """Ask for the next state of the breakpoints where the keyboard stands, or of what is selected."""
    desk.toggle_breakpoint(break_places(desk))


def edit_breakpoint(desk: "Desk") -> None:
    """Ask for the condition of the same, or of the first of what is selected."""
    for place in break_places(desk)[:1]:
        desk.board.condition_asked.tell(place)


def break_places(desk: "Desk") -> list[str]:
    """Where the keyboard's breakpoints go: the port that it stands at, else the selected nodes."""
    board = desk.board
    stand = board.keyboard.at(board.scene)
    spot = spot_of(board.scene, stand)
    if stand is not None and spot is not None and board.carries_values(stand.node, spot):
        return [str(stand.socket)]
    return sorted(board.selected)


mute = partial(switch, "muted", "Mute")
bypass = partial(switch, "bypassed", "Bypass")


def commands() -> Sequence[Command]:
    """Mute, bypass, breakpoint."""
    return (
        in_edit(
            "mute", "Mute", mute, "M", has_nodes, words="disable off absent skip", on={"node"}, begins=True
        ),
        in_edit("bypass", "Bypass", bypass, "B", has_nodes, words="disable skip pass through", on={"node"}),
        in_debug(
            "breakpoint",
            "Breakpoint on the selected node",
            toggle_breakpoint,
            "F9",
            has_nodes,
            "Or at the focused port; press again to disable it, and again to remove it",
            words="debug hold stop",
            on={"node"},
            begins=True,
            is_wide=True,
        ),
        in_debug(
            "break_when",
            "Breakpoint with a condition…",
            edit_breakpoint,
            "Shift+F9",
            has_nodes,
            "Pause only when it holds or after a number of hits, or log a line instead",
            words="hold conditional stop",
            on={"node"},
            is_wide=True,
        ),
    )
