"""What a run gives, as a reader wants it."""

from studio.ui.panels.result.panel import ResultPanel

__all__ = ["ResultPanel"]
