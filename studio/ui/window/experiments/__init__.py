"""Experiments in the window: pages of open flows, desks behind them, and what is read of large tables."""
