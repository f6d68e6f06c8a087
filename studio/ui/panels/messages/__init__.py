"""The conversation of the shown step, as a reader wants it."""

from studio.ui.panels.messages.panel import MessagesPanel

__all__ = ["MessagesPanel"]
