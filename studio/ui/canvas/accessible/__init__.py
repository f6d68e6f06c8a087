"""The canvas for screen readers."""
