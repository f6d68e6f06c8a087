"""The script of a flow beside its canvas."""

from studio.ui.panels.script.panel import ScriptPanel

__all__ = ["ScriptPanel"]
