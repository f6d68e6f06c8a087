"""What is done to the flow, and to where things stand."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.front import Front

in_edit = Menu("edit")


def edit_commands() -> "list[Command[Front]]":
    """What is done to the flow."""
    return [
        in_edit(
            "edit.undo",
            "Undo",
            lambda acts: acts.undo(),
            "Ctrl+Z",
            lambda acts: acts.can_undo(),
            words="revert take back",
        ),
        in_edit(
            "edit.redo",
            "Redo",
            lambda acts: acts.redo(),
            "Ctrl+Shift+Z",
            lambda acts: acts.can_redo(),
            words="repeat again",
        ),
        in_edit(
            "edit.history",
            "Edit history",
            lambda acts: acts.show_history(),
            "Ctrl+Alt+Z",
            lambda acts: acts.has_flow(),
            "Every edit, so that you can go back to any of them",
            words="undo list changes",
        ),
    ]


def going_commands() -> "list[Command[Front]]":
    """Ways through the flow."""
    return [
        in_edit(
            "edit.go",
            "Go to node…",
            lambda acts: acts.open_go_to(),
            "Ctrl+P",
            lambda acts: acts.has_flow(),
            words="find search jump",
            begins=True,
        ),
    ]
