"""Agents: the loop of their tools, their turns in a step of another, what they remember and hand over."""
