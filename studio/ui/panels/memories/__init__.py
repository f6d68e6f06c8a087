"""The memories of a project and of the shown run, with their items."""

from studio.ui.panels.memories.panel import MemoriesPanel

__all__ = ["MemoriesPanel"]
