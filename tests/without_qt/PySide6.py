"""Refuses `PySide6` where this folder is on PYTHONPATH: nothing outside tests/ui needs it."""

raise ModuleNotFoundError("PySide6 is refused outside tests/ui", name="PySide6")
