"""What grows while a flow runs, as a tree: plans, searches, teams, flows that call themselves."""

from studio.ui.panels.growth.panel import GrowthPanel

__all__ = ["GrowthPanel"]
