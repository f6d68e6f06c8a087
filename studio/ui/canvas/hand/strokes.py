"""What a hand can do on the canvas with the mouse or its fingers, in words, for the page of keys."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication


def strokes() -> Sequence[tuple[str, str]]:
    """Each effect with the stroke that has it; call it when translations are installed."""

    def say(text: str) -> str:
        return QCoreApplication.translate("strokes", text)

    return (
        (say("Add a node"), say("Double-click the empty canvas, or drop a wire there")),
        (say("Put a node into a wire"), say("Drag it onto the wire")),
        (say("Detach a node and join its neighbours"), say("Alt-drag it")),
        (say("Place freely, without the grid"), say("Drag, then press Ctrl")),
        (say("Cut wires"), say("Ctrl-drag across them, from empty canvas")),
        (say("Move a wire"), say("Drag from the input where it ends")),
        (say("Move all wires of an output"), say("Shift-drag from the output")),
        (say("Change the order of a list"), say("Drag the number on a wire; drop a wire on one")),
        (say("Add to the selection"), say("Shift-drag over empty canvas; Shift- or Ctrl-click")),
        (say("Remove from the selection"), say("Alt-drag over empty canvas")),
        (say("Bend a wire, or straighten it"), say("Double-click on the wire, or on the bend")),
        (say("Zoom"), say("Wheel; pinch")),
        (say("Pan"), say("Middle-drag; Space-drag; one finger on empty canvas")),
        (say("Open the context menu"), say("Right-click; long press")),
    )
