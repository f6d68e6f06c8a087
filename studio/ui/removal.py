"""Widgets that leave a layout: out of it and out of sight at once, gone as soon as nobody is in them."""

from PySide6.QtWidgets import QLayout, QWidget


def take_out(rows: QLayout, widget: QWidget) -> None:
    """Take a widget out of its layout, and let it go."""
    rows.removeWidget(widget)
    let_go(widget)


def empty(rows: QLayout) -> None:
    """Let everything in a layout go."""
    while (item := rows.takeAt(0)) is not None:  # pyright: ignore[reportUnnecessaryComparison]
        if (widget := item.widget()) is not None:  # pyright: ignore[reportUnnecessaryComparison]
            let_go(widget)


def let_go(widget: QWidget) -> None:
    """Hide a widget that nobody needs any more; it goes when whatever it does just now is over."""
    widget.hide()
    widget.deleteLater()
