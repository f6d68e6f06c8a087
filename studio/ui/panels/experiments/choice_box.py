"""Boxes in the form of an experiment in which one of several names is chosen."""

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QWidget

from studio.ui.editors.editor import mouse_focus
from studio.ui.viewmodels.experiments.new_variants import present


def choice_box(
    name: str, chosen: str, offered: Sequence[str], parent: QWidget, nothing: str | None = None
) -> QComboBox:
    """Make a box that also has what is chosen where it is not offered; each entry's data is its name.

    `name` is what it is called for those who do not see it. `nothing` comes first and stands for an empty
    name; without it, one has to be chosen. The wheel scrolls past it.
    """
    box = QComboBox(parent)
    box.setAccessibleName(name)
    if nothing is not None:
        box.addItem(nothing, "")
    for one in present(chosen, offered):
        box.addItem(one, one)
    box.setCurrentIndex(max(box.findData(chosen), 0))
    mouse_focus(box)
    return box
