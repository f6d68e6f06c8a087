"""Checks: whether a value is as it should be, how much so, and why not."""
