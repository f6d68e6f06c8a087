"""A chat with a flow: each message is a run of it."""

from studio.ui.panels.chat.panel import ChatPanel

__all__ = ["ChatPanel"]
