"""What a hand can do on the canvas with the mouse or its fingers, in words, for the page of keys."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication


def strokes() -> Sequence[tuple[str, str]]:
    """Each effect with the stroke that has it; call it when translations are installed."""

    def say(text: str) -> str:
        return QCoreApplication.translate("strokes", text)

    return (
        (say("Add a node"), say("Double-click on empty canvas; drop a wire there")),
        (say("Put a node into a wire"), say("Drag it onto the wire")),
        (say("Take a node out of its wires and join its neighbours"), say("Alt-drag it")),
        (say("Move off the grid and out of line"), say("Drag, then hold Ctrl")),
        (say("Cut wires"), say("Ctrl-drag across them, from empty canvas")),
        (say("Take a wire along"), say("Drag from the input where it ends")),
        (say("Take all wires of an output along"), say("Shift-drag from the output")),
        (say("Change the order of a list"), say("Drag the number on a wire; drop a wire on one")),
        (say("Add to the selection"), say("Shift-drag over empty canvas; Shift- or Ctrl-click")),
        (say("Take away from the selection"), say("Alt-drag over empty canvas")),
        (say("Bend a wire, or straighten it"), say("Double-click on the wire, or on the bend")),
        (say("Zoom"), say("Wheel; pinch")),
        (say("Move the paper"), say("Middle-drag; Space-drag; one finger on empty canvas")),
        (say("Open the menu of what is there"), say("Right-click; rest a finger on it")),
    )
