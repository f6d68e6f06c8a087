"""What is done to the flow, and to where things stand."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.front import Front

translate = QCoreApplication.translate


def edit_commands() -> "list[Command[Front]]":
    """What is done to the flow."""
    return [
        Command(
            "edit.undo",
            translate("actions", "Undo"),
            "edit",
            lambda acts: acts.undo(),
            "Ctrl+Z",
            lambda acts: acts.can_undo(),
            words=translate("actions", "revert take back"),
        ),
        Command(
            "edit.redo",
            translate("actions", "Redo"),
            "edit",
            lambda acts: acts.redo(),
            "Ctrl+Shift+Z",
            lambda acts: acts.can_redo(),
            words=translate("actions", "repeat again"),
        ),
        Command(
            "edit.history",
            translate("actions", "Edit history"),
            "edit",
            lambda acts: acts.show_history(),
            "Ctrl+Alt+Z",
            lambda acts: acts.has_flow(),
            translate("actions", "Every edit, so that you can go back to any of them"),
            words=translate("actions", "undo list changes"),
        ),
    ]


def going_commands() -> "list[Command[Front]]":
    """Ways through the flow."""
    return [
        Command(
            "edit.go",
            translate("actions", "Go to node…"),
            "edit",
            lambda acts: acts.open_go_to(),
            "Ctrl+P",
            lambda acts: acts.has_flow(),
            begins=True,
            words=translate("actions", "find search jump"),
        ),
    ]
