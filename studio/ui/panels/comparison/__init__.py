"""Two runs side by side, beside which one works."""

from studio.ui.panels.comparison.panel import ComparisonPanel

__all__ = ["ComparisonPanel"]
