"""Whose call comes next at a language model, and how many may be under way at a time."""
