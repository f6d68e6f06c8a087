"""The flow as a tree, a full equal of the canvas."""

from studio.ui.panels.outline.panel import OutlinePanel

__all__ = ["OutlinePanel"]
