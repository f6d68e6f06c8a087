"""What bounds a trial, in the form of an experiment: a box for each limit."""

from collections.abc import Mapping

from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from studio.ui.look import Look

LIMITS: Mapping[str, tuple[str, float, int]] = {
    "cost": ("$", 10_000.0, 4),
    "tokens": (" tokens", 100_000_000.0, 0),
    "seconds": (" s", 1_000_000.0, 1),
}
"""What bounds a trial: the unit, the most that can be chosen, and how many decimals."""


def limit_boxes(look: Look, before: Mapping[str, float], parent: QWidget) -> dict[str, QDoubleSpinBox]:
    """Make the boxes by the names of their limits; 0 is no limit, and says so."""
    nothing = {
        "cost": parent.tr("any cost"),
        "tokens": parent.tr("any tokens"),
        "seconds": parent.tr("any time"),
    }
    found: dict[str, QDoubleSpinBox] = {}
    for name, (unit, most, decimals) in LIMITS.items():
        box = found[name] = QDoubleSpinBox(parent)
        box.setRange(0.0, most)
        box.setDecimals(decimals)
        box.lineEdit().setTextMargins(look.length("space.small"), 0, 0, 0)
        box.setPrefix(unit if name == "cost" else "")
        box.setSuffix("" if name == "cost" else unit)
        box.setSpecialValueText(nothing[name])
        box.setAccessibleName(parent.tr("Limit of a trial: {what}").format(what=name))
        box.setValue(before.get(name, 0.0))
    return found
