"""Memories in the window: shown, searched and edited."""
