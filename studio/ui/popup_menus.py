"""Menus that are made when they are asked for, and gone when they close."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu


def pop_up(menu: QMenu, at: QPoint) -> None:
    """Show a menu at a place of the screen, without waiting for it; it is deleted once it is hidden."""
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)
