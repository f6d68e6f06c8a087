"""Plain values."""
