"""The timeline: one lane for each node, time from left to right, painted and never built of widgets."""

from studio.ui.panels.timeline.panel import TimelinePanel

__all__ = ["TimelinePanel"]
