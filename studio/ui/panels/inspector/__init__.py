"""What is selected, in full: its settings, its values, its help; the whole flow where nothing is."""

from studio.ui.panels.inspector.panel import Inspector

__all__ = ["Inspector"]
