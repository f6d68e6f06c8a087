"""Agents that work together."""
