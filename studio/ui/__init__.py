"""The window: everything that imports PySide6."""
