"""Layouts as they are made everywhere: beneath one another or side by side, with their margins and gaps."""

from typing import TypeAlias, TypeVar

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

Margins: TypeAlias = int | tuple[int, int, int, int]
"""On all sides alike, or left, top, right and bottom, in pixels."""

L = TypeVar("L", QVBoxLayout, QHBoxLayout)


def column_layout(
    parent: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QVBoxLayout:
    """Put widgets beneath one another; None leaves margins or gaps to the style."""
    return _set(QVBoxLayout(parent) if parent is not None else QVBoxLayout(), margins, spacing)


def row_layout(
    parent: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """Put widgets side by side; None leaves margins or gaps to the style."""
    return _set(QHBoxLayout(parent) if parent is not None else QHBoxLayout(), margins, spacing)


def _set(layout: L, margins: Margins | None, spacing: int | None) -> L:
    if margins is not None:
        layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        layout.setSpacing(spacing)
    return layout
