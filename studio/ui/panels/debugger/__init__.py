"""Breakpoints, the steps they hold, and what stands in every scope around such a step."""

from studio.ui.panels.debugger.panel import DebuggerPanel

__all__ = ["DebuggerPanel"]
